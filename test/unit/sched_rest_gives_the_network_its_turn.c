/*
 * sched_rest_gives_the_network_its_turn.c
 *
 * Role: in a job of one thread a worker that, whenever it has nothing to do, is given something by the hook
 *       for that still polls: a sleeper wakes.
 * Owner: the body, which sets the hook.
 * See: on_rest in sched/rank.h; rest in sched/worker.c.
 */
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

static uint64_t asked; /* one thread */

static bool always(struct jdi_worker *w)
{
    (void)w;
    asked++;
    return true;
}

static int body(jd_self *me, int argc, char **argv)
{
    bool (*before)(struct jdi_worker * w) = me->rank->on_rest;
    (void)argc, (void)argv;
    me->rank->on_rest = always;
    int error = jd_sleep(me, 1000000);
    me->rank->on_rest = before;
    ok(!error && asked > 0, "a sleeper wakes while there is always something");
    return done_testing();
}

int main(int argc, char **argv)
{
    static const jd_task_def none[] = {JD_TASK_END};
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, none);
}
