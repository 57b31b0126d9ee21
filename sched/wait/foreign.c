/*
 * foreign.c - threads of the program that are no ULTs and may wake tasks of a rank.
 *
 * Role: jd_foreign_enter, jd_foreign_leave.
 * Owner: a registration is under its lock.
 * Invariants: I1 `count` is the number of registrations that live.
 * Order: [pair: foreign-count] what a thread did before it left, before whoever does not count it any more;
 *        those of sched/names.h.
 * See: foreign.h; sched/wait/event.c, whose keys are as the handles here.
 */
#include "sched/wait/foreign.h"

#include "sched/names.h"
#include "sched/self.h"

#include <stdio.h>

enum { NAME_MOST = 32 };

struct foreigner {
    JDI_ALIGNED struct jdi_named named; /* first */
    struct jdi_foreigners *all;
    char name[NAME_MOST];
};

struct jdi_foreigners {
    struct jdi_rank *rank;
    struct jdi_names names;
    _Atomic uint64_t count; /* writers: any thread */
};

static struct foreigner *as_foreigner(struct jdi_named *o)
{
    return (struct foreigner *)(void *)o;
}

void jdi_foreign_init(struct jdi_rank *r)
{
    r->foreigners = jdi_zalloc(NULL, sizeof *r->foreigners);
    if (!r->foreigners)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    r->foreigners->rank = r;
    jdi_names_init(&r->foreigners->names, sizeof(struct foreigner), &r->am->fault);
}

static void tell_who_stays(struct jdi_named *o)
{
    const struct foreigner *f = as_foreigner(o);
    if (jdi_named_lives(o))
        jdi_log(&f->all->rank->am->log, JDI_LOG_WARN,
                "the job ends, and thread %s has not called jd_foreign_leave", f->name);
}

void jdi_foreign_free_all(struct jdi_rank *r)
{
    jdi_names_fini(&r->foreigners->names, tell_who_stays);
    jdi_free(r->foreigners);
}

uint64_t jdi_foreign_count(const struct jdi_rank *r)
{
    /* [pair: foreign-count] acquire. */
    return atomic_load_explicit(&r->foreigners->count, memory_order_acquire);
}

int jd_foreign_enter(jd_self *me, const char *name, jd_foreign *out)
{
    struct jdi_foreigners *all = me->rank->foreigners;
    if (!name)
        return JD_EINVAL;
    struct foreigner *f = as_foreigner(jdi_names_take(&all->names, NULL));
    if (!f)
        return JD_ENOMEM;
    f->all = all;
    snprintf(f->name, sizeof f->name, "%s", name);
    atomic_fetch_add_explicit(&all->count, 1, memory_order_relaxed);
    *out = (jd_foreign){.opaque = f, .number = jdi_named_born(&f->named)};
    return 0;
}

int jd_foreign_leave(jd_foreign handle)
{
    struct foreigner *f = handle.opaque;
    if (!f || !jdi_names_lock_at(&f->named, handle.number))
        return JD_EINVAL;
    struct jdi_foreigners *all = f->all;
    jdi_named_dies(&f->named);
    jdi_unlock(&f->named.lock);
    jdi_names_give(&all->names, NULL, &f->named);
    /* [pair: foreign-count] release: whatever the thread has woken is not asleep for who sees that it left. */
    atomic_fetch_sub_explicit(&all->count, 1, memory_order_release);
    return 0;
}
