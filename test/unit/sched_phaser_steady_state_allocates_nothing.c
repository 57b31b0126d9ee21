/*
 * sched_phaser_steady_state_allocates_nothing.c
 *
 * Role: once there were as many registered tasks at a time, new ones ask for no memory, nor do their phases.  And a
 *       task that finds no memory is registered with nothing.
 * Owner: the body; the count of requests is the rank's own, which JACKDAW_FAULT goes by.
 * See: sched/finish/phased.c, sched/wait/phaser.c; core/fault.h.
 */
#include "sched/self.h"
#include "test/dist/sched_kit.h"

enum { STEP };
enum { TASKS = 20, STEPS = 20, TURNS = 50, LARGE = 1000 };

struct step {
    jd_phaser p, q;
    uint64_t ns;
};

static uint64_t requests(const jd_self *me)
{
    return atomic_load(&me->rank->am->fault.count[JDI_FAULT_alloc]);
}

/* The k-th request from now on fails. */
static void fail_request(jd_self *me, uint64_t k)
{
    struct jdi_fault *f = &me->rank->am->fault;
    f->armed[JDI_FAULT_alloc] = atomic_load(&f->count[JDI_FAULT_alloc]) + k;
}

static void step(jd_self *me, void *arg)
{
    const struct step s = *(struct step *)arg;
    for (int i = 0; i < STEPS; i++) {
        must(me, jd_phaser_next(me, s.p, jd_deadline(me, s.ns)));
        must(me, jd_phaser_next(me, s.q, jd_deadline(me, s.ns)));
    }
}

static void turn(jd_self *me, const struct step *step, const jd_phased *as)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < TASKS; i++)
        must(me, jd_async_phased(me, as, 2, STEP, step, sizeof *step));
    must(me, jd_finish_end(me, &s));
}

static uint64_t turns(jd_self *me, uint64_t ns)
{
    struct step step = {.ns = ns};
    must(me, jd_phaser_create(me, 0, &step.p));
    must(me, jd_phaser_create(me, 0, &step.q));
    const jd_phased as[] = {{step.p, JD_PHASE_BOTH}, {step.q, JD_PHASE_SIGNAL}};
    turn(me, &step, as);
    turn(me, &step, as);
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS; i++)
        turn(me, &step, as);
    uint64_t after = requests(me);
    must(me, jd_phaser_destroy(me, step.p));
    must(me, jd_phaser_destroy(me, step.q));
    return after - before;
}

static uint64_t places(jd_self *me)
{
    jd_phaser p;
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS; i++) {
        must(me, jd_phaser_create(me, 0, &p));
        must(me, jd_phaser_destroy(me, p));
    }
    return requests(me) - before;
}

/* A task's block is refused, then its slot or argument, then nothing. */
static void test_refusals(jd_self *me)
{
    static unsigned char large[LARGE];
    jd_phaser p;
    int refused = 0, error;
    jd_scope s;
    fail_request(me, 1);
    ok(jd_phaser_create(me, JD_PHASE_SIGNAL, &p) == JD_ENOMEM, "no memory to register");
    fail_request(me, UINT32_MAX);
    must(me, jd_phaser_create(me, JD_PHASE_BOTH, &p));
    jd_phased as = {p, JD_PHASE_BOTH};
    must(me, jd_finish_begin(me, &s));
    fail_request(me, 1);
    error = jd_async_phased(me, &as, 1, STEP, large, LARGE);
    refused += error == JD_ENOMEM;
    fail_request(me, UINT32_MAX);
    must(me, jd_finish_end(me, &s));
    ok(refused == 1, "no memory for a large argument");
    ok(jd_phaser_next(me, p, JD_NOW) == 0, "and nobody was registered");
    must(me, jd_phaser_destroy(me, p));
}

static const jd_task_def tasks[] = {[STEP] = JD_TASK(step), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(requests(me) > 0, "requests are counted");
    is_u64(turns(me, UINT64_MAX), 0, "nothing is asked for by tasks that go in step");
    is_u64(turns(me, UINT64_C(3600000000000)), 0, "nor with deadlines");
    is_u64(places(me), 0, "nor by a new phaser in an old place");
    test_refusals(me);
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else nothing is counted */
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, tasks);
}
