/*
 * figures.h - what a whole job has counted, and how it was run.
 *
 * Role: one struct that the table, the files and the explanation are made of, and what they need of it.
 * Owner: rank 0, or with %r in a file's name each rank; constant when it is written out.
 * Invariants: I1 each rank has its workers and, last, what its communication thread has counted.
 * See: core/stats.def; sched/launch/gather.c, which fills it; doc/jackdaw-stats.7.md.
 */
#ifndef JDI_CORE_FIGURES_H
#define JDI_CORE_FIGURES_H

#include "core/stats.h"

struct jdi_knobs;

enum { JDI_FIGURES_HOST = 64, JDI_FIGURES_RUN = 17, JDI_FIGURES_PHASES = 4096 };

/* A rank.  Its first `nthreads` - 1 threads are workers. */
struct jdi_figures_rank {
    uint32_t rank;
    uint32_t nthreads;
    char host[JDI_FIGURES_HOST];
    struct jdi_stats *thread;
    struct jdi_stats all; /* of its threads */
};

/* A phase of a collection, as the rank that writes has seen it. */
struct jdi_figures_phase {
    char name[32];     /* of the collection */
    uint32_t number;   /* from 1 */
    uint64_t began_ns; /* since the start of the job */
    uint64_t ended_ns;
    uint64_t tasks; /* run on all ranks */
};

/* A finish that the body of the rank that writes has opened, or that all ranks have. */
struct jdi_figures_finish {
    uint64_t number; /* of those that the rank, or all ranks, have opened */
    bool all_ranks;
    uint32_t outer;    /* while the job runs: the finish around it, its place plus 1 */
    uint64_t began_ns; /* since the start of the job */
    uint64_t ended_ns; /* 0: it has not */
    uint64_t tasks;    /* of any finish, run on this rank meanwhile */
};

struct jdi_figures {
    /* The run. */
    const char *program;
    int argc; /* arguments behind the program's name */
    char **argv;
    const char *job;
    const char *id; /* of the run, which its traces have, too */
    const char *network, *network_version, *engine;
    const char *communication; /* "inline", "beside worker 0", "dedicated" */
    const struct jdi_knobs *knobs;
    uint32_t nranks;  /* of the job */
    uint64_t started; /* seconds since 1970 */
    double wall;      /* seconds; virtual ones in the simulator */
    bool is_virtual;
    int status;
    /* What was counted: nranks, or the one rank that writes. */
    uint32_t n;
    struct jdi_figures_rank *rank;
    /* Phases, the first JDI_FIGURES_PHASES of them. */
    uint32_t nphases;
    uint64_t lost_phases;
    struct jdi_figures_phase *phase;
    /* Finishes, as many of them. */
    uint32_t nfinishes;
    uint64_t lost_finishes;
    struct jdi_figures_finish *finish;
};

/* A row over the ranks.  The sum of a maximum is its maximum. */
struct jdi_figures_spread {
    uint64_t sum, least, most;
    double mean, deviation;
};
/* Word `at` of the array of numbers; `is_most`: of a row that is a maximum. */
void jdi_figures_spread(const struct jdi_figures *f, uint32_t at, bool is_most,
                        struct jdi_figures_spread *out);
/* Add up the threads of a rank. */
void jdi_figures_add_up(struct jdi_figures_rank *r);
/* The sum over all ranks; the least and the most of each counter of a rank. */
void jdi_figures_of_job(const struct jdi_figures *f, struct jdi_stats *sum,
                        struct jdi_stats *least, struct jdi_stats *most);

/* The whole of it: the schema of the JSON is tools/stats.schema.json. */
void jdi_figures_json(FILE *to, const struct jdi_figures *f);
/* A line for each thread, for each rank and for the job; the first line names the columns. */
void jdi_figures_csv(FILE *to, const struct jdi_figures *f);
/* For people: where the time of each rank and each of its threads went. */
void jdi_figures_print(FILE *to, const struct jdi_figures *f);

#endif
