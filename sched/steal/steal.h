/*
 * steal.h - when to ask whom for work, and what to answer: policies as pure state machines.
 *
 * Role: decides, for one collection of one rank, which rank to ask or look at next, and how to
 *       answer a thief.
 * Owner: the communication thread.
 * Invariants: I1 a policy uses no clock, network or threads: time is an argument, answers are
 *                returned.
 *             I2 a rank never asks itself, and has at most JDI_STEAL_OPEN requests and
 *                JDI_STEAL_LOOKS reads open.
 *             I3 at the end of a phase thief and victim forget what they remember.
 * See: doc/transfer.md (states of each policy); sched/ask.c; test/unit/sched_steal_*.
 *
 *   event                           call                     answer
 *   a phase begins, ends            jdi_steal_begin, _end    -
 *   a worker has no work            jdi_steal_hungry         nothing, look at v, or ask v
 *   the load of v has been read     jdi_steal_load           -
 *   v has answered                  jdi_steal_answered       -
 *   all workers have work           jdi_steal_fed            -
 *   a thief asks                    ops->asked               give, refuse, remember...
 *   a remembered thief is served    jdi_thieves_take         the thief
 *   may the detector report?        ops->patient             yes or no
 */
#ifndef JDI_SCHED_STEAL_STEAL_H
#define JDI_SCHED_STEAL_STEAL_H

#include "core/base.h"
#include "core/knobs.h"
#include "sched/steal/thieves.h"

enum { JDI_STEAL_OPEN = 4, JDI_STEAL_LOOKS = 4, JDI_STEAL_SEARCHES = 6 };
#define JDI_STEAL_NOBODY UINT32_MAX

enum jdi_steal_act { JDI_STEAL_NOTHING = 1, JDI_STEAL_LOOK, JDI_STEAL_ASK };
/* What a thief wants if the victim has no tasks.  The values go over the network. */
enum jdi_steal_manner { JDI_STEAL_NOW = 1, JDI_STEAL_LOCK, JDI_STEAL_KEEP };
/* Answers.  The values go over the network. */
enum jdi_steal_answer {
    JDI_STEAL_TASKS = 1, /* to NOW and LOCK */
    JDI_STEAL_PROMPT,    /* tasks, the first answer to KEEP */
    JDI_STEAL_SECOND,    /* tasks, to a thief that was answered KEPT before */
    JDI_STEAL_REFUSED,
    JDI_STEAL_OCCUPIED,
    JDI_STEAL_KEPT,
    JDI_STEAL_CROSSED
};
/* What the victim does with a thief. */
enum jdi_steal_verdict {
    JDI_STEAL_GIVE = 1, /* answer with tasks */
    JDI_STEAL_REFUSE,   /* answer REFUSED */
    JDI_STEAL_TURN,     /* answer OCCUPIED */
    JDI_STEAL_WAIT,     /* remember the thief; the turn answers */
    JDI_STEAL_QUEUE,    /* remember the thief; answer KEPT */
    JDI_STEAL_DROP,     /* answer KEPT without remembering: its phase is over */
    JDI_STEAL_VOID,     /* answer CROSSED */
    JDI_STEAL_NO_MEMORY
};

/* Constant after launch, the same for all collections of a rank. */
struct jdi_steal_config {
    uint32_t rank, nranks;
    const uint32_t *peers; /* the ranks of this host, ascending, this rank included */
    uint32_t npeers;
    enum jdi_victim_kind victim;
    bool cyclic;        /* a rank may queue at a victim that is itself queued at it */
    uint64_t threshold; /* only a load above this is worth a request */
    uint32_t tries;     /* of lifeline */
    uint64_t *rng;
    struct jdi_fault *fault;
};

/* Sums over the life of the collection. */
struct jdi_steal_counts {
    uint64_t attempts, steals, second, failed, occupied, crossed, unserved, cyclic, looks;
    uint64_t searches[JDI_STEAL_SEARCHES]; /* successful ones, by victims asked */
};

/* A request that waits for its first answer. */
struct jdi_steal_asked {
    uint32_t victim, phase;
    enum jdi_steal_manner manner;
};

struct jdi_steal {
    const struct jdi_steal_config *config;
    uint32_t phase;         /* phases that have begun, modulo 2^32 */
    uint32_t open, looking; /* requests and reads without an answer */
    struct jdi_steal_asked asking[JDI_STEAL_OPEN]; /* the first `open` are in use */
    uint32_t failed;         /* failures since the rank last had work */
    uint32_t tried;          /* of lifeline: tries since then */
    uint32_t asked;          /* victims asked in this search */
    bool searching;          /* hungry since tasks last came */
    uint32_t candidate;      /* a rank with a load: the next to ask */
    uint32_t last;           /* the victim that gave last */
    uint64_t moved_at, wait; /* time of the last request or read; ns before the next */
    uint64_t pause;          /* the last one since tasks came, or 0 */
    uint32_t round, left;    /* failures from pause to pause; up to the next one */
    bool dear;               /* a message was among the failures of this round */
    uint64_t next_at;        /* when `hungry` has to be called again */
    struct jdi_rankset contacted; /* victims that remember this rank, or were asked to */
    struct jdi_thieves thieves;   /* thieves that wait here */
    struct jdi_thieves early;     /* thieves that wait for the next phase */
    struct jdi_steal_counts count;
};

struct jdi_steal_move {
    enum jdi_steal_act act;
    uint32_t victim;
    enum jdi_steal_manner manner; /* ASK */
    bool knows;                   /* ASK: the victim waits at this rank */
};

/* A thief's request, as the victim sees it. */
struct jdi_steal_request {
    struct jdi_thief thief;
    enum jdi_steal_manner manner;
    bool knows;
    bool early, late; /* its phase has not begun here, or is over */
};

struct jdi_steal_ops {
    const char *name;
    unsigned manners; /* bits 1 << manner: the manners of its thieves */
    bool reads;       /* its thieves read loads, so victims publish them */
    bool by_load;     /* its thieves ask only ranks that show a load */
    struct jdi_steal_move (*hungry)(struct jdi_steal *s, uint64_t now);
    /* `spare`: the victim has tasks to give. */
    enum jdi_steal_verdict (*asked)(struct jdi_steal *s,
                                    const struct jdi_steal_request *q, bool spare);
    /* Has this rank looked for work long enough that the detector may report (rule R12)? */
    bool (*patient)(const struct jdi_steal *s);
};

extern const struct jdi_steal_ops jdi_steal_random, jdi_steal_baseline,
    jdi_steal_success_only, jdi_steal_lifeline;

void jdi_steal_init(struct jdi_steal *s, const struct jdi_steal_config *config);
void jdi_steal_fini(struct jdi_steal *s);
void jdi_steal_begin(struct jdi_steal *s);
/* The caller has answered every thief that waits for a first answer (LOCK). */
void jdi_steal_end(struct jdi_steal *s);
struct jdi_steal_move jdi_steal_hungry(const struct jdi_steal_ops *ops,
                                       struct jdi_steal *s, uint64_t now);
/* `message`: the load was not in this host's memory. */
void jdi_steal_load(struct jdi_steal *s, uint32_t victim, uint64_t tasks, bool message);
/* What is wrong with v's answer to a request made in `phase`, or with a thief's request; NULL if
 * nothing is.  Called before the answer, or the request, takes effect. */
const char *jdi_steal_fault_of_answer(const struct jdi_steal *s, uint32_t v,
                                      uint32_t phase, enum jdi_steal_answer a);
const char *jdi_steal_fault_of_request(const struct jdi_steal_ops *ops,
                                       const struct jdi_steal *s,
                                       const struct jdi_steal_request *q);
void jdi_steal_answered(struct jdi_steal *s, uint32_t victim, uint32_t phase,
                        enum jdi_steal_answer a);
void jdi_steal_fed(struct jdi_steal *s);
/* Assert I2, and that what is remembered is so once. */
void jdi_steal_check(const struct jdi_steal *s);

/* ---- for the policies: sched/steal/steal.c -------------------------------------------------
 */

/* The longest pause between moves.  It equals the default length of a sleep, so that the next move
 * is due whenever a sleep ends. */
enum { JDI_STEAL_PAUSE_NS = 150000 };

static inline struct jdi_steal_move jdi_steal_nothing(void)
{
    return (struct jdi_steal_move){JDI_STEAL_NOTHING, JDI_STEAL_NOBODY, JDI_STEAL_NOW, 0};
}
/* The next rank to try, by JACKDAW_VICTIM; never this rank. */
uint32_t jdi_steal_choose(struct jdi_steal *s);
/* True if `wait` ns have passed since the last move; else sets next_at. */
bool jdi_steal_due(struct jdi_steal *s, uint64_t now, uint64_t wait);
/* How long to wait for an answer before another victim is tried.  Never shorter than the pause,
 * because a thief that finds nothing would wake up twice. */
uint64_t jdi_steal_silence(const struct jdi_steal *s);
struct jdi_steal_move jdi_steal_ask(struct jdi_steal *s, uint32_t victim,
                                    enum jdi_steal_manner manner, uint64_t now);
struct jdi_steal_move jdi_steal_look(struct jdi_steal *s, uint32_t victim, uint64_t now);
/* Remember a thief; in `early` if its phase is the next one. */
enum jdi_steal_verdict jdi_steal_remember(struct jdi_steal *s,
                                          const struct jdi_steal_request *q,
                                          enum jdi_steal_verdict how);
/* The operation `asked` for KEEP requests, shared by success-only and lifeline. */
enum jdi_steal_verdict jdi_steal_keep(struct jdi_steal *s,
                                      const struct jdi_steal_request *q, bool spare);

#endif
