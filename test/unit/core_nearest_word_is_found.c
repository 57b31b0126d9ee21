/*
 * core_nearest_word_is_found.c
 *
 * Role: which word jdi_nearest proposes, and when it proposes none.
 * Owner: one thread.
 * Invariants: I1 of core/nearest.h.
 * See: core/nearest.c.
 */
#include "core/nearest.h"
#include "test/kit/tap.h"

#include <string.h>

int main(void)
{
    static const char *const list[] = {"WORKERS", "COMM", "ULT", "STEAL", "STEAL_AMOUNT"};
    static const struct {
        const char *word;
        int found;
    } want[] = {
        {"WORKERS", 0},      {"WORKER", 0},     {"WROKERS", 0}, {"workers", 0},
        {"XWORKERSXX", 0},   {"COM", 1},        {"STEEL", 3},   {"STEAL_AMOUNTS", 4},
        {"WORKERSXXXX", -1}, {"FOO", -1},       {"X", -1},      {"", -1},
        {"UL", 2},           {"SOMETHING", -1},
    };
    char endless[5000];

    for (size_t i = 0; i < JDI_ARRAY_LEN(want); i++) {
        int found = jdi_nearest(want[i].word, list, JDI_ARRAY_LEN(list));
        ok(found == want[i].found, "'%s': %s", want[i].word,
           found < 0 ? "none" : list[found]);
    }
    memset(endless, 'W', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ok(jdi_nearest(endless, list, JDI_ARRAY_LEN(list)) == -1, "an endless word: none");
    ok(jdi_nearest("WORKERS", list, 0) == -1, "an empty list: none");
    return done_testing();
}
