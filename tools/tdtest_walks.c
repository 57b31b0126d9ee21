/*
 * tdtest_walks.c - see tools/tdtest.h.
 *
 * Role: many random walks on several processors, and what is told of one that fails.
 * Owner: the parent; each child owns its element of the shared array.
 * Invariants: I1 chunk i has the seeds from seed + i * CHUNK, whoever walks it, so the result
 *                does not depend on the number of jobs, but for which failure comes first.
 *             I2 chunks are begun in order: all before the smallest that a job is at are done.
 * See: struct jd_conform_walks in conform/conform.h.
 */
#include "tools/tdtest.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = JD_CONFORM_CHUNK, TICK_NS = 50000000, LINE_SECONDS = 60 };

/* What one job has done.  Writer: the job; reader: the parent, who only shows the number until
 * the job has ended. */
struct job {
    _Atomic uint64_t walks;
    _Atomic uint64_t at; /* the chunk that it walks; an older one for a moment */
    uint64_t actions;
    uint32_t worst_failed;
    bool failed; /* in the last of its chunks: */
    struct jd_conform_walks asked;
    struct jd_conform_walked walked;
};

struct crew {
    _Atomic uint64_t chunk; /* the next one */
    _Atomic bool stop;      /* somebody has found a failure */
    uint64_t before;        /* walks that an earlier run has done */
    double start;           /* seconds */
    struct job job[];
};

/* With --ranks, chunk after chunk has the next of those numbers that a walk can have. */
static struct jd_conform_walks walks_of(const struct tdtest *t, uint64_t chunk)
{
    struct jd_conform_walks w = {.seed = t->seed + chunk * CHUNK,
                                 .sends = (unsigned)t->sends};
    uint64_t rest = t->walks - chunk * CHUNK, fit[TDTEST_RANKS];
    unsigned small = 0;
    w.walks = rest < CHUNK ? rest : CHUNK;
    for (unsigned i = 0; i < t->nranks; i++)
        if (t->ranks[i] <= JD_CONFORM_RANKS)
            fit[small++] = t->ranks[i];
    /* Of all walks with these seeds, so that what is left of a run goes on as it would have. */
    if (small > 0)
        w.ranks = (unsigned)fit[w.seed / CHUNK % small];
    return w;
}

static void work(const struct tdtest *t, struct crew *crew, struct job *me)
{
    uint64_t chunks = (t->walks + CHUNK - 1) / CHUNK;
    while (!atomic_load_explicit(&crew->stop, memory_order_relaxed)) {
        uint64_t i = atomic_fetch_add_explicit(&crew->chunk, 1, memory_order_relaxed);
        struct jd_conform_walked *r = &me->walked;
        atomic_store_explicit(&me->at, i, memory_order_relaxed);
        if (i >= chunks)
            return;
        me->asked = walks_of(t, i);
        me->failed = jd_conform_walk(&t->subject, &me->asked, r) != JD_CONFORM_RIGHT;
        atomic_fetch_add_explicit(&me->walks, r->walks, memory_order_relaxed);
        me->actions += r->actions;
        if (r->worst_failed > me->worst_failed)
            me->worst_failed = r->worst_failed;
        if (me->failed) {
            atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
            return;
        }
    }
}

static uint64_t walked(const struct crew *crew, uint64_t jobs)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < jobs; i++)
        n += atomic_load_explicit(&crew->job[i].walks, memory_order_relaxed);
    return n;
}

/* All before this one have passed, if nobody has failed (I2). */
static uint64_t passed(const struct tdtest *t, const struct crew *crew)
{
    uint64_t low = UINT64_MAX;
    for (uint64_t i = 0; i < t->jobs; i++) {
        uint64_t at = atomic_load_explicit(&crew->job[i].at, memory_order_relaxed);
        low = at < low ? at : low;
    }
    return low < t->walks / CHUNK ? low * CHUNK : t->walks / CHUNK * CHUNK;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* On a terminal always, else a line now and then. */
static void show(const struct tdtest *t, const struct crew *crew, double *last)
{
    double now = seconds_now(), rate;
    uint64_t done = walked(crew, t->jobs);
    rate = (double)done / (now - crew->start + 1e-3);
    done += crew->before;
    double hours = (double)(t->walks - done) / (rate + 1) / 3600;
    if (t->progress) {
        tdtest_progress(t, "%llu of %llu walks, %.0f a second, %.1f hours left",
                        (unsigned long long)done, (unsigned long long)t->walks, rate,
                        hours);
    } else if (now - *last >= LINE_SECONDS) {
        *last = now;
        fprintf(stderr, "# %llu of %llu walks, %.0f a second, %.1f hours left\n",
                (unsigned long long)done, (unsigned long long)t->walks, rate, hours);
    }
}

/* Show how far they are until all have ended or a signal comes; false if one ended badly. */
static bool watch(struct tdtest *t, const struct crew *crew, const pid_t *pid,
                  const sigset_t *signals)
{
    const struct timespec tick = {0, TICK_NS};
    uint64_t left = t->jobs, saved = crew->before;
    bool good = true;
    double last = crew->start;
    for (uint64_t i = 0; left > 0 && !t->interrupted;) {
        int status = 0;
        if (waitpid(pid[i], &status, WNOHANG) == pid[i]) {
            good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
            left--;
            i++;
            continue;
        }
        show(t, crew, &last);
        uint64_t now = passed(t, crew);
        if (now > saved && !atomic_load_explicit(&crew->stop, memory_order_relaxed))
            tdtest_save(t, saved = now);
        int sig = sigtimedwait(signals, NULL, &tick);
        t->interrupted = sig > 0 && sig != SIGCHLD ? sig : 0;
    }
    return good;
}

/* A signal came: end the jobs (what they run ends with them) and say how to go on. */
static void give_up(struct tdtest *t, const struct crew *crew, const pid_t *pid)
{
    uint64_t done = passed(t, crew);
    for (uint64_t i = 0; i < t->jobs; i++)
        kill(pid[i], SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    tdtest_progress(t, "%s", "");
    tdtest_say(
        "interrupted; the first %llu of %llu walks have passed; the rest: --walks=%llu "
        "--seed=%llu%s%s",
        (unsigned long long)done, (unsigned long long)t->walks,
        (unsigned long long)(t->walks - done), (unsigned long long)(t->seed + done),
        t->save ? ", or as before with --save=" : "", t->save ? t->save : "");
}

static void tell_failure(const struct tdtest *t, const struct job *job)
{
    const struct jd_conform_walked *r = &job->walked;
    tdtest_say("seed %llu, walk %llu of its chunk: %s", (unsigned long long)r->seed,
               (unsigned long long)r->walks, r->text);
    fflush(stdout);
    struct jd_conform_run *run = jd_conform_walk_again(&t->subject, &job->asked, r);
    unsigned before = jd_conform_run_actions(run), plays = jd_conform_run_shrink(run);
    if (plays > 0)
        tdtest_say("shrunk from %u to %u actions in %u runs", before,
                   jd_conform_run_actions(run), plays);
    if (!jd_conform_run_is_told(run))
        tdtest_say("too long to be shrunk; its last actions:");
    tdtest_accuse(t, run);
    jd_conform_run_free(run);
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
    tdtest_ok(t, good && !failed, "%s: %llu random walks, %llu actions", t->name,
              (unsigned long long)(walked(crew, t->jobs) + crew->before),
              (unsigned long long)actions);
    if (crew->before)
        tdtest_say("%llu of them in earlier runs, whose actions are not counted",
                   (unsigned long long)crew->before);
    if (failed)
        tell_failure(t, failed);
    else
        tdtest_say("at most %u waves failed after quiescence", (unsigned)worst);
}

/* Signals stay blocked in the jobs: the parent ends them. */
static void fork_jobs(const struct tdtest *t, struct crew *crew, pid_t *pid)
{
    fflush(NULL);
    for (uint64_t i = 0; i < t->jobs; i++) {
        pid[i] = fork();
        JD_CHECK(pid[i] >= 0);
        if (pid[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(t, crew, &crew->job[i]);
            exit(0);
        }
    }
}

bool tdtest_walks(struct tdtest *t)
{
    size_t bytes = sizeof(struct crew) + t->jobs * sizeof(struct job);
    uint64_t before;
    sigset_t signals, mask;
    if (!tdtest_resume(t, &before))
        return false;
    struct crew *crew =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    JD_CHECK(crew != MAP_FAILED);
    pid_t *pid = calloc(t->jobs, sizeof pid[0]);
    JD_CHECK(pid != NULL);
    crew->before = before;
    crew->start = seconds_now();
    atomic_store_explicit(&crew->chunk, before / CHUNK, memory_order_relaxed);
    for (uint64_t i = 0; i < t->jobs; i++)
        atomic_store_explicit(&crew->job[i].at, before / CHUNK, memory_order_relaxed);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD); /* only so that nobody waits for a tick */
    sigprocmask(SIG_BLOCK, &signals, &mask);
    fork_jobs(t, crew, pid);
    bool good = watch(t, crew, pid, &signals);
    if (t->interrupted) {
        /* The mask stays: timeout sends its signal twice, and the end has begun. */
        give_up(t, crew, pid);
    } else {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        report(t, crew, good);
        if (good && !atomic_load_explicit(&crew->stop, memory_order_relaxed))
            tdtest_save_end(t);
    }
    free(pid);
    munmap(crew, bytes);
    return true;
}
