/*
 * core_grow_keeps_what_is_there.c
 *
 * Role: a list grows by doubling, keeps its elements, and is as it was where there is no memory.
 * Owner: the main thread.
 * See: core/grow.h.
 */
#include "core/grow.h"
#include "test/kit/tap.h"

#include <string.h>

int main(void)
{
    struct jdi_fault f = {0};
    size_t room = 0;
    char err[256], *list = jdi_grow(&f, NULL, 0, 5, 1, &room, 4), *more;

    if (!list || jdi_fault_parse(&f, "alloc:1", err, sizeof err))
        bail_out("no list");
    is_u64(room, 8, "a list begins with the first room that is enough");
    memcpy(list, "1234567", 8);
    ok(jdi_grow(&f, list, 7, 1, 1, &room, 4) == list && room == 8,
       "it stays where there is room");
    ok(!jdi_grow(&f, list, 8, 1, 1, &room, 4) && room == 8 && !strcmp(list, "1234567"),
       "without memory nothing changes");
    more = jdi_grow(&f, list, 8, 9, 1, &room, 4);
    ok(more && room == 32 && !strcmp(more, "1234567"),
       "it is doubled until all fits, and keeps what it has");
    jdi_free(more);
    return done_testing();
}
