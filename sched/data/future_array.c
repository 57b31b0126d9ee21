/*
 * future_array.c - futures of all ranks whose names every rank can compute.
 *
 * Role: jd_futures_create, jd_futures_destroy: an array of futures at each rank, under one number.
 * Owner: the body; a future in an array as any other.
 * Invariants: I1 all futures of the array live when the first message that names one can come.
 *             I2 the memory of an array stays until the end of the rank, for whoever has found a future there
 *                and comes to its lock later; another array of the same size may use it when nobody holds a
 *                future of the old one.
 * See: doc/data.md "Futures"; sched/data/future_home.h; sched/data/mem.h.
 */
#include "sched/data/future_home.h"
#include "sched/self.h"

/* Nobody holds a future of a destroyed array.  Who has found one by its old name only looks at the
 * generation, under the lock. */
static bool is_idle(void *bytes, size_t size)
{
    struct jdi_future *f = bytes;
    bool idle = true;
    for (size_t i = 0; idle && i < size / sizeof *f; i++) {
        jdi_lock(&f[i].named.lock);
        idle = !f[i].held;
        jdi_unlock(&f[i].named.lock);
    }
    return idle;
}

/* Before anybody finds the array. */
static void array_born(struct jdi_mem *m)
{
    struct jdi_future *f = jdi_future_of_array(m);
    uint32_t generation = jdi_future_generation(m->number);
    JD_CHECK(m->number <= INT32_MAX);
    for (size_t i = 0; i < m->size / sizeof *f; i++)
        atomic_store_explicit(&f[i].named.generation, generation, memory_order_relaxed);
}

int jd_futures_create(jd_self *me, uint32_t n, jd_futures *out)
{
    uint64_t number;
    size_t size = n * sizeof(struct jdi_future);
    struct jdi_future *f = NULL;
    if (me->is_body && !(f = jdi_mem_again(me->rank, size, is_idle)))
        f = jdi_zalloc(&me->rank->am->fault, size);
    for (uint32_t i = 0; f && i < n; i++) {
        f[i].named.place = JDI_FUTURE_IN_ARRAY;
        f[i].len = JDI_FUTURE_UNSET;
    }
    int error =
        jdi_mem_create(me, JDI_COLLECTIVE_FUTURES_CREATE, f, size, array_born, &number);
    if (!error)
        out->number = JDI_FUTURE_ARRAY | number << 32;
    return error;
}

static void end_array(jd_self *me, struct jdi_mem *m)
{
    struct jdi_future *f = jdi_future_of_array(m);
    for (size_t i = 0; i < m->size / sizeof *f; i++) {
        jdi_lock(&f[i].named.lock);
        jdi_future_end(me->rank, me->worker, &f[i]);
    }
}

int jd_futures_destroy(jd_self *me, jd_futures futures)
{
    if (!me->is_body)
        return JD_ESTATE;
    struct jdi_mem *m = futures.number & JDI_FUTURE_ARRAY
                            ? jdi_mem_objects(me->rank, jdi_future_array(futures.number))
                            : NULL;
    return m ? jdi_mem_destroy(me, JDI_COLLECTIVE_FUTURES_DESTROY, m, end_array)
             : JD_EINVAL;
}

void jdi_future_array_free_all(struct jdi_rank *r)
{
    for (uint64_t i = 0; i < JDI_MEMS; i++) {
        struct jdi_mem *m = jdi_mem_slot(r, i);
        for (size_t k = 0; m && m->born && k < m->size / sizeof(struct jdi_future); k++)
            jdi_free(jdi_future_forget(&jdi_future_of_array(m)[k]));
    }
}
