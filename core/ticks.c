/*
 * ticks.c - see ticks.h.
 *
 * Role: asks processor and kernel about the counter; compares it with the clock.
 * Invariants: I1 of ticks.h.
 * See: ticks.h; cpuid leaf 80000007, edx, bit 8: "invariant TSC"; Linux, Documentation/timers/timekeeping.rst.
 */
#include "core/ticks.h"

#include "core/time.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3 };

#if defined(__x86_64__)
#include <cpuid.h>

static const char kernel_name[] = "tsc\n";

static bool is_steady(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}
#elif defined(__aarch64__)
static const char kernel_name[] = "arch_sys_counter\n";

static bool is_steady(void) /* by its definition */
{
    return true;
}
#else
static const char kernel_name[] = "";

static bool is_steady(void)
{
    return false;
}
#endif

/* Does the kernel make its own clock of the counter?  It does not when it has seen the counter stop, or processors
 * that differ. */
static bool kernel_trusts(void)
{
    char name[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    return n > 0 && !strcmp(name, kernel_name);
}

bool jdi_ticks_usable(void)
{
    return is_steady() && kernel_trusts();
}

/* The clock is looked at between two looks at the counter, so it belongs to a moment between them. */
struct jdi_ticks jdi_ticks_compare(void)
{
    struct jdi_ticks best = {.width = UINT64_MAX};
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = jdi_ticks_read(), ns = jdi_time_ns(), after = jdi_ticks_read();
        uint64_t width = after > before ? after - before : 0;
        if (width < best.width)
            best = (struct jdi_ticks){before + width / 2, ns, width};
    }
    return best;
}
