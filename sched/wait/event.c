/*
 * event.c - what tasks of a rank wait for until it has been signalled often enough.
 *
 * Role: jd_event_create, signal, wait, reset, destroy, and the keys of threads that are no ULTs.
 * Owner: an event's fields are under its lock.
 * Invariants: I1 somebody waits and is not claimed only while signals are missing.
 *             I2 no lock is held while a ULT is made ready.
 * Order: [pair: lock]; those of sched/names.h and sched/wait/entry.h.
 * See: doc/waiting.md "Events".
 */
#include "sched/wait/event.h"

#include "sched/names.h"
#include "sched/wait/select.h"

struct event {
    JDI_ALIGNED struct jdi_named named; /* first */
    uint64_t missing;                   /* signals; 0: it is set */
    bool keyed;                         /* a key was given out */
    struct jdi_line line;               /* of struct jdi_entry */
};

struct jdi_events {
    struct jdi_names names;
};

static struct event *as_event(struct jdi_named *o)
{
    return (struct event *)(void *)o;
}

/* ---- cases of jd_select --------------------------------------------------------------- */

static struct event *event_under(struct jdi_lock *l)
{
    return as_event(jdi_container_of(l, struct jdi_named, lock));
}

static bool find_event(const jd_self *me, const jd_case *c, struct jdi_lock **lock)
{
    const struct jdi_rank *r = me->rank;
    struct jdi_named *o =
        c->home == r->am->rank ? jdi_names_at(&r->events->names, c->number) : NULL;
    *lock = o ? &o->lock : NULL;
    return o;
}

static bool is_event(struct jdi_lock *l, const jd_case *c)
{
    return jdi_named_is(&event_under(l)->named, c->number);
}

static int try_event(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met)
{
    (void)c, (void)met;
    return event_under(l)->missing ? JD_EAGAIN : 0;
}

static struct jdi_line *line_of_event(struct jdi_lock *l, const jd_case *c)
{
    (void)c;
    return &event_under(l)->line;
}

static const struct jdi_select_ops event_cases = {
    .find = find_event, .check = is_event, .attempt = try_event, .line = line_of_event};

/* ---- start and end -------------------------------------------------------------------- */

void jdi_event_init(struct jdi_rank *r)
{
    r->cases[JD_CASE_EVENT] = &event_cases;
    r->events = jdi_zalloc(NULL, sizeof *r->events);
    if (!r->events)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    jdi_names_init(&r->events->names, sizeof(struct event), &r->am->fault);
}

static void check_nobody_waits(struct jdi_named *o)
{
    JD_CHECK(!as_event(o)->line.first);
}

void jdi_event_free_all(struct jdi_rank *r)
{
    jdi_names_fini(&r->events->names, check_nobody_waits);
    jdi_free(r->events);
}

/* ---- public: life --------------------------------------------------------------------- */

int jd_event_create(jd_self *me, uint64_t count, jd_event *out)
{
    struct jdi_rank *r = me->rank;
    struct event *e = as_event(jdi_names_take(&r->events->names, NULL));
    if (!e)
        return JD_ENOMEM;
    JD_ASSERT(!e->line.first);
    e->missing = count;
    e->keyed = false;
    *out = (jd_event){.number = jdi_named_born(&e->named), .home = r->am->rank};
    return 0;
}

/* The event of that name, locked; NULL: there is none. */
static struct event *lock_event(const jd_self *me, jd_event name)
{
    const struct jdi_rank *r = me->rank;
    return name.home == r->am->rank
               ? as_event(jdi_names_lock(&r->events->names, name.number))
               : NULL;
}

int jd_event_destroy(jd_self *me, jd_event name)
{
    struct event *e = lock_event(me, name);
    struct jdi_wait *chain = NULL;
    if (!e)
        return JD_EINVAL;
    jdi_named_dies(&e->named);
    (void)jdi_entry_settle_all(&e->line, JD_ECLOSED, &chain);
    jdi_unlock(&e->named.lock);
    jdi_entry_end(me->worker, chain);
    jdi_names_give(&me->rank->events->names, NULL, &e->named);
    return 0;
}

/* ---- public: signals ------------------------------------------------------------------ */

/* From now on so many signals are missing.  Unlocks the event; `by` as for jdi_unblock. */
static int set_missing(struct jdi_worker *by, struct event *e, uint64_t missing)
{
    struct jdi_wait *chain = NULL;
    e->missing = missing;
    if (!missing)
        (void)jdi_entry_settle_all(&e->line, 0, &chain);
    jdi_unlock(&e->named.lock);
    jdi_entry_end(by, chain);
    return 0;
}

static int signal_event(struct jdi_worker *by, struct event *e, uint64_t n)
{
    return e ? set_missing(by, e, n < e->missing ? e->missing - n : 0) : JD_EINVAL;
}

int jd_event_signal(jd_self *me, jd_event name, uint64_t n)
{
    return signal_event(me->worker, lock_event(me, name), n);
}

int jd_event_reset(jd_self *me, jd_event name, uint64_t count)
{
    struct event *e = lock_event(me, name);
    return e ? set_missing(me->worker, e, count) : JD_EINVAL;
}

int jd_event_get_key(jd_self *me, jd_event name, jd_event_key *out)
{
    struct event *e = lock_event(me, name);
    if (!e)
        return JD_EINVAL;
    e->keyed = true;
    jdi_unlock(&e->named.lock);
    *out = (jd_event_key){.opaque = e, .number = name.number};
    return 0;
}

bool jdi_event_is_keyed(struct jdi_rank *r, uint64_t number)
{
    struct event *e = as_event(jdi_names_lock(&r->events->names, number));
    bool keyed = e && e->keyed;
    if (e)
        jdi_unlock(&e->named.lock);
    return keyed;
}

int jd_event_signal_key(jd_event_key key, uint64_t n)
{
    struct event *e = key.opaque;
    if (!e || !jdi_names_lock_at(&e->named, key.number))
        return JD_EINVAL;
    return signal_event(NULL, e, n);
}

/* ---- public: waiting ------------------------------------------------------------------ */

/* JD_EAGAIN: the caller has to wait, and `entry`, if it is not NULL, is in the line. */
static int look_at_event(jd_self *me, jd_event name, struct jdi_entry *entry)
{
    struct event *e = lock_event(me, name);
    if (!e)
        return JD_EINVAL;
    int error = e->missing ? JD_EAGAIN : 0;
    if (error && entry)
        jdi_line_join(&e->line, &entry->link);
    jdi_unlock(&e->named.lock);
    return error;
}

/* A wait has ended by its deadline or a cancellation.  The event may be another one by now: then the
 * line was left when the old one was destroyed. */
static void leave_event(const jd_self *me, jd_event name, struct jdi_entry *entry)
{
    struct event *e = as_event(jdi_names_at(&me->rank->events->names, name.number));
    jdi_lock(&e->named.lock);
    if (jdi_link_is_in(&entry->link))
        jdi_line_leave(&e->line, &entry->link);
    jdi_unlock(&e->named.lock);
}

int jd_event_wait(jd_self *me, jd_event name, jd_time deadline)
{
    struct jdi_wait w;
    int error = look_at_event(me, name, NULL);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_open(&w, me, deadline);
    if (error)
        return error;
    struct jdi_entry entry = {.wait = &w};
    error = look_at_event(me, name, &entry);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_park(&w, &(struct jdi_cause){.kind = JDI_CAUSE_EVENT,
                                                  .number = name.number,
                                                  .deadline = deadline});
    if (error && error != JD_ECLOSED)
        leave_event(me, name, &entry);
    return error;
}
