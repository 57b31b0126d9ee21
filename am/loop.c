/*
 * loop.c - several ranks in one process: the smallest network, and the sample to copy.
 *
 * Role: each rank is a thread with an inbox; a message is a copy pushed onto the inbox.
 * Owner: a node's thread, except for `inbox` and `word`, which any thread writes.
 * Invariants: I1 a parcel belongs to its sender until it is pushed, then to the receiver.
 *             I2 nodes live until all threads have been joined, so a late message finds
 *                its inbox.
 * Order: [pair: loop-inbox] release by the push, acquire by the take: the parcel's bytes.
 *        [pair: loop-word] release by publish, acquire by get_word.
 *        [pair: loop-gate] release by the starter, acquire by a rank: all nodes are made.
 * See: am/am.h (the contracts), test/am/behaviour.c.
 */
#include "am/am.h"
#include "am/note.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DATA = 65536 };

struct parcel {
    struct parcel *next;
    uint32_t src;
    bool reply;
    struct jdi_am_msg m;
    _Alignas(16) unsigned char bytes[];
};

struct node {
    struct jdi_am am; /* first: ops get a pointer to it */
    struct loop *loop;
    pthread_t thread;
    int status;
    JDI_ALIGNED _Atomic(struct parcel *)
        inbox; /* any: push | owner: take all; newest first */
    JDI_ALIGNED _Atomic uint64_t word[JDI_AM_WORDS]; /* any | any */
};

enum gate { SHUT, OPEN, CANCELLED };

struct loop {
    const struct jdi_conduit_start *start;
    uint32_t nranks;
    uint32_t *everyone; /* 0 .. nranks-1: all ranks are on one host */
    struct node **node;
    _Atomic int gate; /* enum gate; starter | ranks */
    void *shared;
    _Atomic bool ending; /* any | any, relaxed: only one may call exit */
};

static struct node *loop_node_of(struct jdi_am *am)
{
    return (struct node *)am;
}

/* ---- the six operations -------------------------------------------------------------- */

static int push_parcel(struct node *from, uint32_t dst, const struct jdi_am_msg *m,
                       bool reply)
{
    struct parcel *p = jdi_alloc(&from->am.fault, sizeof *p + m->len);
    if (!p)
        return JD_EAGAIN;
    *p = (struct parcel){.src = from->am.rank, .reply = reply, .m = *m};
    if (m->len)
        memcpy(p->bytes, m->data, m->len);
    p->m.data = p->bytes;
    struct node *to = from->loop->node[dst];
    p->next = atomic_load_explicit(&to->inbox, memory_order_relaxed);
    /* A failed exchange means that another message came in: somebody makes progress.
     * Release [pair: loop-inbox]. */
    while (!atomic_compare_exchange_weak_explicit(
        &to->inbox, &p->next, p, memory_order_release, memory_order_relaxed))
        ;
    jdi_idle_wake(to->am.idle);
    return 0;
}

static int loop_request(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    return push_parcel(loop_node_of(am), dst, m, false);
}

/* The token is the request's parcel. */
static void loop_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    const struct parcel *asked = token;
    if (push_parcel(loop_node_of(am), asked->src, m, true))
        jdi_die(&am->log, JDI_EXIT_MEMORY, "out of memory for a reply");
}

/* All parcels that have arrived, oldest first. */
static struct parcel *take_all(struct node *n)
{
    if (!atomic_load_explicit(&n->inbox, memory_order_relaxed))
        return NULL;
    /* Acquire [pair: loop-inbox]. */
    struct parcel *p = atomic_exchange_explicit(&n->inbox, NULL, memory_order_acquire);
    struct parcel *first = NULL;
    while (p) {
        struct parcel *next = p->next;
        p->next = first;
        first = p;
        p = next;
    }
    return first;
}

static void loop_poll(struct jdi_am *am)
{
    struct parcel *p = take_all(loop_node_of(am));
    while (p) {
        struct parcel *next = p->next;
        jdi_am_deliver(am, p->src, &p->m, p->reply ? NULL : p);
        jdi_free(p);
        p = next;
    }
}

static bool loop_peek_word(struct jdi_am *am, uint32_t src, unsigned i, uint64_t *value)
{
    struct node *n = loop_node_of(am)->loop->node[src];
    /* Acquire [pair: loop-word]. */
    *value = atomic_load_explicit(&n->word[i], memory_order_acquire);
    return true;
}

static void loop_publish(struct jdi_am *am, unsigned i, uint64_t value)
{
    /* Release [pair: loop-word]. */
    atomic_store_explicit(&loop_node_of(am)->word[i], value, memory_order_release);
}

static void loop_ring(struct jdi_am *am, uint32_t dst)
{
    jdi_idle_wake(loop_node_of(am)->loop->node[dst]->am.idle);
}

/* The ranks are one process, so its end is the end of the job.  exit() may run once. */
static void loop_end_job(struct jdi_am *am, int status)
{
    struct loop *l = loop_node_of(am)->loop;
    if (atomic_exchange_explicit(&l->ending, true, memory_order_relaxed))
        for (;;)
            pause();
    exit(status ? status : JDI_EXIT_EARLY);
}

static void loop_free(struct jdi_am *am)
{
    struct node *n = loop_node_of(am);
    for (struct parcel *p = take_all(n), *next; p; p = next) {
        next = p->next;
        jdi_free(p);
    }
    jdi_am_core_fini(am);
    jdi_free(n);
}

static const struct jdi_am_ops loop_ops = {
    .name = "loop",
    .request = loop_request,
    .reply = loop_reply,
    .poll = loop_poll,
    .peek_word = loop_peek_word,
    .publish = loop_publish,
    .ring = loop_ring,
    .end_job = loop_end_job,
    .free = loop_free,
};

/* ---- start and end ------------------------------------------------------------------- */

static int loop_node_new(struct loop *l, uint32_t rank)
{
    struct node *n = jdi_zalloc(NULL, sizeof *n);
    if (!n)
        return JD_ENOMEM;
    n->loop = l;
    n->am.ops = &loop_ops;
    n->am.rank = n->am.host_rank = rank;
    n->am.nranks = n->am.host_size = l->nranks;
    n->am.host_peers = l->everyone;
    n->am.max_data = MAX_DATA;
    n->am.wakes = true;
    n->am.shared = &l->shared;
    int rc = jdi_am_core_init(&n->am);
    if (rc)
        jdi_free(n);
    else
        l->node[rank] = n;
    return rc;
}

static void close_loop(struct loop *l)
{
    for (uint32_t i = 0; l->node && i < l->nranks; i++)
        if (l->node[i])
            l->node[i]->am.ops->free(&l->node[i]->am);
    jdi_free(l->node);
    jdi_free(l->everyone);
}

static int open_loop(struct loop *l)
{
    l->everyone = jdi_alloc(NULL, l->nranks * sizeof *l->everyone);
    l->node = jdi_zalloc(NULL, l->nranks * sizeof(struct node *));
    if (!l->everyone || !l->node)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < l->nranks; i++)
        l->everyone[i] = i;
    for (uint32_t i = 0; i < l->nranks; i++)
        if (loop_node_new(l, i))
            return JD_ENOMEM;
    return 0;
}

static void run_rank(struct node *n)
{
    const struct jdi_conduit_start *s = n->loop->start;
    n->status = s->rank_main(s->ctx, &n->am, s->argc, s->argv);
    jdi_am_flush(
        &n->am); /* others may still wait for what was refused or had no credit */
}

static void *rank_thread(void *arg)
{
    struct node *n = arg;
    int gate;
    /* Acquire [pair: loop-gate]. */
    while ((gate = atomic_load_explicit(&n->loop->gate, memory_order_acquire)) == SHUT) {
        uint32_t key = jdi_idle_prepare(n->am.idle);
        if (atomic_load_explicit(&n->loop->gate, memory_order_relaxed) == SHUT)
            jdi_idle_wait(n->am.idle, key, 1000000000);
        else
            jdi_idle_cancel(n->am.idle);
    }
    if (gate == OPEN)
        run_rank(n);
    return NULL;
}

/* No rank begins before all threads exist, because it might wait for a missing one for ever. */
static int run_threads(struct loop *l)
{
    uint32_t made = 0;
    while (made < l->nranks &&
           !pthread_create(&l->node[made]->thread, NULL, rank_thread, l->node[made]))
        made++;
    /* Release [pair: loop-gate]. */
    atomic_store_explicit(&l->gate, made == l->nranks ? OPEN : CANCELLED,
                          memory_order_release);
    for (uint32_t i = 0; i < made; i++)
        jdi_idle_wake(l->node[i]->am.idle);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(l->node[i]->thread, NULL);
    return made == l->nranks ? 0 : JD_ESYS;
}

static int loop_run(const struct jdi_conduit_start *start)
{
    struct loop l = {.start = start, .nranks = start->want_ranks ? start->want_ranks : 1};
    struct jdi_early *early = jdi_early_watch();
    int rc = open_loop(&l), status = 0;
    if (!rc && l.nranks > 1)
        rc = run_threads(&l);
    else if (!rc)
        run_rank(l.node[0]);
    for (uint32_t i = 0; !rc && i < l.nranks; i++)
        if (l.node[i]->status > status)
            status = l.node[i]->status;
    close_loop(&l);
    jdi_early_over(early);
    if (!rc)
        return status;
    fprintf(stderr, "jackdaw: cannot start %u ranks in one process: %s\n", l.nranks,
            jd_strerror(rc));
    return JDI_EXIT_START;
}

static const char *loop_lookup(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

static const char *loop_version(void)
{
    return "in-process loop";
}

JDI_NOTE("loop", 0);

const struct jdi_conduit jdi_conduit = {
    .name = "loop",
    .run = loop_run,
    .lookup = loop_lookup,
    .version = loop_version,
};
