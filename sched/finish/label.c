/*
 * label.c - see label.h.
 *
 * Invariants: I1 and I2 of label.h.
 * See: label.h.
 */
#include "sched/finish/label.h"

#include "sched/traces.h"

/* A number: that bit, which no id of a collection has; the rank; the hand; how many the hand has given before. */
enum { NUMBER_BIT = 63, RANK_AT = 41, HAND_AT = 32, HANDS = 1 << (RANK_AT - HAND_AT) };

static uint64_t next_number(struct jdi_hand *h)
{
    const uint64_t ranks = UINT64_C(1) << (NUMBER_BIT - RANK_AT);
    return UINT64_C(1) << NUMBER_BIT | (h->rank->am->rank % ranks) << RANK_AT |
           (uint64_t)(h->index % HANDS) << HAND_AT | h->numbered++;
}

static size_t make_label(jd_self *me, uint64_t name, struct jdi_label *out)
{
    struct jdi_part *p = me->part;
    bool traced = jdi_pool_of(me->rank)->traced;
    if (JDI_LIKELY(!traced && !name))
        return 0;
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    *out = (struct jdi_label){.number = traced ? next_number(p->hand) : 0, .name = name};
    if (traced)
        jdi_traces_async(me->worker, (uint16_t)p->root->id.home, p->root->id.number,
                         out->number);
    return sizeof *out;
}

static bool can_name(const jd_self *me, jd_task fn, size_t size)
{
    const struct jdi_rank *r = me->rank;
    return jdi_pool_names(me) && fn < r->registry.count && !r->registry.row[fn].hooks &&
           size <= JDI_TASK_ARG_MAX - sizeof(struct jdi_label);
}

size_t jdi_label_new(jd_self *me, struct jdi_label *out)
{
    return make_label(me, 0, out);
}

size_t jdi_label_new_named(jd_self *me, jd_task fn, size_t size, struct jdi_label *out)
{
    return make_label(me, can_name(me, fn, size) ? me->child++ : 0, out);
}

uint64_t jdi_label_number(const struct jdi_task *slot)
{
    uint64_t number;
    if (!(slot->flags & JDI_TASK_PHASED))
        return jdi_task_label(slot).number;
    memcpy(&number, slot->arg + sizeof(void *), sizeof number);
    return number;
}

void jdi_label_came(const struct jdi_rank *r, uint32_t from, struct jdi_label label)
{
    if (label.number)
        jdi_traces_comm(r, JDI_TRACE_CAME, JDI_POOL_ANY, from, label.number);
}
