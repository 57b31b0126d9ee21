/*
 * core_ult_overflow_is_named.c
 *
 * Role: a ULT that overruns its stack says which rank, how large, and what to raise, and
 *       the process dies with a status that is not 0.
 * Owner: a child process for each case; the parent reads its standard error.
 * Invariants: I4 of core/ult/ult.h.
 * See: core/ult/guard.h.
 */
#include "test/unit/core_ult_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 65536 };

struct victim {
    struct ult_rig rig;
    struct jdi_ult *base;
    size_t frame; /* bytes of each call's frame */
    size_t asked; /* bytes of the stack; 0: those of the engine */
};

/* Calls itself until the stack is gone. */
static JDI_NOINLINE uint64_t fall(volatile char *above, size_t frame, uint64_t depth)
{
    volatile char *here = __builtin_alloca(frame);
    here[0] = (char)depth;
    if (depth == UINT64_MAX)
        return 0;
    return fall(here, frame, depth + 1) + (uint64_t)here[0] + (uint64_t)above[0];
}

static struct jdi_ult *run_victim(void *arg, void *data)
{
    struct victim *v = *(struct victim **)arg; /* in the ULT's room */
    volatile char top = 1;
    (void)data;
    fall(&top, v->frame, 1);
    return v->base;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct victim *v = arg;
    (void)stream;
    v->base = base;
    struct jdi_ult_room room = {.stack = v->asked, .bytes = sizeof(struct victim *)};
    struct jdi_ult *u = v->rig.ops->create(v->rig.engine, run_victim, NULL, &room);
    if (!u)
        bail_out("no ULT");
    *(struct victim **)room.at = v;
    v->rig.ops->jump(base, u, NULL);
}

static void die(const struct jdi_ult_ops *ops, unsigned stream, size_t frame,
                size_t asked)
{
    struct victim v = {.frame = frame, .asked = asked};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    ult_open(&v.rig, ops, 2);
    if (stream == 0) {
        ops->enter(v.rig.engine, 0, body, &v);
    } else if (ops->start(v.rig.engine, 1, body, &v) == 0) {
        ops->join(v.rig.engine, 1);
    }
    _exit(0); /* survived: the parent counts that as a failure */
}

/* All that a dying child writes; its wait status. */
static int watch(const struct jdi_ult_ops *ops, unsigned stream, size_t frame,
                 size_t asked, char *text)
{
    int ends[2], status = 0;
    size_t got = 0;
    ssize_t n;
    if (pipe(ends))
        bail_out("no pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        die(ops, stream, frame, asked);
    }
    close(ends[1]);
    while (got < TEXT - 1 && (n = read(ends[0], text + got, TEXT - 1 - got)) > 0)
        got += (size_t)n;
    text[got] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void check_asked(const struct jdi_ult_ops *ops, unsigned stream, size_t frame,
                        size_t asked, size_t bytes, const char *what)
{
    char text[TEXT], expected[128];
    int status = watch(ops, stream, frame, asked, text);
    snprintf(expected, sizeof expected,
             "stack overflow in a ULT of rank 3 (stack %zu bytes): raise %s\n", bytes,
             asked ? "the stack of its task's row" : "JACKDAW_STACK_SIZE");
    char *said = strstr(text, expected);
    ok(said != NULL, "%s: an overflow is named %s", ops->name, what);
    ok(status != 0, "%s: and the process dies of it (status %#x)", ops->name, status);
    ok(!said || !strstr(said + 1, "jackdaw: stack overflow"), "%s: it is said once",
       ops->name);
}

static void check(const struct jdi_ult_ops *ops, unsigned stream, size_t frame,
                  size_t bytes, const char *what)
{
    check_asked(ops, stream, frame, 0, bytes, what);
}

static void test(const struct jdi_ult_ops *ops)
{
    bool argobots = !strcmp(ops->name, "argobots");
    unsetenv("ABT_THREAD_STACKSIZE");
    check(ops, 0, 64, ULT_STACK, "on the entered stream");
    check(ops, 1, 64, ULT_STACK, "on a started stream");
    check(ops, 0, 20000, ULT_STACK, "with frames larger than a page");
    check_asked(ops, 0, 64, 100000, 131072, "on a larger stack that was asked for");
    check_asked(ops, 1, 64, 16384, 16384, "on a smaller one");
    setenv("ABT_THREAD_STACKSIZE", "131072", 1);
    check(ops, 0, 64, argobots ? 131072 : ULT_STACK,
          "when Argobots is asked for larger stacks");
    setenv("ABT_THREAD_STACKSIZE", "32768", 1);
    check(ops, 0, 64, ULT_STACK, "when Argobots is asked for smaller stacks");
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
