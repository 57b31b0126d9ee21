/*
 * core_ult_fault_goes_to_the_handler_before.c
 *
 * Role: a fault on a ULT that is no overflow goes to the handler that the process had, and
 *       so do an overflow after its message and an abort; close gives the signals back.
 * Owner: a child process for each case.
 * Invariants: I3 of core/ult/guard.c.
 * See: core/ult/guard.h.
 */
#include "test/unit/core_ult_kit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EARLIER_PLAIN = 41, EARLIER_WITH_INFO = 42, NOT_MASKED = 43, KILLED = 1000 };

struct victim {
    struct ult_rig rig;
    struct jdi_ult *base;
    char *forbidden; /* an address without access */
};

typedef struct jdi_ult *deed(void *victim, void *data);

static void leave_at_once(int sig)
{
    _exit(sig == SIGSEGV || sig == SIGABRT ? EARLIER_PLAIN : 1);
}

/* What network layers do after printing a backtrace. */
static void raise_again(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}

static void do_nothing(int sig)
{
    (void)sig;
}

/* Also checks that it runs under the mask it asked for. */
static void leave_with_info(int sig, siginfo_t *info, void *context)
{
    sigset_t now;
    (void)sig, (void)context;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    if (!sigismember(&now, SIGUSR1))
        _exit(NOT_MASKED);
    _exit(info->si_addr ? EARLIER_WITH_INFO : 1);
}

static struct jdi_ult *touch(void *arg, void *data)
{
    struct victim *v = arg;
    (void)data;
    *(volatile char *)v->forbidden = 1;
    return v->base;
}

/* A fault in the guard is all that an overflow is to the handler. */
static struct jdi_ult *overflow(void *arg, void *data)
{
    struct victim *v = arg;
    (void)data;
    *(volatile char *)((uintptr_t)__builtin_frame_address(0) - ULT_STACK) = 1;
    return v->base;
}

static struct jdi_ult *end_by_abort(void *arg, void *data)
{
    (void)arg, (void)data;
    abort();
}

static struct jdi_ult *nothing(void *arg, void *data)
{
    struct victim *v = arg;
    (void)data;
    return v->base;
}

struct row {
    const char *what;
    void (*plain)(int sig); /* not used where leave_with_info is expected */
    deed *deed;
    int status;
};

static const struct row rows[] = {
    {"a plain handler gets a fault", leave_at_once, touch, EARLIER_PLAIN},
    {"a plain handler gets an overflow", leave_at_once, overflow, EARLIER_PLAIN},
    {"one with siginfo gets the address, under its mask", NULL, touch, EARLIER_WITH_INFO},
    {"one that raises it again is the end", raise_again, touch, KILLED + SIGSEGV},
    {"one that lets an overflow pass is overruled", do_nothing, overflow,
     KILLED + SIGSEGV},
    {"an ignored fault is fatal", SIG_IGN, touch, KILLED + SIGSEGV},
    {"without a handler the default action is taken", SIG_DFL, touch, KILLED + SIGSEGV},
    {"a plain handler gets an abort", leave_at_once, end_by_abort, EARLIER_PLAIN},
    {"an abort that it lets pass is fatal", do_nothing, end_by_abort, KILLED + SIGABRT},
    {"an ignored abort is fatal", SIG_IGN, end_by_abort, KILLED + SIGABRT},
    {"without a handler an abort is fatal", SIG_DFL, end_by_abort, KILLED + SIGABRT},
    {"the handler is back after close", NULL, nothing, EARLIER_WITH_INFO},
};

struct scene {
    struct victim victim;
    const struct row *row;
};

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct scene *s = arg;
    struct victim *v = &s->victim;
    (void)stream;
    v->base = base;
    struct jdi_ult *u = ult_create(&v->rig, s->row->deed, v);
    v->rig.ops->jump(base, u, NULL);
    v->rig.ops->destroy(u);
}

static void set_earlier(const struct row *row)
{
    struct sigaction a = {.sa_handler = row->plain};
    if (row->status == EARLIER_WITH_INFO) {
        a.sa_flags = SA_SIGINFO;
        a.sa_sigaction = leave_with_info;
        sigaddset(&a.sa_mask, SIGUSR1);
    }
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGABRT, &a, NULL);
}

/* How a child ends in which a ULT does the row's deed and main, after close, faults. */
static int play(const struct jdi_ult_ops *ops, const struct row *row)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct scene s = {.row = row};
        s.victim.forbidden =
            mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        set_earlier(row);
        ult_open(&s.victim.rig, ops, 1);
        ops->enter(s.victim.rig.engine, 0, body, &s);
        ops->close(s.victim.rig.engine);
        *(volatile char *)s.victim.forbidden = 1;
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
}

static void test(const struct jdi_ult_ops *ops)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(rows); i++)
        is_u64((uint64_t)play(ops, &rows[i]), (uint64_t)rows[i].status, "%s: %s",
               ops->name, rows[i].what);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
