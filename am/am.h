/*
 * am.h - the transport: active messages between ranks.
 *
 * Role: typed messages with up to JDI_AM_ARGS 64-bit arguments and a payload, run by a
 *       handler at the receiver; replies; reading a published word; reductions.
 * Owner: one struct jdi_am per rank; every call is made by the rank's communication
 *        thread only, unless it says otherwise.
 * Invariants: I1 a message that was accepted is delivered exactly once, in any order.
 *             I2 handlers run only inside jdi_am_poll, jdi_am_send and jdi_am_get_word, never
 *                nested: what a handler sends is queued and leaves in the next poll.
 *             I3 at most `credits` requests to one rank are unanswered; more are queued.
 * See: doc/am.md (message layouts, credits, fragments), am/loop.c (the backend to copy),
 *      test/am/behaviour.c (runs over every backend).
 */
#ifndef JDI_AM_AM_H
#define JDI_AM_AM_H

#include "core/base.h"
#include "core/fault.h"
#include "core/idle.h"
#include "core/log.h"
#include "core/owner.h"
#include "core/stats.h"
#include "core/time.h"

enum { JDI_AM_ARGS = 7, JDI_AM_TYPES = 32, JDI_AM_WORDS = 34 };

/* The largest payloads: of messages with tasks, of messages with a value; words of a reduction. */
enum {
    JDI_AM_TASKS_BYTES = 128 << 20,
    JDI_AM_VALUE_BYTES = 16 << 20,
    JDI_AM_REDUCE_MOST = 65536
};
/* In a message with what a rank has counted: the name of its host, and its threads. */
enum { JDI_AM_HOST_BYTES = 64, JDI_AM_THREADS_MOST = 1025 };
/* Of a message with what a rank has done: words of a struct jdi_tally (sched/live/readout.h). */
enum { JDI_AM_LIVE_BYTES = 12 * 8 };
enum { JDI_AM_CALL_MOST = 20 }; /* struct jdi_am_reduce's `call` */
/* Of the state of a rank: all of its text, one piece of it. */
enum { JDI_AM_STATE_BYTES = 48 << 10, JDI_AM_PIECE_BYTES = 4096 };
enum { JDI_AM_REDUCE_OPEN = 64 }; /* reductions of a rank at a time */

enum { JDI_AM_CREDITS_MOST = 4096 }; /* that any rank has at another */

/* What fields of messages are compared with that only a rank knows. */
enum jdi_am_bound {
    JDI_AM_BOUND_RANKS = 1, /* of the job */
    JDI_AM_BOUND_COLLS,     /* numbers of collections */
    JDI_AM_BOUND_CREDITS,   /* requests of another rank that are not answered */
    JDI_AM_BOUNDS
};

struct jdi_am;
struct jdi_ult_ops; /* core/ult/ult.h; only handed through */

struct jdi_am_msg {
    uint8_t
        type; /* enum jdi_msg_type (am/messages.h), or a number that it does not have */
    uint8_t nargs; /* 0 .. JDI_AM_ARGS */
    uint16_t wire; /* the transport's: credits handed back; senders leave it 0 */
    uint32_t len;  /* payload bytes; 0: a short message */
    uint64_t arg[JDI_AM_ARGS];
    const void *data;
};

/* What a handler gets.  msg->data is valid during the handler only. */
struct jdi_am_in {
    struct jdi_am *am;
    uint32_t src;
    const struct jdi_am_msg *msg;
    void *token; /* for jdi_am_reply; NULL if this is a reply itself */
};
typedef void jdi_am_handler(void *ctx, const struct jdi_am_in *in);

/* A pending read of a remote word. */
struct jdi_am_get {
    void (*done)(void *ctx, uint64_t value); /* run by jdi_am_poll; may send */
    void *ctx;
    struct jdi_am_get *next; /* the transport's, as the following */
    uint64_t value;
    void *event;
};

/* A pending reduction over all ranks; several may be open if started in one order. */
enum jdi_am_kind { JDI_AM_U64 = 1, JDI_AM_F64 };
struct jdi_am_reduce {
    uint64_t *value; /* n words in, n words out; F64: the bits of doubles */
    uint32_t n;
    enum jdi_am_kind kind;
    enum jd_op op;
    uint8_t call; /* what the layer above does, JDI_AM_CALL_MOST or less; 0: not said */
    void (*done)(void *ctx); /* run by jdi_am_poll; may send */
    void *ctx;
    struct jdi_am_reduce *next; /* the transport's */
};

/* What a rank does where another rank does something else under the same number. */
struct jdi_am_side {
    uint32_t rank;
    uint8_t call; /* as the following, of its struct jdi_am_reduce */
    enum jdi_am_kind kind;
    enum jd_op op;
    uint32_t n;
    uint64_t value; /* the first one, or 0 */
};

/*
 * A backend.  `request`, `reply` and `poll` are called by the communication thread only.
 *   request   try to send one request of at most am->max_data bytes; 0, or JD_EAGAIN when
 *             the network will not take it now (nothing was sent).  May run handlers, by
 *             jdi_am_deliver.  Never called from a handler.
 *   reply     from inside a handler, at most once per token: send to the asker.  Does not
 *             fail and does not block for long.
 *   poll      deliver what has arrived, by jdi_am_deliver.
 *   peek_word word i of rank src by a plain load, if that is possible.  May be NULL.
 *   get_word  start reading word i of rank src, where peek_word fails; `get` stays the
 *             caller's until done runs.  Ends with jdi_am_get_finished.  Never called from a
 *             handler.  NULL where a load reaches all words.
 *   publish   store into this rank's own word i; any thread.
 *   ring      wake the communication thread of dst, if it sleeps and can be reached without a
 *             message.  May be NULL.
 *   arm       what arrives from now on, or has arrived and was not polled, wakes am->idle; until the
 *             next poll.  Where am->wakes; NULL if that is so in any case.
 *   end_job   end every rank of the job with `status`.  Any thread; does not return.
 *   free      after a barrier: no message is in flight.
 */
struct jdi_am_ops {
    const char *name;
    int (*request)(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m);
    void (*reply)(struct jdi_am *am, void *token, const struct jdi_am_msg *m);
    void (*poll)(struct jdi_am *am);
    bool (*peek_word)(struct jdi_am *am, uint32_t src, unsigned i, uint64_t *value);
    int (*get_word)(struct jdi_am *am, uint32_t src, unsigned i, struct jdi_am_get *get);
    void (*publish)(struct jdi_am *am, unsigned i, uint64_t value);
    void (*ring)(struct jdi_am *am, uint32_t dst);
    void (*arm)(struct jdi_am *am);
    void (*end_job)(struct jdi_am *am, int status);
    void (*free)(struct jdi_am *am);
};

struct jdi_am_core; /* credits, queues, fragments, reductions: am/am.c */

/* Memory that most turns of a rank use.  A network that knows whose turn is next may fetch it into
 * the cache; the others do nothing with it. */
enum { JDI_AM_HOT = 12 };
struct jdi_am_hot {
    const void *at; /* is never read: it may have been freed */
    size_t size;
};

/* What an endpoint counts.  The names are those of struct jdi_stats. */
struct jdi_am_stats {
    uint64_t messages, bytes, polls, deferred, ignored;
};

/* The part of an endpoint with which every backend begins. */
struct jdi_am {
    const struct jdi_am_ops *ops;
    uint32_t rank, nranks;
    uint32_t host_rank, host_size; /* this rank among those of its host */
    const uint32_t *host_peers; /* host_size job ranks, ascending; owned by the backend */
    uint32_t max_data;          /* largest payload of one message of the network */
    bool wakes;                 /* an arriving message wakes am->idle */
    uint64_t heard;             /* messages that have arrived */
    struct jdi_idle *idle; /* where the communication thread sleeps; set by core_init */
    struct jdi_idle own_idle; /* that, unless the network's is in shared memory */
    struct jdi_log log;       /* used by the whole rank; level set by jd_launch */
    struct jdi_fault fault;   /* used by the whole rank; armed by jd_launch */
    struct jdi_am_stats stats;
    unsigned credits; /* requests in flight to one rank; may grow at start-up */
    unsigned bears;   /* as many the network takes without waiting; 0: any */
    const struct jdi_time *time;   /* the clock of this network; NULL: the machine's */
    const struct jdi_ult_ops *ult; /* the only engine that it works with; NULL: any */
    void *network;                 /* what that engine wants to be given */
    /* A word that all ranks of this process share, NULL at first; rank 0 writes it before a barrier.
     * NULL: each rank is a process. */
    void **shared;
    /* Ranks share a pool of stacks, so a worker that rests gives that of its loop back. */
    bool pools_stacks;
    void *room; /* memory for the layer above, where the network has some to spare */
    size_t room_bytes; /* as much; it lives as long as rank_main runs, and is not zero */
    struct jdi_owner comm; /* the communication thread, for assertions */
    struct jdi_am_core *core;
    /* The first two are the transport's, the others are of the layer above. */
    struct jdi_am_hot hot[JDI_AM_HOT];
    /* Two ranks have started different reductions, and both say their call: ends the job, or
     * returns if no right rank can have done that.  Communication thread.  May be NULL. */
    void (*disagree)(struct jdi_am *am, const struct jdi_am_side *a,
                     const struct jdi_am_side *b);
};

/* ---- for the layers above ---------------------------------------------------------- */

/* What messages are compared with; the ranks are known, and others have up to
 * JDI_AM_CREDITS_MOST credits if nothing is said.  Before the first jdi_am_reduce_barrier, as the
 * following. */
void jdi_am_set_bound(struct jdi_am *am, enum jdi_am_bound bound, uint64_t value);

/* Run `fn(ctx, ...)` for messages of `type`. */
void jdi_am_set_handler(struct jdi_am *am, unsigned type, jdi_am_handler *fn, void *ctx);

/*
 * Send m to dst (which may be this rank).  Copies arguments and payload if it has to
 * queue them, so the caller's memory is free on return.  Any payload length; those above
 * max_data travel in fragments.  Allowed in handlers.  0, or JD_ENOMEM.
 */
int jdi_am_send(struct jdi_am *am, uint32_t dst,
                const struct jdi_am_msg *m) JD_MUST_CHECK;

/* As jdi_am_send, but no handler runs inside: the message leaves in the next poll. */
int jdi_am_post(struct jdi_am *am, uint32_t dst,
                const struct jdi_am_msg *m) JD_MUST_CHECK;

/* As jdi_am_post, but a payload of up to max_data is not copied.  The caller leaves the payload
 * unchanged until the message has left; an answer to the message shows that. */
int jdi_am_post_in_place(struct jdi_am *am, uint32_t dst,
                         const struct jdi_am_msg *m) JD_MUST_CHECK;

/* In a handler of a request, at most once: answer the sender.  Else as jdi_am_send. */
int jdi_am_reply(const struct jdi_am_in *in, const struct jdi_am_msg *m) JD_MUST_CHECK;

/* Deliver messages, send queued ones, finish gets and reductions.  Not in handlers. */
void jdi_am_poll(struct jdi_am *am);

/* True while a message waits in this rank's queue for a credit or a buffer, or the next poll
 * has something left to do.  The caller must not sleep for long then. */
bool jdi_am_pending(const struct jdi_am *am);

/* Poll until nothing is pending: a rank's last act.  Not in handlers. */
void jdi_am_flush(struct jdi_am *am);

/* Start reading word i of rank src; get->done runs in a later poll.  Not in handlers.
 * 0, or JD_ENET. */
int jdi_am_get_word(struct jdi_am *am, uint32_t src, unsigned i,
                    struct jdi_am_get *get) JD_MUST_CHECK;
/* Word i of rank src at once, if this rank can load it from memory; else false. */
bool jdi_am_peek_word(struct jdi_am *am, uint32_t src, unsigned i, uint64_t *value);
/* Store into this rank's word i.  Any thread. */
static inline void jdi_am_publish(struct jdi_am *am, unsigned i, uint64_t value)
{
    am->ops->publish(am, i, value);
}

/* Wake the communication thread of another rank, if that is possible without a message. */
static inline void jdi_am_ring(struct jdi_am *am, uint32_t dst)
{
    if (am->ops->ring)
        am->ops->ring(am, dst);
}

/* Before the communication thread sleeps, between jdi_idle_prepare and jdi_idle_wait.  Runs handlers.
 * Returns false if something has come, so that there is a turn to make.  What is pending wakes nobody. */
bool jdi_am_rests(struct jdi_am *am);
/* Add what the endpoint has counted to *sum.  Communication thread. */
void jdi_am_count(const struct jdi_am *am, struct jdi_stats *sum);

/* How many messages of a type this rank has sent, and how many have come, to itself too; modulo 2^32.  Over all ranks
 * the two differ by what is on the way.  Not of CREDIT and FRAG.  Communication thread. */
void jdi_am_tally(const struct jdi_am *am, unsigned type, uint32_t *sent, uint32_t *came);

/* Start a reduction of up to JDI_AM_REDUCE_MOST words; every rank starts the same ones in the
 * same order.  0, JD_EINVAL (too many words, an operation that the kind does not have, or no
 * such call), JD_EAGAIN (JDI_AM_REDUCE_OPEN are open) or JD_ENOMEM. */
int jdi_am_reduce(struct jdi_am *am, struct jdi_am_reduce *r) JD_MUST_CHECK;

/* How many this rank has started. */
uint64_t jdi_am_reduce_begun(const struct jdi_am *am);

/* Blocking forms that poll until done: start-up and shut-down only, not in ULTs. */
int jdi_am_reduce_barrier(struct jdi_am *am) JD_MUST_CHECK;
int jdi_am_reduce_all(struct jdi_am *am, uint64_t *value, uint32_t n,
                      enum jdi_am_kind kind, enum jd_op op) JD_MUST_CHECK;

/* What is being handled, or NULL: not in a handler. */
const struct jdi_am_in *jdi_am_handling(const struct jdi_am *am);

/* In a handler: the message is out of turn, and the protocol permits that. */
static inline void jdi_am_ignore(const struct jdi_am_in *in)
{
    in->am->stats.ignored++;
}

/* Every rank has had its answers: from here on what comes for a layer above is ignored if the
 * protocol permits that, else refused.  After a barrier; reductions go on. */
void jdi_am_retire(struct jdi_am *am);

/* End every rank of the job.  Any thread. */
void jdi_am_end_job(struct jdi_am *am, int status) JD_NORETURN;

/* A message of that type that src has sent cannot be, for the reason in the text: say so, name
 * both, end the job with JDI_EXIT_PEER.  Never for what this rank did wrong.  Any thread. */
void jdi_am_peer_fault(struct jdi_am *am, uint32_t src, unsigned type, const char *format,
                       ...) JD_NORETURN JDI_PRINTF(4, 5);
/* The same, in its handler. */
static inline JD_NORETURN void jdi_am_refuse(const struct jdi_am_in *in, const char *text)
{
    jdi_am_peer_fault(in->am, in->src, in->msg->type, "%s", text);
}

/* ---- for backends ------------------------------------------------------------------ */

/* Prepare the common part, before the first message can arrive; the backend has zeroed
 * *am and set ops, rank, nranks and max_data (credits: 0 for the default).  Sets idle and
 * log.  Reductions, fragments and credits work from here on. */
int jdi_am_core_init(struct jdi_am *am) JD_MUST_CHECK;
void jdi_am_core_fini(struct jdi_am *am);
/* A message has arrived from src, token NULL for a reply; it is checked here. */
void jdi_am_deliver(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                    void *token);
/* The read that get_word started has this value; done runs in this or the next poll. */
void jdi_am_get_finished(struct jdi_am *am, struct jdi_am_get *get, uint64_t value);

/* For networks whose ranks share this process: between the two calls exit(0) ends it with
 * JDI_EXIT_EARLY and a message.  NULL, which is allowed, when out of memory. */
struct jdi_early *jdi_early_watch(void);
void jdi_early_over(struct jdi_early *e);

/* ---- the backend of this library --------------------------------------------------- */

/* What jd_launch tells a conduit. */
struct jdi_conduit_start {
    int argc;
    char **argv;
    uint32_t want_ranks; /* JACKDAW_RANKS, 0: any; another number at the end is refused */
    int limit_s; /* JACKDAW_START_TIMEOUT, 0: none; only where ranks are processes */
    bool allow_singleton; /* one rank is fine although the launcher says there are more */
    /* Runs once per rank of this process; am is the open endpoint, argv without the
     * network's own arguments.  Returns the rank's status. */
    int (*rank_main)(void *ctx, struct jdi_am *am, int argc, char **argv);
    void *ctx;
};

/*
 * The network of a library: am/gasnet/gasnet.c fills it for libjackdaw-smp and so on, am/loop.c
 * for the in-process library.
 *   run      bring the network up and run rank_main for each rank of this process, on a
 *            thread of its own where there are several, on the caller where there is one.
 *            In process: returns the largest status.  GASNet: ends the process with it;
 *            that is the only way to status 0.
 *   lookup   the environment as every rank sees it, after start-up.
 *   version  one line for jackdaw-info: "GASNet-EX 2025.8.0 (seq)".
 */
struct jdi_conduit {
    const char *name; /* "smp", "udp", "mpi", "ucx", "loop" */
    int (*run)(const struct jdi_conduit_start *start);
    const char *(*lookup)(void *ctx, const char *name);
    const char *(*version)(void);
    bool in_virtual_time;
};

/* Defined once per conduit library, resolved by the linker. */
extern const struct jdi_conduit jdi_conduit;

#endif
