/*
 * core_symbols_name_static_functions.c
 *
 * Role: a stack is told by names, those of static functions too; what has no name is told as well, and never followed.
 * See: core/symbols.h, core/peek.h.
 */
#include "core/peek.h"
#include "core/symbols.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *at[JDI_SYMBOLS_DEPTH];
static unsigned depth;

/* What follows the call keeps each frame. */
static JDI_NOINLINE int innermost(const void *a, const void *b)
{
    (void)a, (void)b;
    depth = jdi_symbols_walk(at);
    return (int)(depth & 0);
}

static JDI_NOINLINE int through_a_library(void)
{
    int two[2] = {1, 0};
    qsort(two, 2, sizeof *two, innermost);
    return two[0];
}

static void names_are_right(void)
{
    char room[64];
    struct jdi_text t = jdi_text_in(room, sizeof room);
    struct jdi_symbols *s = jdi_symbols_open();
    unsigned inner = 0, outer = 0, last = 0;
    ok(s != NULL, "there is a table");
    ok(through_a_library() >= 0 && depth > 3, "a stack has frames");
    for (unsigned i = 0; i < depth; i++) {
        const char *name = jdi_symbols_name(s, at[i]);
        inner = name && !strcmp(name, "innermost") ? i + 1 : inner;
        outer = name && !strcmp(name, "through_a_library") ? i + 1 : outer;
        last = name && !strcmp(name, "main") ? i + 1 : last;
    }
    ok(inner && outer > inner + 1 && last > outer,
       "static functions have their names, also beyond a library: %u, %u, %u", inner,
       outer, last);
    jdi_symbols_say(s, (void *)(uintptr_t)17, &t);
    is_str(room, "0x10", "what lies nowhere is told as a number");
    jdi_symbols_close(s);
    jdi_symbols_close(NULL);
}

static void memory_is_read_or_not(void)
{
    uint64_t from = 0x1234567890, to = 0;
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ok(jdi_peek(&from, &to, sizeof to) && to == from, "what is there is read");
    ok(jdi_peek(page, &to, sizeof to) && !to, "in another page too");
    munmap(page, 4096);
    ok(!jdi_peek(page, &to, sizeof to), "what has gone is not");
    ok(!jdi_peek(NULL, &to, sizeof to), "nor is nothing");
}

int main(void)
{
    names_are_right();
    memory_is_read_or_not();
    return done_testing();
}
