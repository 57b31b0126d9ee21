/*
 * select.c - a wait for the first of several cases.
 *
 * Role: jd_select.
 * Owner: the ULT that selects.
 * Invariants: I1 a ULT holds several locks of objects only here, and takes them by address; each once, also if
 *                several cases are about the same object.
 *             I2 while a select looks, none of its entries is in a line.
 *             I3 exactly one case is carried out: by the select itself, or by whoever claims its wait.
 * Order: [pair: lock]; [pair: wait-end].
 * See: doc/waiting.md "Select"; sched/wait/select.h; the lock order is that of Go's runtime/select.go.
 */
#include "sched/wait/select.h"

#include <limits.h>

enum { RUNS = 32 }; /* binary digits of the number of cases, an int, and one more */

_Static_assert(sizeof(struct jdi_select_place) <= sizeof((jd_case){0}.opaque),
               "it has room in a case");

struct selection {
    jd_self *me;
    jd_case *c;
    size_t n;
    struct jdi_select_place *first; /* by lock: all but those that are off */
};

static struct jdi_select_place *private_of(jd_case *c)
{
    return (struct jdi_select_place *)(void *)c->opaque;
}

/* ---- before: without locks ------------------------------------------------------------ */

/* What the case is about; JD_EINVAL: there can be no such thing. */
static int find_object(const jd_self *me, jd_case *c)
{
    struct jdi_select_place *p = private_of(c);
    *p = (struct jdi_select_place){.c = c};
    if (c->kind == JD_CASE_OFF)
        return 0;
    if (c->kind < 0 || c->kind >= JD_CASE_KINDS)
        return JD_EINVAL;
    if (!me->rank->cases[c->kind])
        return JD_ENOTSUP; /* in virtual time */
    if (!me->rank->cases[c->kind]->find(me, c, &p->lock))
        return JD_EINVAL;
    p->ops = me->rank->cases[c->kind];
    return 0;
}

static int find_all(const struct selection *s)
{
    int error = 0;
    for (size_t i = 0; i < s->n; i++) {
        s->c[i].error = find_object(s->me, &s->c[i]);
        error = error ? error : s->c[i].error;
    }
    return error;
}

static struct jdi_select_place *merge(struct jdi_select_place *a,
                                      struct jdi_select_place *b)
{
    struct jdi_select_place *first, **last = &first;
    while (a && b) {
        struct jdi_select_place **least =
            (uintptr_t)b->lock < (uintptr_t)a->lock ? &b : &a;
        *last = *least;
        last = &(*least)->next;
        *least = *last;
    }
    *last = a ? a : b;
    return first;
}

/* Sort without memory and recursion: run[k] has 2^k cases in order, or none, as far as there are runs. */
static struct jdi_select_place *sort_by_lock(const struct selection *s)
{
    struct jdi_select_place *run[RUNS], *all = NULL;
    unsigned runs = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct jdi_select_place *p = private_of(&s->c[i]);
        unsigned k = 0;
        if (!p->ops)
            continue;
        for (; k < runs && run[k]; run[k++] = NULL)
            p = merge(run[k], p);
        run[k] = p;
        runs = k < runs ? runs : k + 1;
    }
    for (unsigned k = 0; k < runs; k++)
        all = merge(run[k], all);
    return all;
}

/* In which order to look: as given, or every order with the same chance. */
static void choose_turns(const struct selection *s, bool ordered)
{
    uint64_t *rng = &s->me->worker->rng;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t k = ordered ? i : jdi_random_below(rng, i + 1);
        private_of(&s->c[i])->turn = private_of(&s->c[k])->turn;
        private_of(&s->c[k])->turn = i;
    }
}

/* ---- all locks ------------------------------------------------------------------------ */

/* Those without a lock come first. */
static void lock_all(const struct selection *s)
{
    const struct jdi_lock *last = NULL;
    for (struct jdi_select_place *p = s->first; p; p = p->next) {
        if (p->lock != last)
            jdi_lock(p->lock);
        last = p->lock;
    }
}

static void unlock_all(const struct selection *s)
{
    for (struct jdi_select_place *p = s->first; p;) {
        struct jdi_lock *l = p->lock;
        while (p && p->lock == l)
            p = p->next;
        if (l)
            jdi_unlock(l);
    }
}

/* All names are right, and so are their cases. */
static int check_all(const struct selection *s)
{
    int error = 0;
    for (struct jdi_select_place *p = s->first; p; p = p->next)
        if (!p->ops->check(p->lock, p->c))
            error = p->c->error = JD_EINVAL;
    return error;
}

/* Carry out the first case that is ready.  Returns its index, or JD_EAGAIN. */
static int look_at_all(const struct selection *s, struct jdi_wait **met)
{
    for (size_t i = 0; i < s->n; i++) {
        uint32_t k = private_of(&s->c[i])->turn;
        const struct jdi_select_place *p = private_of(&s->c[k]);
        int error = p->ops ? p->ops->attempt(p->lock, p->c, met) : JD_EAGAIN;
        if (error == JD_EAGAIN)
            continue;
        p->c->error = error;
        return (int)k;
    }
    return JD_EAGAIN;
}

static void join_all(const struct selection *s, struct jdi_wait *w)
{
    for (size_t i = 0; i < s->n; i++) {
        jd_case *c = &s->c[i];
        struct jdi_select_place *p = private_of(c);
        if (!p->ops)
            continue;
        p->entry = (struct jdi_entry){.wait = w,
                                      .error = &c->error,
                                      .index = (int)i,
                                      .reserves = c->kind == JD_CASE_RESERVE,
                                      .item = c->item};
        if (p->ops->line)
            jdi_line_join(p->ops->line(p->lock, c), &p->entry.link);
        else
            p->ops->join(s->me, p);
    }
}

/* One turn of all locks.  JD_EAGAIN: no case is ready, and if `w` is not NULL all are in their lines. */
static int try_cases(const struct selection *s, struct jdi_wait *w)
{
    struct jdi_wait *met = NULL;
    lock_all(s);
    int at = check_all(s);
    if (!at)
        at = look_at_all(s, &met);
    if (at == JD_EAGAIN && w)
        join_all(s, w);
    unlock_all(s);
    jdi_entry_end(s->me->worker, met);
    return at;
}

/* Before the cases may join; JD_ENOMEM: none is prepared. */
static int prepare_all(const struct selection *s)
{
    for (struct jdi_select_place *p = s->first; p; p = p->next) {
        if (p->ops->line || !p->ops->prepare(s->me, p))
            continue;
        for (struct jdi_select_place *q = s->first; q != p; q = q->next)
            if (!q->ops->line)
                q->ops->leave(s->me, q);
        return JD_ENOMEM;
    }
    return 0;
}

/* All have joined.  The index of a case that cannot be waited for, if nothing else has ended the wait; else
 * JD_EAGAIN. */
static int begin_waits(const struct selection *s, struct jdi_wait *w)
{
    for (struct jdi_select_place *p = s->first; p; p = p->next) {
        int error = p->ops->begin ? p->ops->begin(s->me, p) : 0;
        if (!error || !jdi_wait_claim(w))
            continue;
        p->c->error = error;
        return p->entry.index;
    }
    return JD_EAGAIN;
}

/* The wait has ended, or did not begin: leave the lines from which nobody has taken the select out. */
static void leave_all(const struct selection *s, bool joined)
{
    for (struct jdi_select_place *p = s->first; p;) {
        struct jdi_lock *l = p->lock;
        if (!p->ops->line)
            p->ops->leave(s->me, p);
        if (!p->ops->line || !joined) {
            p = p->next;
            continue;
        }
        jdi_lock(l);
        for (; p && p->lock == l && p->ops->line; p = p->next)
            if (jdi_link_is_in(&p->entry.link))
                jdi_line_leave(p->ops->line(l, p->c), &p->entry.link);
        jdi_unlock(l);
    }
}

/* ---- public --------------------------------------------------------------------------- */

int jd_select(jd_self *me, jd_case *cases, size_t n, int flags, jd_time deadline)
{
    struct selection s = {.me = me, .c = cases, .n = n};
    struct jdi_wait w;
    if (n > INT_MAX || (n && !cases) || (flags & ~JD_ORDERED))
        return JD_EINVAL;
    int at = find_all(&s);
    if (at)
        return at;
    s.first = sort_by_lock(&s);
    choose_turns(&s, flags & JD_ORDERED);
    at = try_cases(&s, NULL);
    if (at != JD_EAGAIN)
        return at;
    int error = jdi_wait_open(&w, me, deadline);
    if (!error)
        error = prepare_all(&s);
    if (error)
        return error;
    at = try_cases(&s, &w);
    bool joined = at == JD_EAGAIN;
    if (joined)
        at = begin_waits(&s, &w);
    if (at == JD_EAGAIN)
        at = jdi_wait_park(&w, &(struct jdi_cause){.kind = JDI_CAUSE_SELECT,
                                                   .home = (uint32_t)n,
                                                   .number = (uintptr_t)cases,
                                                   .deadline = deadline});
    leave_all(&s, joined);
    return at;
}
