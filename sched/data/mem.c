/*
 * mem.c - registered memory: one name, shared by all ranks, for the bytes that each rank has.
 *
 * Role: jd_mem_create, jd_mem_destroy, jd_mem_local; finding and checking ranges.
 * Owner: the communication thread registers and forgets; any thread finds.
 * Invariants: I1 the ranks give the same numbers, because the calls are collective and a number
 *                that one rank could not use is used by no rank.
 *             I2 a part is found only under its own number, so an old name is harmless.
 * Order: [pair: mem-slot] acquire here, release where a part is registered.
 * See: doc/data.md "Memory and copies".
 */
#include "sched/data/mem.h"

struct jdi_mem *jdi_mem_slot(const struct jdi_rank *r, uint64_t number)
{
    /* [pair: mem-slot] acquire: the slots are NULL at first; the part's fields. */
    struct jdi_mem_slots *s = atomic_load_explicit(&r->data->mems, memory_order_acquire);
    return s ? atomic_load_explicit(&s->part[number % JDI_MEMS], memory_order_acquire)
             : NULL;
}

static struct jdi_mem *find_mem(const struct jdi_rank *r, uint64_t number, bool objects)
{
    struct jdi_mem *m = jdi_mem_slot(r, number);
    return m && m->number == number && !m->born == !objects ? m : NULL;
}

struct jdi_mem *jdi_mem_objects(const struct jdi_rank *r, uint64_t number)
{
    return find_mem(r, number, true);
}

unsigned char *jdi_mem_at(const struct jdi_rank *r, jd_mem mem, uint64_t offset,
                          uint64_t n)
{
    const struct jdi_mem *m = find_mem(r, mem.number, false);
    if (!m || offset > m->size || n > m->size - offset)
        return NULL;
    return m->bytes + offset;
}

bool jdi_mem_is_frozen(const struct jdi_rank *r, uint64_t number)
{
    const struct jdi_mem *m = find_mem(r, number, false);
    return m && atomic_load_explicit(&m->frozen, memory_order_relaxed);
}

/* ---- create ------------------------------------------------------------------------- */

struct mem_call {
    struct jdi_collective all;
    struct jdi_mem *mem; /* NULL: out of memory */
    uint64_t number;
};

/* The next free number, or 0 if all slots are taken.  Every rank finds the same number, because the
 * tables of the ranks agree (I1). */
static uint64_t free_number(const struct jdi_rank *r)
{
    for (unsigned i = 0; i < JDI_MEMS; i++) {
        uint64_t n = ++r->data->nmems;
        if (!jdi_mem_slot(r, n))
            return n;
    }
    return 0;
}

/* False: no memory for the slots. */
static bool make_mem_slots(struct jdi_rank *r)
{
    if (atomic_load_explicit(&r->data->mems, memory_order_relaxed))
        return true;
    struct jdi_mem_slots *s = jdi_zalloc(&r->am->fault, sizeof *s);
    /* [pair: mem-slot] release: the slots are NULL. */
    atomic_store_explicit(&r->data->mems, s, memory_order_release);
    return s != NULL;
}

static void set_slot(struct jdi_data *d, uint64_t number, struct jdi_mem *m)
{
    struct jdi_mem_slots *s = atomic_load_explicit(&d->mems, memory_order_relaxed);
    /* [pair: mem-slot] release: the fields of *m. */
    atomic_store_explicit(&s->part[number % JDI_MEMS], m, memory_order_release);
}

/* A rank that failed still takes part in the reduction, because the others wait for it.  Its words
 * make the comparison fail on every rank. */
static void run_mem_create(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct mem_call *c = jdi_container_of(call, struct mem_call, all.call);
    c->number = free_number(r);
    bool ready = c->mem && c->number && make_mem_slots(r);
    if (ready) {
        c->mem->number = c->number;
        if (c->mem->born)
            c->mem->born(c->mem);
        set_slot(r->data, c->number, c->mem);
    }
    c->all.value[0] = ready ? c->number : 0;
    c->all.value[1] = ready ? ~c->number : 0;
    jdi_collective_reduce(&c->all, c->all.value, 2, JDI_AM_U64, JD_MIN);
}

static void run_mem_forget(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct mem_call *c = jdi_container_of(call, struct mem_call, all.call);
    set_slot(r->data, c->number, NULL);
    jdi_collective_done(&c->all, 0);
}

static void free_part(struct jdi_mem *m)
{
    if (!m)
        return;
    jdi_free(m->own);
    jdi_free(m);
}

/* Objects belong to the part from now on. */
static struct jdi_mem *new_mem(struct jdi_rank *r, void *ptr, size_t size,
                               void (*born)(struct jdi_mem *m))
{
    struct jdi_mem *m = born && !ptr ? NULL : jdi_zalloc(&r->am->fault, sizeof *m);
    if (!m) {
        if (born)
            jdi_free(ptr);
        return NULL;
    }
    m->own = born ? ptr : NULL;
    m->size = size;
    m->born = born;
    if (!ptr)
        ptr = m->own = jdi_zalloc(&r->am->fault, size);
    m->bytes = ptr;
    if (ptr)
        return m;
    jdi_free(m);
    return NULL;
}

int jdi_mem_create(jd_self *me, enum jdi_collective_what what, void *ptr, size_t size,
                   void (*born)(struct jdi_mem *m), uint64_t *number)
{
    if (!me->is_body)
        return JD_ESTATE;
    struct mem_call c = {.all.what = what, .mem = new_mem(me->rank, ptr, size, born)};
    (void)jdi_collective(me, &c.all, run_mem_create);
    if (c.all.value[0] && c.all.value[0] == ~c.all.value[1]) {
        *number = c.number;
        return 0;
    }
    if (c.mem && c.number) {
        struct mem_call undo = {.number = c.number};
        (void)jdi_collective(me, &undo.all, run_mem_forget);
    }
    free_part(c.mem);
    return c.all.value[0] ? JD_EMISMATCH : JD_ENOMEM;
}

int jd_mem_create(jd_self *me, void *ptr, size_t size, jd_mem *out)
{
    return jdi_mem_create(me, JDI_COLLECTIVE_MEM_CREATE, ptr, size, NULL, &out->number);
}

/* ---- destroy, look ------------------------------------------------------------------ */

static void run_meet(struct jdi_rank *r, struct jdi_call *call)
{
    struct mem_call *c = jdi_container_of(call, struct mem_call, all.call);
    (void)r;
    c->all.value[0] = c->number;
    c->all.value[1] = ~c->number;
    jdi_collective_reduce(&c->all, c->all.value, 2, JDI_AM_U64, JD_MIN);
}

int jdi_mem_destroy(jd_self *me, enum jdi_collective_what what, struct jdi_mem *m,
                    void (*between)(jd_self *me, struct jdi_mem *m))
{
    struct mem_call c = {.all.what = what, .number = m->number};
    (void)jdi_collective(me, &c.all, run_meet);
    if (c.all.value[0] != ~c.all.value[1])
        return JD_EMISMATCH;
    if (between)
        between(me, m);
    (void)jdi_collective(me, &c.all, run_mem_forget);
    if (m->born) {
        m->next = me->rank->data->retired;
        me->rank->data->retired = m;
    } else {
        free_part(m);
    }
    return 0;
}

void *jdi_mem_again(struct jdi_rank *r, size_t size,
                    bool (*idle)(void *bytes, size_t size))
{
    for (struct jdi_mem *m = r->data->retired; m; m = m->next)
        if (m->own && m->size == size && idle(m->own, size)) {
            void *bytes = m->own;
            m->own = NULL;
            return bytes;
        }
    return NULL;
}

/* Frozen: after all have met, so that what was written before has come.  Not any more: before, so that nothing that is
 * cached then outlasts the meeting. */
int jd_mem_freeze(jd_self *me, jd_mem mem, int on)
{
    if (!me->is_body)
        return JD_ESTATE;
    struct jdi_mem *m = find_mem(me->rank, mem.number, false);
    if (!m)
        return JD_EINVAL;
    struct mem_call c = {.all.what = JDI_COLLECTIVE_MEM_FREEZE,
                         .number = 2 * m->number + (on != 0)};
    bool was = atomic_load_explicit(&m->frozen, memory_order_relaxed);
    if (!on)
        atomic_store_explicit(&m->frozen, false, memory_order_relaxed);
    (void)jdi_collective(me, &c.all, run_meet);
    bool agree = c.all.value[0] == ~c.all.value[1];
    atomic_store_explicit(&m->frozen, agree ? on != 0 : was, memory_order_relaxed);
    return agree ? 0 : JD_EMISMATCH;
}

int jd_mem_destroy(jd_self *me, jd_mem mem)
{
    if (!me->is_body)
        return JD_ESTATE;
    struct jdi_mem *m = find_mem(me->rank, mem.number, false);
    /* If it is NULL, it is so on every rank if the programs agree. */
    return m ? jdi_mem_destroy(me, JDI_COLLECTIVE_MEM_DESTROY, m, NULL) : JD_EINVAL;
}

void *jd_mem_local(const jd_self *me, jd_mem mem, size_t *size)
{
    const struct jdi_mem *m = find_mem(me->rank, mem.number, false);
    if (m && size)
        *size = m->size;
    return m ? m->bytes : NULL;
}

/* ---- of the rank -------------------------------------------------------------------- */

void jdi_mem_free_all(struct jdi_rank *r)
{
    for (struct jdi_mem *m = r->data->retired, *next; m; m = next) {
        next = m->next;
        free_part(m);
    }
    for (unsigned i = 0; i < JDI_MEMS; i++)
        free_part(jdi_mem_slot(r, i));
    jdi_free(atomic_load_explicit(&r->data->mems, memory_order_relaxed));
}
