/*
 * sched_crowds.c
 *
 * Role: more tasks wait than JACKDAW_MAX_SUSPENDED, or than there is memory for, and all of them go on.
 *       "cap N": N tasks of each rank wait until the last task of their rank, which has to begin for
 *       that, resumes them.  "memory N": N tasks of each rank wait while the process may map only a
 *       little more than it has; the body resumes those that wait when nothing moves.
 * Owner: as sched_waiting_kit.h.
 * See: sched/crowd.c, test/dist/sched_crowds.sh.
 */
#include "test/dist/sched_waiting_kit.h"

#include <sys/resource.h>
#include <unistd.h>

enum { PARK, WAKE };
enum {
    QUIET = 200,    /* looks of the body at which nothing has moved */
    MORE = 64 << 20 /* bytes that may be mapped beyond what there is */
};

static void wake(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    uint64_t all = *(const uint64_t *)arg;
    while (atomic_load_explicit(&s->parked, memory_order_relaxed) < all)
        jd_yield(me);
    resume_all(me, s);
}

static const jd_task_def tasks[] = {
    [PARK] = JD_TASK(park), [WAKE] = JD_TASK(wake), JD_TASK_END};

/* The tasks of a rank stay there: who has parked them resumes them. */
static jd_coll *make_local(jd_self *me, struct shared *s, enum jd_stealing who)
{
    jd_coll_props props = {.local = s, .no_restore = 1};
    jd_coll *c = NULL;
    memset(s, 0, sizeof *s);
    must(me, jd_coll_create(me, &props, &c));
    must(me, jd_coll_stealing(me, c, who));
    return c;
}

/* The oldest task runs last, and only it can end the wait of the others. */
static void test_cap(jd_self *me, struct shared *s, uint64_t each)
{
    jd_coll *c = make_local(me, s, JD_STEAL_LOCAL);
    must(me, jd_coll_add(me, c, WAKE, &each, sizeof each));
    add(me, c, PARK, each);
    must(me, jd_coll_process(me, c));
    ok_all(me, atomic_load(&s->done) == each, "each of %llu tasks went on",
           (unsigned long long)each);
    ok_all(me, adds_up(me, c, sum_of(me, each + 1)), "and each ran once");
    end(me, c, s);
}

static uint64_t mapped(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%llu", &pages) != 1)
        bail_out("no /proc/self/statm");
    fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void test_memory(jd_self *me, struct shared *s, uint64_t each)
{
    /* Tasks that move need memory, too. */
    jd_coll *c = make_local(me, s, JD_STEAL_NONE);
    add(me, c, PARK, each);
    must(me, jd_barrier(me));
    struct rlimit before, tight;
    getrlimit(RLIMIT_AS, &before);
    tight = (struct rlimit){mapped() + MORE, before.rlim_max};
    setrlimit(RLIMIT_AS, &tight);
    must(me, jd_coll_start(me, c));
    uint64_t seen = 0, most = 0;
    for (int quiet = 0; atomic_load(&s->done) < each; jd_yield(me)) {
        uint64_t now = atomic_load(&s->parked) + atomic_load(&s->done);
        uint64_t wait = atomic_load(&s->parked) - atomic_load(&s->done);
        most = wait > most ? wait : most;
        quiet = now == seen ? quiet + 1 : 0;
        seen = now;
        if (quiet > QUIET)
            resume_all(me, s);
    }
    must(me, jd_coll_wait(me, c));
    setrlimit(RLIMIT_AS, &before);
    ok_all(me, most < each, "only %llu of %llu tasks could wait at once",
           (unsigned long long)most, (unsigned long long)each);
    ok_all(me, adds_up(me, c, sum_of(me, each)), "and all ran once");
    end(me, c, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    uint64_t each = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (!each)
        jd_abort(me, 99, "usage: sched_crowds cap|memory TASKS");
    (strcmp(argv[1], "cap") ? test_memory : test_cap)(me, &s, each);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
