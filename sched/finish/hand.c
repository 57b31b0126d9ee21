/*
 * hand.c - an owner of tasks, as finishes see it.
 *
 * Invariants: I1 of hand.h.
 * Order: calls: [pair: mailbox-head].
 * See: hand.h.
 */
#include "sched/finish/hand.h"

#include "sched/finish/part.h"

void jdi_hand_init(struct jdi_hand *h, struct jdi_rank *r, unsigned index, unsigned count)
{
    *h = (struct jdi_hand){.rank = r, .index = index, .count = count};
    h->ntasks = r->registry.count;
    if (index < r->nworkers)
        h->worker = &r->workers[index];
    jdi_keyed_init(&h->parts, &r->am->fault);
}

void jdi_hand_check(const struct jdi_hand *h)
{
    const struct jdi_part *newer = NULL;
    for (const struct jdi_part *p = h->open; p; p = p->older) {
        JD_CHECK(p->newer == newer && p->root == p && p->hand == h && !p->parent);
        newer = p;
    }
    jdi_keyed_check(&h->parts);
}

void jdi_hand_fini(struct jdi_hand *h)
{
    JD_AUDIT(jdi_hand_check(h));
    JD_CHECK(h->parts.n == 0 && !h->open);
    jdi_keyed_fini(&h->parts);
}

void jdi_hand_post(struct jdi_hand *h, struct jdi_call *call)
{
    if (h->worker)
        jdi_worker_post(h->worker, call);
    else
        jdi_rank_post(h->rank, call);
}
