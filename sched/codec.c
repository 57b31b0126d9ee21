/*
 * codec.c - tasks as they travel: the payload of TASKS and ASYNC, in all its layouts.
 *
 * Role: the three layouts, each with a writer, a check and a reader.
 * Invariants: I1 and I2 of codec.h. I3 every field of a payload is checked here, and nowhere else.
 * See: codec.h.
 */
#include "sched/codec.h"

#include "sched/origin.h"

/* The head of a task of a finish; its packed argument follows. */
struct finish_head {
    uint32_t group, bytes;
    uint16_t fn, flags;
    uint32_t len; /* of the argument in memory */
};

static const jd_task_hooks *hooks_of(const struct jdi_codec *k, uint16_t fn)
{
    return k->layout == JDI_TASKS_FINISH ? k->known->row[fn].hooks : NULL;
}

/* ---- writing ------------------------------------------------------------------------ */

/* Bytes of an argument once it is packed. */
static size_t packed_bytes(const struct jdi_codec *k, const struct jdi_task *t,
                           const void *arg)
{
    const jd_task_hooks *hooks = hooks_of(k, t->fn);
    size_t head = jdi_range_head(t);
    return hooks ? head + hooks->size((const char *)arg + head) : t->len;
}

size_t jdi_codec_size(const struct jdi_codec *k, const struct jdi_task *t)
{
    if (k->layout == JDI_TASKS_STRAIGHT)
        return k->slot_size;
    if (k->layout == JDI_TASKS_PACKED)
        return jdi_task_packed(t);
    const void *arg =
        t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : (const void *)t->arg;
    return sizeof(struct finish_head) + packed_bytes(k, t, arg);
}

static unsigned char *put_plain(unsigned char *to, const struct jdi_task *t,
                                const void *arg, uint64_t id)
{
    struct jdi_task head = {.id = id, .fn = t->fn, .len = t->len};
    head.flags = t->flags & (uint16_t)~JDI_TASK_SPILLED;
    memcpy(to, &head, sizeof head);
    if (t->len)
        memcpy(to + JDI_TASK_HEAD, arg, t->len);
    return to + jdi_task_packed(t);
}

unsigned char *jdi_codec_put(const struct jdi_codec *k, unsigned char *to,
                             const struct jdi_task *t, void *arg, uint64_t id)
{
    JD_ASSERT(k->layout != JDI_TASKS_STRAIGHT); /* straight slots are sent in place */
    if (k->layout == JDI_TASKS_PACKED)
        return put_plain(to, t, arg, id);
    struct finish_head h = {.group = (uint32_t)id, .fn = t->fn, .len = t->len};
    size_t head = jdi_range_head(t);
    JD_ASSERT(h.group < k->ngroups);
    h.flags = t->flags & (JDI_TASK_RANGE | JDI_TASK_LABELLED);
    h.bytes = (uint32_t)packed_bytes(k, t, arg);
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    if (hooks_of(k, t->fn)) {
        if (head)
            memcpy(to, arg, head);
        hooks_of(k, t->fn)->pack((char *)arg + head, to + head);
    } else if (h.bytes) {
        memcpy(to, arg, h.bytes);
    }
    return to + h.bytes;
}

/* ---- reading ------------------------------------------------------------------------ */

/* Read the head at `at`, unchecked, into the task.  Returns the bytes that the head claims, or 0 if
 * the payload has fewer. */
static size_t read_task(const struct jdi_codec *k, const unsigned char *at, size_t left,
                        struct jdi_codec_task *out)
{
    struct finish_head h;
    struct jdi_task t;
    _Static_assert(sizeof h == sizeof t, "both heads have one size");
    if (left < sizeof t)
        return 0;
    memcpy(&t, at, sizeof t);
    *out = (struct jdi_codec_task){t.id, at + sizeof t, t.len, t.len, t.fn, t.flags};
    uint64_t took =
        k->layout == JDI_TASKS_STRAIGHT ? k->slot_size : JDI_TASK_HEAD + (uint64_t)t.len;
    if (k->layout == JDI_TASKS_PACKED)
        took = jdi_round_up(took, JDI_TASK_ALIGN);
    if (k->layout == JDI_TASKS_FINISH) {
        memcpy(&h, at, sizeof h);
        *out = (struct jdi_codec_task){h.group, at + sizeof h, h.len,
                                       h.bytes, h.fn,          h.flags};
        took = sizeof h + (uint64_t)h.bytes;
    }
    return took <= left ? (size_t)took : 0;
}

/* Are the fields of a range consistent? */
static bool range_fits(const struct jdi_codec_task *t)
{
    struct jdi_range range;
    size_t head = jdi_task_label_head(t->flags);
    if (!(t->flags & JDI_TASK_RANGE))
        return true;
    if (t->len < head + sizeof range || t->bytes < head + sizeof range)
        return false;
    memcpy(&range, t->arg + head, sizeof range);
    return range.size == t->len - head - sizeof range && range.grain > 0;
}

/* Can the task have the name that its label says? */
static bool name_fits(const struct jdi_codec *k, const struct jdi_codec_task *t)
{
    return !jdi_codec_label(t).name ||
           (!(t->flags & JDI_TASK_RANGE) && !hooks_of(k, t->fn));
}

/* Does a seed of a timed collection say where it comes from? */
static bool has_origin(const struct jdi_codec *k, const struct jdi_codec_task *t)
{
    struct jdi_origin origin;
    if (!k->nranks || !(t->flags & JDI_TASK_SEED))
        return true;
    if (t->len < sizeof origin)
        return false;
    memcpy(&origin, t->arg, sizeof origin);
    return origin.rank < k->nranks;
}

static const char *fault_of_task(const struct jdi_codec *k,
                                 const struct jdi_codec_task *t)
{
    bool finish = k->layout == JDI_TASKS_FINISH;
    uint16_t may =
        finish ? JDI_TASK_RANGE | JDI_TASK_LABELLED : JDI_TASK_SEED | JDI_TASK_AGAIN;
    uint32_t most = k->layout == JDI_TASKS_STRAIGHT ? k->arg_size : JDI_TASK_ARG_MAX;
    if (k->nranks && k->layout == JDI_TASKS_PACKED)
        most += sizeof(struct jdi_origin);
    uint32_t head = (uint32_t)jdi_task_label_head(t->flags);
    if (t->fn >= k->known->count)
        return "a task that is in no row of the table";
    if (!finish && k->known->row[t->fn].hooks)
        return "a task with hooks, in a collection";
    if (t->flags & ~may)
        return "a task with flags that do not travel";
    if (t->len > most + head)
        return "a task whose argument is too large";
    if (t->len < head || t->bytes < head)
        return "a task that says it has a label, without room for one";
    if (finish && t->id >= k->ngroups)
        return "a task of no finish of the message";
    if (!hooks_of(k, t->fn) && t->bytes != t->len)
        return "a task whose argument has another size than it says";
    if (!range_fits(t))
        return "a range that does not fit what it says of itself";
    if (!name_fits(k, t))
        return "a name of a task that has none";
    if (!has_origin(k, t))
        return "a seed of no rank";
    return NULL;
}

const char *jdi_codec_fault(const struct jdi_codec *k, const void *tasks, size_t len,
                            uint64_t n)
{
    const unsigned char *at = tasks;
    struct jdi_codec_task t;
    for (uint64_t i = 0; i < n; i++) {
        size_t took = read_task(k, at, len, &t);
        if (!took)
            return "fewer tasks than it says";
        const char *fault = fault_of_task(k, &t);
        if (fault)
            return fault;
        at += took;
        len -= took;
    }
    return len ? "more bytes than its tasks have" : NULL;
}

const unsigned char *jdi_codec_next(const struct jdi_codec *k, const unsigned char *at,
                                    struct jdi_codec_task *out)
{
    return at + read_task(k, at, SIZE_MAX, out);
}

int jdi_codec_land(const struct jdi_codec *k, struct jdi_task *slot,
                   const struct jdi_codec_task *t, uint64_t id)
{
    JD_ASSERT(!fault_of_task(k, t));
    const jd_task_hooks *hooks = hooks_of(k, t->fn);
    *slot = (struct jdi_task){.id = id, .fn = t->fn, .flags = t->flags, .len = t->len};
    if (t->len > k->arg_size) {
        void *spill = jdi_alloc(k->fault, t->len);
        if (!spill)
            return JD_ENOMEM;
        jdi_task_set_spill(slot, spill);
    }
    JD_ASSERT((slot->flags & ~JDI_TASK_SPILLED) == t->flags && slot->fn == t->fn);
    char *arg = jdi_task_arg(slot);
    size_t head = hooks ? jdi_range_head(slot) : t->bytes;
    if (head)
        memcpy(arg, t->arg, head);
    if (hooks)
        hooks->unpack(arg + head, t->arg + head, t->bytes - head);
    return 0;
}
