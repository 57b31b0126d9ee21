/*
 * fd_latency.c - how long a descriptor that is ready waits while every worker computes.
 *
 * Role: a task on each worker computes; one of them writes a byte for a task that waits, and watches the
 *       queues of the rank.  Two times: from the byte to a queue from which an idle worker could
 *       steal, and from the end of the computing tasks to the task that has waited.
 * Owner: the prober of a round, which is the first of its computing tasks.
 * See: bench/README.md.
 *
 *     fd_latency [ROUNDS]     2000, on 2 workers
 */
#include "core/random.h"
#include "sched/runq.h"
#include "sched/worker.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT, COMPUTE };
enum { MOST = 1000000, PAUSE_NS = 300000 };

static int ends[2];
static unsigned nworkers;
static _Atomic unsigned computing;
static _Atomic int over;
static _Atomic uint64_t ended; /* when */
static uint64_t rng = 1, rounds, queued_ns[MOST], running_ns[MOST];

static void must(jd_self *me, int result)
{
    if (result < 0)
        jd_abort(me, 1, "fd_latency: %s", jd_strerror(result));
}

static void wait_for_byte(jd_self *me, void *arg)
{
    char byte;
    uint64_t round = *(uint64_t *)arg;
    must(me, jd_wait_fd(me, ends[0], JD_IN, JD_FOREVER));
    running_ns[round] = jd_clock(me) - atomic_load(&ended);
    if (read(ends[0], &byte, 1) != 1)
        jd_abort(me, 1, "fd_latency: nothing to read");
}

static int anything_ready(const struct jdi_rank *r)
{
    for (unsigned i = 0; i < r->nworkers; i++)
        if (jdi_runq_size(&r->workers[i].ready))
            return 1;
    return 0;
}

static void probe(jd_self *me, uint64_t round)
{
    uint64_t begin = jd_clock(me) + jdi_random_below(&rng, PAUSE_NS);
    while (jd_clock(me) < begin)
        ;
    begin = jd_clock(me);
    if (write(ends[1], "", 1) != 1)
        jd_abort(me, 1, "fd_latency: nothing written");
    while (!anything_ready(me->rank))
        ;
    queued_ns[round] = jd_clock(me) - begin;
    atomic_store(&ended, jd_clock(me));
    atomic_store(&over, 1);
}

static void compute(jd_self *me, void *arg)
{
    int first = !atomic_fetch_add(&computing, 1);
    while (atomic_load(&computing) < nworkers)
        ;
    if (first)
        probe(me, *(uint64_t *)arg);
    while (!atomic_load(&over))
        ;
}

static void one_round(jd_self *me, void *arg)
{
    must(me, jd_async_local(me, WAIT, arg, sizeof(uint64_t)));
    /* The other waits before the byte comes. */
    must(me, jd_sleep(me, PAUSE_NS));
    for (unsigned i = 0; i < nworkers; i++)
        must(me, jd_async_local(me, COMPUTE, arg, sizeof(uint64_t)));
}

static const jd_task_def tasks[] = {
    [WAIT] = JD_TASK(wait_for_byte), [COMPUTE] = JD_TASK(compute), JD_TASK_END};

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void print(const char *what, uint64_t *ns)
{
    qsort(ns, rounds, sizeof *ns, by_size);
    printf("%s: median %.1f us, p99 %.1f us, most %.1f us\n", what,
           1e-3 * (double)ns[rounds / 2], 1e-3 * (double)ns[rounds * 99 / 100],
           1e-3 * (double)ns[rounds - 1]);
}

static int body(jd_self *me, int argc, char **argv)
{
    rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    if (rounds < 1 || rounds > MOST ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
        return 2;
    nworkers = jd_nworkers(me);
    for (uint64_t i = 0; i < rounds; i++) {
        atomic_store(&computing, 0);
        atomic_store(&over, 0);
        must(me, jd_finish(me, one_round, &i));
    }
    printf("%llu rounds, %u workers\n", (unsigned long long)rounds, nworkers);
    print("from the byte to a queue, while all compute", queued_ns);
    print("from the end of the tasks to the task that waited", running_ns);
    return 0;
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 0);
    setenv("JACKDAW_WORKERS", "2", 0);
    return jd_launch(argc, argv, body, tasks);
}
