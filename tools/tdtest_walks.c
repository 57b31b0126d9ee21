/*
 * tdtest_walks.c - see tools/tdtest.h.
 *
 * Role: many random walks on several processors, and what is told of one that fails.
 * Owner: the parent; each child owns its element of the shared array.
 * Invariants: I1 chunk i has the seeds from seed + i * CHUNK, whoever walks it, so the result
 *                does not depend on the number of jobs, but for which failure comes first.
 * See: test/conform/walk.h, shrink.h there.
 */
#include "tools/tdtest.h"

#include "test/conform/guard.h"
#include "test/conform/shrink.h"
#include "test/conform/walk.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 100000, TICK_NS = 50000000 };

/* What one job has done.  Writer: the job; reader: the parent, who only shows the number until
 * the job has ended. */
struct job {
    _Atomic uint64_t walks;
    uint64_t actions;
    uint32_t worst_failed;
    bool failed;
    struct walk_config config;
    struct walk_result result; /* if it failed */
};

struct crew {
    _Atomic uint64_t chunk; /* the next one */
    _Atomic bool stop;      /* somebody has found a failure */
    struct job job[];
};

/* Every other chunk is of the size at which the hardest wrong detectors are caught best. */
static struct walk_config config_of(const struct tdtest *t, uint64_t chunk)
{
    struct walk_config c = {.ops = t->ops,
                            .lens = &t->lens,
                            .audit = t->lens.balance != NULL,
                            .seed = t->seed + chunk * CHUNK,
                            .max_failed = t->max_failed};
    uint64_t rest = t->walks - chunk * CHUNK;
    c.walks = rest < CHUNK ? rest : CHUNK;
    unsigned small = 0;
    uint64_t fit[TDTEST_RANKS];
    for (unsigned i = 0; i < t->nranks; i++)
        if (t->ranks[i] <= WORLD_RANKS)
            fit[small++] = t->ranks[i];
    if (small > 0) {
        c.ranks = (unsigned)fit[chunk % small];
    } else if (chunk % 2) {
        c.ranks = 3;
        c.arity = 2;
        c.phases = 1;
        c.sends = 6;
    }
    return c;
}

static void work(const struct tdtest *t, struct crew *crew, struct job *me)
{
    uint64_t chunks = (t->walks + CHUNK - 1) / CHUNK;
    while (!atomic_load_explicit(&crew->stop, memory_order_relaxed)) {
        uint64_t i = atomic_fetch_add_explicit(&crew->chunk, 1, memory_order_relaxed);
        if (i >= chunks)
            return;
        me->config = config_of(t, i);
        struct walk_result *r = walk_run(&me->config);
        atomic_fetch_add_explicit(&me->walks, r->walks, memory_order_relaxed);
        me->actions += r->actions;
        if (r->worst_failed > me->worst_failed)
            me->worst_failed = r->worst_failed;
        if (r->end != WALK_PASSED) {
            me->failed = true;
            me->result = *r;
            atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
        }
        walk_free(r);
    }
}

static uint64_t walked(const struct crew *crew, uint64_t jobs)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < jobs; i++)
        n += atomic_load_explicit(&crew->job[i].walks, memory_order_relaxed);
    return n;
}

/* Show how far they are until all have ended; false if one ended badly. */
static bool watch(const struct tdtest *t, const struct crew *crew, const pid_t *pid)
{
    const struct timespec tick = {0, TICK_NS};
    uint64_t left = t->jobs;
    bool good = true;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 0; left > 0;) {
        int status = 0;
        pid_t ended = waitpid(pid[i], &status, t->progress ? WNOHANG : 0);
        if (ended == pid[i]) {
            good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
            left--;
            i++;
            continue;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t done = walked(crew, t->jobs);
        double seconds = (double)(now.tv_sec - start.tv_sec) + 1e-3;
        tdtest_progress(t, "%llu of %llu walks, %.0f a second", (unsigned long long)done,
                        (unsigned long long)t->walks, (double)done / seconds);
        nanosleep(&tick, NULL);
    }
    return good;
}

static void tell_failure(const struct job *job)
{
    struct failure *f = failure_new();
    tdtest_say("seed %llu, walk %llu of its chunk: %s",
               (unsigned long long)job->result.seed,
               (unsigned long long)job->result.walks, job->result.text);
    f->config.max_failed = job->config.max_failed;
    if (failure_of_walk(f, &job->config, &job->result)) {
        unsigned before = f->script.count;
        unsigned plays = failure_shrink(f);
        tdtest_say("shrunk from %u to %u actions in %u runs; again with", before,
                   (unsigned)f->script.count, plays);
        printf("# --detector=%s --replay='", f->config.ops->name);
        failure_write(f, stdout);
        printf("'\n");
        tdtest_explain(f->text, &f->trace, f->config.ranks);
    } else {
        tdtest_say("too long to be shrunk; its last actions:");
        tdtest_explain(job->result.text, &job->result.trace, job->result.world.c.ranks);
    }
    failure_free(f);
}

static void report(struct tdtest *t, const struct crew *crew, bool good)
{
    const struct job *failed = NULL;
    uint64_t actions = 0;
    uint32_t worst = 0;
    for (uint64_t i = 0; i < t->jobs; i++) {
        const struct job *job = &crew->job[i];
        actions += job->actions;
        worst = job->worst_failed > worst ? job->worst_failed : worst;
        if (job->failed)
            failed = job;
    }
    tdtest_ok(t, good && !failed, "%s: %llu random walks, %llu actions", t->ops->name,
              (unsigned long long)walked(crew, t->jobs), (unsigned long long)actions);
    if (failed)
        tell_failure(failed);
    else
        tdtest_say("at most %u waves failed after quiescence", (unsigned)worst);
}

void tdtest_walks(struct tdtest *t)
{
    size_t bytes = sizeof(struct crew) + t->jobs * sizeof(struct job);
    struct crew *crew = guard_alloc(bytes);
    pid_t *pid = calloc(t->jobs, sizeof pid[0]);
    JD_CHECK(pid != NULL);
    fflush(NULL);
    for (uint64_t i = 0; i < t->jobs; i++) {
        pid[i] = fork();
        JD_CHECK(pid[i] >= 0);
        if (pid[i] == 0) {
            work(t, crew, &crew->job[i]);
            exit(0);
        }
    }
    bool good = watch(t, crew, pid);
    report(t, crew, good);
    free(pid);
    guard_free(crew, bytes);
}
