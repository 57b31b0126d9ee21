/*
 * sched_codec_refuses_what_it_did_not_write.c
 *
 * Role: in each layout a payload is read as it was written; every field of a task that is one too
 *       small, one too large or far out of its range is refused before anything is written, and
 *       so is every payload that is cut off or too long.  A seed of a timed collection has to say where it
 *       comes from.  Payloads with random bytes changed are
 *       refused or read, and never lead outside of themselves.
 * Owner: one thread.
 * See: sched/codec.h; doc/transfer.md.
 */
#include "sched/codec.h"

#include "core/random.h"
#include "sched/origin.h"
#include "test/kit/tap.h"

enum { TASKS = 12, SLOT = JDI_TASK_HEAD + 48, ROOM = 16384, CHANGES = 200000 };

static void task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static size_t one_more(const void *arg)
{
    (void)arg;
    return 9;
}

static void pack_it(void *arg, void *to)
{
    memcpy(to, arg, 8);
    ((char *)to)[8] = 'x';
}

static void unpack_it(void *arg, const void *from, size_t n)
{
    if (n >= 8)
        memcpy(arg, from, 8);
}

static const jd_task_hooks hooks = {
    .size = one_more, .pack = pack_it, .unpack = unpack_it};
static const jd_task_def rows[] = {
    {"a", task, NULL, 0}, {"b", task, NULL, 0}, {"hooked", task, &hooks, 0}, JD_TASK_END};
static struct jdi_registry known;

struct payload {
    struct jdi_codec k;
    _Alignas(16) unsigned char bytes[ROOM];
    size_t len;
};

struct slot {
    _Alignas(16) unsigned char bytes[SLOT];
};

static uint32_t length_of(const struct payload *p, unsigned i)
{
    uint32_t long_one = p->k.layout == JDI_TASKS_STRAIGHT ? 40 : 300;
    return i % 3 ? 8 * (i % 6) : long_one;
}

/* The i-th task with its argument in a slot or a block, which ends here. */
static void put_one(struct payload *p, unsigned i)
{
    struct slot slot = {{0}};
    struct jdi_task *t = (struct jdi_task *)(void *)slot.bytes;
    bool hooked = p->k.layout == JDI_TASKS_FINISH && i % 4 == 1;
    uint32_t len = hooked ? 8 : length_of(p, i);
    *t = (struct jdi_task){.id = 100 + i, .fn = hooked ? 2 : i % 2, .len = len};
    if (p->k.layout != JDI_TASKS_FINISH)
        t->flags = JDI_TASK_SEED;
    if (len > SLOT - JDI_TASK_HEAD)
        jdi_task_set_spill(t, jdi_alloc(NULL, len));
    memset(jdi_task_arg(t), (int)i, len);
    if (p->k.layout == JDI_TASKS_STRAIGHT) {
        memcpy(p->bytes + p->len, slot.bytes, SLOT);
        p->len += SLOT;
        return;
    }
    size_t size = jdi_codec_size(&p->k, t);
    uint64_t id = p->k.layout == JDI_TASKS_FINISH ? i % p->k.ngroups : t->id;
    unsigned char *end = jdi_codec_put(&p->k, p->bytes + p->len, t, jdi_task_arg(t), id);
    if (end != p->bytes + p->len + size)
        fail("task %u does not have the size that was said", i);
    p->len += size;
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
}

static void write_payload(struct payload *p, enum jdi_tasks_layout layout)
{
    *p = (struct payload){.k = {.layout = layout,
                                .slot_size = SLOT,
                                .arg_size = SLOT - JDI_TASK_HEAD,
                                .ngroups = layout == JDI_TASKS_FINISH ? 3 : 0,
                                .known = &known}};
    for (unsigned i = 0; i < TASKS; i++)
        put_one(p, i);
}

static const char *fault(const struct payload *p, uint64_t n)
{
    return jdi_codec_fault(&p->k, p->bytes, p->len, n);
}

/* All tasks land; true if each argument is what was put in. */
static bool lands(const struct payload *p)
{
    const unsigned char *at = p->bytes;
    bool right = true;
    for (unsigned i = 0; i < TASKS; i++) {
        struct slot slot;
        struct jdi_codec_task t;
        struct jdi_task *to = (struct jdi_task *)(void *)slot.bytes;
        at = jdi_codec_next(&p->k, at, &t);
        if (jdi_codec_land(&p->k, to, &t, t.id))
            bail_out("no memory");
        const unsigned char *arg = jdi_task_arg(to);
        for (uint32_t b = 0; b < to->len; b++)
            right = right && arg[b] == i;
        if (to->flags & JDI_TASK_SPILLED)
            jdi_free(jdi_task_spill(to));
    }
    return right && at == p->bytes + p->len;
}

static void test_round_trip(struct payload *p, const char *name)
{
    ok(!fault(p, TASKS) && lands(p), "%s: it is read as it was written", name);
    ok(fault(p, TASKS + 1) && fault(p, TASKS - 1) && fault(p, UINT32_MAX),
       "%s: another number of tasks is refused", name);
    unsigned taken = 0;
    size_t whole = p->len;
    for (p->len = 0; p->len < whole; p->len++)
        taken += !fault(p, TASKS);
    is_u64(taken, 0, "%s: every shorter payload is refused", name);
    p->len = whole + 1;
    ok(fault(p, TASKS) != NULL, "%s: a longer one too", name);
    p->len = whole;
}

/* A 16- or 32-bit field of the first task takes a value that it may not have. */
static void refuses(struct payload *p, const char *name, size_t at, size_t size,
                    uint32_t value)
{
    uint32_t before = 0;
    memcpy(&before, p->bytes + at, size);
    memcpy(p->bytes + at, &value, size);
    ok(fault(p, TASKS) != NULL, "%s of %u is refused", name, value);
    memcpy(p->bytes + at, &before, size);
}

static void test_fields(struct payload *p, const char *name)
{
    char what[64];
    static const uint32_t flags[] = {JDI_TASK_SPILLED, 0x10, 0x8000, 0xffff};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(flags); i++) {
        snprintf(what, sizeof what, "%s: flags", name);
        refuses(p, what, 10, 2, flags[i]);
    }
    snprintf(what, sizeof what, "%s: row", name);
    refuses(p, what, 8, 2, known.count);
    refuses(p, what, 8, 2, 0xffff);
    snprintf(what, sizeof what, "%s: length", name);
    refuses(p, what, 12, 4, JDI_TASK_ARG_MAX + 1);
    refuses(p, what, 12, 4, UINT32_MAX);
    if (p->k.layout != JDI_TASKS_FINISH) {
        snprintf(what, sizeof what, "%s: a row with hooks,", name);
        refuses(p, what, 8, 2, 2);
        return;
    }
    snprintf(what, sizeof what, "%s: group", name);
    refuses(p, what, 0, 4, p->k.ngroups);
    refuses(p, what, 0, 4, UINT32_MAX);
    snprintf(what, sizeof what, "%s: bytes", name);
    refuses(p, what, 4, 4, 299);
    refuses(p, what, 4, 4, 301);
    refuses(p, what, 4, 4, UINT32_MAX);
    snprintf(what, sizeof what, "%s: a range without one, flags", name);
    refuses(p, what, 10, 2, JDI_TASK_RANGE);
}

static void test_random_changes(struct payload *p, const char *name)
{
    static unsigned char right[ROOM];
    uint64_t rng = 20261119, read = 0;
    memcpy(right, p->bytes, p->len);
    for (int i = 0; i < CHANGES; i++) {
        for (unsigned k = jdi_random_below(&rng, 3) + 1; k > 0; k--)
            p->bytes[jdi_random_below(&rng, (uint32_t)p->len)] =
                (unsigned char)jdi_random(&rng);
        if (!fault(p, TASKS)) {
            (void)lands(p);
            read++;
        }
        memcpy(p->bytes, right, p->len);
    }
    ok(read > 0 && read < CHANGES,
       "%s: %llu of %d changed ones are read, none leads astray", name,
       (unsigned long long)read, CHANGES);
}

/* One task of a timed collection of a job of three ranks. */
static bool is_taken(enum jdi_tasks_layout layout, uint16_t flags, uint32_t len,
                     uint32_t rank)
{
    static struct payload p;
    struct slot slot = {{0}};
    struct jdi_task *t = (struct jdi_task *)(void *)slot.bytes;
    p = (struct payload){.k = {.layout = layout,
                               .slot_size = SLOT,
                               .arg_size = SLOT - JDI_TASK_HEAD,
                               .nranks = 3,
                               .known = &known}};
    *t = (struct jdi_task){.flags = flags, .len = len};
    memcpy(t->arg, &(struct jdi_origin){.rank = rank}, sizeof(struct jdi_origin));
    p.len = jdi_codec_size(&p.k, t);
    if (layout == JDI_TASKS_PACKED)
        jdi_codec_put(&p.k, p.bytes, t, t->arg, 0);
    else
        memcpy(p.bytes, slot.bytes, SLOT);
    return !fault(&p, 1);
}

static void test_origin(enum jdi_tasks_layout layout, const char *name)
{
    const uint16_t seed = JDI_TASK_SEED, again = JDI_TASK_SEED | JDI_TASK_AGAIN;
    ok(is_taken(layout, seed, 16, 2) && is_taken(layout, again, 20, 0),
       "%s: a seed of a rank is taken", name);
    ok(!is_taken(layout, seed, 16, 3) && !is_taken(layout, again, 20, UINT32_MAX),
       "%s: not one of a rank that is not there", name);
    ok(!is_taken(layout, seed, 15, 0) && !is_taken(layout, seed, 0, 0),
       "%s: nor one without", name);
    ok(is_taken(layout, 0, 16, 3) && is_taken(layout, 0, 0, 0),
       "%s: what tasks add comes from nowhere", name);
}

/* One task of a finish, with what its argument begins with. */
static bool numbered_is_taken(uint16_t flags, uint32_t len, uint32_t size)
{
    static struct payload p;
    _Alignas(16) unsigned char bytes[16 + 128] = {0};
    struct {
        uint32_t group, bytes;
        uint16_t fn, flags;
        uint32_t len;
    } head = {.bytes = len, .flags = flags, .len = len};
    struct jdi_range range = {.end = 9, .grain = 1, .size = size};
    p = (struct payload){.k = {.layout = JDI_TASKS_FINISH,
                               .slot_size = SLOT,
                               .arg_size = SLOT - JDI_TASK_HEAD,
                               .ngroups = 1,
                               .known = &known}};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head + sizeof(struct jdi_label), &range, sizeof range);
    memcpy(p.bytes, bytes, sizeof bytes);
    p.len = sizeof head + len;
    return !fault(&p, 1);
}

static void test_numbers(void)
{
    const uint16_t number = JDI_TASK_LABELLED, both = number | JDI_TASK_RANGE;
    const uint32_t head = sizeof(struct jdi_label) + sizeof(struct jdi_range);
    ok(numbered_is_taken(number, 16, 0) && numbered_is_taken(number, 20, 0),
       "a task with a number is taken");
    ok(!numbered_is_taken(number, 15, 0) && !numbered_is_taken(number, 0, 0),
       "not one without room for it");
    ok(numbered_is_taken(both, head, 0) && numbered_is_taken(both, head + 8, 8),
       "a range with a number is taken");
    ok(!numbered_is_taken(both, head - 1, 0) && !numbered_is_taken(both, head + 8, 24) &&
           !numbered_is_taken(both, sizeof(struct jdi_range), 0),
       "not one that has no room for both");
}

/* What lies before the argument travels as it is, and hooks do not see it. */
static void test_number_of_hooked(void)
{
    static struct payload p;
    struct slot slot = {{0}}, landed;
    struct jdi_task *t = (struct jdi_task *)(void *)slot.bytes;
    struct jdi_task *to = (struct jdi_task *)(void *)landed.bytes;
    struct jdi_codec_task read;
    struct jdi_label n = {.number = UINT64_C(1) << 63 | 4711};
    p = (struct payload){.k = {.layout = JDI_TASKS_FINISH,
                               .slot_size = SLOT,
                               .arg_size = SLOT - JDI_TASK_HEAD,
                               .ngroups = 1,
                               .known = &known}};
    *t = (struct jdi_task){.fn = 2, .flags = JDI_TASK_LABELLED, .len = 24};
    memcpy(t->arg, &n, sizeof n);
    memcpy(t->arg + sizeof n, "argument", 8);
    p.len = jdi_codec_size(&p.k, t);
    is_u64(p.len, 16 + sizeof n + 9, "a hook says how large the argument is alone");
    jdi_codec_put(&p.k, p.bytes, t, t->arg, 0);
    ok(!fault(&p, 1), "with a number it is taken");
    (void)jdi_codec_next(&p.k, p.bytes, &read);
    if (jdi_codec_land(&p.k, to, &read, 0))
        bail_out("no memory");
    ok(!memcmp(to->arg, &n, sizeof n) && !memcmp(to->arg + sizeof n, "argument", 8) &&
           to->flags == JDI_TASK_LABELLED && to->len == 24,
       "and lands with number and argument");
}

/* One task of a finish whose label has a name. */
static bool named_is_taken(uint16_t flags, uint16_t fn)
{
    static struct payload p;
    struct slot slot = {{0}};
    struct jdi_task *t = (struct jdi_task *)(void *)slot.bytes;
    struct jdi_label label = {.number = 1, .name = 4711};
    p = (struct payload){.k = {.layout = JDI_TASKS_FINISH,
                               .slot_size = SLOT,
                               .arg_size = SLOT - JDI_TASK_HEAD,
                               .ngroups = 1,
                               .known = &known}};
    *t = (struct jdi_task){.fn = fn, .flags = flags, .len = 40};
    memcpy(t->arg, &label, sizeof label);
    p.len = jdi_codec_size(&p.k, t);
    jdi_codec_put(&p.k, p.bytes, t, t->arg, 0);
    return !fault(&p, 1);
}

static void test_names(void)
{
    ok(named_is_taken(JDI_TASK_LABELLED, 0) && named_is_taken(JDI_TASK_LABELLED, 1),
       "a name of a task of a finish is taken");
    ok(!named_is_taken(JDI_TASK_LABELLED, 2), "not one of a task with hooks");
    ok(is_taken(JDI_TASKS_PACKED, 0, 16, 0) &&
           !is_taken(JDI_TASKS_PACKED, JDI_TASK_LABELLED, 16, 0),
       "nor one of a task of a collection");
}

int main(void)
{
    static struct payload p;
    static const char *const names[] = {"straight", "packed", "of finishes"};
    char text[128];
    if (jdi_registry_init(&known, rows, text, sizeof text))
        bail_out("%s", text);
    for (int layout = JDI_TASKS_STRAIGHT; layout <= JDI_TASKS_FINISH; layout++) {
        write_payload(&p, (enum jdi_tasks_layout)layout);
        test_round_trip(&p, names[layout]);
        test_fields(&p, names[layout]);
        test_random_changes(&p, names[layout]);
    }
    test_origin(JDI_TASKS_STRAIGHT, names[JDI_TASKS_STRAIGHT]);
    test_origin(JDI_TASKS_PACKED, names[JDI_TASKS_PACKED]);
    test_numbers();
    test_number_of_hooked();
    test_names();
    return done_testing();
}
