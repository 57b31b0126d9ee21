/*
 * balance.h - which tasks to move between two iterations: balancers as pure state machines.
 *
 * Role: each rank says which tasks it had in the last iteration and how long each took; at the end
 *       each rank knows which of its tasks go to which rank.  The tasks travel directly.
 * Owner: the communication thread; one object per rank and collection.
 * Invariants: I1 no clock, thread, lock or network: numbers and tasks come in, messages leave by
 *                env->send, moves are read when the session is over.
 *             I2 each task is at exactly one rank after the moves.
 *             I3 the largest load after the moves is below the largest one before, or there are
 *                no moves at all (rollback).
 *             I4 what is planned depends on the tasks and the config alone, never on the order in
 *                which messages arrive.
 * See: doc/balance.md (states and messages); paper 003, section 5; test/unit/sched_balance_*.
 *
 * A *session* is one run of the balancer over all ranks:
 *
 *   call                    when                                        context
 *   jdi_balance_new         the collection is made                      may be on any thread
 *   jdi_balance_start       all ranks, once per session, in any order   communication thread
 *   jdi_balance_message     a message has come, before or after start   communication thread
 *   jdi_balance_done        after each start and message                communication thread
 *   jdi_balance_plan        once done says true, until the next start   any thread that synchronises
 *   jdi_balance_free        no message is under way                     any thread
 *
 * Messages arrive exactly once, in any order, also between two ranks.  A rank may be one session
 * ahead of another one: what comes too early is kept.  No call blocks.
 */
#ifndef JDI_SCHED_BALANCE_BALANCE_H
#define JDI_SCHED_BALANCE_BALANCE_H

#include "core/fault.h"

/* No message is longer.  Longer lists travel in several messages. */
enum { JDI_BALANCE_BYTES = 65536 };
/* The most of what a config may say. */
enum {
    JDI_BALANCE_ARITY_MOST = 64,
    JDI_BALANCE_HOLES_MOST = 4096,
    JDI_BALANCE_FANOUT_MOST = 8,
    JDI_BALANCE_ROUNDS_MOST = 16,
    JDI_BALANCE_KNOWN_MOST = 1024,
    JDI_BALANCE_ITERATIONS_MOST = 128
};
/* The longest time of a task and of all tasks of the job, in ns: sums do not overflow. */
#define JDI_BALANCE_TIME_MOST (UINT64_C(1) << 50)
#define JDI_BALANCE_SUM_MOST  (UINT64_C(1) << 62)

/* A task of the last iteration, as the rank that is to run it next knows it.  The balancer reads
 * `time` and `bytes` alone; a session names tasks by their places in the array. */
struct jdi_balance_task {
    uint32_t home, index; /* identity: the rank and the number of its first seeding */
    uint64_t time;  /* ns, as the load model predicts; truncated to a bin by the caller */
    uint32_t bytes; /* of its argument: what a move costs */
};

/* tasks[place], of those given to start, goes to `rank`, another one. */
struct jdi_balance_move {
    uint32_t place, rank;
};

/* The same at all ranks once the session is over. */
struct jdi_balance_figures {
    uint64_t tasks, sum;  /* of all ranks; ns */
    uint64_t largest;     /* task, ns */
    uint64_t most_before; /* the largest load of a rank, ns */
    uint64_t most_after;  /* as planned; equals most_before if there are no moves */
    uint64_t moved,
        moved_bytes; /* tasks that change their rank, bytes of their arguments;
                                    of the plan, also if it was dropped */
    bool planned;    /* the sums were bad enough for a plan, and env->go agreed */
    bool kept;       /* the plan was better, and env->go agreed */
};

/* The end of a session at this rank.  Owned by the machine, valid until the next start or free. */
struct jdi_balance_plan {
    const struct jdi_balance_move *move; /* ascending places */
    uint32_t moves;
    uint32_t arriving; /* tasks that come here from other ranks */
    struct jdi_balance_figures figures;
};

enum jdi_balance_question {
    JDI_BALANCE_PLAN =
        1, /* is the imbalance worth a plan? moved and most_after say nothing yet */
    JDI_BALANCE_MOVES /* is the plan worth its moves? */
};

struct jdi_balance_env {
    void *ctx;
    /* To another rank.  Copies the bytes, JDI_BALANCE_BYTES or fewer.  Never calls the machine. */
    void (*send)(void *ctx, uint32_t dst, const void *bytes, size_t len);
    /* Asked at rank 0 only, once per question and session, before all others go on.  NULL: yes.
     * Never calls the machine.  (AUTO stands behind it.) */
    bool (*go)(void *ctx, enum jdi_balance_question q,
               const struct jdi_balance_figures *f);
};

struct jdi_balance_ops; /* sched/balance/machine.h */
extern const struct jdi_balance_ops jdi_balance_central, jdi_balance_tree,
    jdi_balance_gossip;

/* The same at all ranks, but for `rank` and `fault`.  A number that is 0 stands for the default. */
struct jdi_balance_config {
    const struct jdi_balance_ops *ops;
    uint32_t rank, nranks;
    double
        donate; /* C: a rank gives tasks away until its load is at most C times the average */
    double accept;  /* D: a rank is filled up to D times the average */
    uint32_t arity; /* F: of the tree, and of the sums of every balancer */
    uint32_t
        holes; /* TREE: free room that a message names; JDI_BALANCE_AS_PRINTED: none, as in
                       Algorithm 2 */
    uint32_t fanout,
        rounds;          /* GOSSIP: messages of a rank per round; rounds per iteration */
    uint32_t known;      /* GOSSIP: ranks with room that a rank remembers and passes on */
    uint32_t iterations; /* GOSSIP: at most; TREE: passes, at most */
    uint64_t seed;       /* GOSSIP: all that chance decides */
    struct jdi_fault *fault; /* of allocations; NULL: none fails */
};
#define JDI_BALANCE_AS_PRINTED UINT32_MAX

struct jdi_balance;

/* NULL when out of memory.  The config is within the bounds above. */
struct jdi_balance *jdi_balance_new(const struct jdi_balance_config *c,
                                    const struct jdi_balance_env *env);
void jdi_balance_free(struct jdi_balance *b);
/*
 * Begin the next session; the last one is done, or there was none.  `tasks` are sorted by time,
 * shortest first, are copied, and may be none (NULL, 0).  0 or an error as of jdi_balance_message.
 */
int jdi_balance_start(struct jdi_balance *b, const struct jdi_balance_task *tasks,
                      uint32_t n) JD_MUST_CHECK;
/*
 * A message from rank src.  All of it is checked before anything is written.
 *   0
 *   JD_ENOMEM   messages may have been sent already: the job has to end
 *   JD_EINVAL   no right run contains this message, see jdi_balance_lie; nothing has changed
 *               because of it: the job has to end
 */
int jdi_balance_message(struct jdi_balance *b, uint32_t src, const void *bytes,
                        size_t len) JD_MUST_CHECK;
/* After JD_EINVAL: what is wrong, and (in *src) with a message of which rank; it may have been kept
 * from an earlier call. */
const char *jdi_balance_lie(const struct jdi_balance *b, uint32_t *src);
bool jdi_balance_done(const struct jdi_balance *b);
struct jdi_balance_plan jdi_balance_plan(const struct jdi_balance *b);
/* Work since the object was made: visits of heaps and lists, for accounts of costs. */
uint64_t jdi_balance_work(const struct jdi_balance *b);
/* Assert what one rank can see of the invariants. */
void jdi_balance_check(const struct jdi_balance *b);

#endif
