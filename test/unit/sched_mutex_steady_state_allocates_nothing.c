/*
 * sched_mutex_steady_state_allocates_nothing.c
 *
 * Role: once tasks have waited, a mutex and a condition ask for no memory: not when nobody waits, and not when
 *       each waits for the other, with a deadline too.
 * Owner: the body; the count of requests is the rank's own, which JACKDAW_FAULT goes by.
 * See: sched/wait/mutex.c, sched/wait/cond.c.
 */
#include "sched/self.h"
#include "test/dist/sched_kit.h"

enum { OTHER };
enum { TURNS = 2000 };

struct pair {
    jd_mutex m;
    jd_cond c;
    uint64_t turn, ns;
};

static uint64_t requests(const jd_self *me)
{
    return atomic_load(&me->rank->am->fault.count[JDI_FAULT_alloc]);
}

/* Take one turn in two; a yield with the mutex, so that the other waits for that as well. */
static void take_turns(jd_self *me, struct pair *p, uint64_t whose, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        must(me, jd_mutex_lock(me, &p->m, jd_deadline(me, p->ns)));
        while (p->turn % 2 != whose)
            must(me, jd_cond_wait(me, &p->c, &p->m, jd_deadline(me, p->ns)));
        p->turn++;
        jd_cond_signal(me, &p->c);
        jd_yield(me);
        must(me, jd_mutex_unlock(me, &p->m));
    }
}

static void other(jd_self *me, void *arg)
{
    take_turns(me, *(struct pair **)arg, 1, 2 * TURNS);
}

static uint64_t exchange(jd_self *me, uint64_t ns)
{
    struct pair p = {.m = JD_MUTEX_INIT, .c = JD_COND_INIT, .ns = ns}, *at = &p;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, OTHER, &at, sizeof at));
    take_turns(me, &p, 0, TURNS);
    uint64_t before = requests(me);
    take_turns(me, &p, 0, TURNS);
    uint64_t after = requests(me);
    must(me, jd_finish_end(me, &s));
    return after - before;
}

static uint64_t alone(jd_self *me)
{
    jd_mutex m = JD_MUTEX_INIT;
    jd_cond c = JD_COND_INIT;
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS; i++) {
        must(me, jd_mutex_lock(me, &m, JD_NOW));
        jd_cond_broadcast(me, &c);
        must(me, jd_mutex_unlock(me, &m));
    }
    return requests(me) - before;
}

static const jd_task_def tasks[] = {[OTHER] = JD_TASK(other), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(requests(me) > 0, "requests are counted");
    is_u64(alone(me), 0, "nothing is asked for where nobody waits");
    is_u64(exchange(me, UINT64_MAX), 0, "nor where each waits for the other");
    is_u64(exchange(me, UINT64_C(3600000000000)), 0, "nor with deadlines");
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else nothing is counted */
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, tasks);
}
