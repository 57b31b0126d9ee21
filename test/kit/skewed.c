/*
 * skewed.c - processes of one machine whose clocks differ, as those of several hosts do, for LD_PRELOAD.
 *
 * Role: stands in for clock_gettime: CLOCK_MONOTONIC is ahead by some seconds, and faster by some millionths, both another
 *       number in each process; for fopen and open: the kernel has another name in each process, and
 *       the counter of the processor cannot be used.  Writes to SKEWED_FILE.PID by how much the clock is ahead when the
 *       kernel is asked for its name, which a rank does just before it compares its clock with the others.
 * Owner: any thread.  File-scope state is the library's own, set before main.
 * See: test/dist/tools_trace_aligns_hosts.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef int clock_fn(clockid_t, struct timespec *);
typedef FILE *fopen_fn(const char *, const char *);
typedef int open_fn(const char *, int, ...);

static clock_fn *real_clock;
static fopen_fn *real_fopen;
static open_fn *real_open;
static int64_t ahead, begun;
static double faster;

static int64_t real_now(void)
{
    struct timespec t;
    real_clock(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t skew_at(int64_t ns)
{
    return ahead + (int64_t)((double)(ns - begun) * faster);
}

__attribute__((constructor)) static void set_skew(void)
{
    real_clock = (clock_fn *)dlsym(RTLD_NEXT, "clock_gettime");
    real_fopen = (fopen_fn *)dlsym(RTLD_NEXT, "fopen");
    real_open = (open_fn *)dlsym(RTLD_NEXT, "open");
    begun = real_now();
    ahead = 1000000000 + (int64_t)(getpid() % 1009) * 12345678;
    faster = (getpid() % 7) * 1e-5;
}

static void write_skew(void)
{
    const char *name = getenv("SKEWED_FILE");
    char file[4096];
    snprintf(file, sizeof file, "%s.%ld", name ? name : "", (long)getpid());
    FILE *to = name ? real_fopen(file, "w") : NULL;
    if (!to)
        return;
    fprintf(to, "%lld\n", (long long)skew_at(real_now()));
    fclose(to);
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    int error = real_clock(which, t);
    if (error || which != CLOCK_MONOTONIC)
        return error;
    int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
    ns += skew_at(ns);
    t->tv_sec = ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}

FILE *fopen(const char *name, const char *mode)
{
    static char text[32];
    if (strcmp(name, "/proc/sys/kernel/random/boot_id"))
        return real_fopen(name, mode);
    write_skew();
    snprintf(text, sizeof text, "kernel-%ld\n", (long)getpid());
    return fmemopen(text, strlen(text), "r");
}

int open(const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (strstr(name, "current_clocksource")) {
        errno = ENOENT;
        return -1;
    }
    return real_open(name, flags, mode);
}
