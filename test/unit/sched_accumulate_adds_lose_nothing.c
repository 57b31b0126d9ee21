/*
 * sched_accumulate_adds_lose_nothing.c
 *
 * Role: threads that add to the same elements leave the sum of all; what is added need not be aligned.
 * Owner: each thread adds; main looks when they have ended.
 * Invariants: I1 the sums are whole numbers, and so exact.
 * See: sched/data/accumulate.c.
 */
#include "sched/data/accumulate.h"
#include "test/kit/tap.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ELEMENTS = 3, TIMES = 1000000 };

static double sums[ELEMENTS];
static pthread_barrier_t gate;

static void *add_often(void *arg)
{
    unsigned char crooked[1 + sizeof sums];
    double more[ELEMENTS] = {1, 2, 3};
    memcpy(crooked + 1, more, sizeof more);
    pthread_barrier_wait(&gate);
    for (int i = 0; i < TIMES; i++)
        jdi_accumulate_add((unsigned char *)sums, crooked + 1, sizeof sums);
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, add_often, NULL))
            bail_out("no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < ELEMENTS; i++)
        ok(sums[i] == (double)THREADS * TIMES * (i + 1), "element %d has every sum", i);
    jdi_accumulate_add((unsigned char *)sums, NULL, 0);
    ok(sums[0] == (double)THREADS * TIMES, "to add nothing changes nothing");
    return done_testing();
}
