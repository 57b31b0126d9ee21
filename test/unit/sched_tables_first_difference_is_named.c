/*
 * sched_tables_first_difference_is_named.c
 *
 * Role: ranks whose task tables differ all say the first row that does, and what two ranks have
 *       there; ranks with equal tables agree.
 * Owner: each rank is a thread of the loop network.
 * Invariants: I1 of sched/launch/tables.c.
 * See: sched/launch/tables.c.
 */
#include "sched/launch/tables.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 6, ODD = 4 };

static void task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

#define LONG "a_name_of_more_than_sixty_three_characters_of_which_the_last_ones_"

static const struct {
    const char *what;
    jd_task_def most[4], odd[4]; /* of all ranks but ODD, and of ODD */
    const char *said;
} cases[] = {
    {"equal tables",
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, JD_TASK_END},
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, JD_TASK_END},
     ""},
    {"another name",
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, {"z", task, NULL, 0}, JD_TASK_END},
     {{"a", task, NULL, 0}, {"c", task, NULL, 0}, {"z", task, NULL, 0}, JD_TASK_END},
     "the task tables of the ranks differ in row 1: b on rank 0, c on rank 4"},
    {"a row less",
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, {"z", task, NULL, 0}, JD_TASK_END},
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, JD_TASK_END},
     "the task tables of the ranks differ in row 2: z on rank 0, no such row on rank 4"},
    {"no rows but one",
     {JD_TASK_END},
     {{"a", task, NULL, 0}, JD_TASK_END},
     "the task tables of the ranks differ in row 0: no such row on rank 0, a on rank 4"},
    {"an exchange",
     {{"a", task, NULL, 0}, {"b", task, NULL, 0}, JD_TASK_END},
     {{"b", task, NULL, 0}, {"a", task, NULL, 0}, JD_TASK_END},
     "the task tables of the ranks differ in row 0: a on rank 0, b on rank 4"},
    {"long names",
     {{LONG "1", task, NULL, 0}, JD_TASK_END},
     {{"2", task, NULL, 0}, JD_TASK_END},
     "the task tables of the ranks differ in row 0: "
     "a_name_of_more_than_sixty_three_characters_of_which_the_last_on"
     " on rank 0, 2 on rank 4"},
};

static char said[JDI_ARRAY_LEN(cases)][RANKS][256]; /* each rank writes its own */

static int compare(void *ctx, struct jdi_am *am, int argc, char **argv)
{
    (void)ctx, (void)argc, (void)argv;
    for (size_t i = 0; i < JDI_ARRAY_LEN(cases); i++) {
        struct jdi_registry g;
        char err[256];
        char *mine = said[i][am->rank];
        if (jdi_registry_init(&g, am->rank == ODD ? cases[i].odd : cases[i].most, err,
                              sizeof err))
            return 1;
        int error = jdi_tables_compare(am, &g, mine, sizeof *said[i]);
        if (error != (*cases[i].said ? JD_EMISMATCH : 0))
            return 1;
    }
    return jdi_am_reduce_barrier(am) ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct jdi_conduit_start start = {
        .argc = argc, .argv = argv, .want_ranks = RANKS, .rank_main = compare};
    ok(!jdi_conduit.run(&start), "the ranks compare, and answer alike");
    for (size_t i = 0; i < JDI_ARRAY_LEN(cases); i++) {
        int equal = 0;
        for (int r = 0; r < RANKS; r++)
            equal += !strcmp(said[i][r], cases[i].said);
        is_u64((uint64_t)equal, RANKS, "%s: all say what differs", cases[i].what);
        is_str(said[i][RANKS - 1], cases[i].said, "%s: on the last rank", cases[i].what);
    }
    return done_testing();
}
