/*
 * exits.c - one rank ends in one of many ways while the others go on.
 *
 * Role: the program of test/dist/am_exits.sh, linked with each conduit library.
 * Owner: each rank's thread owns its own state.
 * Invariants: only the mode `clean` may end with status 0.
 * See: doc/am.md section 6.
 *
 *     exits MODE VICTIM poll|deaf      the others poll, or compute without polling
 *
 * VICTIM is a rank, or "all": then every rank leaves, at once.
 *
 * The victim prints when it leaves, on the clock of /proc/uptime.  JACKDAW_RANKS and
 * JACKDAW_SINGLETON are read here as jd_launch would.
 */
#include "am/am.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GIVE_UP_S = 30 };

struct leaver {
    struct jdi_am *am;
    const struct mode *mode;
};

static void by_kill(struct jdi_am *am)
{
    (void)am;
    raise(SIGKILL);
}

static void by__exit0(struct jdi_am *am)
{
    (void)am;
    _exit(0);
}

static void by__exit3(struct jdi_am *am)
{
    (void)am;
    _exit(3);
}

static void by_exit0(struct jdi_am *am)
{
    (void)am;
    exit(0);
}

static void by_exit3(struct jdi_am *am)
{
    (void)am;
    exit(3);
}

static void by_abort(struct jdi_am *am)
{
    (void)am;
    abort();
}

static void by_segv(struct jdi_am *am)
{
    (void)am;
    raise(SIGSEGV);
}

static void by_end_job(struct jdi_am *am)
{
    jdi_am_end_job(am, 9);
}

static void by_die(struct jdi_am *am)
{
    jdi_die(&am->log, JDI_EXIT_BUG, "the test says so");
}

static const struct mode {
    const char *name;
    void (*leave)(struct jdi_am *am);
    bool thread; /* on a thread of its own */
    int status;  /* what rank_main returns if nothing happens before */
    bool deaf;   /* the leaver's communication thread does not poll meanwhile */
} modes[] = {
    {"clean", NULL, false, 0, false},
    {"return3", NULL, false, 3, false},
    {"return1000", NULL, false, 1000, false},
    {"kill9", by_kill, false, 0, false},
    {"_exit0", by__exit0, false, 0, false},
    {"_exit3", by__exit3, false, 0, false},
    {"exit0", by_exit0, false, 0, false},
    {"exit3", by_exit3, false, 0, false},
    {"abort", by_abort, false, 0, false},
    {"segv", by_segv, false, 0, false},
    {"end_job9", by_end_job, false, 0, false},
    {"die80", by_die, false, 0, false},
    {"thread_exit0", by_exit0, true, 0, false},
    {"thread_exit3", by_exit3, true, 0, false},
    {"thread_exit3_deaf", by_exit3, true, 0, true},
    {"thread__exit0", by__exit0, true, 0, false},
    {"thread_end_job9", by_end_job, true, 0, false},
    {"thread_segv", by_segv, true, 0, false},
};

static void say_when(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    printf("leaving at %lld ms\n", (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000);
    fflush(stdout);
}

static void *leave(void *arg)
{
    struct leaver *l = arg;
    l->mode->leave(l->am);
    return NULL;
}

/* Go on as if nothing were wrong, for longer than any test waits. */
static void go_on(struct jdi_am *am, bool deaf)
{
    uint64_t end = jdi_time_ns() + GIVE_UP_S * 1000000000ull;
    while (jdi_time_ns() < end) {
        if (!deaf)
            jdi_am_poll(am);
        sched_yield();
    }
}

static int rank_main(void *ctx, struct jdi_am *am, int argc, char **argv)
{
    const struct mode *m = NULL;
    (void)ctx;
    for (unsigned i = 0; argc == 4 && i < JDI_ARRAY_LEN(modes); i++)
        if (!strcmp(argv[1], modes[i].name))
            m = &modes[i];
    if (!m)
        jdi_die(&am->log, JDI_EXIT_START, "usage: exits MODE VICTIM|all poll|deaf");
    if (jdi_am_reduce_barrier(am))
        return 1;
    bool victim = !strcmp(argv[2], "all") || (uint32_t)atoi(argv[2]) == am->rank;
    if (victim)
        say_when();
    if (!m->leave)
        return victim ? m->status : 0;
    struct leaver l = {am, m};
    pthread_t thread;
    if (victim && !m->thread)
        leave(&l);
    if (victim && m->thread && pthread_create(&thread, NULL, leave, &l))
        return 1;
    go_on(am, victim ? m->deaf : !strcmp(argv[3], "deaf"));
    return 0;
}

int main(int argc, char **argv)
{
    const char *ranks = getenv("JACKDAW_RANKS");
    struct jdi_conduit_start start = {.argc = argc,
                                      .argv = argv,
                                      .want_ranks = ranks ? (uint32_t)atoi(ranks) : 0,
                                      .allow_singleton = getenv("JACKDAW_SINGLETON"),
                                      .rank_main = rank_main};
    return jdi_conduit.run(&start);
}
