/*
 * cancel.c - stopping a finish: how a cancellation reaches every task of the finish.
 *
 * Role: jd_cancel, jd_cancelled, jd_finish_mine; the names of what has been cancelled.
 * Owner: the hand that opened a finish sets its mark; the communication hand sets it for finishes
 *        of other ranks.  Any thread reads marks.  Names are the communication hand's.
 * Invariants: I1 C1 to C4 of doc/async.md.
 *             I2 a finish is marked once; then all hands look for finishes inside it.
 *             I3 when a job has ended without an error no name is left.
 * Order: calls: [pair: mailbox-head]; the mark itself is relaxed.
 * See: doc/async.md "Cancellation".
 */
#include "sched/finish/cancel.h"

#include "sched/finish/remote.h"
#include "sched/wait/waits.h"
#include "termination/tree.h"

/* A call about the finish with that name. */
struct cancel_call {
    struct jdi_call call;
    struct jdi_hand *hand;
    jd_finish_id id;
    bool by_message; /* another rank has sent CANCEL */
};

static struct cancel_call *
new_cancel_call(struct jdi_rank *r, struct jdi_hand *h, jd_finish_id id,
                void (*run)(struct jdi_rank *, struct jdi_call *))
{
    struct cancel_call *n = jdi_alloc(&r->am->fault, sizeof *n);
    if (!n)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    *n = (struct cancel_call){.hand = h, .id = id};
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
        struct cancel_call *n = new_cancel_call(r, &a->hand[i], id, mark_inner);
        jdi_hand_post(&a->hand[i], &n->call);
    }
}

static void mark(struct jdi_rank *r, struct jdi_part *root)
{
    JD_ASSERT(jdi_hand_is_mine(root->hand));
    if (jdi_part_cancelled(root))
        return; /* I2 */
    atomic_store_explicit(&root->cancelled, true, memory_order_relaxed);
    root->told = true;
    look_inside(r, root->id);
    jdi_rank_post(r, &new_cancel_call(r, NULL, root->id, broadcast)->call);
}

/* Mark the roots of this hand that were opened inside a marked finish. */
static void mark_inner(struct jdi_rank *r, struct jdi_call *call)
{
    struct cancel_call *n = jdi_container_of(call, struct cancel_call, call);
    for (struct jdi_part *p = n->hand->open; p; p = p->older)
        if (p->outer && jdi_part_cancelled(p->outer))
            mark(r, p);
    jdi_free(n);
}

static void mark_named(struct jdi_rank *r, struct jdi_call *call)
{
    struct cancel_call *n = jdi_container_of(call, struct cancel_call, call);
    struct jdi_part *p = n->hand->open;
    while (p && p->id.number != n->id.number)
        p = p->older;
    if (p && !jdi_part_cancelled(p))
        mark(r, p);
    else
        jdi_stats_count(&n->hand->worker->stats.ignored, n->by_message);
    jdi_free(n);
}

/* ---- names: the communication hand -------------------------------------------------- */

/* The name of a cancelled finish of which this rank has heard CANCELLED or OVER, but not both. */
struct name {
    struct jdi_keyed key; /* first, for the cast from an entry; by number and home */
    bool over;            /* true: OVER has come; false: CANCELLED has come */
    uint32_t src;         /* who sent it; this rank if this is the home */
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

static void put_name(struct jdi_rank *r, jd_finish_id id, bool over, uint32_t src)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct name *n = jdi_zalloc(&r->am->fault, sizeof *n);
    if (!n)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a cancellation");
    n->key.key[0] = id.number;
    n->key.key[1] = id.home;
    n->over = over;
    n->src = src;
    jdi_keyed_put(&jdi_pool_of(r)->cancelled, &n->key);
}

/* CANCELLED or OVER has come from src.  True if it is the first of the two (C1). */
static bool is_first(struct jdi_rank *r, jd_finish_id id, bool over, uint32_t src)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct name *n = find_name(jdi_pool_of(r), id);
    if (!n) {
        put_name(r, id, over, src);
        return true;
    }
    if (n->over == over)
        jdi_am_peer_fault(r->am, src, over ? JDI_MSG_OVER : JDI_MSG_CANCELLED,
                          "it comes twice for one finish");
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
    *(type == JDI_MSG_CANCEL ? &r->asks_sent : &r->cancels_sent) += 1;
}

/* The finish that a message names; CANCEL, CANCELLED and OVER have the same fields for it. */
static jd_finish_id id_in(const struct jdi_am_in *in)
{
    return (jd_finish_id){.number = JDI_GET(in->msg, CANCELLED, number),
                          .home = (uint32_t)JDI_GET(in->msg, CANCELLED, home)};
}

static uint32_t root_of(jd_finish_id id)
{
    return id.home == JDI_HOME_ALL ? 0 : id.home;
}

/* The place of a rank in the tree whose root is the home, which has place 0. */
static uint64_t place_of(const struct jdi_rank *r, uint32_t rank, jd_finish_id id)
{
    uint64_t n = r->am->nranks;
    return (rank + n - root_of(id)) % n;
}

/* Check and count a message that has come down that tree. */
static jd_finish_id heard(struct jdi_rank *r, const struct jdi_am_in *in)
{
    jd_finish_id id = id_in(in);
    uint64_t place = place_of(r, r->am->rank, id);
    if (!place ||
        place_of(r, in->src, id) != (place - 1) / (uint64_t)r->knobs->tree_arity)
        jdi_am_refuse(in, "its sender is not the parent in the tree of its finish");
    r->cancels_heard++;
    jdi_rank_news(r);
    return id;
}

/* Send to this rank's children in that tree. */
static void send_down(struct jdi_rank *r, unsigned type, jd_finish_id id)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    uint64_t n = r->am->nranks, arity = (uint64_t)r->knobs->tree_arity;
    uint64_t place = place_of(r, r->am->rank, id), kid = place * arity + 1;
    for (; kid < n && kid <= place * arity + arity; kid++)
        send(r, (uint32_t)((kid + root_of(id)) % n), type, id);
    JD_ASSERT(kid >= n || jdi_tree_parent((uint32_t)kid, (uint32_t)arity) != place);
}

/* Mark this rank's share of a finish whose frame is on another rank. */
static void mark_here(struct jdi_rank *r, jd_finish_id id)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_remote *w = jdi_remote_find(r, id);
    if (!w)
        return;
    /* The mark may be set already, by tasks that came after the cancellation.  These have not had
     * the hands look inside, so look_inside is called in any case. */
    atomic_store_explicit(&w->part->root->cancelled, true, memory_order_relaxed);
    look_inside(r, id);
    jdi_waits_cancelled(r);
}

/* At home, after the mark: tell the other ranks, if they may have tasks of the finish. */
static void broadcast(struct jdi_rank *r, struct jdi_call *call)
{
    struct cancel_call *n = jdi_container_of(call, struct cancel_call, call);
    if (jdi_remote_find(r, n->id)) {
        (void)is_first(r, n->id, false, r->am->rank);
        send_down(r, JDI_MSG_CANCELLED, n->id);
    }
    jdi_waits_cancelled(r);
    jdi_free(n);
}

/* At home, after `broadcast`: if that told the other ranks, tell them that the finish has ended. */
static void broadcast_over(struct jdi_rank *r, struct jdi_call *call)
{
    struct cancel_call *n = jdi_container_of(call, struct cancel_call, call);
    if (jdi_cancel_known(jdi_pool_of(r), n->id)) {
        (void)is_first(r, n->id, true, r->am->rank);
        send_down(r, JDI_MSG_OVER, n->id);
    }
    jdi_free(n);
}

void jdi_cancel_over(struct jdi_part *root)
{
    struct jdi_rank *r = root->hand->rank;
    if (root->told && r->am->nranks > 1)
        jdi_rank_post(r, &new_cancel_call(r, NULL, root->id, broadcast_over)->call);
}

/* Names are kept as long as tasks can come, so not after every body has returned. */
static bool keeps_names(struct jdi_rank *r)
{
    return jdi_pool_needed(r) != NULL; /* makes the pool if AWAKE is still under way */
}

/* Check that the finish of all ranks is cancelled once (C1), and after it was opened. */
static void hear_all(struct jdi_pool *a, const struct jdi_am_in *in, jd_finish_id id)
{
    if (id.number > a->all_phase)
        jdi_am_refuse(in, "a finish that has not begun");
    if (id.number <= a->all_told)
        jdi_am_refuse(in, "it comes twice for one finish");
    a->all_told = (uint32_t)id.number;
}

static void on_cancelled(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = heard(r, in);
    bool first = keeps_names(r), all = id.home == JDI_HOME_ALL;
    if (first && all)
        hear_all(jdi_pool_of(r), in, id);
    else if (first)
        first = is_first(r, id, false, in->src);
    send_down(r, JDI_MSG_CANCELLED, id);
    if (first)
        mark_here(r, id);
}

static void on_over(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = heard(r, in);
    if (keeps_names(r))
        (void)is_first(r, id, true, in->src);
    send_down(r, JDI_MSG_OVER, id);
}

/* Cancel the finish of all ranks, at rank 0.  False if it is over or already cancelled (C1). */
static bool begin_all(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_remote *w = jdi_remote_find(r, id);
    if (!w || jdi_part_cancelled(w->part))
        return false;
    mark_here(r, id);
    send_down(r, JDI_MSG_CANCELLED, id);
    return true;
}

/* Cancel a finish at its home.  False if there is nothing to cancel. */
static bool begin(struct jdi_rank *r, jd_finish_id id, bool by_message)
{
    struct jdi_pool *a = jdi_pool_of(r);
    if (!a || r->finished)
        return false;
    if (id.home == JDI_HOME_ALL)
        return begin_all(r, id);
    struct jdi_hand *h = &a->hand[id.number % a->nhands];
    if (!h->worker)
        return false;
    struct cancel_call *n = new_cancel_call(r, h, id, mark_named);
    n->by_message = by_message;
    jdi_hand_post(h, &n->call);
    return true;
}

static void on_cancel(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = id_in(in);
    if (root_of(id) != r->am->rank)
        jdi_am_refuse(in, "its finish has another home");
    r->asks_heard++;
    jdi_rank_news(r);
    if (!begin(r, id, true))
        jdi_am_ignore(in);
}

static void run_cancel(struct jdi_rank *r, struct jdi_call *call)
{
    struct cancel_call *n = jdi_container_of(call, struct cancel_call, call);
    if (root_of(n->id) == r->am->rank)
        (void)begin(r, n->id, false);
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

/* Of the names left here, the one for which this rank is nearest to the root of the tree; NULL if
 * no name is left.  `place` is this rank's place in that tree. */
static const struct name *nearest(const struct jdi_rank *r, uint64_t *place)
{
    const struct jdi_pool *a = jdi_pool_of(r);
    const struct name *best = NULL;
    *place = UINT64_MAX;
    for (uint32_t i = 0; a && i <= a->cancelled.mask; i++)
        for (struct jdi_keyed *e = a->cancelled.bucket[i]; e; e = e->next) {
            jd_finish_id id = {.number = e->key[0], .home = (uint32_t)e->key[1]};
            uint64_t at = place_of(r, r->am->rank, id);
            if (at < *place) {
                best = (const struct name *)(void *)e;
                *place = at;
            }
        }
    return best;
}

/*
 * Half of a pair is left, or more was heard than sent.  So some rank has sent CANCELLED or OVER of
 * a finish that is not its own, and the ranks below have passed the message on.  The rank nearest
 * to the root has the message from the liar.  All ranks call this; none returns.
 */
static JD_NORETURN void name_liar(struct jdi_rank *r)
{
    uint64_t place = 0;
    const struct name *n = nearest(r, &place);
    uint64_t mine = n ? place << 32 | r->am->rank : UINT64_MAX, first = mine;
    int error = jdi_am_reduce_all(r->am, &first, 1, JDI_AM_U64, JD_MIN);
    if (!error && n && first == mine)
        jdi_am_peer_fault(r->am, n->src, n->over ? JDI_MSG_OVER : JDI_MSG_CANCELLED,
                          n->over ? "for a finish that was not cancelled"
                                  : "for a finish that has ended");
    if (!error && first != UINT64_MAX)
        error = jdi_am_reduce_barrier(r->am); /* returns only with an error */
    jdi_die(&r->am->log, JDI_EXIT_PEER,
            "more has come of cancellations than was sent%s%s", error ? ": " : "",
            error ? jd_strerror(error) : "");
}

/*
 * Four counters: the end is reached when the sums of sent and heard messages are equal twice in a
 * row.  If the previous sums have more heard than these sums have sent, some rank has lied.  A
 * CANCEL has no effect once all finishes have ended.  So a CANCEL that nobody sent is no error
 * here; the loop only must not wait for it.
 */
void jdi_cancel_settle(struct jdi_rank *r)
{
    uint64_t before = UINT64_MAX, heard_before = 0, place = 0;
    for (;;) {
        uint64_t sum[5] = {r->cancels_sent, r->cancels_heard, r->asks_sent, r->asks_heard,
                           nearest(r, &place) != NULL};
        int error = jdi_am_reduce_all(r->am, sum, 5, JDI_AM_U64, JD_SUM);
        if (error)
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "counting cancellations: %s",
                    jd_strerror(error));
        bool settled = sum[0] == sum[1] && (sum[0] == before || !sum[0]);
        if (heard_before > sum[0] || (settled && sum[4])) /* I3 */
            name_liar(r);
        if (settled && sum[2] <= sum[3])
            return;
        before = sum[0];
        heard_before = sum[1];
    }
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
    jdi_rank_post(r, &new_cancel_call(r, NULL, finish, run_cancel)->call);
    return 0;
}

int jd_cancelled(const jd_self *me)
{
    return me->part && jdi_part_cancelled(me->part);
}
