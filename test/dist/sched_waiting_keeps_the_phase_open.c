/*
 * sched_waiting_keeps_the_phase_open.c
 *
 * Role: a suspended task keeps its phase open and needs no worker, so that many more may be suspended
 *       than there are workers.  Argument: how many at once, over all ranks.
 * Owner: as sched_waiting_kit.h.
 * See: include/jackdaw.h, sched/self.c.
 */
#include "test/dist/sched_waiting_kit.h"

enum { PARK, LIGHT };
enum { LIGHTS = 50, ROUNDS = 20 };

static const jd_task_def tasks[] = {
    [PARK] = JD_TASK(park), [LIGHT] = JD_TASK(light), JD_TASK_END};

/* All else is over, but one task is suspended. */
static void test_phase_stays_open(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t lights = LIGHTS * (uint64_t)jd_nranks(me);
    add(me, c, PARK, jd_rank(me) == 0);
    add(me, c, LIGHT, LIGHTS);
    must(me, jd_coll_start(me, c));
    until(me, &s->parked, 1);
    until(me, &s->lights, lights);
    bool open = true;
    for (int i = 0; i < ROUNDS; i++) {
        jd_coll_info info;
        must(me, jd_barrier(me));
        jd_yield(me);
        open = open && jd_coll_get_info(me, c, &info) == JD_ESTATE;
    }
    ok_all(me, open, "a suspended task keeps the phase open");
    resume_all(me, s);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, lights + 1), "and ends it when resumed");
    end(me, c, s);
}

/* More tasks suspended than there are workers; resumed by the bodies. */
static void test_many_at_once(jd_self *me, struct shared *s, uint64_t total)
{
    jd_coll *c = make(me, s);
    add(me, c, PARK, jd_rank(me) == jd_nranks(me) - 1 ? total : 0);
    must(me, jd_coll_start(me, c));
    until(me, &s->parked, total);
    ok_all(me, atomic_load(&s->done) == 0, "%llu tasks suspended at once",
           (unsigned long long)total);
    resume_all(me, s);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, total) && sum_of(me, atomic_load(&s->done)) == total,
           "all of them ended");
    end(me, c, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    test_phase_stays_open(me, &s);
    test_many_at_once(me, &s, argc > 1 ? (uint64_t)atol(argv[1]) : 300);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
