/*
 * cancel.c - stopping a finish: the way of a cancellation to every task of it.
 *
 * Role: jd_cancel, jd_cancelled, jd_finish_mine.
 * Owner: marks are set by the hand that opened the scope, or by the communication hand for
 *        scopes of other ranks; read by anybody.
 * Invariants: I1 nothing here is needed for the end of a finish (doc/async.md).
 *             I2 a scope is marked once, and then all hands look for those inside of it.
 * Order: letters: [pair: mailbox-head]; the mark itself is relaxed.
 * See: doc/async.md "Cancellation".
 */
#include "sched/data.h"
#include "sched/pool.h"

/* A letter about the scope of that name. */
struct notice {
    struct jdi_mail mail; /* first: a mail is a notice */
    struct jdi_hand *hand;
    jd_finish_id id;
};

static struct notice *new_notice(struct jdi_rank *r, struct jdi_hand *h, jd_finish_id id,
                                 void (*run)(struct jdi_rank *, struct jdi_mail *))
{
    struct notice *n = jdi_alloc(&r->am->fault, sizeof *n);
    if (!n)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    *n = (struct notice){.hand = h, .id = id};
    n->mail.run = run;
    return n;
}

/* ---- on a hand ---------------------------------------------------------------------- */

static void broadcast(struct jdi_rank *r, struct jdi_mail *mail);
static void mark_inner(struct jdi_rank *r, struct jdi_mail *mail);

static void look_inside(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_async *a = jdi_async_of(r);
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct notice *n = new_notice(r, &a->hand[i], id, mark_inner);
        jdi_hand_post(&a->hand[i], &n->mail);
    }
}

static void mark(struct jdi_rank *r, struct jdi_part *root)
{
    if (jdi_part_cancelled(root))
        return; /* I2 */
    atomic_store_explicit(&root->cancelled, true, memory_order_relaxed);
    look_inside(r, root->id);
    jdi_rank_post(r, &new_notice(r, NULL, root->id, broadcast)->mail);
}

/* Roots of this hand that were opened inside of a marked scope. */
static void mark_inner(struct jdi_rank *r, struct jdi_mail *mail)
{
    struct notice *n = (struct notice *)(void *)mail;
    for (struct jdi_part *p = n->hand->open; p; p = p->older)
        if (p->outer && jdi_part_cancelled(p->outer))
            mark(r, p);
    jdi_free(n);
}

static void mark_named(struct jdi_rank *r, struct jdi_mail *mail)
{
    struct notice *n = (struct notice *)(void *)mail;
    struct jdi_part *p = n->hand->open;
    while (p && p->id.number != n->id.number)
        p = p->older;
    if (p)
        mark(r, p);
    jdi_free(n);
}

/* ---- the communication hand --------------------------------------------------------- */

bool jdi_cancel_known(const struct jdi_async *a, jd_finish_id id)
{
    for (unsigned i = 0; i < JDI_CANCELS; i++)
        if (a->cancel[i].number == id.number && a->cancel[i].home == id.home)
            return true;
    return false;
}

static void send(struct jdi_rank *r, uint32_t dst, unsigned type, jd_finish_id id)
{
    struct jdi_am_msg m = {.type = (uint8_t)type, .nargs = 2};
    m.arg[0] = id.number;
    m.arg[1] = id.home;
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static uint32_t root_of(jd_finish_id id)
{
    return id.home == JDI_HOME_ALL ? 0 : id.home;
}

/* To this rank's children in the tree that is rooted at the home. */
static void send_down(struct jdi_rank *r, jd_finish_id id)
{
    uint64_t n = r->am->nranks, arity = (uint64_t)r->knobs.tree_arity;
    uint64_t place = (r->am->rank + n - root_of(id)) % n;
    for (uint64_t kid = place * arity + 1; kid < n && kid <= place * arity + arity; kid++)
        send(r, (uint32_t)((kid + root_of(id)) % n), JDI_MSG_CANCELLED, id);
}

/* Remember it for tasks that come later, and mark what is here. */
static void learn(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_async *a = jdi_async_of(r);
    if (jdi_cancel_known(a, id))
        return;
    a->cancel[a->ncancel++ % JDI_CANCELS] = id;
    struct jdi_away *w = jdi_away_find(r, id);
    if (!w)
        return;
    /* Tasks that came after the cancellation may have marked it, but looked at nothing. */
    atomic_store_explicit(&w->part->root->cancelled, true, memory_order_relaxed);
    look_inside(r, id);
    jdi_wait_cancelled(r);
}

/* At home, after the mark: tell the others if they may have tasks of it. */
static void broadcast(struct jdi_rank *r, struct jdi_mail *mail)
{
    struct notice *n = (struct notice *)(void *)mail;
    if (jdi_away_find(r, n->id))
        send_down(r, n->id);
    jdi_wait_cancelled(r);
    jdi_free(n);
}

static void on_cancelled(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = {.number = in->msg->arg[0], .home = (uint32_t)in->msg->arg[1]};
    r->events++;
    send_down(r, id);
    if (jdi_async_of(
            r)) /* else no task of it comes before AWAKE, and that is a hint lost */
        learn(r, id);
}

/* At home. */
static void begin(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_async *a = jdi_async_of(r);
    if (!a)
        return;
    if (id.home == JDI_HOME_ALL) {
        learn(r, id);
        send_down(r, id);
        return;
    }
    struct jdi_hand *h = &a->hand[id.number % a->nhands];
    if (h->worker)
        jdi_hand_post(h, &new_notice(r, h, id, mark_named)->mail);
}

static void on_cancel(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = {.number = in->msg->arg[0], .home = (uint32_t)in->msg->arg[1]};
    r->events++;
    begin(r, id);
}

static void run_cancel(struct jdi_rank *r, struct jdi_mail *mail)
{
    struct notice *n = (struct notice *)(void *)mail;
    if (root_of(n->id) == r->am->rank)
        begin(r, n->id);
    else
        send(r, root_of(n->id), JDI_MSG_CANCEL, n->id);
    jdi_free(n);
}

void jdi_cancel_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_CANCEL, on_cancel, r);
    jdi_am_set_handler(r->am, JDI_MSG_CANCELLED, on_cancelled, r);
}

/* ---- public ------------------------------------------------------------------------- */

jd_finish_id jd_finish_mine(const jd_self *me)
{
    return me->part ? me->part->root->id : (jd_finish_id){0};
}

int jd_cancel(jd_self *me, jd_finish_id finish)
{
    struct jdi_rank *r = me->rank;
    if (!finish.number || (finish.home >= r->am->nranks && finish.home != JDI_HOME_ALL))
        return JD_EINVAL;
    if (!jdi_async_of(r))
        return JD_ESTATE;
    jdi_rank_post(r, &new_notice(r, NULL, finish, run_cancel)->mail);
    return 0;
}

int jd_cancelled(const jd_self *me)
{
    return me->part && jdi_part_cancelled(me->part);
}
