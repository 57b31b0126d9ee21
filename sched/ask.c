/*
 * ask.c - requests for tasks between ranks, their answers, and published loads.
 *
 * Role: carries out what a steal policy decides: STEAL and NOWORK, reads of loads, and the
 *       serving of thieves that are remembered.
 * Owner: the communication thread.
 * Invariants: I1 every STEAL gets exactly one first answer (doc/transfer.md).
 *             I2 rank->thieves is the sum of the collections' thieves after every call.
 * Order: [pair: thieves-wait] the communication thread counts thieves, then looks for tasks a last
 *        time, then sleeps; a worker opens tasks, then reads the number of thieves.
 * See: doc/transfer.md; sched/steal/steal.h; sched/transfer.c.
 */
#include "sched/ask.h"

#include "sched/recall.h"
#include "sched/steal/find.h"
#include "sched/traces.h"
#include "sched/transfer.h"

enum { KNOWS_BIT = 40, MANNER_BIT = 32 };
enum { OLD_LOAD_NS = 500000 }; /* who has slept for longer shows a load that may be old */

static JD_NORETURN void ask_no_memory(struct jdi_rank *r, const char *what)
{
    jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %s", what);
}

/* ---- thieves ------------------------------------------------------------------------ */

/* Called after every change of c->steal.thieves (I2). */
static void count_thieves(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    uint32_t n = c->steal.thieves.n;
    if (n == c->waiting)
        return;
    uint32_t all = atomic_load_explicit(&r->thieves, memory_order_relaxed);
    /* [pair: thieves-wait] relaxed: the fence of jdi_idle_prepare follows. */
    atomic_store_explicit(&r->thieves, all + n - c->waiting, memory_order_relaxed);
    c->waiting = n;
}

/* Does this rank exchange tasks of c with others in this phase? */
static bool exchanges(const jd_coll *c)
{
    return c->sharing == JD_STEAL_ALL;
}

/* How many tasks others could have, if none was needed here. */
static uint64_t movable(const jd_coll *c)
{
    return exchanges(c) ? jdi_store_movable(&c->store) + jdi_recall_spare(c) : 0;
}

/* Claim tasks of the store, or of those that wait for their turn beside it. */
static bool claim_tasks(jd_coll *c, uint64_t amount, uint64_t most, struct jdi_claim *out)
{
    if (jdi_store_claim(&c->store, &c->rank->rng, amount, most, out))
        return true;
    if (!jdi_recall_spare(c))
        return false;
    jdi_recall_open(c);
    return jdi_store_claim(&c->store, &c->rank->rng, amount, most, out);
}

/* How many of `open` tasks the hungry workers of this rank need. */
static uint64_t needed(const jd_coll *c, uint64_t open)
{
    const struct jdi_rank *r = c->rank;
    uint64_t need = atomic_load_explicit(&r->hungry, memory_order_relaxed);
    /* If this thread is worker 0, it can run its private tasks. */
    if (need && !r->place.apart && jdi_store_private(&c->seat[0].shelf))
        need--;
    return need < open ? need : open;
}

/* What a thief that is remembered may have: the open tasks, less those that are needed here. */
static uint64_t spare(const jd_coll *c)
{
    uint64_t open = movable(c);
    return open - needed(c, open);
}

/* What a thief sees, and one that asked because of that may have: at least half of the open tasks,
 * rounded down.  A rank with few open tasks and many hungry workers is loaded all the same: these
 * workers may take long to come.  Less than all of them, so that two ranks never throw a single
 * task to and fro. */
static uint64_t shown(const jd_coll *c)
{
    uint64_t open = movable(c), need = needed(c, open);
    return open - (need < (open + 1) / 2 ? need : (open + 1) / 2);
}

static uint64_t most_per_message(const jd_coll *c)
{
    uint64_t most = c->rank->am->max_data / c->slot_size;
    return most ? most : 1;
}

bool jdi_ask_urgent(const struct jdi_rank *r)
{
    /* [pair: thieves-wait] the caller has passed a full fence (jdi_idle_prepare). */
    if (!atomic_load_explicit(&r->thieves, memory_order_relaxed))
        return false;
    for (unsigned i = 0; i < r->ncolls; i++) {
        const jd_coll *c = r->colls[i];
        if (c && c->steal.thieves.n && spare(c))
            return true;
    }
    return false;
}

/* ---- answers ------------------------------------------------------------------------ */

static struct jdi_am_msg no_tasks(uint64_t word, enum jdi_steal_answer a)
{
    struct jdi_am_msg m = {.type = JDI_MSG_NOWORK, .nargs = 2};
    m.arg[0] = word;
    m.arg[1] = a;
    return m;
}

static void reply(struct jdi_rank *r, const struct jdi_am_in *in, enum jdi_steal_answer a)
{
    struct jdi_am_msg m = no_tasks(in->msg->arg[0], a);
    r->stats->steal_messages++;
    if (jdi_am_reply(in, &m))
        ask_no_memory(r, "a message");
}

/* Refuse the first remembered thief, which still waits for its first answer.  No handler runs. */
static void send_away(jd_coll *c)
{
    struct jdi_thief t = jdi_thieves_take(&c->steal.thieves);
    struct jdi_am_msg m = no_tasks(jdi_coll_word(c), JDI_STEAL_REFUSED);
    c->rank->stats->steal_messages++;
    if (jdi_am_post(c->rank->am, t.rank, &m))
        ask_no_memory(c->rank, "a message");
}

static void serve(jd_coll *c)
{
    struct jdi_rank *r = c->rank;
    uint32_t phase = c->phase;
    while (c->steal.thieves.n) {
        bool told = c->steal.thieves.ring[c->steal.thieves.first].told;
        uint64_t can = told ? spare(c) : shown(c), most = most_per_message(c);
        struct jdi_claim taken;
        if (can && claim_tasks(c, r->amount, can < most ? can : most, &taken)) {
            /* Forget the thief first, because handlers may run while the tasks are sent. */
            struct jdi_recipient to = {.thief = jdi_thieves_take(&c->steal.thieves)};
            to.answer = to.thief.told ? JDI_STEAL_SECOND : JDI_STEAL_TASKS;
            jdi_transfer_send(c, &to, &taken);
            if (jdi_coll_state(c) != JDI_COLL_OPEN || c->phase != phase)
                return;
        } else if (!told) {
            send_away(c); /* its request was a LOCK: it still waits for an answer */
        } else {
            break;
        }
    }
    count_thieves(c);
}

/* ---- a thief has come --------------------------------------------------------------- */

static bool give(jd_coll *c, const struct jdi_am_in *in,
                 const struct jdi_steal_request *q, uint64_t can)
{
    uint64_t most = most_per_message(c), amount = in->msg->arg[1] & UINT32_MAX;
    struct jdi_claim taken;
    if (!claim_tasks(c, amount, can < most ? can : most, &taken))
        return false;
    struct jdi_recipient to = {.in = in, .thief = q->thief};
    to.answer = q->manner == JDI_STEAL_KEEP ? JDI_STEAL_PROMPT : JDI_STEAL_TASKS;
    jdi_transfer_send(c, &to, &taken);
    jdi_rank_news(c->rank);
    return true;
}

static enum jdi_steal_verdict judge(jd_coll *c, const struct jdi_am_in *in,
                                    const struct jdi_steal_request *q)
{
    const struct jdi_steal_ops *ops = c->rank->steal;
    bool open = !q->early && !q->late && exchanges(c);
    uint64_t can = !open ? 0 : q->manner == JDI_STEAL_KEEP ? spare(c) : UINT64_MAX;
    enum jdi_steal_verdict v = ops->asked(&c->steal, q, can > 0);
    if (v == JDI_STEAL_GIVE && !give(c, in, q, can))
        v = ops->asked(&c->steal, q, false); /* a worker has taken the tasks meanwhile */
    count_thieves(c);
    return v;
}

static void tell_verdict(struct jdi_rank *r, const struct jdi_am_in *in,
                         enum jdi_steal_verdict v)
{
    switch (v) {
    case JDI_STEAL_REFUSE:
        atomic_store_explicit(&r->refused, true, memory_order_relaxed);
        reply(r, in, JDI_STEAL_REFUSED);
        return;
    case JDI_STEAL_TURN:
        reply(r, in, JDI_STEAL_OCCUPIED);
        return;
    case JDI_STEAL_VOID:
        reply(r, in, JDI_STEAL_CROSSED);
        return;
    case JDI_STEAL_QUEUE:
    case JDI_STEAL_DROP:
        reply(r, in, JDI_STEAL_KEPT);
        return;
    case JDI_STEAL_NO_MEMORY:
        ask_no_memory(r, "a thief");
    case JDI_STEAL_GIVE: /* give() has sent the answer */
    case JDI_STEAL_WAIT: /* the turn will send the answer */
    default:
        return;
    }
}

static void on_steal(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    uint64_t id = JDI_GET(in->msg, STEAL, collection);
    uint32_t phase = (uint32_t)JDI_GET(in->msg, STEAL, phase);
    jd_coll *c = r->leaving ? NULL : r->colls[id];
    struct jdi_steal_request q = {
        .thief = {.rank = in->src, .when = JDI_GET(in->msg, STEAL, clock)},
        .manner = (enum jdi_steal_manner)JDI_GET(in->msg, STEAL, manner),
        .knows = JDI_GET(in->msg, STEAL, knows),
    };
    jdi_rank_again_now(r); /* the turn serves the thief if it is remembered now */
    if (!c)
        c = jdi_rank_unknown(r, (unsigned)id);
    if (!c && id >= JDI_COLLS_OWN && !r->leaving)
        jdi_am_refuse(in, "a collection that is not here");
    if (!c) {
        reply(r, in, q.manner == JDI_STEAL_KEEP ? JDI_STEAL_KEPT : JDI_STEAL_REFUSED);
        return;
    }
    q.early = phase == c->phase + 1;
    q.late = !q.early && (phase != c->phase || jdi_coll_state(c) != JDI_COLL_OPEN);
    const char *fault = (int32_t)(phase - c->phase) > 1
                            ? "its phase is further ahead than the next one"
                            : jdi_steal_fault_of_request(r->steal, &c->steal, &q);
    if (fault)
        jdi_am_refuse(in, fault);
    tell_verdict(r, in, judge(c, in, &q));
}

/* ---- the thief ---------------------------------------------------------------------- */

static void on_nowork(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_coll *c = r->colls[JDI_GET(in->msg, NOWORK, collection)];
    uint32_t phase = (uint32_t)JDI_GET(in->msg, NOWORK, phase);
    enum jdi_steal_answer a = (enum jdi_steal_answer)JDI_GET(in->msg, NOWORK, answer);
    const char *fault = c ? jdi_steal_fault_of_answer(&c->steal, in->src, phase, a)
                          : "a collection that is not here";
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_again_now(r);
    jdi_traces_comm(r, JDI_TRACE_REFUSED, c->id, in->src, (uint64_t)a);
    jdi_steal_answered(&c->steal, in->src, phase, a);
}

/* A sleeping thief would see the answer only at its next wake-up, too late if tasks came.  So if
 * the victim's published load can be read directly from shared memory and is not zero, do not
 * sleep. */
static void stay_awake_for(jd_coll *c, const struct jdi_steal_move *move)
{
    uint64_t load;
    if (move->manner == JDI_STEAL_NOW && c->steal.pause == JDI_STEAL_PAUSE_NS &&
        jdi_am_peek_word(c->rank->am, move->victim, c->id % JDI_ASK_LOADS, &load) && load)
        jdi_rank_news(c->rank);
}

static void send_steal(jd_coll *c, const struct jdi_steal_move *move)
{
    struct jdi_rank *r = c->rank;
    struct jdi_am_msg m = {.type = JDI_MSG_STEAL, .nargs = 3};
    m.arg[0] = jdi_coll_word(c);
    m.arg[1] = r->amount | (uint64_t)move->manner << MANNER_BIT |
               (uint64_t)move->knows << KNOWS_BIT;
    m.arg[2] = jdi_rank_now(r);
    r->stats->steal_messages++;
    jdi_traces_comm(r, JDI_TRACE_ASK, c->id, move->victim, 0);
    if (jdi_am_send(r->am, move->victim, &m))
        ask_no_memory(r, "a steal request");
    stay_awake_for(c, move);
}

static void looked(void *ctx, uint64_t value)
{
    struct jdi_look *look = ctx;
    struct jdi_rank *r = look->coll->rank;
    struct jdi_steal *s = &look->coll->steal;
    look->open = false;
    jdi_steal_load(s, look->victim, value, true);
    uint64_t next = s->moved_at + s->wait;
    if (s->candidate != JDI_STEAL_NOBODY || !s->wait)
        jdi_rank_again_now(r);
    else /* nothing there: the next move is due after a pause */
        jdi_rank_again(r, next);
    if (s->candidate != JDI_STEAL_NOBODY)
        jdi_rank_news(r); /* tasks will probably come: stay awake */
    JD_AUDIT(jdi_coll_check(look->coll));
}

static void look_at(jd_coll *c, uint32_t victim)
{
    struct jdi_look *look = c->look;
    while (look->open)
        look++;
    JD_CHECK(look < c->look + JDI_STEAL_LOOKS);
    *look = (struct jdi_look){.coll = c, .victim = victim, .open = true};
    look->get = (struct jdi_am_get){.done = looked, .ctx = look};
    int error = jdi_am_get_word(c->rank->am, victim, c->id % JDI_ASK_LOADS, &look->get);
    if (error)
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "reading the load of rank %u: %s",
                victim, jd_strerror(error));
}

/* A communication thread that sleeps beside a busy worker publishes nothing, and asks nobody for
 * hidden tasks.  So whoever finds nothing there wakes it. */
static void ask_for_new_load(struct jdi_rank *r, uint32_t victim, uint64_t now)
{
    uint64_t since;
    if (jdi_am_peek_word(r->am, victim, JDI_ASK_NAP_WORD, &since) && since &&
        now > since && now - since >= OLD_LOAD_NS)
        jdi_am_ring(r->am, victim);
}

/* Looks at loads in memory go on within a turn, as many as the policy has in a round. */
void jdi_ask_search(jd_coll *c, uint64_t now)
{
    struct jdi_rank *r = c->rank;
    struct jdi_steal_move move;
    uint64_t load;
    JD_ASSERT(jdi_rank_is_comm(r));
    if (!exchanges(c)) {
        c->steal.next_at = UINT64_MAX;
        return;
    }
    while ((move = jdi_steal_hungry(r->steal, &c->steal, now)).act == JDI_STEAL_LOOK &&
           jdi_am_peek_word(r->am, move.victim, c->id % JDI_ASK_LOADS, &load)) {
        if (load <= r->steal_config.threshold)
            ask_for_new_load(r, move.victim, now);
        jdi_steal_load(&c->steal, move.victim, load, false);
    }
    if (move.act == JDI_STEAL_ASK)
        send_steal(c, &move);
    else if (move.act == JDI_STEAL_LOOK)
        look_at(c, move.victim);
}

bool jdi_ask_patient(const jd_coll *c)
{
    return !exchanges(c) || c->rank->steal->patient(&c->steal);
}

/* ---- loads -------------------------------------------------------------------------- */

/* A load is published again only when its class changes.  Classes begin at 0, at the powers of two,
 * and above the threshold, so whoever reads a load knows on which side of the threshold it is. */
static unsigned class_of(const struct jdi_steal_config *config, uint64_t n)
{
    unsigned bits = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
    return 2 * bits + (n > config->threshold);
}

static void publish(jd_coll *c, uint64_t load)
{
    struct jdi_rank *r = c->rank;
    unsigned word = c->id % JDI_ASK_LOADS;
    /* Relaxed, as in jdi_ask_hides: nothing goes with this number. */
    uint64_t old = atomic_load_explicit(&c->load, memory_order_relaxed);
    if (load == old ||
        class_of(&r->steal_config, load) == class_of(&r->steal_config, old))
        return;
    r->loads[word] += load - old;
    atomic_store_explicit(&c->load, load, memory_order_relaxed);
    r->stats->loads++;
    jdi_am_publish(r->am, word, r->loads[word]);
}

bool jdi_ask_hides(const jd_coll *c)
{
    const struct jdi_rank *r = c->rank;
    uint64_t least = r->steal_config.threshold;
    return r->steal->reads &&
           atomic_load_explicit(&c->load, memory_order_relaxed) <= least &&
           jdi_store_movable(&c->store) > least;
}

void jdi_ask_turn(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    if (c->steal.thieves.n)
        serve(c);
    if (c->rank->steal->reads && jdi_coll_state(c) == JDI_COLL_OPEN)
        publish(c, shown(c));
}

/* ---- phases ------------------------------------------------------------------------- */

void jdi_ask_begin(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    jdi_steal_begin(&c->steal);
    count_thieves(c);
}

void jdi_ask_end(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    while (c->steal.thieves.n && !c->steal.thieves.ring[c->steal.thieves.first].told)
        send_away(c);
    jdi_steal_end(&c->steal);
    count_thieves(c);
    publish(c, 0);
}

bool jdi_ask_open(const jd_coll *c)
{
    return c->steal.open || c->steal.looking;
}

void jdi_ask_count(const jd_coll *c, struct jdi_stats *s)
{
    const struct jdi_steal_counts *n = &c->steal.count;
    s->attempts += n->attempts;
    s->steals += n->steals;
    s->second += n->second;
    s->refused += n->failed;
    s->occupied += n->occupied;
    s->crossed += n->crossed;
    s->unserved += n->unserved;
    s->cyclic += n->cyclic;
    s->looks += n->looks;
    for (int i = 0; i < JDI_STEAL_SEARCHES; i++)
        s->searches[i] += n->searches[i];
}

void jdi_ask_forget(jd_coll *c)
{
    jdi_ask_count(c, c->rank->stats);
}

/* ---- the rank ----------------------------------------------------------------------- */

void jdi_ask_init(struct jdi_rank *r)
{
    const struct jdi_knobs *k = r->knobs;
    r->steal = jdi_steal_find(k->steal);
    r->steal_config = (struct jdi_steal_config){
        .rank = r->am->rank,
        .nranks = r->am->nranks,
        .peers = r->am->host_peers,
        .npeers = r->am->host_size,
        .victim = (enum jdi_victim_kind)k->victim,
        .cyclic = k->cyclic,
        .threshold = (uint64_t)k->steal_threshold,
        .tries = (uint32_t)k->steal_tries,
        .rng = &r->rng,
        .fault = &r->am->fault,
    };
}

void jdi_ask_handlers(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_STEAL, on_steal, r);
    jdi_am_set_handler(r->am, JDI_MSG_NOWORK, on_nowork, r);
}

void jdi_ask_clear_loads(struct jdi_rank *r)
{
    for (unsigned i = 0; i < JDI_AM_WORDS; i++)
        jdi_am_publish(r->am, i, 0);
}
