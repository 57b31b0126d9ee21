/*
 * stutter.c - run a job whose processes are stopped and go on at random.
 *
 *     stutter SEED COMMAND [ARGUMENT...]
 *
 * Role: the exit status of COMMAND (128 + signal if one killed it), while one descendant after
 *       the other gets SIGSTOP and, 1 to 200 ms later, SIGCONT.  STUTTER_TELL=FILE: the number
 *       of stops is added to FILE at the end, since a run without any proves nothing.
 * Owner: one thread.
 * Invariants: I1 at most one process is stopped, and none when COMMAND has ended.
 *             I2 the same SEED makes the same choices, as far as the processes are the same.
 * See: test/dist/sched_survives_stops.sh; leash.c, on which it runs and which ends what hangs.
 */
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, STATUS_USAGE = 125, LONGEST_MS = 200, PAUSE_MS = 20 };

struct process {
    pid_t pid, parent;
    bool mine;
};

/* xorshift64*, 0 to n - 1 */
static unsigned below(uint64_t *state, unsigned n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (unsigned)((*state * 0x2545F4914F6CDD1DULL >> 33) % n);
}

/* False for zombies, and for what is gone. */
static bool read_process(const char *pid, struct process *p)
{
    char path[64], line[512], state = 'Z';
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    line[fread(line, 1, sizeof line - 1, f)] = '\0';
    fclose(f);
    /* The name is in brackets and may contain anything, so look for the last bracket. */
    const char *close = strrchr(line, ')');
    p->pid = atoi(pid);
    p->mine = false;
    return close && sscanf(close + 1, " %c %d", &state, &p->parent) == 2 &&
           state != 'Z' && state != 'X';
}

/* Living descendants of this process, in all[0..count); a parent is older than its children
 * except where numbers wrap, so two rounds find them all but in strange times. */
static size_t find_descendants(struct process *all)
{
    size_t seen = 0, count = 0;
    DIR *d = opendir("/proc");
    if (!d)
        return 0;
    for (struct dirent *e; seen < MOST && (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0]) && read_process(e->d_name, &all[seen]))
            seen++;
    closedir(d);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < seen; i++)
            for (size_t j = 0; !all[i].mine && j < seen; j++)
                all[i].mine = all[i].parent == getpid() ||
                              (all[j].mine && all[j].pid == all[i].parent);
    for (size_t i = 0; i < seen; i++)
        if (all[i].mine)
            all[count++] = all[i];
    return count;
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
        size_t n = find_descendants(all);
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
