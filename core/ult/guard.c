/*
 * guard.c - guards and signals of streams, for both engines.
 *
 * Role: prints the message on overflow, names the task that faults or aborts, and decides which
 *       handler gets a signal.
 * Invariants: I2 what runs in the signal handler calls only async-signal-safe functions.
 *             I3 no fault is lost: each pass through the handler ends in the handler before ours
 *                or in the default action.
 * See: guard.h; signal(7), sigaltstack(2).
 */
#include "core/ult/guard.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- the signal handler ---------------------------------------------------------- */

/* Room for our handler and for the handler before ours, which may print a backtrace. */
enum { ALTERNATE_SIZE = 65536 };

static const uint64_t guard_magic = 0x6a61636b64617721;
static const struct {
    int number;
    const char *name;
} fault_signals[JDI_GUARD_SIGNALS] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"}};

/* The guard of the thread that got the signal, or NULL if the thread has none (I1). */
static struct jdi_guard *guard_of(const ucontext_t *u)
{
    struct jdi_guard *g = u->uc_stack.ss_sp;
    if (!g || u->uc_stack.ss_size != ALTERNATE_SIZE || g->magic != guard_magic)
        return NULL;
    return g;
}

/*
 * The lowest usable page counts too.  That page is writable, so a fault there means that Argobots
 * has protected it (ABT_STACK_OVERFLOW_CHECK).
 */
static bool is_overflow(const struct jdi_guard *g, const void *address)
{
    const struct jdi_stack *s = atomic_load_explicit(&g->now, memory_order_relaxed);
    if (!s || !s->map)
        return false;
    return (uintptr_t)address - (uintptr_t)s->map < JDI_STACK_GUARD + 4096;
}

static char *put_text(char *to, const char *text)
{
    size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

static char *put_number(char *to, uint64_t n)
{
    char digits[20];
    int i = 0;
    do
        digits[i++] = (char)('0' + n % 10);
    while (n /= 10);
    while (i)
        *to++ = digits[--i];
    return to;
}

static void say_overflow(const struct jdi_guard *g)
{
    const struct jdi_stack *s = atomic_load_explicit(&g->now, memory_order_relaxed);
    char line[192], *end = put_text(line, "jackdaw: stack overflow in a ULT of rank ");
    end = put_number(end, g->log->rank);
    end = put_text(end, " (stack ");
    end = put_number(end, s->size);
    end = put_text(end, s->asked ? " bytes): raise the stack of its task's row\n"
                                 : " bytes): raise JACKDAW_STACK_SIZE\n");
    /* The result is ignored, because nothing can be done if the message is lost. */
    if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0)
        return;
}

/* The place of the signal in fault_signals. */
static int fault_index(int sig)
{
    int i = 0;
    while (fault_signals[i].number != sig)
        i++;
    return i;
}

/* A signal that somebody else sent says nothing about the task. */
static bool is_own(int sig, const siginfo_t *info)
{
    if (sig == SIGABRT)
        return info->si_code == SI_TKILL && info->si_pid == getpid();
    return info->si_code > 0;
}

static void say_task(struct jdi_guard *g, int sig)
{
    const char *kind = NULL, *name = "";
    if (!g->what || g->named)
        return;
    g->named = true;
    g->what(g->what_arg, g->stream, &kind, &name);
    if (!kind)
        return;
    char line[256], *end = put_text(line, "jackdaw: rank ");
    end = put_number(end, g->log->rank);
    end = put_text(end, ": ");
    end = put_text(end, fault_signals[fault_index(sig)].name);
    end = put_text(end, " in ");
    end = put_text(end, kind);
    for (; *name && end < line + sizeof line - 1; name++)
        *end++ = *name;
    *end++ = '\n';
    if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0)
        return;
}

/* The faulting instruction runs again after the handler and then ends the process. */
static void take_default(int sig, const siginfo_t *info)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(&standard.sa_mask);
    sigaction(sig, &standard, NULL);
    if (info->si_code <= 0) /* sent by a process, so the instruction will not repeat it */
        raise(sig);
}

static void pass_on(const struct sigaction *before, int sig, siginfo_t *info,
                    void *context)
{
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(sig, info, context);
    else if (before->sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN)
        take_default(sig, info);
    else
        before->sa_handler(sig);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct jdi_guard *g = guard_of(context);
    if (g && g->said) {
        /* The handler before ours returned; an overflow cannot be repaired (I3). */
        take_default(sig, info);
    } else if (g) {
        g->said = sig != SIGABRT && is_own(sig, info) && is_overflow(g, info->si_addr);
        if (g->said)
            say_overflow(g);
        if (is_own(sig, info))
            say_task(g, sig);
        pass_on(&g->first->before[fault_index(sig)], sig, info, context);
    } else {
        take_default(sig, info);
    }
    errno = saved;
}

static bool is_ours(const struct sigaction *a)
{
    return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == on_fault;
}

static void take_signals(struct jdi_guard *g)
{
    for (int i = 0; i < JDI_GUARD_SIGNALS; i++) {
        sigaction(fault_signals[i].number, NULL, &g->before[i]);
        if (is_ours(&g->before[i])) { /* only the other engine knows who was before */
            g->before[i] = (struct sigaction){.sa_handler = SIG_DFL};
            continue;
        }
        /* The handler before ours runs with the mask and flags that were set for it. */
        struct sigaction ours = {.sa_sigaction = on_fault};
        ours.sa_mask = g->before[i].sa_mask;
        ours.sa_flags =
            (g->before[i].sa_flags & (SA_NODEFER | SA_RESTART)) | SA_SIGINFO | SA_ONSTACK;
        g->installed[i] = sigaction(fault_signals[i].number, &ours, NULL) == 0;
    }
}

static void give_signals_back(struct jdi_guard *g)
{
    struct sigaction now;
    for (int i = 0; i < JDI_GUARD_SIGNALS; i++)
        if (g->installed[i] && !sigaction(fault_signals[i].number, NULL, &now) &&
            is_ours(&now))
            sigaction(fault_signals[i].number, &g->before[i], NULL);
}

/* ---- guards ---------------------------------------------------------------------- */

struct jdi_guard *jdi_guard_new(struct jdi_guard *first, const struct jdi_log *log,
                                struct jdi_fault *fault)
{
    JD_CHECK(sizeof(struct jdi_guard) < ALTERNATE_SIZE / 16);
    struct jdi_guard *g = jdi_alloc(fault, ALTERNATE_SIZE);
    if (!g)
        return NULL;
    *g = (struct jdi_guard){.magic = guard_magic, .first = first ? first : g, .log = log};
    if (!first)
        take_signals(g);
    return g;
}

void jdi_guard_free(struct jdi_guard *g)
{
    if (g->first == g)
        give_signals_back(g);
    g->magic = 0;
    jdi_free(g);
}

void jdi_guard_enter(struct jdi_guard *g)
{
    stack_t alternate = {.ss_sp = g, .ss_size = ALTERNATE_SIZE};
    jdi_own_find(&g->own);
    JD_CHECK(sigaltstack(&alternate, &g->outer) == 0);
}

void jdi_guard_leave(struct jdi_guard *g)
{
    JD_CHECK(sigaltstack(&g->outer, NULL) == 0);
}

/* ---- signals --------------------------------------------------------------------- */

void jdi_guard_signals_block(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &all, old);
}

void jdi_guard_signals_restore(const sigset_t *old)
{
    pthread_sigmask(SIG_SETMASK, old, NULL);
}
