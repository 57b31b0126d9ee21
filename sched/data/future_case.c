/*
 * future_case.c - futures as cases of jd_select.
 *
 * Role: the operations of JD_CASE_FUTURE: at home a listener in the future's line, elsewhere a WAIT that is given
 *       up when the select ends otherwise.
 * Owner: the ULT that selects; whoever has claimed its wait writes to the case.
 * Invariants: those of sched/data/future.h and sched/wait/select.h.
 * See: doc/waiting.md "Select"; doc/data.md "Futures".
 */
#include "sched/data/future.h"
#include "sched/wait/select.h"

static struct jdi_listener *listener_of(struct jdi_select_place *p)
{
    return (struct jdi_listener *)(void *)p->more;
}
_Static_assert(sizeof(struct jdi_listener) <= sizeof((struct jdi_select_place){0}.more),
               "it has room in a case");

static struct jdi_select_place *case_place(struct jdi_listener *l)
{
    return (struct jdi_select_place *)(void *)((char *)l -
                                               offsetof(struct jdi_select_place, more));
}

static jd_future name_in(const jd_case *c)
{
    return (jd_future){.number = c->number, .home = c->home};
}

/* ---- being told ----------------------------------------------------------------------- */

static bool claim_case(struct jdi_listener *l)
{
    return jdi_wait_claim(case_place(l)->entry.wait);
}

static void tell_case(struct jdi_rank *r, struct jdi_worker *by, struct jdi_listener *l,
                      const struct jdi_answer *a)
{
    struct jdi_entry *e = &case_place(l)->entry;
    size_t size = case_place(l)->c->size;
    (void)r;
    *e->error = jdi_future_take(a, e->item, &size);
    jdi_wait_end(by, e->wait, e->index);
}

static const struct jdi_listener_ops case_ops = {.claim = claim_case, .tell = tell_case};

/* ---- operations ----------------------------------------------------------------------- */

/* A future of another rank has no lock here. */
static bool find_future_of(const jd_self *me, const jd_case *c, struct jdi_lock **lock)
{
    if (!jdi_future_plausible(me->rank, name_in(c)) || (c->size && !c->item))
        return false;
    if (c->home != me->rank->am->rank)
        return true;
    *lock = jdi_future_lock(me->rank, c->number);
    return *lock;
}

static bool is_future(struct jdi_lock *l, const jd_case *c)
{
    return !l || jdi_future_lives(l, c->number);
}

static int try_future(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met)
{
    size_t size = c->size;
    (void)met;
    return l ? jdi_future_look(l, c->item, &size) : JD_EAGAIN;
}

static int prepare_future(jd_self *me, struct jdi_select_place *p)
{
    struct jdi_listener *l = listener_of(p);
    *l = (struct jdi_listener){.ops = &case_ops};
    return p->lock ? 0 : jdi_future_far_prepare(me, name_in(p->c), p->c->item, l);
}

static void join_future(jd_self *me, struct jdi_select_place *p)
{
    if (p->lock)
        jdi_future_join(p->lock, listener_of(p));
    else
        jdi_future_far_begin(me, listener_of(p));
}

static void leave_future(jd_self *me, struct jdi_select_place *p)
{
    jdi_future_unlisten(me->rank, name_in(p->c), listener_of(p), false);
}

static const struct jdi_select_ops future_cases = {.find = find_future_of,
                                                   .check = is_future,
                                                   .attempt = try_future,
                                                   .prepare = prepare_future,
                                                   .join = join_future,
                                                   .leave = leave_future};

void jdi_future_case_init(struct jdi_rank *r)
{
    r->cases[JD_CASE_FUTURE] = &future_cases;
}
