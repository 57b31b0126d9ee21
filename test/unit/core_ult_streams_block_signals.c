/*
 * core_ult_streams_block_signals.c
 *
 * Role: started streams leave signals to the main thread, but for those that their own
 *       instructions raise; the starter keeps its mask; their base stack is large.
 * Owner: main and the stream.
 * Invariants: the contract of start in core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

#include <pthread.h>
#include <signal.h>

static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

struct report {
    unsigned open_wrong, blocked_wrong, stream;
    unsigned char last;
};

static bool is_synchronous(int sig)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(synchronous); i++)
        if (synchronous[i] == sig)
            return true;
    return false;
}

static JDI_NOINLINE unsigned char use(volatile unsigned char *large, size_t size)
{
    for (size_t i = 0; i < size; i += 1024)
        large[i] = 7;
    return large[0];
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct report *r = arg;
    sigset_t now;
    unsigned char large[768 * 1024];
    (void)base;
    r->stream = stream;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    for (int sig = 1; sig < 32; sig++) {
        if (is_synchronous(sig))
            r->open_wrong += sigismember(&now, sig) != 0;
        else if (sig != SIGKILL && sig != SIGSTOP)
            r->blocked_wrong += sigismember(&now, sig) == 0;
    }
    r->blocked_wrong += sigismember(&now, SIGRTMIN) == 0;
    r->last = use(large, sizeof large);
}

static void test(const struct jdi_ult_ops *ops)
{
    struct ult_rig rig;
    struct report r = {.stream = 99};
    sigset_t before, after;
    ult_open(&rig, ops, 3);
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ops->start(rig.engine, 2, body, &r))
        bail_out("%s does not start a stream", ops->name);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    ops->join(rig.engine, 2);
    ops->close(rig.engine);
    is_u64(r.stream, 2, "%s: a stream gets its number", ops->name);
    is_u64(r.blocked_wrong, 0, "%s: other threads' signals are blocked", ops->name);
    is_u64(r.open_wrong, 0, "%s: its own are not", ops->name);
    is_u64(r.last, 7, "%s: its base stack holds 768 KiB", ops->name);
    ok(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGUSR1) &&
           !sigismember(&after, SIGINT),
       "%s: the starter keeps its mask", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
