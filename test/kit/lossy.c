/*
 * lossy.c - a network that loses and doubles datagrams, for LD_PRELOAD under udp.
 *
 * Role: stands in for sendto: drops LOSSY_DROP percent, sends LOSSY_DOUBLE percent twice.
 * Owner: the thread that sends (GASNet's); file-scope state is the library's own.
 * Invariants: I1 the same LOSSY_SEED and process order give the same decisions.
 *             I2 says at the end how many it dropped, if LOSSY_TELL is set: a run in which
 *                nothing was lost proves nothing.
 * See: test/dist/udp_survives_loss.sh.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t sendto_fn(int, const void *, size_t, int, const struct sockaddr *,
                          socklen_t);

static sendto_fn *real;
static uint64_t state, sent, dropped, doubled;
static unsigned drop, twice;

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
    fprintf(f, "%llu sent %llu dropped %llu doubled\n", (unsigned long long)sent,
            (unsigned long long)dropped, (unsigned long long)doubled);
    fclose(f);
}

static void init(void)
{
    /* POSIX promises that a function's address fits into the object pointer. */
    *(void **)&real = dlsym(RTLD_NEXT, "sendto");
    state = (number("LOSSY_SEED") + (uint64_t)getpid()) * 0x9E3779B97F4A7C15ULL | 1;
    drop = number("LOSSY_DROP");
    twice = number("LOSSY_DOUBLE");
}

static unsigned percent(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * 0x2545F4914F6CDD1DULL >> 33) % 100);
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
               socklen_t tolen);

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
               socklen_t tolen)
{
    if (!real)
        init();
    /* Every 64 datagrams, since GASNet leaves without running atexit handlers. */
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
    }
    return real(fd, data, len, flags, to, tolen);
}
