/*
 * strike.c - run a job, send one of its processes a signal, and see whether all of it ends.
 *
 *     strike SEED COMMAND [ARGUMENT...]
 *
 * Role: at a random moment of the first 2 s, a random process of the job gets one of KILL, TERM,
 *       INT, HUP and QUIT: half of the time COMMAND itself, which is the launcher, else any of its
 *       descendants.  Status 0 if COMMAND then ends with a status that is not 0, and if STRIKE_LIMIT
 *       seconds (5) after the signal no process is left, nor a segment of GASNet in /dev/shm, which
 *       nobody else must use.  One line says what happened.
 * Owner: one thread.
 * Invariants: I1 the same SEED makes the same choices, as far as the processes are the same.
 *             I2 processes with a session of their own are not struck: the keeper of a start.
 * See: test/stress/am_survives_strikes.sh; leash.c, which runs strike and ends what is left.
 */
#include "test/kit/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, STATUS_USAGE = 125, LATEST_MS = 2000, TICK_MS = 5 };

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGKILL, "KILL"},
               {SIGTERM, "TERM"},
               {SIGINT, "INT"},
               {SIGHUP, "HUP"},
               {SIGQUIT, "QUIT"}};

struct job {
    pid_t child;
    int status;
    bool ended;
};

/* xorshift64*, 0 to n - 1 */
static unsigned below(uint64_t *state, unsigned n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (unsigned)((*state * 0x2545F4914F6CDD1DULL >> 33) % n);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void reap(struct job *j)
{
    int s;
    for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) > 0;)
        if (p == j->child) {
            j->status = WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
            j->ended = true;
        }
}

static void tick(struct job *j)
{
    const struct timespec t = {.tv_nsec = TICK_MS * 1000000L};
    nanosleep(&t, NULL);
    reap(j);
}

/* The processes that may be struck, the launcher first. */
static size_t targets(const struct job *j, struct process *all)
{
    size_t n = kit_descendants(all, MOST), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (getsid(all[i].pid) == getsid(j->child))
            all[kept++] = all[i];
    return kept;
}

static bool segments_left(void)
{
    bool any = false;
    DIR *d = opendir("/dev/shm");
    for (struct dirent *e; d && (e = readdir(d));)
        any = any || !strncmp(e->d_name, "GASNT", 5);
    if (d)
        closedir(d);
    return any;
}

static bool verdict(struct job *j, double limit, const char *what)
{
    static struct process all[MOST];
    double start = now(), took;
    size_t left;
    bool segments;
    do {
        tick(j);
        left = kit_descendants(all, MOST);
        segments = segments_left();
        took = now() - start;
    } while ((!j->ended || left || segments) && took < limit);
    bool good = j->ended && j->status && !left && !segments;
    printf("%s %s: %s %d, %zu processes left, segments %s, after %.2f s\n",
           good ? "good" : "BAD", what, j->ended ? "status" : "running", j->status, left,
           segments ? "left" : "gone", took);
    for (size_t i = 0; !good && i < left; i++)
        printf("    process %d, parent %d (%s)\n", (int)all[i].pid, (int)all[i].parent,
               all[i].name);
    return good;
}

static bool strike(struct job *j, uint64_t seed)
{
    static struct process all[MOST];
    char what[128];
    uint64_t dice = seed * 0x9E3779B97F4A7C15ULL | 1;
    for (int i = 0; i < 8; i++)
        below(&dice, 2); /* seeds that are alike make dice that are alike at first */
    const char *limit = getenv("STRIKE_LIMIT");
    double at = below(&dice, LATEST_MS) * 1e-3, start = now();
    while (!j->ended && now() - start < at)
        tick(j);
    size_t n = targets(j, all);
    bool launcher = below(&dice, 2) || n < 2;
    unsigned signal = below(&dice, sizeof signals / sizeof *signals);
    unsigned which = below(&dice, (unsigned)(n ? n : 1));
    pid_t pid = launcher || j->ended ? j->child : all[which].pid;
    if (!j->ended)
        kill(pid, signals[signal].number);
    snprintf(what, sizeof what, "seed %llu: %s to %s (%d of %zu) at %.2f s",
             (unsigned long long)seed, signals[signal].name,
             pid == j->child ? "the launcher" : "a process", (int)pid, n, at);
    return verdict(j, limit ? strtod(limit, NULL) : 5, what);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: strike SEED COMMAND [ARGUMENT...]\n");
        return STATUS_USAGE;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct job j = {.child = fork()};
    if (j.child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    return j.child > 0 && strike(&j, strtoull(argv[1], NULL, 10)) ? 0 : 1;
}
