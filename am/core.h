/*
 * core.h - what the files of the transport's common part share.
 *
 * Role: the state behind struct jdi_am, and the calls between am.c (dispatch), queue.c
 *       (credits, deferred messages), frag.c (large payloads) and reduce.c (reductions).
 * Owner: the communication thread of the rank; nothing here is atomic.
 * Invariants: I1 in_flight <= credits: requests at the peer that are not answered.
 *             I2 a peer is in the list `waiting` iff it has queued messages.
 *             I3 a peer is in the list `due` iff its flag says so.
 *             I4 while in_handler is set nothing is injected but a reply.
 * See: doc/am.md, am/am.h.
 */
#ifndef JDI_AM_CORE_H
#define JDI_AM_CORE_H

#include "am/messages.h"

enum { JDI_AM_URGE = 0x8000, JDI_AM_GIVEN = 0x7fff }; /* bits of jdi_am_msg.wire */
enum { JDI_AM_CREDITS = 16 };                         /* until jd_launch knows better */
enum { JDI_AM_ARITY = 4 }; /* children per rank in the tree of reductions */

/* A message that waits.  Its payload, or all of a large message, follows, unless m.data points
 * to memory of the sender. */
struct jdi_am_out {
    struct jdi_am_out *next;
    struct jdi_am_msg m;
    bool large, reply;         /* large: `total` bytes to be cut into fragments */
    uint64_t id, total, start; /* start: bytes that have left */
    _Alignas(16) unsigned char bytes[];
};

struct jdi_am_fifo {
    struct jdi_am_out *head, *tail;
};

struct jdi_am_peer {
    uint32_t rank;
    uint16_t in_flight, owed;
    bool listed, due;
    struct jdi_am_fifo queue;
    struct jdi_am_peer *next_waiting, *next_due;
    struct jdi_am_peer *next; /* in its bucket */
};

/* A rank makes a peer's state at the first message and forgets it when nothing is open with the
 * peer, because a thief among many ranks talks to most of them once.  So most states live short,
 * and those that a rank has at a time fit into its core: nothing is allocated for them. */
enum { JDI_AM_BUCKETS = 16, JDI_AM_PEERS = 16 }; /* at first; kept in any case */

/* How many requests may be open at one peer. */
static inline unsigned jdi_am_window(const struct jdi_am *am)
{
    return am->bears && am->bears < am->credits ? am->bears : am->credits;
}

struct jdi_am_whole;  /* a large message that is arriving: frag.c */
struct jdi_am_reduct; /* an open reduction: reduce.c */

struct jdi_am_core {
    struct {
        jdi_am_handler *fn;
        void *ctx;
    } handler[JDI_AM_TYPES];
    uint64_t bound[JDI_AM_BOUNDS];
    const struct jdi_am_in *handling; /* by a layer above */
    bool in_handler, replied;
    struct jdi_am_peer **bucket; /* by rank & (nbuckets - 1); at first first_bucket */
    uint32_t nbuckets, npeers, forget_at;
    struct jdi_am_peer *spare; /* of first_peer, those of nobody */
    struct jdi_am_peer *waiting, *waiting_tail;
    unsigned nwaiting;
    struct jdi_am_peer *due;
    struct jdi_am_fifo self; /* messages to this rank */
    struct jdi_am_get *gets; /* finished, done not yet run */
    uint64_t next_id;        /* of large messages sent */
    struct jdi_am_whole *wholes;
    uint64_t next_reduct;
    unsigned open_reducts; /* that this rank has started */
    struct jdi_am_reduct *reducts;
    struct jdi_am_reduce *reduced, *reduced_tail; /* finished, done not yet run */
    uint32_t sent[JDI_MSGS], came[JDI_MSGS];      /* whole messages, modulo 2^32 */
    struct jdi_am_peer *first_bucket[JDI_AM_BUCKETS];
    struct jdi_am_peer first_peer[JDI_AM_PEERS];
};

/* ---- am.c: context: communication thread ------------------------------------------- */

/* jdi_am_send for any type.  Errors: JD_ENOMEM. */
int jdi_am_send_any(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m);
/* Is m as its row in am/messages.def says, and is there a handler?  Else the job ends. */
void jdi_am_check(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                  bool reply);
/* Run the handler of a complete message that has been checked. */
void jdi_am_dispatch(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                     void *token);
/* No memory where nothing can be returned: end the job. */
void jdi_am_no_memory(struct jdi_am *am, const char *what) JD_NORETURN;

/* ---- queue.c ------------------------------------------------------------------------- */

/* The core has no peer yet. */
void jdi_am_queue_init(struct jdi_am *am);
/* The state of a peer; NULL when out of memory.  Valid until jdi_am_queue_forget_peers. */
struct jdi_am_peer *jdi_am_queue_peer(struct jdi_am *am, uint32_t rank);
/* Forget the peers with which nothing is open.  Only where nobody holds one: end of poll. */
void jdi_am_queue_forget_peers(struct jdi_am *am);
/* True if a request to p could leave now, before anything that is queued. */
bool jdi_am_queue_may_send(const struct jdi_am *am, const struct jdi_am_peer *p);
/* Put a request into the network: 0 or JD_EAGAIN.  Takes a credit, pays the debt. */
int jdi_am_queue_inject(struct jdi_am *am, struct jdi_am_peer *p,
                        const struct jdi_am_msg *m);
/* Copy m to the end of p's queue, or of this rank's own: 0 or JD_ENOMEM. */
int jdi_am_queue_add(struct jdi_am *am, struct jdi_am_peer *p, const struct jdi_am_msg *m,
                     bool reply);
/* The same with a payload of up to max_data that stays where it is until the message has left. */
int jdi_am_queue_add_in_place(struct jdi_am *am, struct jdi_am_peer *p,
                              const struct jdi_am_msg *m);
int jdi_am_queue_add_self(struct jdi_am *am, const struct jdi_am_msg *m, bool reply);
struct jdi_am_out *jdi_am_queue_take(struct jdi_am_fifo *q);
/* The credits, debts and URGE of a message that has arrived.  NULL, or what is wrong with
 * them, and nothing has changed. */
const char *jdi_am_queue_account(struct jdi_am *am, struct jdi_am_peer *p,
                                 const struct jdi_am_msg *m, bool request) JD_MUST_CHECK;
/* Send what is queued, then the debts that are due, as far as credits and network allow. */
void jdi_am_queue_drain(struct jdi_am *am);
/* Assert I1 to I3: credits, the lists, the queues.  Not while a peer is being served. */
void jdi_am_queue_check(const struct jdi_am *am);
void jdi_am_queue_fini(struct jdi_am *am);

/* ---- frag.c -------------------------------------------------------------------------- */

/* Make the queue entry of a message larger than max_data: NULL when out of memory. */
struct jdi_am_out *jdi_am_frag_new(struct jdi_am *am, const struct jdi_am_msg *m,
                                   bool reply);
/* Send the next fragment; 0 or JD_EAGAIN.  Done when start == total. */
int jdi_am_frag_send(struct jdi_am *am, struct jdi_am_peer *p, struct jdi_am_out *o);
/* A fragment has arrived; dispatches the message that it completes. */
void jdi_am_frag_on_frag(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                         void *token);
/* Nothing is on its way: what is not whole now will never be, and the job ends. */
void jdi_am_frag_retire(struct jdi_am *am);
void jdi_am_frag_fini(struct jdi_am *am);

/* ---- reduce.c ------------------------------------------------------------------------ */

void jdi_am_reduce_on_up(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m);
void jdi_am_reduce_on_down(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m);
/* Run `done` of the reductions that have finished. */
void jdi_am_reduce_run(struct jdi_am *am);
void jdi_am_reduce_fini(struct jdi_am *am);

#endif
