/*
 * stutter.c - run a job whose processes are stopped and go on at random.
 *
 *     stutter SEED COMMAND [ARGUMENT...]
 *
 * Role: returns the exit status of COMMAND (128 + signal if a signal killed it).  Meanwhile one
 *       descendant after the other gets SIGSTOP and, 1 to 200 ms later, SIGCONT.  With
 *       STUTTER_TELL=FILE the number of stops is added to FILE at the end, because a run without
 *       a stop proves nothing.
 * Owner: one thread.
 * Invariants: I1 at most one process is stopped, and none when COMMAND has ended.
 *             I2 the same SEED makes the same choices, as far as the processes are the same.
 * See: test/dist/sched_survives_stops.sh; leash.c, which runs stutter and ends what hangs.
 */
#include "test/kit/descendants.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, STATUS_USAGE = 125, LONGEST_MS = 200, PAUSE_MS = 20 };

/* xorshift64*, 0 to n - 1 */
static unsigned below(uint64_t *state, unsigned n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (unsigned)((*state * 0x2545F4914F6CDD1DULL >> 33) % n);
}

static void rest(unsigned ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* Has the child ended?  Orphans are reaped too. */
static bool ended(pid_t child, int *status)
{
    int s;
    for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) > 0;)
        if (p == child) {
            *status = WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
            return true;
        }
    return false;
}

static void tell(unsigned long stops)
{
    const char *path = getenv("STUTTER_TELL");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%lu stops\n", stops);
    fclose(f);
}

int main(int argc, char **argv)
{
    static struct process all[MOST];
    unsigned long stops = 0;
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: stutter SEED COMMAND [ARGUMENT...]\n");
        return STATUS_USAGE;
    }
    uint64_t dice = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15ULL | 1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    while (child > 0 && !ended(child, &status)) {
        size_t n = kit_descendants(all, MOST);
        unsigned ms = 1 + below(&dice, 1 + below(&dice, LONGEST_MS));
        pid_t victim = n ? all[below(&dice, (unsigned)n)].pid : 0;
        if (victim && kill(victim, SIGSTOP) == 0) {
            stops++;
            rest(ms);
            kill(victim, SIGCONT);
        }
        rest(below(&dice, PAUSE_MS));
    }
    tell(stops);
    return child > 0 ? status : STATUS_USAGE;
}
