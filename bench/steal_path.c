/*
 * steal_path.c - a job of two ranks in which one task is stolen, with every function entry noted.
 *
 * Role: the program of steal_path.sh, which compiles it and the library with
 *       -finstrument-functions.  It prints entries (1) and returns (-1) in their order, each with
 *       its rank and the function's address.
 * Owner: an event belongs to the thread that has drawn its number; main reads after the job.
 * See: bench/steal_path.sh.
 */
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdio.h>

enum { STOLEN };
enum { EVENTS_MAX = 1 << 22 }; /* the first ones; a job of this size has some 200,000 */

#define UNTRACED __attribute__((no_instrument_function))
UNTRACED void __cyg_profile_func_enter(void *fn, void *site);
UNTRACED void __cyg_profile_func_exit(void *fn, void *site);

static struct event {
    void *fn;
    int rank, step;
} events[EVENTS_MAX];
static _Atomic size_t nevents;      /* any | any, relaxed: a number for each event */
static _Thread_local int here = -1; /* this thread's rank, once its body has begun */

static UNTRACED size_t count_events(void)
{
    return atomic_load_explicit(&nevents, memory_order_relaxed);
}

static UNTRACED void note_event(void *fn, int step)
{
    size_t i = here < 0 ? EVENTS_MAX
                        : atomic_fetch_add_explicit(&nevents, 1, memory_order_relaxed);
    if (i < EVENTS_MAX)
        events[i] = (struct event){fn, here, step};
}

void __cyg_profile_func_enter(void *fn, void *site)
{
    (void)site;
    note_event(fn, 1);
}

void __cyg_profile_func_exit(void *fn, void *site)
{
    (void)site;
    note_event(fn, -1);
}

/* Rank 0 is busy until rank 1 has taken many turns, in one of which it has asked. */
static void stolen(jd_self *me, void *arg)
{
    (void)arg;
    size_t until = jd_rank(me) == 0 ? count_events() + 20000 : 0;
    while (count_events() < until) /* rank 0 adds none here */
        ;
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    here = (int)jd_rank(me);
    jd_coll *c;
    int error = jd_coll_create(me, &(jd_coll_props){.no_restore = 1}, &c);
    for (int i = 0; !error && here == 0 && i < 2; i++)
        error = jd_coll_add(me, c, STOLEN, &i, sizeof i);
    return error || jd_coll_process(me, c) || jd_coll_destroy(me, c);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {[STOLEN] = JD_TASK(stolen), JD_TASK_END};
    int status = jd_launch(argc, argv, body, tasks);
    for (size_t i = 0; i < count_events() && i < EVENTS_MAX; i++)
        printf("%d %p %d\n", events[i].rank, events[i].fn, events[i].step);
    return status;
}
