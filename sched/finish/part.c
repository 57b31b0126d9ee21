/*
 * part.c - the share of one hand in one finish: counting tasks without atomics.
 *
 * Role: opening roots; taking tasks over from other hands, and giving their counts back.
 * Owner: the hand of each part.
 * Invariants: P1 to P3 of doc/async.md; I1 and I2 of part.h.
 * Order: calls: [pair: mailbox-head].
 * See: doc/async.md has the table of events; part.h.
 */
#include "sched/finish/part.h"

#include "sched/finish/remote.h"
#include "sched/unblock.h"

/* A call to another hand: n tasks leave its part `to`, because the taker counts them in a part that
 * has another parent. */
struct refund {
    struct jdi_call call;
    struct jdi_part *to;
    uint64_t n;
};

static JD_NORETURN void part_no_memory(const struct jdi_hand *h)
{
    jdi_die(&h->rank->am->log, JDI_EXIT_MEMORY, "out of memory for a finish");
}

/* ---- roots -------------------------------------------------------------------------- */

void jdi_part_open(struct jdi_part *p, struct jdi_hand *h, struct jdi_part *outer)
{
    JD_ASSERT(jdi_hand_is_mine(h));
    uint64_t opened = h->opened + 1;
    jdi_stats_set(&h->opened, opened);
    p->live = 1;
    p->root = p;
    p->hand = h;
    p->parent = NULL;
    p->owed = 0;
    p->remote = NULL;
    /* The number modulo the number of hands says which hand opened it (sched/finish/cancel.c). */
    p->id.number = opened * h->count + h->index;
    p->id.home = h->rank->am->rank;
    p->id.reserved = 0;
    atomic_init(&p->cancelled, outer && jdi_part_cancelled(outer));
    p->told = false;
    p->heap = false;
    p->outer = outer;
    p->waiter = NULL;
    p->newer = NULL;
    p->older = h->open;
    if (h->open)
        h->open->newer = p;
    h->open = p;
}

void jdi_part_close(struct jdi_part *p)
{
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    JD_CHECK(p->live == 0 && !p->remote);
    JD_ASSERT(p->newer ? p->newer->older == p : p->hand->open == p);
    JD_ASSERT(!p->older || p->older->newer == p);
    if (p->older)
        p->older->newer = p->newer;
    *(p->newer ? &p->newer->older : &p->hand->open) = p->older;
}

static struct jdi_part *new_part(struct jdi_hand *h)
{
    struct jdi_part *p = jdi_zalloc(&h->rank->am->fault, sizeof *p);
    if (!p)
        part_no_memory(h);
    p->hand = h;
    return p;
}

struct jdi_part *jdi_part_root(struct jdi_hand *h, jd_finish_id id)
{
    JD_ASSERT(jdi_hand_is_mine(h));
    struct jdi_part *p = new_part(h);
    p->root = p;
    p->id = id;
    p->heap = true;
    return p;
}

void jdi_part_check(const struct jdi_part *p)
{
    JD_CHECK(p->parent && p->root != p && p->root->root == p->root);
    JD_CHECK(p->local.key[0] == (uintptr_t)p->root);
    JD_CHECK(p->root->hand != p->hand && p->parent->hand != p->hand); /* I1 */
    JD_CHECK(p->owed > 0);
}

/* ---- taking and giving back --------------------------------------------------------- */

static void refunded(struct jdi_rank *r, struct jdi_call *call)
{
    (void)r;
    struct refund *f = jdi_container_of(call, struct refund, call);
    jdi_part_less(f->to, f->n);
    jdi_free(f);
}

static void refund(struct jdi_hand *h, struct jdi_part *to, uint64_t n)
{
    struct refund *f = jdi_alloc(&h->rank->am->fault, sizeof *f);
    if (!f)
        part_no_memory(h);
    *f = (struct refund){.to = to, .n = n};
    f->call.run = refunded;
    jdi_hand_post(to->hand, &f->call);
}

static struct jdi_part *find_part(const struct jdi_hand *h, struct jdi_part *root)
{
    if (root->hand == h)
        return root;
    struct jdi_keyed *e = jdi_keyed_find(&h->parts, (uintptr_t)root, 0);
    return e ? (struct jdi_part *)(void *)((char *)e - offsetof(struct jdi_part, local))
             : NULL;
}

static struct jdi_part *part_under(struct jdi_hand *h, struct jdi_part *parent)
{
    struct jdi_part *p = new_part(h);
    p->root = parent->root;
    p->parent = parent;
    p->local.key[0] = (uintptr_t)p->root;
    jdi_keyed_put(&h->parts, &p->local);
    JD_ASSERT(find_part(h, p->root) == p);
    return p;
}

struct jdi_part *jdi_part_take(struct jdi_hand *h, struct jdi_part *from, uint64_t n)
{
    JD_ASSERT(jdi_hand_is_mine(h));
    h->taken += (uint32_t)n;
    if (from->hand == h)
        return from; /* I1: h has no other part for this root */
    struct jdi_part *mine = find_part(h, from->root);
    if (!mine)
        mine = part_under(h, from);
    mine->live += n;
    if (mine->parent == from)
        mine->owed += n;
    else
        refund(h, from, n);
    return mine;
}

/* Runs on the parent's hand. */
static void returned(struct jdi_rank *r, struct jdi_call *call)
{
    (void)r;
    struct jdi_part *p = jdi_container_of(call, struct jdi_part, call);
    struct jdi_part *parent = p->parent;
    JD_AUDIT(jdi_part_check(p));
    uint64_t owed = p->owed;
    jdi_free(p);
    jdi_part_less(parent, owed);
}

void jdi_part_zero(struct jdi_part *p)
{
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    if (p->remote && !jdi_remote_ended(p))
        return;
    if (p->parent) {
        JD_AUDIT(jdi_part_check(p));
        jdi_keyed_remove(&p->hand->parts, &p->local);
        p->call.run = returned;
        jdi_hand_post(p->parent->hand, &p->call);
    } else if (p->waiter) {
        jd_self *waiter = p->waiter;
        p->waiter = NULL;
        jdi_unblock(p->hand->worker, waiter);
    } else if (p->heap) {
        jdi_free(p);
    }
}
