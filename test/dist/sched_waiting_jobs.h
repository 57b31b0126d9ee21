/*
 * sched_waiting_jobs.h - the jobs in which games of tasks that wait are played.
 *
 * Role: what was asked for, knobs from a seed, and the last words of a job that does not end.
 * Owner: main.
 * See: test/dist/sched_waiting_torture.h.
 *
 *     PROGRAM [WORD...] [N [SEED]]     N games, from the seed SEED on
 *
 * jobs: the games are in jobs of 4, whose knobs come from the seed; in one process only.  sim: these knobs
 * are the simulator's, too.  foreign: a thread that is none of the library's wakes tasks.
 */
#ifndef JDI_TEST_DIST_SCHED_WAITING_JOBS_H
#define JDI_TEST_DIST_SCHED_WAITING_JOBS_H

#include "test/dist/sched_waiting_torture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GAMES_IN_JOB = 4, ALARM_SECONDS = 60 };

static struct {
    uint64_t games, seed;
    bool jobs, sim, foreign;
} asked = {.games = 20, .seed = 1};

/* The knobs of a job, and the words of which its seed chooses one.  Those that are in the environment stay. */
static struct knob {
    const char *name;
    bool of_sim, stays;
    const char *words[6];
} knobs[] = {
    {"JACKDAW_RANKS", false, false, {"1", "2", "3", "4"}},
    {"JACKDAW_WORKERS", false, false, {"1", "2", "3", "4"}},
    {"JACKDAW_COMM", false, false, {"inline", "dedicated"}},
    {"JACKDAW_UNBLOCK", false, false, {"last", "current", "deque", "proactive"}},
    {"JACKDAW_STEAL",
     false,
     false,
     {"random", "baseline", "success-only", "lifeline", "local", "random"}},
    {"JACKDAW_DETECTOR", false, false, {"francez", "safra", "credit"}},
    {"JACKDAW_FINISH", false, false, {"credit", "diffuse"}},
    {"JACKDAW_CREDITS", false, false, {"16", "1"}},
    {"JACKDAW_LOCAL_AMOUNT", false, false, {"same", "half", "one"}},
    {"JACKDAW_SIM_LAW",
     true,
     false,
     {"none", "uniform:5000", "tail:1000", "burst:20000", "lifo:20000", "hold:50000"}},
    {"JACKDAW_SIM_REFUSE", true, false, {"0", "40"}},
    {"JACKDAW_SIM_AHEAD", true, false, {"0", "3000"}},
    {"JACKDAW_SIM_TASK", true, false, {"100", "0", "1000"}},
    {"JACKDAW_SIM_LOOK", true, false, {"0", "50"}},
    {"JACKDAW_SIM_LOCK", true, false, {"0", "100"}},
};
enum { KNOBS = sizeof knobs / sizeof *knobs };

static inline void keep_knobs(void)
{
    for (int i = 0; i < KNOBS; i++)
        knobs[i].stays = getenv(knobs[i].name) || (knobs[i].of_sim && !asked.sim);
}

static inline void tell_knobs(void)
{
    for (int i = 0; i < KNOBS && asked.jobs; i++)
        if (getenv(knobs[i].name))
            fprintf(stderr, "# %s=%s\n", knobs[i].name, getenv(knobs[i].name));
}

static inline void set_knobs(uint64_t seed)
{
    uint64_t rng = scatter(seed ^ UINT64_C(0xC0FFEE));
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    setenv("JACKDAW_SEED", text, 1);
    for (int i = 0; i < KNOBS; i++) {
        const char *const *words = knobs[i].words;
        uint32_t n = 0;
        while (n < 6 && words[n])
            n++;
        const char *word = words[jdi_random_below(&rng, n)];
        if (!knobs[i].stays)
            setenv(knobs[i].name, word, 1);
    }
}

/* What has not ended, when a job does not come to its end. */
static inline void say_seed(int sig)
{
    fprintf(stderr, "# signal %d, seed %llu\n", sig, (unsigned long long)all->seed);
    for (uint32_t i = 0; i < MOST_GROUPS; i++) {
        const struct group *g = &all->group[i];
        uint32_t open = atomic_load(&g->made) - atomic_load(&g->ended);
        if (open)
            fprintf(stderr, "# group %u: %u tasks have not ended\n", i, open);
    }
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t i = 0; i < MOST_BOXES; i++) {
            const struct box *b = &all->side[r].box[i];
            if (atomic_load(&b->held) && !b->back)
                fprintf(stderr, "# rank %u: box %u waits, woken %u times\n", r, i,
                        atomic_load(&b->resumes));
        }
    tell_knobs();
    _exit(98);
}

static inline void say_last(void)
{
    if (all->finished)
        return;
    fprintf(stderr, "# seed %llu was played last\n", (unsigned long long)all->seed);
}

static inline void watch_job(void)
{
    signal(SIGALRM, say_seed);
    if (!tap_sanitized()) /* else the sanitizer says more */
        signal(SIGSEGV, say_seed);
    atexit(say_last);
}

static inline void start_foreign(struct side *s)
{
    atomic_store_explicit(&s->quit, false, RELAXED);
    s->has_thread = asked.foreign && !pthread_create(&s->thread, NULL, foreign_thread, s);
}

/* Ranks of smp are made inside jd_launch, those of udp are started: both map the file.  NULL: no memory. */
static inline void *map_shared(const char *name, size_t size)
{
    int fd = name ? open(name, O_RDWR | O_CREAT, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, (off_t)size))
        return NULL;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Read the arguments and get the memory of the games; false: there is none. */
static inline bool ask(int argc, char **argv)
{
    const char *file = NULL;
    unsigned numbers = 0;
    for (int i = 1; i < argc; i++) {
        asked.jobs |= !strcmp(argv[i], "jobs");
        asked.sim |= !strcmp(argv[i], "sim");
        asked.foreign |= !strcmp(argv[i], "foreign");
        if (argv[i][0] == '/')
            file = argv[i];
        if (argv[i][0] >= '0' && argv[i][0] <= '9')
            *(numbers++ ? &asked.seed : &asked.games) = strtoull(argv[i], NULL, 10);
    }
    all = map_shared(file, sizeof *all);
    if (!all)
        return false;
    watch_job();
    if (asked.jobs)
        keep_knobs();
    return true;
}

static inline uint64_t games_of_job(void)
{
    return asked.jobs ? GAMES_IN_JOB : asked.games;
}

/* Play all jobs until one does not end well, and report. */
static inline void play_jobs(jd_body body, const jd_task_def *tasks)
{
    static char word[] = "job", *argv[] = {word, NULL};
    uint64_t last = asked.seed + asked.games;
    bool right = true;
    for (; right && asked.seed < last; asked.seed += GAMES_IN_JOB) {
        set_knobs(asked.seed);
        right = !jd_launch(1, argv, body, tasks);
        if (!right)
            fprintf(stderr, "# in the job of seed %llu\n",
                    (unsigned long long)asked.seed);
    }
    all->finished = right;
    ok(right, "%llu games", (unsigned long long)asked.games);
}

#endif
