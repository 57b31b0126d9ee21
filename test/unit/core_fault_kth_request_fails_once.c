/*
 * core_fault_kth_request_fails_once.c
 *
 * Role: an armed site refuses its k-th request and no other, also with several threads;
 *       memory is aligned, zeroed where promised, and refused when it cannot be had.
 * Owner: the main thread, and four that count.
 * Invariants: I1 and I2 of core/fault.c.
 * Order: threads meet by pthread_join only.
 * See: core/fault.c.
 */
#include "core/fault.h"
#include "test/kit/tap.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, REQUESTS = 10000 };

static void *request_many(void *arg)
{
    uintptr_t refused = 0;

    for (int i = 0; i < REQUESTS; i++)
        refused += jdi_fault_hit(arg, JDI_FAULT_thread);
    return (void *)refused;
}

static void test_memory(void)
{
    struct jdi_fault f = {0};
    int failed_at = 0, failures = 0;
    char err[256];

    ok(jdi_fault_parse(&f, "alloc:7", err, sizeof err) == 0, "alloc:7 is understood");
    for (int i = 1; i <= 30; i++) {
        void *p = i % 2 ? jdi_alloc(&f, 10) : jdi_zalloc(&f, 10);
        if (!p) {
            failed_at = i;
            failures++;
        }
        jdi_free(p);
    }
    ok(failures == 1 && failed_at == 7, "of 30 allocations exactly the 7th fails");
    ok(!jdi_fault_hit(&f, JDI_FAULT_send), "other sites go on");
    ok(!jdi_fault_hit(NULL, JDI_FAULT_alloc), "no faults at all for NULL");
}

static void test_shape(void)
{
    static const char zeroes[1000];
    char *p = jdi_alloc(NULL, sizeof zeroes), *q;
    void *empty = jdi_alloc(NULL, 0);

    memset(p, 0xff, sizeof zeroes);
    jdi_free(p);
    q = jdi_zalloc(NULL, sizeof zeroes);
    ok(q && !memcmp(q, zeroes, sizeof zeroes), "jdi_zalloc gives zeroes");
    ok((uintptr_t)q % JDI_CACHE_LINE == 0, "on a cache line of its own");
    ok(empty && (uintptr_t)empty % JDI_CACHE_LINE == 0,
       "an empty request has an address");
    ok(!jdi_alloc(NULL, SIZE_MAX - 5), "a size that cannot be rounded up is refused");
    jdi_free(q);
    jdi_free(empty);
    jdi_free(NULL);
}

static void test_threads(void)
{
    struct jdi_fault f = {0};
    pthread_t thread[THREADS];
    uintptr_t refused = 0;
    char err[256];

    if (jdi_fault_parse(&f, "thread:25000", err, sizeof err))
        bail_out("%s", err);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, request_many, &f))
            bail_out("no thread");
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        refused += (uintptr_t)result;
    }
    is_u64(refused, 1, "of %d requests by %d threads one fails", THREADS * REQUESTS,
           THREADS);
    is_u64(atomic_load_explicit(&f.count[JDI_FAULT_thread], memory_order_relaxed),
           THREADS * REQUESTS, "all were counted");
    is_u64(atomic_load_explicit(&f.count[JDI_FAULT_alloc], memory_order_relaxed), 0,
           "a site that is not armed is not counted");
}

int main(void)
{
    test_memory();
    test_shape();
    test_threads();
    return done_testing();
}
