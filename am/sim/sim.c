/*
 * sim.c - the simulated network: messages on their way, and what happens next.
 *
 * Role: see sim.h; implements the transport's operations.
 * Owner: the simulation's thread.
 * Invariants: I1-I3 of sim.h. I4 only a rank's main stream sends, polls and reads.
 * See: sim.h, am/sim/inside.h, am/sim/stream.c, doc/sim.md.
 */
#include "am/messages.h"
#include "am/sim/adversary.h"
#include "am/sim/inside.h"
#include "core/ult/sanitizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With the address sanitizer each message has memory of its own, so that late uses are found. */
#ifdef JDI_SAN_ADDRESS
#define REUSED false
#else
#define REUSED true
#endif

enum {
    MAX_DATA = 65536,
    SMALL = 64 /* bytes of payload */
};

static struct jdi_sim_node *sim_node_of(struct jdi_am *am)
{
    return (struct jdi_sim_node *)am;
}

/* ---- sending ------------------------------------------------------------------------ */

static const struct jdi_sim_level *level(const struct jdi_sim_params *p, uint32_t a,
                                         uint32_t b)
{
    if (a / p->socket_ranks == b / p->socket_ranks)
        return &p->socket;
    return a / p->host_ranks == b / p->host_ranks ? &p->host : &p->net;
}

/* Most messages are small, so their memory is kept for the next ones. */
static struct jdi_sim_parcel *room_for(struct jdi_sim_node *from, uint32_t len)
{
    struct jdi_sim *s = from->sim;
    struct jdi_sim_parcel *p = s->spare;
    if (len > SMALL || !p)
        return jdi_alloc(&from->am.fault, sizeof *p + (len > SMALL ? len : SMALL));
    if (jdi_fault_hit(&from->am.fault, JDI_FAULT_alloc))
        return NULL;
    s->spare = p->next;
    return p;
}

static void free_parcel(struct jdi_sim *s, struct jdi_sim_parcel *p)
{
    if (!REUSED || p->m.len > SMALL) {
        jdi_free(p);
        return;
    }
    p->next = s->spare;
    s->spare = p;
}

static struct jdi_sim_parcel *new_parcel(struct jdi_sim_node *from, uint32_t dst,
                                         enum jdi_sim_kind kind,
                                         const struct jdi_am_msg *m)
{
    uint32_t len = m ? m->len : 0;
    struct jdi_sim_parcel *p = room_for(from, len);
    if (!p)
        return NULL;
    *p = (struct jdi_sim_parcel){.kind = kind, .src = from->am.rank, .dst = dst};
    if (!m)
        return p;
    p->m = *m;
    p->m.data = p->bytes;
    if (len)
        memcpy(p->bytes, m->data, len);
    return p;
}

static void release_kept(struct jdi_sim_node *n);

/* Put p on its way: o at the sender, g after its last message, L and G on the wire. */
static void dispatch(struct jdi_sim_node *from, struct jdi_sim_parcel *p)
{
    struct jdi_sim *s = from->sim;
    const struct jdi_sim_level *l = level(&s->p, p->src, p->dst);
    from->main.clock += l->o;
    uint64_t leaves = from->main.clock;
    if (from->last_sent && leaves < from->last_sent + l->g)
        leaves = from->last_sent + l->g;
    from->last_sent = leaves;
    uint64_t wire = l->L + (uint64_t)(l->G * (double)p->m.len);
    s->figures.messages++;
    s->figures.bytes += p->m.len;
    p->sent = leaves;
    p->due = leaves + wire;
    struct jdi_sim_fate fate = jdi_sim_adversary_fate(s->p.adversary, p->src, p->dst,
                                                      p->due, p->m.type == JDI_MSG_TASKS);
    uint64_t at = p->due + fate.late;
    if (fate.keep) { /* released at `at` at the latest: an event without a parcel */
        struct jdi_sim_node *to = s->node[p->dst];
        p->next = to->kept;
        to->kept = p;
        jdi_sim_stream_push(s, (struct jdi_sim_event){.time = at,
                                                      .stream = p->dst,
                                                      .turn = JDI_SIM_RELEASE});
    } else {
        p->late = fate.late;
        jdi_sim_stream_push(
            s, (struct jdi_sim_event){.time = at, .stream = p->dst, .parcel = p});
    }
    if (p->m.type == JDI_MSG_TD)
        release_kept(from);
}

/* The tasks that were kept from n leave after its report. */
static void release_kept(struct jdi_sim_node *n)
{
    while (n->kept) {
        struct jdi_sim_parcel *p = n->kept;
        n->kept = p->next;
        uint64_t now = n->main.clock > n->sim->now ? n->main.clock : n->sim->now;
        uint64_t at = p->due > now ? p->due : now;
        p->late = at - p->due;
        jdi_sim_stream_push(
            n->sim, (struct jdi_sim_event){.time = at, .stream = p->dst, .parcel = p});
    }
}

static int sim_request(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    struct jdi_sim_node *n = sim_node_of(am);
    struct jdi_sim *s = n->sim;
    if (jdi_sim_adversary_refuses(s->p.adversary, am->rank, dst)) {
        s->figures.refused++;
        n->main.clock +=
            level(&s->p, am->rank, dst)->o; /* so that trying again takes time */
        return JD_EAGAIN;
    }
    struct jdi_sim_parcel *p = new_parcel(n, dst, JDI_SIM_REQUEST, m);
    if (!p)
        return JD_EAGAIN;
    dispatch(n, p);
    return 0;
}

static void sim_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    const struct jdi_sim_parcel *asked = token;
    struct jdi_sim_parcel *p = new_parcel(sim_node_of(am), asked->src, JDI_SIM_REPLY, m);
    if (!p)
        jdi_die(&am->log, JDI_EXIT_MEMORY, "out of memory for a reply");
    dispatch(sim_node_of(am), p);
}

static int sim_get_word(struct jdi_am *am, uint32_t src, unsigned i,
                        struct jdi_am_get *get)
{
    struct jdi_sim_parcel *p = new_parcel(sim_node_of(am), src, JDI_SIM_READ, NULL);
    if (!p)
        return JD_ENOMEM;
    p->get = get;
    p->word = i;
    dispatch(sim_node_of(am), p);
    return 0;
}

static void sim_publish(struct jdi_am *am, unsigned i, uint64_t value)
{
    sim_node_of(am)->word[i] = value;
}

/* ---- receiving ---------------------------------------------------------------------- */

static void receive(struct jdi_sim_node *n, struct jdi_sim_parcel *p)
{
    struct jdi_sim *s = n->sim;
    n->pauses = 0;
    n->main.clock += level(&s->p, p->src, p->dst)->o;
    if (n->time.shared) /* what the last message has brought is for others to take */
        jdi_sim_stream_catch_up(&n->main);
    if (s->trace)
        fprintf(s->trace, "%llu %u>%u type %u len %u sent %llu late %llu\n",
                (unsigned long long)n->main.clock, p->src, p->dst,
                p->kind == JDI_SIM_VALUE ? 255u : p->m.type, p->m.len,
                (unsigned long long)p->sent, (unsigned long long)p->late);
    if (p->kind == JDI_SIM_VALUE)
        jdi_am_get_finished(&n->am, p->get, p->value);
    else
        jdi_am_deliver(&n->am, p->src, &p->m, p->kind == JDI_SIM_REQUEST ? p : NULL);
    free_parcel(s, p);
}

static void sim_poll(struct jdi_am *am)
{
    struct jdi_sim_node *n = sim_node_of(am);
    struct jdi_sim *s = n->sim;
    if (s->p.crash_at && s->p.crash_rank == am->rank && n->main.clock >= s->p.crash_at)
        jdi_die(&am->log, JDI_EXIT_PEER_DIED, "rank %u has crashed, as asked for",
                am->rank);
    JD_ASSERT(s->running == &n->main);
    /* It has computed: the others catch up first (I2). */
    jdi_sim_stream_catch_up(&n->main);
    struct jdi_sim_parcel *p = n->inbox;
    n->inbox = n->inbox_tail = NULL;
    while (p) {
        struct jdi_sim_parcel *next = p->next;
        receive(n, p);
        p = next;
    }
}

static void append_parcel(struct jdi_sim_node *n, struct jdi_sim_parcel *p)
{
    p->next = NULL;
    if (n->inbox)
        n->inbox_tail->next = p;
    else
        n->inbox = p;
    n->inbox_tail = p;
}

/* A read is answered by the network itself: the rank does nothing for it. */
static void answer_read(struct jdi_sim *s, struct jdi_sim_parcel *p)
{
    const struct jdi_sim_level *l = level(&s->p, p->src, p->dst);
    p->value = s->node[p->dst]->word[p->word];
    uint32_t asker = p->src;
    p->src = p->dst;
    p->dst = asker;
    p->kind = JDI_SIM_VALUE;
    p->sent = s->now;
    p->due = s->now + l->L;
    p->late = jdi_sim_adversary_fate(s->p.adversary, p->src, asker, p->due, false).late;
    jdi_sim_stream_push(s, (struct jdi_sim_event){
                               .time = p->due + p->late, .stream = asker, .parcel = p});
}

/* ---- the simulation ----------------------------------------------------------------- */

/* Does the event make its stream go on? */
static bool wakes(struct jdi_sim *s, const struct jdi_sim_event *e)
{
    const struct jdi_sim_stream *st = s->stream[e->stream];
    if (!e->parcel && e->turn == JDI_SIM_RELEASE) {
        release_kept(st->node);
        return false;
    }
    if (!e->parcel)
        return e->turn == st->turn && st->state != JDI_SIM_ENDED;
    if (e->parcel->kind == JDI_SIM_READ) {
        answer_read(s, e->parcel);
        return false;
    }
    append_parcel(st->node, e->parcel);
    return st->state == JDI_SIM_WAITING;
}

uint32_t jdi_sim_next(struct jdi_sim *s)
{
    while (s->queue.n && s->left) {
        struct jdi_sim_event e = jdi_sim_queue_take(&s->queue);
        JD_CHECK(e.time >= s->now);
        s->now = e.time;
        s->figures.events++;
        jdi_sim_stream_expect(s);
        if (!wakes(s, &e))
            continue;
        jdi_sim_stream_resume(s->stream[e.stream]);
        return e.stream;
    }
    return JDI_SIM_NOBODY;
}

static void sim_end_job(struct jdi_am *am, int status)
{
    struct jdi_sim *s = sim_node_of(am)->sim;
    if (s->trace)
        fflush(s->trace);
    exit(status ? status : JDI_EXIT_EARLY);
}

static void sim_free(struct jdi_am *am)
{
    struct jdi_sim_node *n = sim_node_of(am);
    for (struct jdi_sim_parcel *p = n->inbox, *next; p; p = next) {
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

static int sim_node_new(struct jdi_sim *s, uint32_t rank)
{
    struct jdi_sim_node *n = jdi_zalloc(NULL, sizeof *n);
    if (!n)
        return JD_ENOMEM;
    uint32_t first = rank - rank % s->p.host_ranks;
    uint32_t last =
        first + s->p.host_ranks < s->p.nranks ? first + s->p.host_ranks : s->p.nranks;
    n->sim = s;
    jdi_sim_stream_time_init(n);
    n->am.ops = &sim_ops;
    n->am.time = &n->time;
    n->am.rank = rank;
    n->am.nranks = s->p.nranks;
    n->am.host_rank = rank - first;
    n->am.host_size = last - first;
    n->am.host_peers = s->ids + first;
    n->am.max_data = MAX_DATA;
    n->am.wakes = true;
    n->am.shared = &s->shared;
    int rc = jdi_am_core_init(&n->am);
    if (!rc && (rc = jdi_sim_stream_init(&n->main, n, 0)))
        jdi_am_core_fini(&n->am);
    if (rc) {
        jdi_free(n);
        return rc;
    }
    s->node[rank] = n;
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
    s->node = jdi_zalloc(NULL, p->nranks * sizeof(struct jdi_sim_node *));
    s->ids = jdi_alloc(NULL, p->nranks * sizeof *s->ids);
    bool enough = s->node && s->ids;
    for (uint32_t i = 0; enough && i < p->nranks; i++)
        s->ids[i] = i;
    for (uint32_t i = 0; enough && i < p->nranks; i++)
        enough = !sim_node_new(s, i);
    if (!enough) {
        jdi_sim_free(s);
        return JD_ENOMEM;
    }
    *out = s;
    return 0;
}

int jdi_sim_trace(struct jdi_sim *s, char *err, size_t errlen)
{
    if (!*s->p.trace)
        return 0;
    s->trace = fopen(s->p.trace, "w");
    if (!s->trace) {
        snprintf(err, errlen, "JACKDAW_SIM_TRACE=%s: %s", s->p.trace, strerror(errno));
        return JD_ESYS;
    }
    setvbuf(s->trace, NULL, _IOLBF, 0); /* whole even if the program crashes */
    return 0;
}

void jdi_sim_free(struct jdi_sim *s)
{
    while (s->queue.n)
        jdi_free(jdi_sim_queue_take(&s->queue).parcel);
    jdi_sim_queue_fini(&s->queue);
    for (uint32_t i = s->p.nranks; i < s->nstreams; i++)
        jdi_free(s->stream[i]);
    for (uint32_t i = 0; s->node && i < s->p.nranks; i++)
        if (s->node[i])
            s->node[i]->am.ops->free(&s->node[i]->am);
    for (struct jdi_sim_parcel *p = s->spare, *next; p; p = next) {
        next = p->next;
        jdi_free(p);
    }
    if (s->trace)
        fclose(s->trace);
    free(s->stream);
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
    for (uint32_t i = 0, n = 0; i < s->nstreams && n < most; i++) {
        const struct jdi_sim_stream *st = s->stream[i];
        if (st->state == JDI_SIM_ENDED)
            continue;
        bool main = st == &st->node->main;
        fprintf(to, "jackdaw: rank %u%s: %s at %llu ns%s\n", st->node->am.rank,
                main ? "" : ", another worker", names[st->state],
                (unsigned long long)st->clock,
                main && st->node->inbox ? ", with messages" : "");
        n++;
    }
}
