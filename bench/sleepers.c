/*
 * sleepers.c - very many tasks that wait at once: what each of them keeps, and whether all go on.
 *
 * Role: tasks wait until they are resumed, or sleep until a deadline that they share, or have not begun and
 *       wait for a deadline or for a future.  When all of them wait, one reads what the process holds.
 * Owner: a sleeper lies on the stack of its task; the list owns it until the waker takes it.
 * Invariants: I1 what the program keeps of a task beside its stack is one byte, for the check.
 * See: bench/README.md; bench/sleepers.go; core/ult/stack.h; sched/finish/await.c.
 *
 *     JACKDAW_STACK_SIZE=64K JACKDAW_WORKERS=2 bench/sleepers [TASKS [suspend|sleep|after|then]]
 */
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLEEP, WAKE, WOKEN };
/* Until the deadline that all share: so much for each task to fall asleep, and so much more. */
static const uint64_t EACH_NS = 5000, MORE_NS = 2000000000;

struct sleeper {
    jd_self *me;
    struct sleeper *next;
};

struct all {
    _Atomic(struct sleeper *) list;
    _Atomic uint64_t asleep; /* tasks that are in the list */
    _Atomic uint64_t ended;  /* chains */
    uint64_t tasks, chains, before;
    const char *how;
    jd_time deadline; /* of all that sleep; JD_FOREVER: they suspend themselves */
    double began, slept, woken;     /* seconds */
    _Atomic unsigned char *resumed; /* how often, of each task */
};

static void must(int error)
{
    if (error) {
        fprintf(stderr, "sleepers: %s\n", jd_strerror(error));
        exit(1);
    }
}

/* Bytes of memory and of page tables that the process holds, or 0 where nobody says. */
static uint64_t held(void)
{
    char line[256];
    unsigned long long kib, sum = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %llu", &kib) == 1 ||
            sscanf(line, "VmPTE: %llu", &kib) == 1)
            sum += kib;
    if (f)
        fclose(f);
    return sum << 10;
}

static void publish(jd_self *me, void *arg)
{
    struct sleeper *s = arg;
    struct all *all = jd_local(me);
    s->me = me;
    s->next = atomic_load_explicit(&all->list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &all->list, &s->next, s, memory_order_release, memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&all->asleep, 1, memory_order_release);
}

/* Sleeps after it has made the next one of its chain.  The end of the last chain makes the waker. */
static void sleep_once(jd_self *me, void *arg)
{
    struct all *all = jd_local(me);
    uint64_t i = *(const uint64_t *)arg, next = i + all->chains;
    struct sleeper s;
    if (next < all->tasks)
        must(jd_coll_add(me, jd_coll_mine(me), SLEEP, &next, sizeof next));
    else if (atomic_fetch_add_explicit(&all->ended, 1, memory_order_relaxed) + 1 ==
             all->chains)
        must(jd_coll_add(me, jd_coll_mine(me), WAKE, NULL, 0));
    if (all->deadline == JD_FOREVER) {
        jd_suspend(me, publish, &s);
    } else {
        atomic_fetch_add_explicit(&all->asleep, 1, memory_order_release);
        must(jd_sleep_until(me, all->deadline));
    }
    atomic_fetch_add_explicit(&all->resumed[i], 1, memory_order_relaxed);
}

/* All wait: say what each of them keeps. */
static void say_held(jd_self *me, struct all *all)
{
    all->slept = jd_now(me);
    uint64_t now = held();
    printf("%llu tasks asleep (%s): %.0f B each\n", (unsigned long long)all->tasks,
           all->how, ((double)now - (double)all->before) / (double)all->tasks);
    if (all->deadline == JD_FOREVER)
        all->woken = jd_now(me);
    else if (jd_clock(me) < all->deadline)
        all->woken = 1e-9 * (double)all->deadline;
    else
        must(JD_ETIMEDOUT); /* some went on before all slept */
}

static void wake(jd_self *me, void *arg)
{
    struct all *all = jd_local(me);
    (void)arg;
    while (atomic_load_explicit(&all->asleep, memory_order_acquire) < all->tasks)
        jd_yield(me);
    say_held(me, all);
    struct sleeper *s = atomic_exchange_explicit(&all->list, NULL, memory_order_acquire);
    while (s) {
        struct sleeper *next =
            s->next; /* *s may be gone as soon as its task is resumed */
        jd_resume(me, s->me);
        s = next;
    }
}

static void woken(jd_self *me, void *arg)
{
    struct all *all = jd_local(me);
    atomic_fetch_add_explicit(&all->resumed[*(const uint64_t *)arg], 1,
                              memory_order_relaxed);
}

static void wait_on_stacks(jd_self *me, struct all *all)
{
    jd_coll *c = NULL;
    must(jd_coll_create(me, NULL, &c));
    for (uint64_t i = 0; i < all->chains; i++)
        must(jd_coll_add(me, c, SLEEP, &i, sizeof i));
    must(jd_coll_process(me, c));
    must(jd_coll_destroy(me, c));
}

/* Tasks that have not begun. */
static void wait_without_stacks(jd_self *me, struct all *all)
{
    jd_future f;
    jd_scope s;
    must(jd_future_create(me, &f));
    must(jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < all->tasks; i++)
        must(all->deadline == JD_FOREVER
                 ? jd_then(me, f, WOKEN, &i, sizeof i)
                 : jd_async_after(me, all->deadline, WOKEN, &i, sizeof i));
    say_held(me, all);
    must(jd_future_set(me, f, NULL, 0));
    must(jd_finish_end(me, &s));
    must(jd_future_destroy(me, f));
}

static int body(jd_self *me, int argc, char **argv)
{
    struct all all = {.tasks = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000};
    uint64_t wrong = 0;
    all.how = argc > 2 ? argv[2] : "suspend";
    bool sleeps = !strcmp(all.how, "sleep"), after = !strcmp(all.how, "after");
    bool then = !strcmp(all.how, "then");
    if (!all.tasks || argc > 3 ||
        (!sleeps && !after && !then && strcmp(all.how, "suspend"))) {
        fprintf(stderr, "usage: sleepers [TASKS [suspend|sleep|after|then]]\n");
        return 2;
    }
    all.chains = jd_nworkers(me) < all.tasks ? jd_nworkers(me) : all.tasks;
    all.resumed = malloc(all.tasks);
    if (!all.resumed)
        return 1;
    memset((void *)all.resumed, 0,
           all.tasks); /* its pages are there before the measurement */
    jd_set_local(me, &all);
    must(jd_barrier(me));
    all.before = held();
    all.began = jd_now(me);
    all.deadline =
        sleeps || after ? jd_deadline(me, all.tasks * EACH_NS + MORE_NS) : JD_FOREVER;
    if (after || then)
        wait_without_stacks(me, &all);
    else
        wait_on_stacks(me, &all);
    double end = jd_now(me);
    for (uint64_t i = 0; i < all.tasks; i++)
        wrong += atomic_load_explicit(&all.resumed[i], memory_order_relaxed) != 1;
    printf("%.0f ns each to begin and to wait, %.0f ns to go on and to end\n",
           1e9 * (all.slept - all.began) / (double)all.tasks,
           1e9 * (end - all.woken) / (double)all.tasks);
    printf("%llu tasks went on once, %llu not\n", (unsigned long long)(all.tasks - wrong),
           (unsigned long long)wrong);
    free((void *)all.resumed);
    return wrong != 0;
}

static const jd_task_def tasks[] = {[SLEEP] = JD_TASK(sleep_once),
                                    [WAKE] = JD_TASK(wake),
                                    [WOKEN] = JD_TASK(woken),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
