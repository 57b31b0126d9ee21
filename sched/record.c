/*
 * record.c - a growing list of packed tasks: what was seeded, what was executed.
 *
 * Role: append, clear, walk, take out.
 * Invariants: I1 of record.h.
 * See: record.h.
 */
#include "sched/record.h"

#include "core/grow.h"

enum { FIRST_ROOM = 1024 };

static int make_room_for_task(struct jdi_record *r, size_t need, struct jdi_fault *f)
{
    if (r->room - r->used >= need) /* as for nearly all */
        return 0;
    void *bytes = jdi_grow(f, r->bytes, r->used, need, 1, &r->room, FIRST_ROOM);
    if (!bytes)
        return JD_ENOMEM;
    r->bytes = bytes;
    return 0;
}

int jdi_record_add(struct jdi_record *r, const struct jdi_task *t, struct jdi_fault *f)
{
    size_t need = jdi_task_packed(t);
    if (make_room_for_task(r, need, f))
        return JD_ENOMEM;
    struct jdi_task *copy = (struct jdi_task *)(void *)(r->bytes + r->used);
    *copy = (struct jdi_task){.id = t->id, .fn = t->fn, .flags = t->flags, .len = t->len};
    memcpy(copy->arg, t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : t->arg, t->len);
    copy->flags &= (uint16_t)~JDI_TASK_SPILLED;
    r->used += need;
    r->count++;
    return 0;
}

int jdi_record_append(struct jdi_record *r, const void *bytes, size_t len, uint64_t n,
                      struct jdi_fault *f)
{
    JD_ASSERT(len % JDI_TASK_ALIGN == 0);
    if (make_room_for_task(r, len, f))
        return JD_ENOMEM;
    memcpy(r->bytes + r->used, bytes, len);
    r->used += len;
    r->count += n;
    return 0;
}

void jdi_record_clear(struct jdi_record *r)
{
    r->used = 0;
    r->count = 0;
}

void jdi_record_drop(struct jdi_record *r, uint16_t flag)
{
    size_t used = 0;
    uint64_t count = 0;
    for (size_t at = 0; at < r->used;) {
        const struct jdi_task *t = jdi_record_at(r, at);
        size_t bytes = jdi_task_packed(t);
        if (!(t->flags & flag)) {
            memmove(r->bytes + used, t, bytes);
            used += bytes;
            count++;
        }
        at += bytes;
    }
    r->used = used;
    r->count = count;
}

void jdi_record_free(struct jdi_record *r)
{
    jdi_free(r->bytes);
    *r = (struct jdi_record){0};
}

const struct jdi_task *jdi_record_next(const struct jdi_record *r,
                                       const struct jdi_task *t)
{
    const unsigned char *at =
        t ? (const unsigned char *)t + jdi_task_packed(t) : r->bytes;
    if (!r->used || at == r->bytes + r->used)
        return NULL;
    return (const struct jdi_task *)(const void *)at;
}
