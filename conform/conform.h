/*
 * conform.h - is this termination detector right?
 *
 * The conformance suite as a library.  A detector is a `struct jdi_td_ops`
 * (<jackdaw/detector.h>); what is here tries to show that it is wrong: in every state of small
 * worlds, in random walks, in schedules that have convicted others, and with thousands of
 * ranks in virtual time.  A failure can be made shorter, played again, and drawn.
 * jackdaw-tdtest(1) is this library on the command line; conform/README.md says what each
 * check proves.
 *
 *     #include <jackdaw/conform.h>
 *     #include <jackdaw/detector.h>
 *
 *     extern const struct jdi_td_ops mine;
 *
 *     int main(void)
 *     {
 *         const struct jd_conform_subject subject = {.ops = &mine, .max_failed = 2};
 *         const struct jd_conform_walks walks = {.seed = 1, .walks = 100000};
 *         struct jd_conform_walked walked;
 *         if (jd_conform_unfit(&mine))
 *             return 2;
 *         if (jd_conform_walk(&subject, &walks, &walked) == JD_CONFORM_RIGHT)
 *             return 0;
 *         struct jd_conform_run *run = jd_conform_walk_again(&subject, &walks, &walked);
 *         jd_conform_run_shrink(run);
 *         jd_conform_run_write(run, stdout);
 *         puts("");
 *         jd_conform_run_explain(run, stdout, "");
 *         jd_conform_run_free(run);
 *         return 1;
 *     }
 *
 *     cc mine.c main.c $(pkg-config --cflags --libs jackdaw-conform)
 *
 * Whatever calls the detector runs in a child process, so that a detector that aborts, crashes
 * or hangs has failed and the caller goes on.  A call blocks until its child has ended, which
 * has time: twenty seconds for a schedule, ten minutes for a chunk of walks or a search (more for
 * many states), an hour for a load.  The library has no state of its own.  Because it forks,
 * call it from a process with one thread.
 *
 * Licence: BSD-3-Clause.
 */
#ifndef JACKDAW_CONFORM_H
#define JACKDAW_CONFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jdi_td_ops; /* <jackdaw/detector.h> */

enum {
    /* Bytes of a detector's state, at most. */
    JD_CONFORM_STATE = 1024,
    /* Ranks of a walk or a schedule, at most; in virtual time any number. */
    JD_CONFORM_RANKS = 9,
    /* Task messages of a walk, at most. */
    JD_CONFORM_SENDS = 1000,
    /* Walks that are of one kind: see struct jd_conform_walks. */
    JD_CONFORM_CHUNK = 100000,
    /* What to assume of a detector of which nothing is known: see jd_conform_subject. */
    JD_CONFORM_MAX_FAILED = 2,
    JD_CONFORM_TEXT = 256
};

enum jd_conform_verdict {
    JD_CONFORM_RIGHT = 1, /* nothing wrong was found in what was asked for */
    JD_CONFORM_WRONG,
    JD_CONFORM_OPEN /* it was not decided: too many states, or nothing that can be asked */
};

/* ---- the detector -------------------------------------------------------------------- */

struct jd_conform_subject {
    const struct jdi_td_ops *ops;
    /* Zeroes what has no influence on what the detector does, as figures, so that a search
     * finds equal states equal; or NULL. */
    void (*forget)(void *td);
    /* Waves that may fail after quiescence; more are a fault, rule O4. */
    unsigned max_failed;
    /* What a rank may send and how many messages may follow each other after quiescence, in virtual
     * time.  0: what is usual, see jackdaw-tdtest(1); the larger of that and so many for each
     * rank of the job; or exactly. */
    unsigned sent_per_rank, hops_per_rank;
    uint64_t max_sent, max_hops;
    /* Called right after init: the first phase shall be this one, in which so many waves have
     * been; so numbers are tried that no run reaches.  Or NULL. */
    void (*start)(void *td, uint32_t phase, uint64_t wave);
};

/* NULL if the suite can run it, or why not: its version, its size, an operation is missing.  The
 * other calls may be made only if this has said NULL. */
const char *jd_conform_unfit(const struct jdi_td_ops *ops);
/* The name that it gives itself. */
const char *jd_conform_name(const struct jd_conform_subject *s);
/* One of the project's by its name, right or known to be wrong; false if there is none. */
bool jd_conform_find(const char *name, struct jd_conform_subject *out);
/* The name of the i-th right one, NULL after the last.  For the wrong: jd_conform_mutant_at. */
const char *jd_conform_name_at(size_t i);

/* ---- a run: one way through one small world, written down ----------------------------- */

struct jd_conform_run;

/*
 * Play a schedule: "ranks=3 sends=4: enter 0 1; step 1; ..." with the fields and commands of
 * jackdaw-tdtest(1), and then everything that is left in a fair order; or a load in virtual
 * time: "timed ranks=1030 law=heavy work=chase seed=3".  Never NULL but if the text is neither;
 * error then says why.
 */
struct jd_conform_run *jd_conform_replay(const struct jd_conform_subject *s,
                                         const char *schedule, char *error,
                                         size_t errorlen);
/* What was wrong: "O1: rank 0 announces ...", or "" if nothing was. */
const char *jd_conform_run_text(const struct jd_conform_run *run);
/* The rule of that text, "O1" to "O6", or "". */
const char *jd_conform_run_rule(const struct jd_conform_run *run);
/* Commands of its schedule.  0: it needs none, or there is none, because it was too long to be
 * kept or because it is one in virtual time. */
unsigned jd_conform_run_actions(const struct jd_conform_run *run);
/* What jd_conform_run_write writes shows the same again. */
bool jd_conform_run_is_told(const struct jd_conform_run *run);
/* Leave out every command that the same rule breaks without.  Returns how often it was played: up
 * to some thousand times, a second or a few; 0 if there is nothing to be made shorter. */
unsigned jd_conform_run_shrink(struct jd_conform_run *run);
/* The schedule, on one line without its end, for jd_conform_replay and --replay.  A run that has
 * none writes one without commands. */
void jd_conform_run_write(const struct jd_conform_run *run, FILE *out);
/* The rule and what it means, the text, and a chart of the last 200 actions with a column for
 * each rank.  Each line begins with `prefix`. */
void jd_conform_run_explain(const struct jd_conform_run *run, FILE *out,
                            const char *prefix);
void jd_conform_run_free(struct jd_conform_run *run); /* NULL is fine */

/* ---- every state of a small world ----------------------------------------------------- */

struct jd_conform_world {
    unsigned ranks;    /* 1 to 4 */
    unsigned arity;    /* children per rank of the tree, 1 or more */
    unsigned messages; /* that carry tasks, in all, up to 12 */
    unsigned phases;   /* 1 to 3 */
    /* A detector that numbers its waves has no end of states: those beyond so many failed
     * waves, as its messages tell them, are left out, and counted in `cut`. */
    unsigned max_waves;
    uint32_t max_states; /* some 80 bytes each; 0: a million */
};

struct jd_conform_states {
    uint32_t states;
    uint64_t steps; /* from state to state */
    uint32_t cut;   /* of those, to where it was not looked any further */
    char text[JD_CONFORM_TEXT];
    /* If it is wrong: one of the shortest ways to the fault, to be freed; else NULL. */
    struct jd_conform_run *run;
};

/*
 * Reach every state, whatever the order of events and of messages, and ask the rules in each.
 * The detector's state has to be plain bytes: two that are equal behave alike.  That messages
 * go round for ever is not seen: a walk sees it.  `out` is always filled.
 *
 *     struct jd_conform_world w = {.ranks = 3, .arity = 2, .messages = 4, .phases = 1,
 *                                  .max_waves = 3, .max_states = 1000000};
 *     struct jd_conform_states found;
 *     if (jd_conform_explore(&subject, &w, &found) == JD_CONFORM_WRONG)
 *         jd_conform_run_explain(found.run, stdout, "");
 *     jd_conform_run_free(found.run);
 */
enum jd_conform_verdict jd_conform_explore(const struct jd_conform_subject *s,
                                           const struct jd_conform_world *w,
                                           struct jd_conform_states *out);
/* The worlds that jackdaw-tdtest explores; NULL after the last. */
const struct jd_conform_world *jd_conform_world_at(size_t i);

/* ---- random walks --------------------------------------------------------------------- */

/*
 * Walk i has the seed `seed` + i.  It draws a world (1 to 9 ranks, 1 to 3 phases and some up to
 * 40, 1 to 8 task messages and some up to 200, every eighth of two collections that feed each
 * other) and a weight for each kind of action on each rank.  With `ranks` 0 every other
 * JD_CONFORM_CHUNK of walks has three ranks, one phase and six messages, where wrong detectors
 * are caught best; which, follows from the first seed of the chunk.  So N walks can be divided
 * among processes in chunks.  Half of all walks begin late: after hundreds of phases, imports or
 * failed waves, or after more than sixteen bits can count.
 */
struct jd_conform_walks {
    uint64_t seed, walks;
    unsigned ranks; /* 0, or of every walk, up to JD_CONFORM_RANKS */
    unsigned sends; /* 0, or task messages of every walk, up to JD_CONFORM_SENDS */
};

/* Plain data: it may be handed from one process to another. */
struct jd_conform_walked {
    uint64_t walks, actions; /* done; the last walk is the one that failed */
    uint64_t chunk, seed;    /* the first seed of its chunk, and its own */
    uint32_t worst_failed;   /* waves that failed after quiescence, at most in a walk */
    char text[JD_CONFORM_TEXT];
};

enum jd_conform_verdict jd_conform_walk(const struct jd_conform_subject *s,
                                        const struct jd_conform_walks *w,
                                        struct jd_conform_walked *out);
/* The walk that failed, once more and written down; `w` as it was.  Never NULL. */
struct jd_conform_run *jd_conform_walk_again(const struct jd_conform_subject *s,
                                             const struct jd_conform_walks *w,
                                             const struct jd_conform_walked *failed);

/* ---- many ranks in virtual time ------------------------------------------------------- */

/* Of a hop, whose mean is 1000 ns in each. */
enum jd_conform_law {
    JD_CONFORM_CONSTANT,
    JD_CONFORM_UNIFORM, /* 0.1 to 1.9 */
    JD_CONFORM_HEAVY,   /* Pareto with exponent 1.5, from a third up, cut at 1000 */
    JD_CONFORM_LAWS
};

enum jd_conform_work {
    JD_CONFORM_IDLE,     /* no task at all */
    JD_CONFORM_DIFFUSE,  /* one task, which divides over random ranks */
    JD_CONFORM_BUSY,     /* every rank has long work and sends short tasks to others */
    JD_CONFORM_BURST,    /* one task that sleeps long and sends sixteen, ten times */
    JD_CONFORM_PINGPONG, /* one task that goes from rank to rank */
    JD_CONFORM_LATE,     /* one task message arrives fifty hops after everything else */
    /* Those that follow are there to find faults. */
    JD_CONFORM_CHASE, /* few tasks among four ranks, with times from 0.05 to 50 hops */
    JD_CONFORM_FLOOD, /* 2^8 or 2^16 messages to one rank are under way at once */
    JD_CONFORM_LONG,  /* one message takes five thousand hops */
    JD_CONFORM_WORKS
};

struct jd_conform_load {
    uint32_t ranks;
    enum jd_conform_law law;
    enum jd_conform_work work;
    uint64_t seed;
    uint64_t pause_min, pause_max; /* ns, what the detector is told (jdi_td_config) */
    unsigned arity;                /* children per rank of the tree, up to 64; 0: 4 */
    unsigned phases;               /* up to 63; 0: 1 */
};

struct jd_conform_timing {
    double root,
        all; /* hops from quiescence to the first announcement, and to the last */
    uint64_t tasks, messages; /* messages that carry tasks */
    uint64_t control;         /* control messages: all, */
    uint64_t early;           /* sent before quiescence, */
    uint64_t by_busy;         /* other than down the tree by a rank with a live task, */
    uint64_t over_busy;       /* up the tree with a live task below, */
    uint64_t all_busy;        /* and while every rank had one */
    uint64_t waves, failed, failed_after; /* of rank 0; after quiescence */
    /* After quiescence, by the account of the run: messages in a row, messages of one rank, and
     * ns in which nothing was under way. */
    uint64_t hops, sent, waited;
    char text[JD_CONFORM_TEXT];
};

/* Only what this one run shows is judged. */
enum jd_conform_verdict jd_conform_time(const struct jd_conform_subject *s,
                                        const struct jd_conform_load *load,
                                        struct jd_conform_timing *out);
/* It has failed: once more, and written down.  Never NULL; it cannot be made shorter. */
struct jd_conform_run *jd_conform_time_again(const struct jd_conform_subject *s,
                                             const struct jd_conform_load *load);
/* The i-th of the loads that jackdaw-tdtest runs, filled in; NULL after the last. */
const struct jd_conform_load *jd_conform_load_at(size_t i, uint64_t seed,
                                                 struct jd_conform_load *out);
const char *jd_conform_law_name(enum jd_conform_law law);
const char *jd_conform_work_name(enum jd_conform_work work);

/* ---- schedules that convict, and the suite itself ------------------------------------- */

/* The i-th schedule in which a known-wrong detector, whose name goes to `convicts`, announces too
 * early: for jd_conform_replay.  NULL after the last. */
const char *jd_conform_schedule_at(size_t i, const char **convicts);

/* What the walks must reject, or a walk that passes would mean nothing. */
struct jd_conform_mutant {
    const char *name;   /* of a wrong detector, or of a right one in a wrong runtime */
    const char *what;   /* what is wrong */
    const char *number; /* in section 12 of doc/termination.md, or "" */
    uint64_t walks;     /* within so many walks, or loads in virtual time */
};

/* The i-th; false after the last. */
bool jd_conform_mutant_at(size_t i, struct jd_conform_mutant *out);
/* Walk the i-th: JD_CONFORM_WRONG is what one hopes for. */
enum jd_conform_verdict jd_conform_mutant_walk(size_t i, uint64_t seed,
                                               struct jd_conform_walked *out);

#ifdef __cplusplus
}
#endif

#endif
