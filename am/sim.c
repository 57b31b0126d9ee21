/*
 * sim.c - the simulated network: events, delays, clocks of ranks.
 *
 * Role: see sim.h; implements the transport's operations and a rank's clock.
 * Owner: the simulation's thread.
 * Invariants: I1-I3 of sim.h. I4 events are ordered by (time, number), and numbers are
 *             given in the order of scheduling. I5 an event of an older `turn` of its rank
 *             is void: the rank has been woken since.
 * See: sim.h, doc/sim.md.
 */
#include "am/sim.h"
#include "am/sim_adversary.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DATA = 65536, SPIN_NS = 100, YIELD_NS = 1000, PAUSE_SHIFT_MAX = 5 };
enum {
    TASKS_TYPE = 9,
    TD_TYPE = 11
}; /* JDI_MSG_TASKS, JDI_MSG_TD: for messages that are kept only */

enum kind { REQUEST = 1, REPLY, READ, VALUE };

/* On its way, then in its receiver's inbox. */
struct parcel {
    struct parcel *next;
    enum kind kind;
    uint32_t src, dst;
    struct jdi_am_msg m;
    struct jdi_am_get *get; /* READ, VALUE */
    unsigned word;
    uint64_t value;
    uint64_t sent, due, late; /* for the trace; due: if it were not late */
    _Alignas(16) unsigned char bytes[];
};

struct event {
    uint64_t time, number;
    uint32_t rank, turn; /* parcel NULL: wake `rank` if it is still in that turn, */
    struct parcel *parcel;
};
#define RELEASE UINT32_MAX /* or, as a turn, let go of the messages kept from it */

enum state { READY = 1, RUNNING, COMPUTING, WAITING, ENDED };

/*
 *   state       event                              next        who
 *   READY       chosen by jdi_sim_next             RUNNING     the simulation
 *   RUNNING     its clock is ahead when it polls   COMPUTING   the rank; timer at its clock
 *   RUNNING     it waits                           WAITING     the rank; timer, if limited
 *   COMPUTING   the timer                          RUNNING     the simulation
 *   WAITING     the timer, or a message            RUNNING     the simulation
 *   RUNNING     its main returns                   ENDED       the caller
 */
struct node {
    struct jdi_am am; /* first */
    struct jdi_time time;
    struct jdi_sim *sim;
    enum state state;
    uint32_t turn;
    unsigned pauses; /* since the last message: each is twice as long */
    uint64_t clock, last_sent;
    struct parcel *inbox, *inbox_tail;
    struct parcel *kept; /* messages that wait for this rank's report */
    uint64_t word[JDI_AM_WORDS];
};

struct jdi_sim {
    struct jdi_sim_params p;
    jdi_sim_yield *yield;
    void *ctx;
    struct node **node;
    uint32_t *ids; /* 0 .. nranks-1, for host_peers */
    struct event *heap;
    size_t nheap, room;
    uint64_t now, numbers;
    uint32_t left; /* ranks that have not ended */
    struct jdi_sim_figures figures;
    FILE *trace;
};

static struct node *node_of(struct jdi_am *am)
{
    return (struct node *)am;
}

/* ---- events: a binary heap ---------------------------------------------------------- */

static bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* Put e where i is, or below. */
static void sink(struct jdi_sim *s, size_t i, struct event e)
{
    for (size_t child; (child = 2 * i + 1) < s->nheap; i = child) {
        child += child + 1 < s->nheap && before(&s->heap[child + 1], &s->heap[child]);
        if (before(&e, &s->heap[child]))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = e;
}

static bool is_void(const struct jdi_sim *s, const struct event *e)
{
    const struct node *n = s->node[e->rank];
    return !e->parcel && e->turn != RELEASE && (e->turn != n->turn || n->state == ENDED);
}

/* Void timers (I5) would stay until their time.  What is left comes out in the same order,
 * whatever the heap looks like (I4). */
static void drop_void(struct jdi_sim *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nheap; i++)
        if (!is_void(s, &s->heap[i]))
            s->heap[n++] = s->heap[i];
    s->nheap = n;
    for (size_t i = n / 2; i-- > 0;)
        sink(s, i, s->heap[i]);
}

static void make_room(struct jdi_sim *s)
{
    drop_void(s);
    if (s->nheap < s->room / 2)
        return;
    size_t room = s->room ? 2 * s->room : 1024;
    struct event *heap = realloc(s->heap, room * sizeof *heap);
    if (!heap)
        jdi_die(&s->node[0]->am.log, JDI_EXIT_MEMORY, "out of memory for %zu events",
                room);
    s->heap = heap;
    s->room = room;
}

static void push_event(struct jdi_sim *s, struct event e)
{
    if (s->nheap == s->room)
        make_room(s);
    e.number = ++s->numbers;
    size_t i = s->nheap++;
    for (; i && before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = e;
}

static struct event pop_event(struct jdi_sim *s)
{
    struct event top = s->heap[0], last = s->heap[--s->nheap];
    sink(s, 0, last);
    return top;
}

/* ---- a rank's clock ----------------------------------------------------------------- */

static void set_state(struct node *n, enum state from, enum state to)
{
    JD_CHECK_EQ(n->state, from);
    n->state = to;
}

/* Give the thread away until `until`, or, if WAITING, until a message has come. */
static void give_way(struct node *n, enum state how, uint64_t until)
{
    struct jdi_sim *s = n->sim;
    set_state(n, RUNNING, how);
    if (until != UINT64_MAX)
        push_event(s, (struct event){.time = until, .rank = n->am.rank, .turn = n->turn});
    s->yield(s->ctx, n->am.rank);
    JD_CHECK_EQ(n->state, RUNNING);
    if (n->clock < s->now)
        n->clock = s->now;
}

static uint64_t later(uint64_t from, uint64_t by)
{
    return by > UINT64_MAX - from ? UINT64_MAX : from + by;
}

static uint64_t time_now(void *ctx)
{
    return ((struct node *)ctx)->clock;
}

static void time_charge(void *ctx, uint64_t ns)
{
    struct node *n = ctx;
    const struct jdi_sim_params *p = &n->sim->p;
    if (p->slow_factor && p->slow_rank == n->am.rank)
        ns *= p->slow_factor;
    n->clock += ns;
    if (p->pause_for && p->pause_rank == n->am.rank && n->clock >= p->pause_at &&
        n->clock < p->pause_at + p->pause_for)
        n->clock = p->pause_at + p->pause_for;
}

static void wait_until(struct node *n, uint64_t until)
{
    if (n->inbox)
        return;
    give_way(n, WAITING, until);
}

static void time_wait(void *ctx, struct jdi_idle *i, uint32_t key, uint64_t timeout_ns)
{
    struct node *n = ctx;
    if (atomic_load_explicit(&i->seq, memory_order_relaxed) == key)
        wait_until(n, later(n->clock, timeout_ns));
    jdi_idle_cancel(i);
}

static void time_pause(void *ctx, enum jdi_idle_stage stage)
{
    struct node *n = ctx;
    uint64_t ns = stage == JDI_IDLE_SPIN ? SPIN_NS : YIELD_NS;
    wait_until(n, later(n->clock, ns << n->pauses));
    if (n->pauses < PAUSE_SHIFT_MAX)
        n->pauses++;
}

/* ---- sending ------------------------------------------------------------------------ */

static const struct jdi_sim_level *level(const struct jdi_sim_params *p, uint32_t a,
                                         uint32_t b)
{
    if (a / p->socket_ranks == b / p->socket_ranks)
        return &p->socket;
    return a / p->host_ranks == b / p->host_ranks ? &p->host : &p->net;
}

static struct parcel *new_parcel(struct node *from, uint32_t dst, enum kind kind,
                                 const struct jdi_am_msg *m)
{
    uint32_t len = m ? m->len : 0;
    struct parcel *p = jdi_alloc(&from->am.fault, sizeof *p + len);
    if (!p)
        return NULL;
    *p = (struct parcel){.kind = kind, .src = from->am.rank, .dst = dst};
    if (!m)
        return p;
    p->m = *m;
    p->m.data = p->bytes;
    if (len)
        memcpy(p->bytes, m->data, len);
    return p;
}

static void release_kept(struct node *n);

/* Put p on its way: o at the sender, g after its last message, L and G on the wire. */
static void dispatch(struct node *from, struct parcel *p)
{
    struct jdi_sim *s = from->sim;
    const struct jdi_sim_level *l = level(&s->p, p->src, p->dst);
    from->clock += l->o;
    uint64_t leaves = from->clock;
    if (from->last_sent && leaves < from->last_sent + l->g)
        leaves = from->last_sent + l->g;
    from->last_sent = leaves;
    uint64_t wire = l->L + (uint64_t)(l->G * (double)p->m.len);
    s->figures.messages++;
    s->figures.bytes += p->m.len;
    p->sent = leaves;
    p->due = leaves + wire;
    struct jdi_sim_fate fate = jdi_sim_adversary_fate(s->p.adversary, p->src, p->dst,
                                                      p->due, p->m.type == TASKS_TYPE);
    uint64_t at = p->due + fate.late;
    if (fate.keep) { /* released at `at` at the latest: an event without a parcel */
        struct node *to = s->node[p->dst];
        p->next = to->kept;
        to->kept = p;
        push_event(s, (struct event){.time = at, .rank = p->dst, .turn = RELEASE});
    } else {
        p->late = fate.late;
        push_event(s, (struct event){.time = at, .rank = p->dst, .parcel = p});
    }
    if (p->m.type == TD_TYPE)
        release_kept(from);
}

/* The tasks that were kept from n leave after its report. */
static void release_kept(struct node *n)
{
    while (n->kept) {
        struct parcel *p = n->kept;
        n->kept = p->next;
        uint64_t now = n->clock > n->sim->now ? n->clock : n->sim->now;
        uint64_t at = p->due > now ? p->due : now;
        p->late = at - p->due;
        push_event(n->sim, (struct event){.time = at, .rank = p->dst, .parcel = p});
    }
}

static int sim_request(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    struct node *n = node_of(am);
    struct jdi_sim *s = n->sim;
    if (jdi_sim_adversary_refuses(s->p.adversary, am->rank, dst)) {
        s->figures.refused++;
        n->clock += level(&s->p, am->rank, dst)->o; /* so that trying again takes time */
        return JD_EAGAIN;
    }
    struct parcel *p = new_parcel(n, dst, REQUEST, m);
    if (!p)
        return JD_EAGAIN;
    dispatch(n, p);
    return 0;
}

static void sim_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    const struct parcel *asked = token;
    struct parcel *p = new_parcel(node_of(am), asked->src, REPLY, m);
    if (!p)
        jdi_die(&am->log, JDI_EXIT_MEMORY, "out of memory for a reply");
    dispatch(node_of(am), p);
}

static int sim_get_word(struct jdi_am *am, uint32_t src, unsigned i,
                        struct jdi_am_get *get)
{
    struct parcel *p = new_parcel(node_of(am), src, READ, NULL);
    if (!p)
        return JD_ENOMEM;
    p->get = get;
    p->word = i;
    dispatch(node_of(am), p);
    return 0;
}

static void sim_publish(struct jdi_am *am, unsigned i, uint64_t value)
{
    node_of(am)->word[i] = value;
}

/* ---- receiving ---------------------------------------------------------------------- */

static void receive(struct node *n, struct parcel *p)
{
    struct jdi_sim *s = n->sim;
    n->pauses = 0;
    n->clock += level(&s->p, p->src, p->dst)->o;
    if (s->trace)
        fprintf(s->trace, "%llu %u>%u type %u len %u sent %llu late %llu\n",
                (unsigned long long)n->clock, p->src, p->dst,
                p->kind == VALUE ? 255u : p->m.type, p->m.len,
                (unsigned long long)p->sent, (unsigned long long)p->late);
    if (p->kind == VALUE)
        jdi_am_get_finished(&n->am, p->get, p->value);
    else
        jdi_am_deliver(&n->am, p->src, &p->m, p->kind == REQUEST ? p : NULL);
    jdi_free(p);
}

static void sim_poll(struct jdi_am *am)
{
    struct node *n = node_of(am);
    struct jdi_sim *s = n->sim;
    if (s->p.crash_at && s->p.crash_rank == am->rank && n->clock >= s->p.crash_at)
        jdi_die(&am->log, JDI_EXIT_PEER_DIED, "rank %u has crashed, as asked for",
                am->rank);
    if (n->clock > s->now) /* it has computed: the others catch up first (I2) */
        give_way(n, COMPUTING, n->clock);
    struct parcel *p = n->inbox;
    n->inbox = n->inbox_tail = NULL;
    while (p) {
        struct parcel *next = p->next;
        receive(n, p);
        p = next;
    }
}

static void append(struct node *n, struct parcel *p)
{
    p->next = NULL;
    if (n->inbox)
        n->inbox_tail->next = p;
    else
        n->inbox = p;
    n->inbox_tail = p;
}

/* A read is answered by the network itself: the rank does nothing for it. */
static void answer_read(struct jdi_sim *s, struct parcel *p)
{
    const struct jdi_sim_level *l = level(&s->p, p->src, p->dst);
    p->value = s->node[p->dst]->word[p->word];
    uint32_t asker = p->src;
    p->src = p->dst;
    p->dst = asker;
    p->kind = VALUE;
    p->sent = s->now;
    p->due = s->now + l->L;
    p->late = jdi_sim_adversary_fate(s->p.adversary, p->src, asker, p->due, false).late;
    push_event(s, (struct event){.time = p->due + p->late, .rank = asker, .parcel = p});
}

/* ---- the simulation ----------------------------------------------------------------- */

static bool wakes(struct jdi_sim *s, const struct event *e)
{
    struct node *n = s->node[e->rank];
    if (!e->parcel && e->turn == RELEASE) {
        release_kept(n);
        return false;
    }
    if (!e->parcel)
        return !is_void(s, e);
    if (e->parcel->kind == READ) {
        answer_read(s, e->parcel);
        return false;
    }
    append(n, e->parcel);
    return n->state == WAITING;
}

uint32_t jdi_sim_next(struct jdi_sim *s)
{
    while (s->nheap && s->left) {
        struct event e = pop_event(s);
        JD_CHECK(e.time >= s->now);
        s->now = e.time;
        s->figures.events++;
        if (!wakes(s, &e))
            continue;
        struct node *n = s->node[e.rank];
        n->turn = (n->turn + 1) % UINT32_MAX;
        set_state(n, n->state, RUNNING);
        if (n->clock < s->now)
            n->clock = s->now;
        return e.rank;
    }
    return JDI_SIM_NOBODY;
}

void jdi_sim_ended(struct jdi_sim *s, uint32_t rank)
{
    set_state(s->node[rank], RUNNING, ENDED);
    s->left--;
}

static void sim_end_job(struct jdi_am *am, int status)
{
    struct jdi_sim *s = node_of(am)->sim;
    if (s->trace)
        fflush(s->trace);
    exit(status ? status : JDI_EXIT_EARLY);
}

static void sim_free(struct jdi_am *am)
{
    struct node *n = node_of(am);
    for (struct parcel *p = n->inbox, *next; p; p = next) {
        next = p->next;
        jdi_free(p);
    }
    jdi_am_core_fini(am);
    jdi_free(n);
}

static const struct jdi_am_ops sim_ops = {
    .name = "sim",
    .request = sim_request,
    .reply = sim_reply,
    .poll = sim_poll,
    .get_word = sim_get_word,
    .publish = sim_publish,
    .end_job = sim_end_job,
    .free = sim_free,
};

static int node_new(struct jdi_sim *s, uint32_t rank)
{
    struct node *n = jdi_zalloc(NULL, sizeof *n);
    if (!n)
        return JD_ENOMEM;
    uint32_t first = rank - rank % s->p.host_ranks;
    uint32_t last =
        first + s->p.host_ranks < s->p.nranks ? first + s->p.host_ranks : s->p.nranks;
    n->sim = s;
    n->state = READY;
    n->time =
        (struct jdi_time){time_now, time_wait, time_pause, time_charge, n, s->p.task_ns};
    n->am.ops = &sim_ops;
    n->am.time = &n->time;
    n->am.rank = rank;
    n->am.nranks = s->p.nranks;
    n->am.host_rank = rank - first;
    n->am.host_size = last - first;
    n->am.host_peers = s->ids + first;
    n->am.max_data = MAX_DATA;
    n->am.wakes = true;
    int rc = jdi_am_core_init(&n->am);
    if (rc) {
        jdi_free(n);
        return rc;
    }
    s->node[rank] = n;
    push_event(s, (struct event){.rank = rank, .turn = n->turn});
    return 0;
}

int jdi_sim_new(struct jdi_sim **out, const struct jdi_sim_params *p,
                jdi_sim_yield *yield, void *ctx)
{
    struct jdi_sim *s = jdi_zalloc(NULL, sizeof *s);
    if (!s)
        return JD_ENOMEM;
    s->p = *p;
    s->yield = yield;
    s->ctx = ctx;
    s->left = p->nranks;
    s->node = jdi_zalloc(NULL, p->nranks * sizeof(struct node *));
    s->ids = jdi_alloc(NULL, p->nranks * sizeof *s->ids);
    bool enough = s->node && s->ids;
    for (uint32_t i = 0; enough && i < p->nranks; i++)
        s->ids[i] = i;
    for (uint32_t i = 0; enough && i < p->nranks; i++)
        enough = !node_new(s, i);
    if (!enough) {
        jdi_sim_free(s);
        return JD_ENOMEM;
    }
    if (*p->trace && !(s->trace = fopen(p->trace, "w"))) {
        jdi_sim_free(s);
        return JD_ESYS;
    }
    if (s->trace)
        setvbuf(s->trace, NULL, _IOLBF, 0); /* whole even if the program crashes */
    *out = s;
    return 0;
}

void jdi_sim_free(struct jdi_sim *s)
{
    while (s->nheap)
        jdi_free(pop_event(s).parcel);
    free(s->heap);
    for (uint32_t i = 0; s->node && i < s->p.nranks; i++)
        if (s->node[i])
            s->node[i]->am.ops->free(&s->node[i]->am);
    if (s->trace)
        fclose(s->trace);
    jdi_free(s->ids);
    jdi_free(s->node);
    jdi_free(s);
}

struct jdi_am *jdi_sim_am(struct jdi_sim *s, uint32_t rank)
{
    return &s->node[rank]->am;
}

void jdi_sim_figures(const struct jdi_sim *s, struct jdi_sim_figures *out)
{
    *out = s->figures;
    out->now = s->now;
}

void jdi_sim_dump(const struct jdi_sim *s, FILE *to, uint32_t most)
{
    static const char *const names[] = {"",          "ready",   "running",
                                        "computing", "waiting", "ended"};
    for (uint32_t i = 0, n = 0; i < s->p.nranks && n < most; i++) {
        const struct node *node = s->node[i];
        if (node->state == ENDED)
            continue;
        fprintf(to, "jackdaw: rank %u: %s at %llu ns%s\n", i, names[node->state],
                (unsigned long long)node->clock, node->inbox ? ", with messages" : "");
        n++;
    }
}
