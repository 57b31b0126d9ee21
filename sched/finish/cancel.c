/*
 * cancel.c - stopping a finish: the way of a cancellation to every task of it.
 *
 * Role: jd_cancel, jd_cancelled, jd_finish_mine; the names of what has been cancelled.
 * Owner: marks are set by the hand that opened the scope, or by the communication hand for
 *        scopes of other ranks; read by anybody.  Names are the communication hand's.
 * Invariants: I1 C1 to C4 of doc/async.md.
 *             I2 a scope is marked once, and then all hands look for those inside of it.
 *             I3 when the job has ended well no name is left.
 * Order: letters: [pair: mailbox-head]; the mark itself is relaxed.
 * See: doc/async.md "Cancellation".
 */
#include "sched/finish/cancel.h"

#include "sched/data/future_wait.h"
#include "sched/finish/remote.h"

/* A letter about the scope of that name. */
struct notice {
    struct jdi_call call;
    struct jdi_hand *hand;
    jd_finish_id id;
};

static struct notice *new_notice(struct jdi_rank *r, struct jdi_hand *h, jd_finish_id id,
                                 void (*run)(struct jdi_rank *, struct jdi_call *))
{
    struct notice *n = jdi_alloc(&r->am->fault, sizeof *n);
    if (!n)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    *n = (struct notice){.hand = h, .id = id};
    n->call.run = run;
    return n;
}

/* ---- on a hand ---------------------------------------------------------------------- */

static void broadcast(struct jdi_rank *r, struct jdi_call *call);
static void mark_inner(struct jdi_rank *r, struct jdi_call *call);

static void look_inside(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_pool *a = jdi_pool_of(r);
    for (unsigned i = 0; i < r->nworkers; i++) {
        struct notice *n = new_notice(r, &a->hand[i], id, mark_inner);
        jdi_hand_post(&a->hand[i], &n->call);
    }
}

static void mark(struct jdi_rank *r, struct jdi_part *root)
{
    if (jdi_part_cancelled(root))
        return; /* I2 */
    atomic_store_explicit(&root->cancelled, true, memory_order_relaxed);
    root->told = true;
    look_inside(r, root->id);
    jdi_rank_post(r, &new_notice(r, NULL, root->id, broadcast)->call);
}

/* Roots of this hand that were opened inside of a marked scope. */
static void mark_inner(struct jdi_rank *r, struct jdi_call *call)
{
    struct notice *n = jdi_container_of(call, struct notice, call);
    for (struct jdi_part *p = n->hand->open; p; p = p->older)
        if (p->outer && jdi_part_cancelled(p->outer))
            mark(r, p);
    jdi_free(n);
}

static void mark_named(struct jdi_rank *r, struct jdi_call *call)
{
    struct notice *n = jdi_container_of(call, struct notice, call);
    struct jdi_part *p = n->hand->open;
    while (p && p->id.number != n->id.number)
        p = p->older;
    if (p)
        mark(r, p);
    jdi_free(n);
}

/* ---- names: the communication hand -------------------------------------------------- */

/* Of a cancelled scope, of which this rank has heard one thing and not yet the other. */
struct name {
    struct jdi_keyed key; /* first: an entry is a name; by number and home */
    bool over;            /* OVER has come, else CANCELLED */
};

static struct name *find_name(const struct jdi_pool *a, jd_finish_id id)
{
    return (struct name *)(void *)jdi_keyed_find(&a->cancelled, id.number, id.home);
}

bool jdi_cancel_known(const struct jdi_pool *a, jd_finish_id id)
{
    const struct name *n = find_name(a, id);
    return n && !n->over;
}

static void put_name(struct jdi_rank *r, jd_finish_id id, bool over)
{
    struct name *n = jdi_zalloc(&r->am->fault, sizeof *n);
    if (!n)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    n->key.key[0] = id.number;
    n->key.key[1] = id.home;
    n->over = over;
    jdi_keyed_put(&jdi_pool_of(r)->cancelled, &n->key);
}

/* One of CANCELLED and OVER has come: true if it is the first of the two (C1). */
static bool is_first(struct jdi_rank *r, jd_finish_id id, bool over)
{
    struct name *n = find_name(jdi_pool_of(r), id);
    if (!n) {
        put_name(r, id, over);
        return true;
    }
    JD_CHECK(n->over != over);
    jdi_keyed_remove(&jdi_pool_of(r)->cancelled, &n->key);
    jdi_free(n);
    return false;
}

/* ---- messages: the communication hand ----------------------------------------------- */

static void send(struct jdi_rank *r, uint32_t dst, unsigned type, jd_finish_id id)
{
    struct jdi_am_msg m = {.type = (uint8_t)type, .nargs = 2};
    m.arg[0] = id.number;
    m.arg[1] = id.home;
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
    r->cancels_sent++;
}

static jd_finish_id heard(struct jdi_rank *r, const struct jdi_am_in *in)
{
    r->cancels_heard++;
    jdi_rank_news(r);
    return (jd_finish_id){.number = in->msg->arg[0], .home = (uint32_t)in->msg->arg[1]};
}

static uint32_t root_of(jd_finish_id id)
{
    return id.home == JDI_HOME_ALL ? 0 : id.home;
}

/* To this rank's children in the tree that is rooted at the home. */
static void send_down(struct jdi_rank *r, unsigned type, jd_finish_id id)
{
    uint64_t n = r->am->nranks, arity = (uint64_t)r->knobs.tree_arity;
    uint64_t place = (r->am->rank + n - root_of(id)) % n;
    for (uint64_t kid = place * arity + 1; kid < n && kid <= place * arity + arity; kid++)
        send(r, (uint32_t)((kid + root_of(id)) % n), type, id);
}

/* Mark what is here of a scope whose frame is elsewhere. */
static void mark_here(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_remote *w = jdi_remote_find(r, id);
    if (!w)
        return;
    /* Tasks that came after the cancellation may have marked it, but looked at nothing. */
    atomic_store_explicit(&w->part->root->cancelled, true, memory_order_relaxed);
    look_inside(r, id);
    jdi_future_wait_cancelled(r);
}

/* At home, after the mark: tell the others if they may have tasks of it. */
static void broadcast(struct jdi_rank *r, struct jdi_call *call)
{
    struct notice *n = jdi_container_of(call, struct notice, call);
    if (jdi_remote_find(r, n->id)) {
        (void)is_first(r, n->id, false);
        send_down(r, JDI_MSG_CANCELLED, n->id);
    }
    jdi_future_wait_cancelled(r);
    jdi_free(n);
}

/* At home, after `broadcast` of it if there was one: and that it has ended. */
static void broadcast_over(struct jdi_rank *r, struct jdi_call *call)
{
    struct notice *n = jdi_container_of(call, struct notice, call);
    if (jdi_cancel_known(jdi_pool_of(r), n->id)) {
        (void)is_first(r, n->id, true);
        send_down(r, JDI_MSG_OVER, n->id);
    }
    jdi_free(n);
}

void jdi_cancel_over(struct jdi_part *root)
{
    struct jdi_rank *r = root->hand->rank;
    if (root->told && r->am->nranks > 1)
        jdi_rank_post(r, &new_notice(r, NULL, root->id, broadcast_over)->call);
}

/* Names are for as long as tasks can come: not when every body has returned. */
static bool keeps_names(struct jdi_rank *r)
{
    return jdi_pool_needed(r) != NULL; /* AWAKE may still be on its way */
}

static void on_cancelled(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = heard(r, in);
    send_down(r, JDI_MSG_CANCELLED, id);
    if (keeps_names(r) && (id.home == JDI_HOME_ALL || is_first(r, id, false)))
        mark_here(r, id);
}

static void on_over(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = heard(r, in);
    send_down(r, JDI_MSG_OVER, id);
    if (keeps_names(r))
        (void)is_first(r, id, true);
}

/* The scope of all ranks, at rank 0. */
static void begin_all(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_remote *w = jdi_remote_find(r, id);
    if (!w || jdi_part_cancelled(w->part))
        return; /* it is over, or C1 */
    mark_here(r, id);
    send_down(r, JDI_MSG_CANCELLED, id);
}

/* At home. */
static void begin(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_pool *a = jdi_pool_of(r);
    if (!a || r->finished)
        return;
    if (id.home == JDI_HOME_ALL) {
        begin_all(r, id);
        return;
    }
    struct jdi_hand *h = &a->hand[id.number % a->nhands];
    if (h->worker)
        jdi_hand_post(h, &new_notice(r, h, id, mark_named)->call);
}

static void on_cancel(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    begin(r, heard(r, in));
}

static void run_cancel(struct jdi_rank *r, struct jdi_call *call)
{
    struct notice *n = jdi_container_of(call, struct notice, call);
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
    jdi_am_set_handler(r->am, JDI_MSG_OVER, on_over, r);
}

/* ---- the end of the job ------------------------------------------------------------- */

/* Four counters: what was sent by all is what was heard by all, twice in a row. */
void jdi_cancel_settle(struct jdi_rank *r)
{
    uint64_t before = UINT64_MAX;
    for (;;) {
        uint64_t sum[2] = {r->cancels_sent, r->cancels_heard};
        int error = jdi_am_allreduce(r->am, sum, 2, JDI_AM_U64, JD_SUM);
        if (error)
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "counting cancellations: %s",
                    jd_strerror(error));
        if (sum[0] == sum[1] && (sum[0] == before || !sum[0]))
            break;
        before = sum[0];
    }
    JD_CHECK(!jdi_pool_of(r) || jdi_pool_of(r)->cancelled.n == 0); /* I3 */
}

void jdi_cancel_free(struct jdi_pool *a)
{
    for (uint32_t i = 0; i <= a->cancelled.mask; i++)
        while (a->cancelled.bucket[i]) {
            struct jdi_keyed *e = a->cancelled.bucket[i];
            jdi_keyed_remove(&a->cancelled, e);
            jdi_free(e);
        }
    jdi_keyed_fini(&a->cancelled);
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
    if (!jdi_pool_of(r))
        return JD_ESTATE;
    jdi_rank_post(r, &new_notice(r, NULL, finish, run_cancel)->call);
    return 0;
}

int jd_cancelled(const jd_self *me)
{
    return me->part && jdi_part_cancelled(me->part);
}
