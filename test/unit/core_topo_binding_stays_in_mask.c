/*
 * core_topo_binding_stays_in_mask.c
 *
 * Role: on this machine: the mask a thread was started with is what is found, and binding
 *       never leaves it; topologies can be loaded by several threads at once.
 * Owner: each child thread, which narrows and binds itself.
 * Invariants: I1 of core/topo.h.
 * Order: threads meet by pthread_join only.
 * See: core/topo.c.
 */
#include "core/topo.h"
#include "test/kit/tap.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static bool is_subset(const cpu_set_t *a, const cpu_set_t *b)
{
    cpu_set_t both;

    CPU_AND(&both, a, b);
    return CPU_EQUAL(&both, a);
}

/* Binds every slot of a rank alone on the host; NULL, or what went wrong. */
static const char *bind_all(struct jdi_topo *t, const char *bind, const cpu_set_t *mine)
{
    struct jdi_knobs k = {.bind = bind};
    struct jdi_topo_peer self;
    struct jdi_placement p;
    cpu_set_t now;

    jdi_topo_self(t, &self);
    jdi_topo_place(t, &k, &self, 1, 0, 1, &p);
    for (unsigned slot = 0; slot < p.workers + 3; slot++) {
        if (jdi_topo_bind(t, &p, slot))
            return "binding was refused";
        sched_getaffinity(0, sizeof now, &now);
        if (!is_subset(&now, mine))
            return "a slot left the mask";
        if (p.bind == JDI_BIND_PU && CPU_COUNT(&now) != 1)
            return "bound to a PU is not one PU";
    }
    return NULL;
}

/* arg: the PU to narrow this thread to, or NULL to keep its mask. */
static void *try_mask(void *arg)
{
    const int *pu = arg;
    struct jdi_topo *t;
    struct jdi_topo_peer self;
    cpu_set_t mine;
    const char *wrong;

    if (pu) {
        CPU_ZERO(&mine);
        CPU_SET(*pu, &mine);
        if (sched_setaffinity(0, sizeof mine, &mine))
            return "cannot narrow the mask";
    }
    sched_getaffinity(0, sizeof mine, &mine);
    if (jdi_topo_new(&t))
        return "cannot load the machine";
    jdi_topo_self(t, &self);
    wrong = jdi_topo_npus(t) == (unsigned)CPU_COUNT(&mine) ? NULL : "wrong number of PUs";
    for (int i = 0; i < CPU_SETSIZE && !wrong; i++)
        if ((self.mask[i / 64] >> (i % 64) & 1) != (uint64_t) !!CPU_ISSET(i, &mine))
            wrong = "another mask than the thread's";
    if (!wrong && jdi_topo_ncores(t) < 1)
        wrong = "no core";
    if (!wrong)
        wrong = bind_all(t, "core", &mine);
    if (!wrong)
        wrong = bind_all(t, "pu", &mine);
    if (!wrong)
        wrong = bind_all(t, "numa", &mine);
    jdi_topo_free(t);
    return (void *)wrong;
}

int main(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    cpu_set_t all;
    int last = 0;

    sched_getaffinity(0, sizeof all, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all))
            last = i;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, try_mask, i == 1 ? &last : NULL))
            bail_out("no thread");
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ok(!wrong, "%s: %s", i == 1 ? "a mask of one PU" : "the whole mask",
           wrong ? (char *)wrong : "every slot stays inside");
    }
    return done_testing();
}
