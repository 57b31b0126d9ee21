/*
 * sched_record_keeps_what_was_added.c
 *
 * Role: a walk meets every task that was added, in order and whole, with spilled arguments in
 *       place.  clear forgets the tasks and keeps the memory.  When memory is refused the record
 *       does not change.
 * Owner: one thread.
 * See: sched/record.h.
 */
#include "sched/record.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { TASKS = 600, INLINE = 48, LONGEST = 5000, FAILURES = 8 };

/* A task as it lies in a slot of 64 bytes. */
struct slot {
    _Alignas(16) unsigned char bytes[JDI_TASK_HEAD + INLINE];
};

static uint32_t length_of(uint64_t number)
{
    static const uint32_t lengths[] = {0, 1, 15, 16, 17, 47, 48, 49, 300, LONGEST};
    return lengths[number % JDI_ARRAY_LEN(lengths)];
}

static unsigned char byte_of(uint64_t number, uint32_t i)
{
    return (unsigned char)(number * 7 + i * 13);
}

/* The task of a number; its argument is spilled if it does not fit, and if so the caller's. */
static struct jdi_task *make(struct slot *slot, uint64_t number, uint16_t flags)
{
    struct jdi_task *t = (struct jdi_task *)(void *)slot->bytes;
    uint32_t len = length_of(number);
    *t = (struct jdi_task){
        .id = number, .fn = (uint16_t)(number % 9), .flags = flags, .len = len};
    if (len > INLINE) {
        void *spill = jdi_alloc(NULL, len);
        if (!spill)
            bail_out("no memory");
        jdi_task_set_spill(t, spill);
    }
    for (uint32_t i = 0; i < len; i++)
        ((unsigned char *)jdi_task_arg(t))[i] = byte_of(number, i);
    return t;
}

static void unmake(struct jdi_task *t)
{
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
}

static int add(struct jdi_record *r, uint64_t number, struct jdi_fault *f)
{
    struct slot slot;
    struct jdi_task *t = make(&slot, number, JDI_TASK_SEED);
    int error = jdi_record_add(r, t, f);
    unmake(t);
    memset(&slot, 0xEE, sizeof slot);
    return error;
}

static bool is_whole(const struct jdi_task *t, uint64_t number)
{
    bool right = t->id == number && t->fn == number % 9 && t->len == length_of(number) &&
                 t->flags == JDI_TASK_SEED && (uintptr_t)t % 16 == 0;
    for (uint32_t i = 0; right && i < t->len; i++)
        right = t->arg[i] == byte_of(number, i);
    return right;
}

/* Does a walk meet the numbers from `first` on, n of them? */
static bool walks(const struct jdi_record *r, uint64_t first, uint64_t n)
{
    uint64_t met = 0;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(r, t)); met++)
        if (met == n || !is_whole(t, first + met))
            return false;
    return met == n && r->count == n;
}

static void test_walk(void)
{
    struct jdi_record r = {0};
    ok(!jdi_record_next(&r, NULL), "an empty record has nothing to walk");
    bool right = true;
    for (uint64_t i = 1; i <= TASKS; i++) {
        right = add(&r, i, NULL) == 0 && right;
        if (i < 30 || i == TASKS)
            right = walks(&r, 1, i) && right;
    }
    ok(right, "a walk meets every task, while the record grows");
    unsigned char *bytes = r.bytes;
    size_t room = r.room;
    jdi_record_clear(&r);
    ok(walks(&r, 1, 0), "clear forgets them");
    for (uint64_t i = 1; i <= TASKS; i++)
        right = add(&r, 5 + i, NULL) == 0 && right;
    ok(right && walks(&r, 6, TASKS), "others take their place");
    ok(r.bytes == bytes && r.room == room, "in the same memory");
    jdi_record_free(&r);
    ok(!r.bytes && walks(&r, 1, 0), "free leaves an empty record");
}

static void test_failure(void)
{
    bool right = true;
    for (unsigned k = 1; k <= FAILURES; k++) {
        struct jdi_fault fault = {.armed = {[JDI_FAULT_alloc] = k}};
        struct jdi_record r = {0};
        uint64_t n = 0;
        while (n < TASKS * 4 && add(&r, n + 1, &fault) == 0)
            n++;
        right = right && n < TASKS * 4 && walks(&r, 1, n);
        right = right && add(&r, n + 1, &fault) == 0 && walks(&r, 1, n + 1);
        jdi_record_free(&r);
    }
    ok(right, "what was refused is not there, what was there is, and it goes on");
}

int main(void)
{
    test_walk();
    test_failure();
    return done_testing();
}
