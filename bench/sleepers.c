/*
 * sleepers.c - very many tasks that wait at once: what each of them keeps, and whether all go on.
 *
 * Role: chains of tasks, one for each worker; each task makes the next one and suspends itself.  When
 *       all of them wait, one task reads what the process holds and resumes all.
 * Owner: a sleeper lies on the stack of its task; the list owns it until the waker takes it.
 * Invariants: I1 what the program keeps of a task beside its stack is one byte, for the check.
 * See: bench/README.md; core/ult/stack.h.
 *
 *     JACKDAW_STACK_SIZE=64K JACKDAW_WORKERS=2 bench/sleepers [TASKS]
 */
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLEEP, WAKE };

struct sleeper {
    jd_self *me;
    struct sleeper *next;
};

struct all {
    _Atomic(struct sleeper *) list;
    _Atomic uint64_t asleep; /* tasks that are in the list */
    _Atomic uint64_t ended;  /* chains */
    uint64_t tasks, chains, before;
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
    jd_suspend(me, publish, &s);
    atomic_fetch_add_explicit(&all->resumed[i], 1, memory_order_relaxed);
}

static void wake(jd_self *me, void *arg)
{
    struct all *all = jd_local(me);
    (void)arg;
    while (atomic_load_explicit(&all->asleep, memory_order_acquire) < all->tasks)
        jd_yield(me);
    all->slept = jd_now(me);
    uint64_t now = held();
    printf("%llu tasks asleep: %.0f B each\n", (unsigned long long)all->tasks,
           ((double)now - (double)all->before) / (double)all->tasks);
    all->woken = jd_now(me);
    struct sleeper *s = atomic_exchange_explicit(&all->list, NULL, memory_order_acquire);
    while (s) {
        struct sleeper *next =
            s->next; /* *s may be gone as soon as its task is resumed */
        jd_resume(me, s->me);
        s = next;
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    struct all all = {.tasks = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000};
    jd_coll *c = NULL;
    uint64_t wrong = 0;
    all.chains = jd_nworkers(me) < all.tasks ? jd_nworkers(me) : all.tasks;
    all.resumed = malloc(all.tasks);
    if (!all.resumed || !all.tasks)
        return 1;
    memset((void *)all.resumed, 0,
           all.tasks); /* its pages are there before the measurement */
    jd_set_local(me, &all);
    must(jd_barrier(me));
    must(jd_coll_create(me, NULL, &c));
    for (uint64_t i = 0; i < all.chains; i++)
        must(jd_coll_add(me, c, SLEEP, &i, sizeof i));
    all.before = held();
    all.began = jd_now(me);
    must(jd_coll_process(me, c));
    double end = jd_now(me);
    for (uint64_t i = 0; i < all.tasks; i++)
        wrong += atomic_load_explicit(&all.resumed[i], memory_order_relaxed) != 1;
    printf("%.0f ns each to begin and to suspend, %.0f ns to resume and to end\n",
           1e9 * (all.slept - all.began) / (double)all.tasks,
           1e9 * (end - all.woken) / (double)all.tasks);
    printf("%llu tasks resumed once, %llu not\n", (unsigned long long)(all.tasks - wrong),
           (unsigned long long)wrong);
    free((void *)all.resumed);
    must(jd_coll_destroy(me, c));
    return wrong != 0;
}

static const jd_task_def tasks[] = {
    [SLEEP] = JD_TASK(sleep_once), [WAKE] = JD_TASK(wake), JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
