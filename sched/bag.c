/*
 * bag.c - ready ULTs that several workers divide among themselves.
 *
 * Role: see bag.h.
 * Invariants: I1 to I3 of bag.h.
 * Order: none; the caller has the lock.
 * See: bag.h.
 */
#include "sched/bag.h"

/* Two pennants of one size become one of the next size. */
static jd_self *join(jd_self *old, jd_self *new)
{
    JD_ASSERT(old->pennant == new->pennant);
    new->newer = old->older;
    old->older = new;
    old->pennant++;
    return old;
}

/* The reverse: the newer half; `p` is the older one afterwards. */
static jd_self *split_pennant(jd_self *p)
{
    jd_self *new = p->older;
    JD_ASSERT(p->pennant && new);
    p->older = new->newer;
    new->newer = NULL;
    new->pennant = --p->pennant;
    return new;
}

/* A carry runs to larger pennants. */
static void put_pennant(struct jdi_bag *b, jd_self *p)
{
    jd_self **at = &b->first;
    while (*at && (*at)->pennant < p->pennant)
        at = &(*at)->next;
    while (*at && (*at)->pennant == p->pennant) {
        jd_self *same = *at;
        *at = same->next;
        p = join(same, p);
    }
    p->next = *at;
    *at = p;
}

void jdi_bag_add(struct jdi_bag *b, jd_self *s)
{
    s->newer = s->older = NULL;
    s->pennant = 0;
    put_pennant(b, s);
    b->n++;
}

jd_self *jdi_bag_take_new(struct jdi_bag *b)
{
    jd_self *p = b->first;
    if (!p)
        return NULL;
    b->first = p->next;
    /* No smaller pennant is there, so the older halves go to the front one by one. */
    while (p->pennant) {
        jd_self *new = split_pennant(p);
        p->next = b->first;
        b->first = p;
        p = new;
    }
    b->n--;
    return p;
}

jd_self *jdi_bag_take_old(struct jdi_bag *b)
{
    jd_self **at = &b->first;
    if (!b->first)
        return NULL;
    while ((*at)->next)
        at = &(*at)->next;
    jd_self *p = *at;
    *at = NULL;
    while (p->pennant)
        put_pennant(b, split_pennant(p));
    b->n--;
    return p;
}

void jdi_bag_halve(struct jdi_bag *from, struct jdi_bag *to)
{
    jd_self *odd = from->first && !from->first->pennant ? from->first : NULL;
    jd_self **mine = &from->first, **theirs = &to->first;
    JD_ASSERT(!to->n);
    if (odd)
        from->first = odd->next;
    for (jd_self *old = from->first, *next; old; old = next) {
        next = old->next;
        *mine = split_pennant(old);
        mine = &(*mine)->next;
        *theirs = old;
        theirs = &old->next;
    }
    *mine = *theirs = NULL;
    to->n = from->n / 2;
    from->n /= 2;
    if (odd)
        jdi_bag_add(to, odd);
}
