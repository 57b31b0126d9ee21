/*
 * sched_listen_leaves_no_signal_behind.c
 *
 * Role: a SIGUSR1 that comes as a job ends is forgotten with the job, so it does not end the program; and a program that has
 *       a handler gets its signals.
 * See: sched/live/listen.h.
 */
#include "sched/live/listen.h"
#include "test/kit/tap.h"

static volatile sig_atomic_t handled;

static void note(int signo)
{
    (void)signo;
    handled = handled + 1;
}

static bool is_pending(void)
{
    sigset_t set;
    return !sigpending(&set) && sigismember(&set, SIGUSR1) == 1;
}

static bool is_blocked_now(void)
{
    sigset_t set;
    return !pthread_sigmask(SIG_SETMASK, NULL, &set) && sigismember(&set, SIGUSR1) == 1;
}

int main(void)
{
    sigset_t mask, all;
    struct sigaction act = {.sa_handler = note};
    jdi_listen_block(&mask);
    raise(SIGUSR1);
    ok(is_blocked_now() && is_pending(), "while a job runs the signal waits");
    jdi_listen_unblock(&mask);
    ok(!is_blocked_now() && !is_pending(), "with the job it is forgotten");

    sigaction(SIGUSR1, &act, NULL);
    jdi_listen_block(&mask);
    raise(SIGUSR1);
    is_u64((uint64_t)handled, 1, "a handler of the program gets it");
    jdi_listen_unblock(&mask);

    sigemptyset(&all);
    sigaddset(&all, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    raise(SIGUSR1);
    jdi_listen_block(&mask);
    jdi_listen_unblock(&mask);
    ok(is_blocked_now() && is_pending(), "a program that had blocked it before keeps it");
    return done_testing();
}
