/*
 * session.c - a session of a balancer over the ranks of the job: which seeds go where, and their way there.
 *
 * Role: the agreement, the messages BALANCE and SEEDS, and the count that ends a session.
 * Owner: see session.h.
 * Invariants: I1 and I2 of session.h. I3 a BALANCE finds a machine, because a rank makes it before the agreement.
 *             I4 a rank that counts itself as ended sends no more messages of the session.
 * See: session.h; doc/balance.md section 6; sched/balance/balance.h.
 */
#include "sched/session.h"

#include "sched/balance/balance.h"
#include "sched/balance/lots.h"
#include "sched/codec.h"
#include "sched/collective.h"
#include "sched/deal.h"
#include "sched/plain.h"
#include "sched/prune.h"
#include "sched/trust.h"

#include <stdio.h>

enum state { AGREES = 1, BALANCES, MOVES, COUNTS };

/* The agreement: minima of what is asked for and its complement; 0 if a rank has no memory. */
enum { HOW, NOT_HOW, ABLE, AGREED };
/* The count: sums over the ranks. */
enum { OPEN, SENT, ARRIVED, COUNTED };

/* From here on a rank takes part in a count although it has not ended. */
static const uint64_t count_ns = 100000000;
/* A message of more than one seed is not longer. */
enum { SEEDS_BYTES = 65536 };
/* AUTO takes TREE in jobs with more ranks. */
enum { CENTRAL_MOST = 512 };

struct jdi_session {
    struct jdi_collective all;
    enum jd_restore how;     /* as the program has said */
    enum jd_restore planner; /* the same, or what AUTO has chosen */
    enum state state;
    uint64_t began; /* ns */
    struct jdi_balance *balance;
    /* The seeds of this rank, sorted by time, and as the machine knows them. */
    struct jdi_task **seed;
    struct jdi_balance_task *task;
    struct jdi_lots lots; /* their times, then what moves */
    uint32_t n;
    struct jdi_record arrived;       /* seeds of other ranks */
    uint32_t giver;                  /* who has sent the last of them */
    uint64_t sent, received;         /* messages */
    uint64_t word[AGREED];           /* of the reductions */
    double foretold[JDI_TRUST_SUMS]; /* AUTO: sums over seeds */
    uint64_t sum[JDI_TRUST_SUMS];    /* their bits, for the reduction */
    struct jdi_trust trust;
    bool counting;      /* this rank's part in a count is given */
    uint64_t count_at;  /* ns */
    uint64_t last_sent; /* as of the last count, if as many had arrived */
};

static const struct jdi_balance_ops *const planners[] = {
    [JD_RESTORE_CENTRAL] = &jdi_balance_central,
    [JD_RESTORE_TREE] = &jdi_balance_tree,
    [JD_RESTORE_GOSSIP] = &jdi_balance_gossip};

static void set_session(struct jdi_session *s, enum state from, enum state to)
{
    JD_CHECK_EQ(s->state, from);
    s->state = to;
}

static JD_NORETURN void no_memory_to_balance(const jd_coll *c)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory to balance %s", c->name);
}

/* ---- the count ---------------------------------------------------------------------- */

static void join_count(struct jdi_session *s)
{
    JD_ASSERT(!s->counting);
    s->counting = true;
    s->word[OPEN] = s->state != COUNTS;
    s->word[SENT] = s->sent;
    s->word[ARRIVED] = s->received;
    jdi_collective_reduce(&s->all, s->word, COUNTED, JDI_AM_U64, JD_SUM);
}

static JD_NORETURN void waits_for_ever(const jd_coll *c)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_AUDIT,
            "the balancer of %s waits, and no message is under way: some rank has sent "
            "what is wrong",
            c->name);
}

/* All ranks have given their parts: section 6 of doc/balance.md has the proof. */
static void session_counted(struct jdi_collective *all)
{
    struct jdi_session *s = jdi_container_of(all, struct jdi_session, all);
    struct jdi_rank *r = all->coll->rank;
    bool even = s->word[SENT] == s->word[ARRIVED];
    s->counting = false;
    if (even && !s->word[OPEN]) {
        r->session = NULL;
        jdi_collective_done(all, 0);
        return;
    }
    if (even && s->last_sent == s->word[SENT])
        waits_for_ever(all->coll);
    s->last_sent = even ? s->word[SENT] : UINT64_MAX;
    s->count_at = jdi_rank_now(r) + count_ns;
    if (s->state == COUNTS)
        join_count(s);
}

void jdi_session_turn(struct jdi_rank *r, uint64_t now)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_session *s = r->session;
    if (s->state == AGREES || s->counting)
        return;
    if (now >= s->count_at)
        join_count(s);
    else
        jdi_rank_again(r, s->count_at);
}

/* ---- seeds -------------------------------------------------------------------------- */

static void give_some(struct jdi_session *s, uint32_t rank, const struct jdi_lot *lot,
                      uint32_t n)
{
    jd_coll *c = s->all.coll;
    struct jdi_codec k = jdi_plain_codec(c, JDI_TASKS_PACKED);
    size_t bytes = 0;
    for (uint32_t i = 0; i < n; i++)
        bytes += jdi_task_packed(s->seed[lot[i].place]);
    unsigned char *block = jdi_alloc(k.fault, bytes), *to = block;
    if (!block)
        no_memory_to_balance(c);
    for (uint32_t i = 0; i < n; i++) {
        struct jdi_task *t = s->seed[lot[i].place];
        to = jdi_codec_put(&k, to, t, t->arg, t->id);
        t->flags |= JDI_TASK_GONE;
    }
    struct jdi_am_msg m = {.type = JDI_MSG_SEEDS,
                           .nargs = 2,
                           .len = (uint32_t)bytes,
                           .arg = {jdi_coll_word(c), n},
                           .data = block};
    JD_ASSERT(!jdi_codec_fault(&k, block, bytes, n)); /* in the words of who gets it */
    if (jdi_am_post(c->rank->am, rank, &m))
        no_memory_to_balance(c);
    s->sent++;
    jdi_free(block);
}

/* How many of the first lots go to the same rank in one message. */
static uint32_t fit_seeds(const struct jdi_session *s, const struct jdi_lot *lot,
                          uint32_t n)
{
    size_t bytes = jdi_task_packed(s->seed[lot->place]);
    uint32_t some = 1;
    while (some < n && lot[some].rank == lot->rank) {
        bytes += jdi_task_packed(s->seed[lot[some].place]);
        if (bytes > SEEDS_BYTES)
            break;
        some++;
    }
    return some;
}

/* The plan is made: send what moves, rank by rank, and take it out of the records. */
static void give_seeds(struct jdi_session *s, const struct jdi_balance_plan *plan)
{
    jd_coll *c = s->all.coll;
    struct jdi_lots *lots = &s->lots;
    lots->n = 0;
    for (uint32_t i = 0; i < plan->moves; i++) {
        /* The lots of one rank stand together: `time` is what they are sorted by. */
        const struct jdi_balance_move *m = &plan->move[i];
        const struct jdi_lot lot = {m->rank, m->rank, m->place};
        if (jdi_lots_add(lots, lot, &c->rank->am->fault))
            no_memory_to_balance(c);
    }
    (void)jdi_lots_sort(lots);
    for (uint32_t i = 0, n; i < lots->n; i += n) {
        n = fit_seeds(s, &lots->at[i], lots->n - i);
        give_some(s, lots->at[i].rank, &lots->at[i], n);
    }
    for (unsigned i = 0; lots->n && i + 1 < c->nowners; i++)
        jdi_record_drop(&c->seat[i].account.kept, JDI_TASK_GONE);
}

static void end_if_all_arrived(struct jdi_session *s, uint64_t arriving)
{
    if (s->arrived.count < arriving)
        return;
    if (s->arrived.count > arriving)
        jdi_am_peer_fault(s->all.coll->rank->am, s->giver, JDI_MSG_SEEDS,
                          "more seeds than the plan says");
    set_session(s, MOVES, COUNTS);
    if (!s->counting)
        join_count(s);
}

/* The machine was called: is the plan made? */
static void follow_plan(struct jdi_session *s)
{
    if (s->state != BALANCES || !jdi_balance_done(s->balance))
        return;
    struct jdi_balance_plan plan = jdi_balance_plan(s->balance);
    set_session(s, BALANCES, MOVES);
    give_seeds(s, &plan);
    end_if_all_arrived(s, plan.arriving);
}

/* ---- messages ----------------------------------------------------------------------- */

static void send_balance(void *ctx, uint32_t dst, const void *bytes, size_t len)
{
    struct jdi_session *s = ctx;
    jd_coll *c = s->all.coll;
    struct jdi_am_msg m = {.type = JDI_MSG_BALANCE,
                           .nargs = 2,
                           .len = (uint32_t)len,
                           .arg = {jdi_coll_word(c), s->planner},
                           .data = bytes};
    if (jdi_am_post(c->rank->am, dst, &m)) /* no handler runs inside */
        no_memory_to_balance(c);
    s->sent++;
}

/* What the machine says of a message, or of one that it has kept. */
static void hear_machine(struct jdi_session *s, int error)
{
    struct jdi_am *am = s->all.coll->rank->am;
    if (error == JD_ENOMEM)
        no_memory_to_balance(s->all.coll);
    if (error) {
        uint32_t src;
        const char *lie = jdi_balance_lie(s->balance, &src);
        if (src == am->rank) /* the sums of many do not come out */
            jdi_die(&am->log, JDI_EXIT_AUDIT, "the balancer of %s: %s", s->all.coll->name,
                    lie);
        jdi_am_peer_fault(am, src, JDI_MSG_BALANCE, "%s", lie);
    }
    follow_plan(s);
}

/* What is wrong with the collection and the phase of a message; NULL: nothing is. */
static const char *fault_of_place(const struct jdi_rank *r, const jd_coll *c,
                                  uint64_t phase)
{
    if (!c || !c->history)
        return "a collection that is not here, or not timed";
    if (c->phase != phase)
        return "another phase";
    return !r->session || r->session->all.coll != c ? "no session is open here" : NULL;
}

static void on_balance(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct jdi_session *s = r->session;
    const char *fault = fault_of_place(r, r->colls[JDI_GET(in->msg, BALANCE, collection)],
                                       JDI_GET(in->msg, BALANCE, phase));
    if (!fault && JDI_GET(in->msg, BALANCE, balancer) != s->planner)
        fault = "another balancer";
    if (fault)
        jdi_am_refuse(in, fault);
    s->received++;
    jdi_rank_news(r);
    hear_machine(s,
                 jdi_balance_message(s->balance, in->src, in->msg->data, in->msg->len));
}

/* Created tasks do not move. */
static const char *fault_of_seeds(const jd_coll *c, const struct jdi_am_msg *m)
{
    struct jdi_codec k = jdi_plain_codec(c, JDI_TASKS_PACKED);
    uint64_t n = JDI_GET(m, SEEDS, seeds);
    const char *fault = jdi_codec_fault(&k, m->data, m->len, n);
    const unsigned char *at = m->data;
    struct jdi_codec_task t;
    for (uint64_t i = 0; i < n && !fault; i++) {
        at = jdi_codec_next(&k, at, &t);
        if (!(t.flags & JDI_TASK_SEED))
            fault = "a task that is no seed";
    }
    return fault;
}

static void on_seeds(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct jdi_session *s = r->session;
    jd_coll *c = r->colls[JDI_GET(in->msg, SEEDS, collection)];
    const char *fault = fault_of_place(r, c, JDI_GET(in->msg, SEEDS, phase));
    if (!fault && (s->state == AGREES || s->state == COUNTS))
        fault = "seeds that nobody waits for";
    if (!fault)
        fault = fault_of_seeds(c, in->msg);
    if (fault)
        jdi_am_refuse(in, fault);
    s->received++;
    jdi_rank_news(r);
    s->giver = in->src;
    if (jdi_record_append(&s->arrived, in->msg->data, in->msg->len,
                          JDI_GET(in->msg, SEEDS, seeds), &r->am->fault))
        no_memory_to_balance(c);
    if (s->state == MOVES)
        end_if_all_arrived(s, jdi_balance_plan(s->balance).arriving);
}

void jdi_session_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_BALANCE, on_balance, r);
    jdi_am_set_handler(r->am, JDI_MSG_SEEDS, on_seeds, r);
}

/* ---- the agreement ------------------------------------------------------------------ */

static void begin_balancing(struct jdi_session *s)
{
    struct jdi_rank *r = s->all.coll->rank;
    s->all.reduced = session_counted;
    s->count_at = jdi_rank_now(r) + count_ns;
    set_session(s, AGREES, BALANCES);
    hear_machine(s, jdi_balance_start(s->balance, s->task, s->n));
}

/* AUTO: all ranks weigh their seeds by the same line. */
static void foretold(struct jdi_collective *all)
{
    struct jdi_session *s = jdi_container_of(all, struct jdi_session, all);
    memcpy(s->foretold, s->sum, sizeof s->foretold);
    s->trust = jdi_trust_of(s->foretold);
    for (uint32_t i = 0; i < s->n; i++)
        s->task[i].time = jdi_trust_ns(&s->trust, s->task[i].time);
    begin_balancing(s);
}

static void agreed(struct jdi_collective *all)
{
    struct jdi_session *s = jdi_container_of(all, struct jdi_session, all);
    struct jdi_rank *r = all->coll->rank;
    bool same = s->word[HOW] == ~s->word[NOT_HOW];
    if (!same || !s->word[ABLE]) {
        r->session = NULL;
        jdi_collective_done(all, same ? JD_ENOMEM : JD_EMISMATCH);
        return;
    }
    s->began = jdi_rank_now(r);
    if (s->how != JD_RESTORE_AUTO) {
        begin_balancing(s);
        return;
    }
    all->reduced = foretold;
    memcpy(s->sum, s->foretold, sizeof s->sum);
    jdi_collective_reduce(all, s->sum, JDI_TRUST_SUMS, JDI_AM_F64, JD_SUM);
}

static void run_session(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_session *s = jdi_container_of(call, struct jdi_session, all.call);
    JD_CHECK(!r->session);
    r->session = s;
    s->word[HOW] = s->how;
    s->word[NOT_HOW] = ~(uint64_t)s->how;
    s->word[ABLE] = s->balance != NULL;
    jdi_collective_reduce(&s->all, s->word, AGREED, JDI_AM_U64, JD_MIN);
}

/* ---- the body's side ---------------------------------------------------------------- */

/* The seeds of this rank, as the machine wants them.  0, or JD_ENOMEM. */
static int list_seeds_by_time(struct jdi_session *s)
{
    jd_coll *c = s->all.coll;
    struct jdi_fault *f = &c->rank->am->fault;
    if (jdi_history_sort(c) || c->history->nseeds > UINT32_MAX / 2)
        return JD_ENOMEM;
    s->n = (uint32_t)c->history->nseeds;
    s->task = jdi_alloc(f, s->n * sizeof *s->task);
    s->seed = jdi_alloc(f, s->n * sizeof *s->seed);
    if (!s->task || !s->seed)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct jdi_origin *o = jdi_origin_of(c->history->seed[i]);
        const struct jdi_lot lot = {.time = jdi_model_ns(&c->model, o), .place = i};
        if (jdi_lots_add(&s->lots, lot, f))
            return JD_ENOMEM;
        jdi_trust_add(s->foretold, &c->model, o);
    }
    (void)jdi_lots_sort(&s->lots); /* they are sorted if the last time is what counts */
    for (uint32_t i = 0; i < s->n; i++) {
        s->seed[i] = c->history->seed[s->lots.at[i].place];
        const struct jdi_origin *o = jdi_origin_of(s->seed[i]);
        s->task[i] = (struct jdi_balance_task){.home = o->rank,
                                               .index = o->index,
                                               .time = s->lots.at[i].time,
                                               .bytes = s->seed[i]->len};
    }
    return 0;
}

/* Rank 0, in a call of the machine. */
static bool ask_worth(void *ctx, enum jdi_balance_question q,
                      const struct jdi_balance_figures *f)
{
    const struct jdi_session *s = ctx;
    return jdi_worth_goes(&s->all.coll->worth, q, f);
}

/* What the knobs say. */
static struct jdi_balance_config configure(const jd_coll *c, enum jd_restore planner)
{
    struct jdi_rank *r = c->rank;
    const struct jdi_knobs *k = r->knobs;
    struct jdi_balance_config config = {.ops = planners[planner],
                                        .rank = r->am->rank,
                                        .nranks = r->am->nranks,
                                        .arity = (uint32_t)k->balance_arity,
                                        .fanout = (uint32_t)k->balance_fanout,
                                        .rounds = (uint32_t)k->balance_rounds,
                                        .known = (uint32_t)k->balance_known,
                                        .iterations = (uint32_t)k->balance_iterations,
                                        .seed = jdi_coll_word(c),
                                        .fault = &r->am->fault};
    jdi_knobs_factor(k->balance_donate, &config.donate);
    jdi_knobs_factor(k->balance_accept, &config.accept);
    return config;
}

static void make_machine(struct jdi_session *s)
{
    jd_coll *c = s->all.coll;
    const struct jdi_balance_config config = configure(c, s->planner);
    const struct jdi_balance_env env = {.ctx = s,
                                        .send = send_balance,
                                        .go =
                                            s->how == JD_RESTORE_AUTO ? ask_worth : NULL};
    if (!jdi_prune_kept(c) && !list_seeds_by_time(s))
        s->balance = jdi_balance_new(&config, &env);
}

bool jdi_session_plans(enum jd_restore how)
{
    return how >= JD_RESTORE_CENTRAL && how <= JD_RESTORE_AUTO;
}

static enum jd_restore planner_of(const jd_coll *c, enum jd_restore how)
{
    if (how != JD_RESTORE_AUTO)
        return how;
    return c->rank->am->nranks <= CENTRAL_MOST ? JD_RESTORE_CENTRAL : JD_RESTORE_TREE;
}

/* Rank 0: what AUTO has measured, foreseen and chosen, and what became of the plan before. */
static void tell_decision(const jd_coll *c, const struct jdi_balance_figures *f,
                          uint64_t ns)
{
    static const char *const chosen[] = {"not worth a plan", "a plan not worth its moves",
                                         "kept"};
    const struct jdi_worth *w = &c->worth;
    char before[96] = "";
    if (w->judged)
        snprintf(before, sizeof before, "; the plan before saved %.6f of %.6f ms",
                 1e-6 * (double)w->brought, 1e-6 * (double)w->promised);
    jdi_log_show(
        "balance: %s, phase %u: an iteration loses %.6f ms, %llu more are expected; a "
        "plan that "
        "moves %llu seeds saves %.6f ms: %s, in %.6f ms; then %u restores without a "
        "look%s",
        c->name, c->phase, 1e-6 * (double)jdi_worth_loss(w, f),
        (unsigned long long)jdi_worth_expected(w), (unsigned long long)f->moved,
        1e-6 * (double)jdi_worth_gain(w, f), chosen[f->planned + f->kept],
        1e-6 * (double)ns, w->rests, before);
}

/* All ranks: AUTO learns from the session. */
static void learn_worth(struct jdi_session *s)
{
    jd_coll *c = s->all.coll;
    struct jdi_rank *r = c->rank;
    struct jdi_balance_figures f = jdi_balance_plan(s->balance).figures;
    uint64_t ns = jdi_rank_now(r) - s->began;
    c->worth.trusts = jdi_trust_is_half(&s->trust);
    jdi_worth_ended(&c->worth, &f, ns);
    if (r->tells && r->am->rank == 0)
        tell_decision(c, &f, ns);
}

int jdi_session_run(jd_self *me, jd_coll *c, enum jd_restore how)
{
    if (how == JD_RESTORE_AUTO && !jdi_worth_asks(&c->worth))
        return jdi_prune_kept(c);
    struct jdi_session s = {
        .all = {.what = JDI_COLLECTIVE_COLL_BALANCE, .coll = c, .reduced = agreed},
        .how = how,
        .planner = planner_of(c, how),
        .state = AGREES,
        .trust = {.slope = 1},
        .last_sent = UINT64_MAX};
    JD_ASSERT(jdi_session_plans(how));
    make_machine(&s);
    int error = jdi_collective(me, &s.all, run_session);
    if (!error && jdi_deal_seeds(c, &s.arrived, &s.trust)) /* others go on */
        no_memory_to_balance(c);
    if (!error && how == JD_RESTORE_AUTO)
        learn_worth(&s);
    jdi_history_forget(c->history);
    jdi_balance_free(s.balance);
    jdi_record_free(&s.arrived);
    jdi_lots_free(&s.lots);
    jdi_free(s.task);
    jdi_free(s.seed);
    return error;
}
