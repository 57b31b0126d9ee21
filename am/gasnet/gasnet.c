/*
 * gasnet.c - messages and words over GASNet-EX, one source for every conduit.
 *
 * Role: packs messages into Short and Medium active messages; keeps the published words, and
 *       where the communication thread sleeps, in the segment.
 * Owner: the communication thread; publish any thread.
 * Invariants: I1 no state outside struct jdi_gas: handlers find it by their token.
 *             I2 a handler communicates by one reply at most, so GASNet never nests one.
 *             I3 requests are IMMEDIATE: a full network refuses instead of blocking, as
 *                far as the conduit can; the credits of queue.c bound the rest.
 * Order: [pair: gas-word] release by publish, acquire by a direct read.
 * See: doc/am.md sections 1 and 5, test/am/behaviour.c.
 */
#include "am/gasnet/gasnet.h"

#include <string.h>

/* ---- packing ------------------------------------------------------------------------- */

#define PARAMS                                                                           \
    gex_AM_Arg_t a0, gex_AM_Arg_t a1, gex_AM_Arg_t a2, gex_AM_Arg_t a3, gex_AM_Arg_t a4, \
        gex_AM_Arg_t a5, gex_AM_Arg_t a6, gex_AM_Arg_t a7, gex_AM_Arg_t a8,              \
        gex_AM_Arg_t a9, gex_AM_Arg_t a10, gex_AM_Arg_t a11, gex_AM_Arg_t a12,           \
        gex_AM_Arg_t a13, gex_AM_Arg_t a14, gex_AM_Arg_t a15
#define NAMES a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15
#define ALL(a)                                                                           \
    a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],     \
        a[13], a[14], a[15]
/* GASNet's calls are macros, which see ALL(a) as one argument unless it comes this way. */
#define CALL(macro, ...) macro(__VA_ARGS__)

enum { HEAD = 2, NARGS = HEAD + 2 * JDI_AM_ARGS };

/* Halves of 64-bit arguments behind the head; what is not used is zero. */
static void pack_args(gex_AM_Arg_t *a, const struct jdi_am_msg *m)
{
    uint32_t u[NARGS] = {m->type | (uint32_t)m->nargs << 8 | (uint32_t)m->wire << 16,
                         m->len};
    for (unsigned i = 0; i < m->nargs; i++) {
        u[HEAD + 2 * i] = (uint32_t)m->arg[i];
        u[HEAD + 2 * i + 1] = (uint32_t)(m->arg[i] >> 32);
    }
    memcpy(a, u, sizeof u);
}

/* nargs is whatever came: jdi_am_deliver checks it. */
static void unpack_args(struct jdi_am_msg *m, const gex_AM_Arg_t *a)
{
    uint32_t u[NARGS];
    memcpy(u, a, sizeof u);
    m->type = (uint8_t)u[0];
    m->nargs = (uint8_t)(u[0] >> 8);
    m->wire = (uint16_t)(u[0] >> 16);
    m->len = u[1];
    for (unsigned i = 0; i < JDI_AM_ARGS; i++)
        m->arg[i] = u[HEAD + 2 * i] | (uint64_t)u[HEAD + 2 * i + 1] << 32;
}

/* ---- handlers ------------------------------------------------------------------------ */

static void arrived(gex_Token_t token, const void *data, size_t len,
                    const gex_AM_Arg_t *a, bool request)
{
    gex_Token_Info_t info;
    gex_TI_t got = gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_EP);
    JD_CHECK((got & GEX_TI_SRCRANK) && (got & GEX_TI_EP));
    struct jdi_gas *g = gex_EP_QueryCData(info.gex_ep);
    struct jdi_am_msg m = {.data = data};
    unpack_args(&m, a);
    if (m.len != len)
        m.len = UINT32_MAX; /* refused by jdi_am_deliver, which names the sender */
    jdi_am_deliver(&g->am, info.gex_srcrank, &m, request ? (void *)token : NULL);
}

static void on_short_request(gex_Token_t token, PARAMS)
{
    const gex_AM_Arg_t a[] = {NAMES};
    arrived(token, NULL, 0, a, true);
}

static void on_short_reply(gex_Token_t token, PARAMS)
{
    const gex_AM_Arg_t a[] = {NAMES};
    arrived(token, NULL, 0, a, false);
}

static void on_medium_request(gex_Token_t token, void *data, size_t len, PARAMS)
{
    const gex_AM_Arg_t a[] = {NAMES};
    arrived(token, data, len, a, true);
}

static void on_medium_reply(gex_Token_t token, void *data, size_t len, PARAMS)
{
    const gex_AM_Arg_t a[] = {NAMES};
    arrived(token, data, len, a, false);
}

/* ---- the operations ------------------------------------------------------------------ */

/* A message lies in shared memory now, or is on its way through a socket.  The receiver may be
 * asleep; in shared memory nobody else would tell it. */
static void gas_ring(struct jdi_am *am, uint32_t dst)
{
    struct jdi_gas_segment *there = jdi_gasnet_of(am)->place[dst].direct;
    if (there)
        jdi_idle_wake(&there->idle);
}

/* GASNet reads the payload only, but its calls lack the const. */
static int gas_request(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    gex_TM_t tm = jdi_gasnet_of(am)->tm;
    gex_AM_Arg_t a[NARGS];
    int refused;
    pack_args(a, m);
    if (m->len == 0)
        refused = CALL(gex_AM_RequestShort16, tm, dst, JDI_GAS_AM_SR, GEX_FLAG_IMMEDIATE,
                       ALL(a));
    else
        refused = CALL(gex_AM_RequestMedium16, tm, dst, JDI_GAS_AM_MR, (void *)m->data,
                       m->len, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE, ALL(a));
    if (refused)
        return JD_EAGAIN;
    gas_ring(am, dst);
    return 0;
}

static void gas_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    gex_AM_Arg_t a[NARGS];
    pack_args(a, m);
    if (m->len == 0)
        CALL(gex_AM_ReplyShort16, (gex_Token_t)token, JDI_GAS_AM_SP, 0, ALL(a));
    else
        CALL(gex_AM_ReplyMedium16, (gex_Token_t)token, JDI_GAS_AM_MP, (void *)m->data,
             m->len, GEX_EVENT_NOW, 0, ALL(a));
    gas_ring(am, jdi_am_handling(am)->src);
}

/* Reads that have ended go to the core; the others stay. */
static void poll_reads(struct jdi_gas *g)
{
    struct jdi_am_get *get = g->reading;
    g->reading = NULL;
    while (get) {
        struct jdi_am_get *next = get->next;
        if (gex_Event_Test((gex_Event_t)get->event) == GASNET_OK) {
            jdi_am_get_finished(&g->am, get, get->value);
        } else {
            get->next = g->reading;
            g->reading = get;
        }
        get = next;
    }
}

static void gas_poll(struct jdi_am *am)
{
    struct jdi_gas *g = jdi_gasnet_of(am);
    jdi_gasnet_exit_obey(g);
    gasnet_AMPoll();
    if (JDI_UNLIKELY(g->reading != NULL))
        poll_reads(g);
}

/* Where rank src has its segment; asked of GASNet once per rank. */
static struct jdi_gas_place *gas_place(struct jdi_gas *g, uint32_t src)
{
    struct jdi_gas_place *p = &g->place[src];
    if (!p->owner) {
        void *owner = NULL, *local = NULL;
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(g->tm, src, &owner, &local, NULL, 0));
        p->owner = owner;
        p->direct = local;
    }
    return p->owner ? p : NULL;
}

static bool gas_peek_word(struct jdi_am *am, uint32_t src, unsigned i, uint64_t *value)
{
    struct jdi_gas_place *p = gas_place(jdi_gasnet_of(am), src);
    if (!p || !p->direct)
        return false;
    /* Acquire [pair: gas-word]. */
    *value = atomic_load_explicit(&p->direct->word[i], memory_order_acquire);
    return true;
}

static int gas_get_word(struct jdi_am *am, uint32_t src, unsigned i,
                        struct jdi_am_get *get)
{
    struct jdi_gas *g = jdi_gasnet_of(am);
    struct jdi_gas_place *p = gas_place(g, src);
    if (!p)
        return JD_ENET;
    get->event = gex_RMA_GetNB(g->tm, &get->value, src, p->owner + i * sizeof(uint64_t),
                               sizeof(uint64_t), 0);
    get->next = g->reading;
    g->reading = get;
    return 0;
}

static void gas_publish(struct jdi_am *am, unsigned i, uint64_t value)
{
    /* Release [pair: gas-word]. */
    atomic_store_explicit(&jdi_gasnet_of(am)->own->word[i], value, memory_order_release);
}

static void gas_arm(struct jdi_am *am)
{
    struct jdi_watch *w = jdi_gasnet_of(am)->watch;
    if (w)
        jdi_watch_arm(w);
}

static void gas_free(struct jdi_am *am)
{
    struct jdi_gas *g = jdi_gasnet_of(am);
    jdi_am_core_fini(am);
    jdi_free(g->host_peers);
    jdi_free(g->place);
    jdi_free(g);
}

static const struct jdi_am_ops gas_ops = {
    .name = GASNET_CONDUIT_NAME_STR,
    .request = gas_request,
    .reply = gas_reply,
    .poll = gas_poll,
    .peek_word = gas_peek_word,
    .get_word = gas_get_word,
    .publish = gas_publish,
    .ring = gas_ring,
    .arm = gas_arm,
    .end_job = jdi_gasnet_exit_end_job,
    .free = gas_free,
};

/* ---- opening ------------------------------------------------------------------------- */

/* A C11 atomic word is a plain word in memory: GASNet reads it as bytes. */
_Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "words are read by RMA");

static int open_segment(struct jdi_gas *g)
{
    uintptr_t size = jdi_round_up(sizeof(struct jdi_gas_segment), GASNET_PAGESIZE);
    if (gasnet_getMaxLocalSegmentSize() < size ||
        gex_Segment_Attach(&g->segment, g->tm, size) != GASNET_OK)
        return JD_ENET;
    g->own = gex_Segment_QueryAddr(g->segment);
    for (unsigned i = 0; i < JDI_AM_WORDS; i++)
        atomic_init(&g->own->word[i], 0);
    jdi_idle_init_shared(&g->own->idle);
    g->am.idle = &g->own->idle;
    return 0;
}

/* Handlers ring, and must not ask GASNet where.  So all segments that are mapped here are found
 * before the first message.  Returns whether that are all ranks. */
static bool find_neighbours(struct jdi_gas *g)
{
    gex_RankInfo_t *info;
    gex_Rank_t n, me;
    bool all = true;
    gex_System_QueryNbrhdInfo(&info, &n, &me);
    for (gex_Rank_t i = 0; i < n; i++) {
        const struct jdi_gas_place *p = gas_place(g, info[i].gex_jobrank);
        all = all && p && p->direct;
    }
    return all && n == g->am.nranks;
}

static int open_handlers(struct jdi_gas *g)
{
#define ENTRY(index, fn, flags) {index, (gex_AM_Fn_t)fn, flags, NARGS, NULL, #fn}
    gex_AM_Entry_t table[] = {
        ENTRY(JDI_GAS_AM_SR, on_short_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST),
        ENTRY(JDI_GAS_AM_SP, on_short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY),
        ENTRY(JDI_GAS_AM_MR, on_medium_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST),
        ENTRY(JDI_GAS_AM_MP, on_medium_reply, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY),
    };
#undef ENTRY
    return gex_EP_RegisterHandlers(g->ep, table, JDI_ARRAY_LEN(table)) ? JD_ENET : 0;
}

/* The ranks of this host, by GASNet's own idea of a host. */
static int find_host(struct jdi_gas *g)
{
    gex_RankInfo_t *info;
    gex_Rank_t n, me;
    gex_System_QueryHostInfo(&info, &n, &me);
    g->host_peers = jdi_alloc(NULL, n * sizeof *g->host_peers);
    if (!g->host_peers)
        return JD_ENOMEM;
    for (gex_Rank_t i = 0; i < n; i++)
        g->host_peers[i] = info[i].gex_jobrank;
    g->am.host_size = n;
    g->am.host_rank = me;
    g->am.host_peers = g->host_peers;
    return 0;
}

/*
 * AMUDP has GASNET_NETWORKDEPTH places for requests to a peer.  But it looks for a free place
 * only at the place of the last answer and then at the next one.  So if a peer has answered some
 * of this rank's requests and not the next one, a request waits for that peer inside the call,
 * even if other places are free.  With two open requests the second place is always free.  Peers
 * in shared memory are not reached through AMUDP.
 */
enum { AMUDP_BEARS = 2 };

static unsigned bears(const struct jdi_gas *g)
{
    gex_RankInfo_t *info;
    gex_Rank_t n, me;
    gex_System_QueryNbrhdInfo(&info, &n, &me);
    return JDI_GAS_UDP && n < g->am.nranks ? AMUDP_BEARS : 0;
}

void jdi_gasnet_barrier(struct jdi_gas *g)
{
    gex_Event_Wait(gex_Coll_BarrierNB(g->tm, 0));
}

int jdi_gasnet_open(struct jdi_gas *g)
{
    size_t request = gex_AM_LUBRequestMedium(), reply = gex_AM_LUBReplyMedium();
    g->am.ops = &gas_ops;
    g->am.max_data = (uint32_t)(request < reply ? request : reply);
    g->am.bears = bears(g);
    g->place = jdi_zalloc(NULL, g->am.nranks * sizeof *g->place);
    if (!g->place)
        return JD_ENOMEM;
    int rc = find_host(g);
    if (!rc)
        rc = jdi_am_core_init(&g->am);
    gex_EP_SetCData(g->ep, g);
    if (!rc)
        rc = open_handlers(g);
    if (!rc)
        rc = open_segment(g);
    if (rc)
        return rc;
    jdi_gasnet_barrier(g); /* every segment is there */
    bool all = find_neighbours(g);
    if (JDI_GAS_UDP && !all) {
        struct jdi_watch_sockets now;
        jdi_watch_find(&now);
        g->watch = jdi_watch_start(&g->foreign, &now, g->am.idle);
    }
    g->am.wakes = all || g->watch;
    jdi_gasnet_barrier(g); /* nobody sends before everybody can receive */
    return 0;
}
