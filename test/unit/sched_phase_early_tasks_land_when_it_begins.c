/*
 * sched_phase_early_tasks_land_when_it_begins.c
 *
 * Role: messages with tasks of a phase that this rank has not entered: the tasks lie on no shelf
 *       and the rank is not idle; when it enters the phase, all of them are live.  Those of a phase
 *       that has begun are live at once.
 * Owner: one thread plays the rank; rank 1 is only a name.
 * See: sched/phase.h; doc/termination.md R2, R9; doc/transfer.md.
 */
#include "sched/detect.h"
#include "sched/phase.h"
#include "test/unit/am_fake.h"
#include "test/unit/sched_rank_kit.h"

enum { MESSAGES = 3, EACH = 5 };

static struct kit_rank kit;
static struct fake fake;

/* EACH tasks from rank 1, as they would lie in its store. */
static void arrive(jd_coll *c, unsigned number)
{
    static _Alignas(JDI_TASK_ALIGN) unsigned char slots[EACH * 128];
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS, .nargs = 4, .data = slots};
    m.arg[0] = c->id | UINT64_C(1) << 32;
    m.arg[1] = (uint64_t)EACH << 32; /* before the first wave */
    m.arg[2] = JDI_TASKS_STRAIGHT;
    m.len = EACH * c->slot_size;
    for (unsigned i = 0; i < EACH; i++) {
        struct jdi_task *t =
            (struct jdi_task *)(void *)(slots + (size_t)i * c->slot_size);
        *t = (struct jdi_task){.id = 1 + number * EACH + i, .len = sizeof number};
        memcpy(t->arg, &number, sizeof number);
    }
    const struct jdi_am_in in = {.am = &fake.am, .src = 1, .msg = &m};
    const char *fault = c->kind->fault(c, &m);
    if (fault)
        bail_out("%s", fault);
    c->kind->unpack(c, &in);
    memset(slots, 0xff, sizeof slots); /* the network's, not the collection's */
}

static int add_id(void *ctx, const struct jdi_task *t)
{
    *(uint64_t *)ctx += t->id;
    return 0;
}

/* The ids of all that lie on the rank's shelves. */
static uint64_t ids(const jd_coll *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < c->nowners; i++)
        (void)jdi_store_each(&c->seat[i].shelf, add_id, &sum);
    return sum;
}

static uint64_t sum_up_to(uint64_t n)
{
    return n * (n + 1) / 2;
}

int main(void)
{
    jd_coll *c;
    const jd_coll_props props = {.arg_size = 64, .name = "early"};
    kit_rank_init(&kit, 0, 2, 1);
    fake_init(&fake, 0, 2);
    kit.rank.am = &fake.am;
    kit.knobs.tree_arity = 4;
    kit.rank.steal = &jdi_steal_random;
    kit.rank.steal_config.nranks = 2;
    if (jdi_coll_new(&kit.rank, &jdi_plain_kind, &props, &c))
        bail_out("no collection");
    c->id = JDI_COLLS_OWN;
    jdi_detect_open(c);
    jdi_steal_init(&c->steal, &kit.rank.steal_config);

    ok(jdi_coll_idle(c), "the rank is idle before anything comes");
    for (unsigned i = 0; i < MESSAGES; i++)
        arrive(c, i);
    ok(!ids(c) && !jdi_coll_idle(c), "early tasks lie on no shelf, and it is not idle");
    jdi_phase_begin(c);
    is_u64(ids(c), sum_up_to((uint64_t)MESSAGES * EACH), "all of them land");
    is_u64(jdi_coll_network(c)->in, (uint64_t)MESSAGES * EACH, "and are counted in");
    ok(!c->held && !jdi_coll_idle(c), "nothing is kept, and it is still not idle");
    arrive(c, MESSAGES);
    is_u64(ids(c), sum_up_to((MESSAGES + UINT64_C(1)) * EACH), "later ones land at once");
    jdi_coll_free(c);
    fake_fini(&fake);
    return done_testing();
}
