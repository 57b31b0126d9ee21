/*
 * core_stack_guards_stand.c
 *
 * Role: stacks of one cache are apart and guarded.  Where the kernel marks guards in page tables, as many
 *       as there are need few mappings; where it does not, as many are guarded as was allowed, and the
 *       first one of each slab.
 * Owner: one thread; a child process for each byte that must not be touched.
 * Invariants: I1 of core/ult/stack.h.
 * See: core/ult/stack.c.
 */
#include "core/ult/stack.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 16384, FEW = 11, MANY = 4000 };

static struct jdi_stack stacks[MANY];

static void take(struct jdi_stack_cache *c, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (jdi_stack_cache_take(c, 0, &stacks[i]))
            bail_out("no stack");
}

static void give_all(struct jdi_stack_cache *c, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        jdi_stack_cache_give(c, &stacks[i]);
    jdi_stack_cache_fini(c);
}

/* Does a write to `at` end the process? */
static bool kills(volatile char *at)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        *at = 1;
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        bail_out("no child");
    return status != 0; /* a checker ends it in its own way */
}

static bool guarded(const struct jdi_stack *s)
{
    volatile char *low = jdi_stack_low(s);
    return kills(low - 1) && kills((char *)s->map);
}

static unsigned mappings(void)
{
    unsigned n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    for (int c; f && (c = fgetc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static void test_apart(void)
{
    struct jdi_stack_cache c;
    bool whole = true;
    jdi_stack_cache_init(&c, SIZE - 1, NULL, NULL);
    take(&c, FEW);
    is_u64(stacks[0].size, SIZE, "a size is whole pages");
    for (unsigned i = 0; i < FEW; i++)
        memset(jdi_stack_low(&stacks[i]), (int)i, stacks[i].size);
    for (unsigned i = 0; i < FEW; i++) {
        const char *low = jdi_stack_low(&stacks[i]);
        whole = whole && low[0] == (char)i && low[SIZE - 1] == (char)i;
    }
    ok(whole, "%d stacks have bytes of their own", FEW);
    for (unsigned i = 0; i < FEW; i++)
        if (!guarded(&stacks[i]))
            whole = false;
    ok(whole, "and a guard each");
    struct jdi_stack last = stacks[FEW - 1], again;
    jdi_stack_cache_give(&c, &last);
    ok(!jdi_stack_cache_take(&c, 0, &again) && again.map == last.map &&
           again.size == SIZE,
       "the one that was given back last comes first");
    give_all(&c, FEW);
}

static void test_few_mappings(void)
{
    struct jdi_stack_cache c;
    unsigned before = mappings();
    jdi_stack_cache_init(&c, SIZE, NULL, NULL);
    take(&c, MANY);
    unsigned after = mappings();
    if (c.guards == JDI_STACK_INSTALL)
        ok(after < before + 64, "%d stacks are %u mappings", MANY, after - before);
    else
        diag("this kernel's guards are mappings");
    ok(guarded(&stacks[0]) && guarded(&stacks[MANY / 2]) && guarded(&stacks[MANY - 1]),
       "they are guarded");
    give_all(&c, MANY);
}

static void test_fallback(void)
{
    struct jdi_stack_cache c;
    char has[FEW + 1] = {0};
    jdi_stack_cache_init(&c, SIZE, NULL, NULL);
    c.guards = JDI_STACK_PROTECT;
    c.guards_left = 3;
    take(&c, FEW);
    for (unsigned i = 0; i < FEW; i++)
        has[i] = guarded(&stacks[i]) ? 'g' : '-';
    /* The slabs have 4, 4 and 8 stacks. */
    is_str(has, "ggg-g---g--",
           "without such guards three may have one, and the first of a slab");
    give_all(&c, FEW);
}

int main(void)
{
    uint64_t most = 0;
    enum jdi_stack_guards here = jdi_stack_guards_here(&most);
    ok(here == JDI_STACK_INSTALL ? most == UINT64_MAX
                                 : here == JDI_STACK_PROTECT && most > 0,
       "this kernel has guards");
    test_apart();
    test_few_mappings();
    test_fallback();
    return done_testing();
}
