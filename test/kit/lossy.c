/*
 * lossy.c - a network that loses, doubles and delays datagrams, for LD_PRELOAD under udp.
 *
 * Role: stands in for sendto: drops LOSSY_DROP percent, sends LOSSY_DOUBLE percent twice, and
 *       LOSSY_LATE percent up to LOSSY_LATE_US (20000) later, after later datagrams.
 * Owner: the thread that sends (GASNet's); `lock` protects the late datagrams.  File-scope state is
 *        the library's own.
 * Invariants: I1 the same LOSSY_SEED and process order give the same decisions.
 *             I2 if LOSSY_TELL is set, the library says at the end how many datagrams it dropped,
 *                because a run in which nothing was lost proves nothing.
 * See: test/dist/udp_survives_loss.sh, test/dist/sched_survives_stops.sh.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef ssize_t sendto_fn(int, const void *, size_t, int, const struct sockaddr *,
                          socklen_t);

static sendto_fn *real;
static uint64_t state, sent, dropped, doubled, delayed;
static unsigned drop, twice, late, late_us;

/* A datagram that waits; there are never many, so they are looked through. */
enum { WAITING = 256, LONGEST = 1 << 16, NAP_NS = 200000 };
struct datagram {
    uint64_t due; /* ns; 0: the place is free */
    int fd, flags;
    size_t len;
    struct sockaddr_storage to;
    socklen_t tolen;
    char *data;
};
static struct datagram waiting[WAITING];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int courier; /* there is a thread that sends them */

static unsigned number(const char *name)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static void tell(void)
{
    const char *path = getenv("LOSSY_TELL");
    FILE *f = path && sent ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%llu sent %llu dropped %llu doubled %llu delayed\n",
            (unsigned long long)sent, (unsigned long long)dropped,
            (unsigned long long)doubled, (unsigned long long)delayed);
    fclose(f);
}

static void init(void)
{
    /* POSIX promises that a function's address fits into the object pointer. */
    *(void **)&real = dlsym(RTLD_NEXT, "sendto");
    state = (number("LOSSY_SEED") + (uint64_t)getpid()) * 0x9E3779B97F4A7C15ULL | 1;
    drop = number("LOSSY_DROP");
    twice = number("LOSSY_DOUBLE");
    late = number("LOSSY_LATE");
    late_us = number("LOSSY_LATE_US");
    late_us = late_us ? late_us : 20000;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void send_due(uint64_t now)
{
    for (int i = 0; i < WAITING; i++) {
        struct datagram *d = &waiting[i];
        if (d->due == 0 || d->due > now)
            continue;
        (void)real(d->fd, d->data, d->len, d->flags, (struct sockaddr *)&d->to, d->tolen);
        free(d->data);
        d->due = 0;
    }
}

static void *carry(void *unused)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    sigset_t all;
    sigfillset(&all); /* the job's signals are for its own threads */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;; nanosleep(&nap, NULL)) {
        pthread_mutex_lock(&lock);
        send_due(now_ns());
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static unsigned percent(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * 0x2545F4914F6CDD1DULL >> 33) % 100);
}

/* True if the datagram was taken, to be sent later. */
static int put_off(int fd, const void *data, size_t len, int flags,
                   const struct sockaddr *to, socklen_t tolen)
{
    struct datagram *d = waiting;
    pthread_t thread;
    uint64_t due = now_ns() + (uint64_t)(percent() + 1) * late_us * 10;
    if (len > LONGEST || tolen > sizeof d->to)
        return 0;
    pthread_mutex_lock(&lock);
    while (d < waiting + WAITING && d->due)
        d++;
    char *copy = d < waiting + WAITING ? malloc(len + 1) : NULL;
    if (copy) {
        memcpy(copy, data, len);
        *d = (struct datagram){.due = due,
                               .fd = fd,
                               .flags = flags,
                               .len = len,
                               .tolen = tolen,
                               .data = copy};
        memcpy(&d->to, to, tolen);
        delayed++;
    }
    if (copy && !courier)
        courier = pthread_create(&thread, NULL, carry, NULL) == 0;
    pthread_mutex_unlock(&lock);
    return copy != NULL;
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
               socklen_t tolen);

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
               socklen_t tolen)
{
    if (!real)
        init();
    /* Every 64 datagrams, because a rank that is killed runs no atexit handler. */
    if (++sent % 64 == 0)
        tell();
    unsigned luck = percent();
    if (luck < drop) {
        dropped++;
        return (ssize_t)len;
    }
    if (luck < drop + twice) {
        doubled++;
        (void)real(fd, data, len, flags, to, tolen);
    } else if (luck < drop + twice + late && put_off(fd, data, len, flags, to, tolen)) {
        return (ssize_t)len;
    }
    return real(fd, data, len, flags, to, tolen);
}
