/*
 * uts_params_export_to_the_runtime.c
 *
 * Role: before the start, -c, -T and --stats are found among the network's own arguments;
 *       wrong values and everything else are left alone.
 * Owner: one thread.
 * See: examples/uts_params.h.
 */
#include "examples/uts_params.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

/* The function has no context argument, as setenv has none: so this goes there, too. */
static void set(const char *variable, const char *value)
{
    setenv(variable, value, 1);
}

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);
    return value ? value : "";
}

static void export_line(const char *line)
{
    char text[256], *argv[32], *save = NULL;
    int argc = 0;
    unsetenv("JACKDAW_STEAL_AMOUNT");
    unsetenv("JACKDAW_WORKERS");
    unsetenv("JACKDAW_STATS");
    strcpy(text, line);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    uts_params_export(argc, argv, set);
}

int main(void)
{
    export_line("uts 4 --tree=T1 -c 50 -T 2 --stats");
    is_str(value_of("JACKDAW_STEAL_AMOUNT"), "50", "-c is the steal amount");
    is_str(value_of("JACKDAW_WORKERS"), "2", "-T is the number of workers");
    is_str(value_of("JACKDAW_STATS"), "1", "--stats asks for statistics");
    export_line("uts -c 0 -T x -T");
    is_str(value_of("JACKDAW_STEAL_AMOUNT"), "", "-c out of range is not exported");
    is_str(value_of("JACKDAW_WORKERS"), "", "-T without a number is not exported");
    is_str(value_of("JACKDAW_STATS"), "", "nothing asked for statistics");
    export_line("uts");
    is_str(value_of("JACKDAW_STEAL_AMOUNT"), "", "no flag, no export");
    return done_testing();
}
