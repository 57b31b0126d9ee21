/*
 * phaser.c - phases that the tasks of a rank go through together.
 *
 * Role: jd_phaser_create, next, signal, wait, drop, phase, destroy.
 * Owner: a phaser's fields are under its lock.
 * Invariants: I1 whoever stands in `waiters` and is not claimed waits for the end of the phase that runs.
 *             I2 no lock is held while a ULT is made ready.
 * Order: [pair: lock]; those of sched/names.h and sched/wait/entry.h.
 * See: doc/phasers.md has the tables.
 */
#include "sched/wait/phaser.h"

#include "sched/self.h"
#include "sched/wait/entry.h"

struct phaser {
    JDI_ALIGNED struct jdi_named named; /* first */
    bool opened;                        /* somebody has been registered to signal */
    struct jdi_phases phases;
    struct jdi_line waiters; /* of struct jdi_entry */
};

static struct phaser *phaser_of(struct jdi_named *o)
{
    return (struct phaser *)(void *)o;
}

static bool signals(const struct jdi_phaser_part *p)
{
    return p->mode & JD_PHASE_SIGNAL;
}

static bool awaits(const struct jdi_phaser_part *p)
{
    return p->mode & JD_PHASE_WAIT;
}

/* Under the lock: somebody has signalled, or was dropped; `moved`: the phase is another one.  Those who wait
 * no longer are appended to the chain. */
static void end_waits(struct phaser *ph, struct jdi_wait **chain, bool moved)
{
    if (moved || !ph->phases.signallers)
        (void)jdi_entry_settle_all(&ph->waiters, moved ? 0 : JD_ECLOSED, chain);
}

/* Where a new part stands: where the caller's stands in what both do, else at the phase that runs. */
static void place_part(const struct phaser *ph, struct jdi_phaser_part *p,
                       const struct jdi_phaser_part *of_caller)
{
    bool same = of_caller && (p->mode & of_caller->mode) == p->mode;
    p->to.signals = same && signals(p) ? of_caller->to.signals : ph->phases.phase;
    p->waits = same && awaits(p) ? of_caller->waits : ph->phases.phase;
}

/* ---- a rank's phasers ------------------------------------------------------------------ */

void jdi_phaser_init(struct jdi_rank *r)
{
    r->phasers = jdi_zalloc(NULL, sizeof *r->phasers);
    if (!r->phasers)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    jdi_lock_init(&r->phasers->lock);
    jdi_names_init(&r->phasers->names, sizeof(struct phaser), &r->am->fault);
    r->on_phased = jdi_phaser_end;
}

static void check_left(struct jdi_named *o)
{
    const struct phaser *ph = phaser_of(o);
    JD_CHECK(!ph->waiters.first && !ph->phases.ahead.first);
}

void jdi_phaser_free_all(struct jdi_rank *r)
{
    jdi_names_fini(&r->phasers->names, check_left);
    jdi_free(r->phasers);
}

/* The phaser of that number, locked; NULL: there is none. */
static struct phaser *lock_number(const struct jdi_rank *r, uint64_t number)
{
    return phaser_of(jdi_names_lock(&r->phasers->names, number));
}

static struct phaser *lock_phaser(const struct jdi_rank *r, jd_phaser name)
{
    return name.home == r->am->rank ? lock_number(r, name.number) : NULL;
}

bool jdi_phaser_known(const struct jdi_rank *r, jd_phaser name)
{
    struct phaser *ph = lock_phaser(r, name);
    if (ph)
        jdi_unlock(&ph->named.lock);
    return ph != NULL;
}

static struct jdi_phaser_part *own_part(const jd_self *me, uint64_t number)
{
    struct jdi_phaser_part *p = me->phased;
    while (p && p->number != number)
        p = p->next;
    return p;
}

/* ---- registration ---------------------------------------------------------------------- */

void jdi_phaser_join(jd_self *me, struct jdi_phaser_part *p)
{
    struct phaser *ph = lock_number(me->rank, p->number);
    if (!ph)
        return;
    place_part(ph, p, own_part(me, p->number));
    if (signals(p)) {
        ph->opened = true;
        jdi_phases_add(&ph->phases, &p->to);
    }
    jdi_unlock(&ph->named.lock);
}

static void drop_part(struct jdi_rank *r, struct jdi_worker *by,
                      struct jdi_phaser_part *p)
{
    struct jdi_wait *chain = NULL;
    struct phaser *ph = lock_number(r, p->number);
    if (ph) {
        if (signals(p))
            end_waits(ph, &chain, jdi_phases_remove(&ph->phases, &p->to));
        jdi_unlock(&ph->named.lock);
        jdi_entry_end(by, chain);
    }
    if (p->heap)
        jdi_free(p);
}

void jdi_phaser_drop_all(struct jdi_rank *r, struct jdi_worker *by,
                         struct jdi_phaser_part *list)
{
    while (list) {
        struct jdi_phaser_part *next = list->next;
        drop_part(r, by, list);
        list = next;
    }
}

void jdi_phaser_end(jd_self *me)
{
    struct jdi_phaser_part *list = me->phased;
    me->phased = NULL;
    jdi_phaser_drop_all(me->rank, me->worker, list);
}

/* Take the part of that number out of the caller's list; NULL: there is none. */
static struct jdi_phaser_part *unlist_part(jd_self *me, uint64_t number)
{
    struct jdi_phaser_part **link = &me->phased;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    struct jdi_phaser_part *p = *link;
    if (p)
        *link = p->next;
    return p;
}

/* ---- public: life ---------------------------------------------------------------------- */

int jd_phaser_create(jd_self *me, unsigned mode, jd_phaser *out)
{
    struct jdi_rank *r = me->rank;
    struct jdi_phaser_part *p = NULL;
    if (mode & ~(unsigned)JD_PHASE_BOTH)
        return JD_EINVAL;
    if (mode && !(p = jdi_zalloc(&r->am->fault, sizeof *p)))
        return JD_ENOMEM;
    struct phaser *ph = phaser_of(jdi_names_take(&r->phasers->names, NULL));
    if (!ph) {
        jdi_free(p);
        return JD_ENOMEM;
    }
    JD_ASSERT(!ph->waiters.first && !ph->phases.ahead.first && !ph->phases.phase);
    ph->opened = false;
    *out = (jd_phaser){.number = jdi_named_born(&ph->named), .home = r->am->rank};
    if (!p)
        return 0;
    p->number = out->number;
    p->mode = mode;
    p->heap = true;
    jdi_phaser_join(me, p);
    p->next = me->phased;
    me->phased = p;
    return 0;
}

int jd_phaser_destroy(jd_self *me, jd_phaser name)
{
    struct phaser *ph = lock_phaser(me->rank, name);
    struct jdi_wait *chain = NULL;
    if (!ph)
        return JD_EINVAL;
    jdi_named_dies(&ph->named);
    jdi_phases_end(&ph->phases);
    (void)jdi_entry_settle_all(&ph->waiters, JD_ECLOSED, &chain);
    jdi_unlock(&ph->named.lock);
    jdi_entry_end(me->worker, chain);
    jdi_names_give(&me->rank->phasers->names, NULL, &ph->named);
    struct jdi_phaser_part *p = unlist_part(me, name.number);
    if (p)
        drop_part(me->rank, me->worker, p);
    return 0;
}

int jd_phaser_drop(jd_self *me, jd_phaser name)
{
    if (!jdi_phaser_known(me->rank, name))
        return JD_EINVAL;
    struct jdi_phaser_part *p = unlist_part(me, name.number);
    if (!p)
        return JD_ESTATE;
    drop_part(me->rank, me->worker, p);
    return 0;
}

int64_t jd_phaser_phase(const jd_self *me, jd_phaser name)
{
    struct phaser *ph = lock_phaser(me->rank, name);
    if (!ph)
        return JD_EINVAL;
    int64_t phase = (int64_t)ph->phases.phase;
    jdi_unlock(&ph->named.lock);
    return phase;
}

/* ---- public: phases -------------------------------------------------------------------- */

/* What a call is to do, in bits; SIGNAL_ONCE: unless the phase for which the caller waits is signalled. */
enum { SIGNAL = 1, SIGNAL_ONCE = 2, WAIT = 4 };

/* JD_EAGAIN: the caller has to wait, and `e`, if it is not NULL, is in the line. */
static int try_phase(jd_self *me, jd_phaser name, unsigned what, struct jdi_entry *e)
{
    struct phaser *ph = lock_phaser(me->rank, name);
    struct jdi_wait *chain = NULL;
    int error = 0;
    if (!ph)
        return JD_EINVAL;
    struct jdi_phaser_part *p = own_part(me, name.number);
    JD_ASSERT(p);
    if (what & SIGNAL || (what & SIGNAL_ONCE && p->to.signals == p->waits))
        end_waits(ph, &chain, jdi_phases_signal(&ph->phases, &p->to));
    if (what & WAIT) {
        JD_ASSERT(p->waits <= ph->phases.phase);
        if (p->waits == ph->phases.phase)
            error = ph->opened && !ph->phases.signallers ? JD_ECLOSED : JD_EAGAIN;
        else
            p->waits++;
    }
    if (error == JD_EAGAIN && e)
        jdi_line_join(&ph->waiters, &e->link);
    jdi_unlock(&ph->named.lock);
    jdi_entry_end(me->worker, chain);
    return error;
}

/* A wait has ended by its deadline or a cancellation.  The phaser may be another one by now: then the
 * line was left when the old one was destroyed. */
static void leave_phase(const jd_self *me, jd_phaser name, struct jdi_entry *e)
{
    struct phaser *ph = phaser_of(jdi_names_at(&me->rank->phasers->names, name.number));
    jdi_lock(&ph->named.lock);
    if (jdi_link_is_in(&e->link))
        jdi_line_leave(&ph->waiters, &e->link);
    jdi_unlock(&ph->named.lock);
}

static int wait_phase(jd_self *me, jd_phaser name, jd_time deadline)
{
    struct jdi_wait w;
    int error = jdi_wait_open(&w, me, deadline);
    if (error)
        return error;
    struct jdi_entry e = {.wait = &w};
    error = try_phase(me, name, WAIT, &e);
    if (error != JD_EAGAIN)
        return error;
    error = jdi_wait_park(&w, &(struct jdi_cause){.kind = JDI_CAUSE_PHASER,
                                                  .number = name.number,
                                                  .deadline = deadline});
    if (!error)
        own_part(me, name.number)->waits++;
    else if (error != JD_ECLOSED)
        leave_phase(me, name, &e);
    return error;
}

/* Is the caller registered? */
static int registered(const jd_self *me, jd_phaser name, struct jdi_phaser_part **p)
{
    *p = name.home == me->rank->am->rank ? own_part(me, name.number) : NULL;
    if (JDI_LIKELY(*p != NULL))
        return 0;
    return jdi_phaser_known(me->rank, name) ? JD_ESTATE : JD_EINVAL;
}

int jd_phaser_signal(jd_self *me, jd_phaser phaser)
{
    struct jdi_phaser_part *p;
    int error = registered(me, phaser, &p);
    if (error)
        return error;
    if (!signals(p) || (awaits(p) && p->to.signals != p->waits))
        return jdi_phaser_known(me->rank, phaser) ? JD_ESTATE : JD_EINVAL;
    return try_phase(me, phaser, SIGNAL, NULL);
}

int jd_phaser_wait(jd_self *me, jd_phaser phaser, jd_time deadline)
{
    struct jdi_phaser_part *p;
    int error = registered(me, phaser, &p);
    if (error)
        return error;
    if (!awaits(p) || (signals(p) && p->to.signals == p->waits))
        return jdi_phaser_known(me->rank, phaser) ? JD_ESTATE : JD_EINVAL;
    error = try_phase(me, phaser, WAIT, NULL);
    return error == JD_EAGAIN ? wait_phase(me, phaser, deadline) : error;
}

int jd_phaser_next(jd_self *me, jd_phaser phaser, jd_time deadline)
{
    static const unsigned what[] = {[JD_PHASE_SIGNAL] = SIGNAL,
                                    [JD_PHASE_WAIT] = WAIT,
                                    [JD_PHASE_BOTH] = SIGNAL_ONCE | WAIT};
    struct jdi_phaser_part *p;
    int error = registered(me, phaser, &p);
    if (error)
        return error;
    error = try_phase(me, phaser, what[p->mode], NULL);
    return error == JD_EAGAIN ? wait_phase(me, phaser, deadline) : error;
}
