/*
 * letter.c - pieces of lists.
 *
 * See: letter.h.
 */
#include "sched/balance/letter.h"

#include <string.h>

enum { HEAD_BYTES = sizeof(struct jdi_balance_head), LOT_BYTES = sizeof(struct jdi_lot) };

/* ---- sending ---------------------------------------------------------------------------- */

static uint32_t lots_of_piece(uint32_t total, uint32_t first)
{
    uint32_t left = total - first;
    return left < JDI_BALANCE_PIECE ? left : JDI_BALANCE_PIECE;
}

int jdi_letter_send(struct jdi_balance *b, uint32_t dst,
                    const struct jdi_balance_head *what, const struct jdi_lot *lot,
                    uint32_t n)
{
    JD_ASSERT(dst != b->c.rank && dst < b->c.nranks);
    struct jdi_balance_head head = *what;
    size_t most = HEAD_BYTES + (size_t)lots_of_piece(n, 0) * LOT_BYTES;
    unsigned char *bytes = jdi_alloc_small(b->c.fault, most);
    if (!bytes)
        return JD_ENOMEM;
    head.session = b->session;
    head.total = n;
    do {
        uint32_t here = lots_of_piece(n, head.first);
        memcpy(bytes, &head, HEAD_BYTES);
        if (here > 0)
            memcpy(bytes + HEAD_BYTES, lot + head.first, here * (size_t)LOT_BYTES);
        b->env.send(b->env.ctx, dst, bytes, HEAD_BYTES + here * (size_t)LOT_BYTES);
        head.first += here;
    } while (head.first < n);
    jdi_free(bytes);
    return 0;
}

/* ---- receiving -------------------------------------------------------------------------- */

/* The longest list that can be.  Before the sums are known, one piece. */
static uint64_t longest(const struct jdi_balance *b)
{
    bool known = b->state != JDI_BALANCE_OFF && b->state != JDI_BALANCE_SUMS;
    uint64_t most = known ? b->figures.tasks + b->c.nranks : 0;
    return most > JDI_BALANCE_PIECE ? most : JDI_BALANCE_PIECE;
}

/* The link to the letter that a piece belongs to, or to NULL. */
static struct jdi_letter **find_letter(struct jdi_letter **at, uint32_t src,
                                       const struct jdi_balance_head *h)
{
    for (; *at; at = &(*at)->next)
        if ((*at)->src == src && (*at)->head.session == h->session &&
            (*at)->head.type == h->type && (*at)->head.step == h->step)
            break;
    return at;
}

static const char *fault_beside_others(const struct jdi_balance *b, uint32_t src,
                                       const struct jdi_balance_head *h)
{
    struct jdi_letter *first = b->letters;
    const struct jdi_letter *l = *find_letter(&first, src, h);
    uint32_t piece = h->first / JDI_BALANCE_PIECE;
    if (!l)
        return NULL;
    if (l->head.total != h->total || memcmp(l->head.word, h->word, sizeof h->word) != 0)
        return "a piece of a list that does not fit the others";
    if (l->seen[piece / 64] >> piece % 64 & 1)
        return "the same piece of a list twice";
    return NULL;
}

const char *jdi_letter_fault(const struct jdi_balance *b, uint32_t src, const void *bytes,
                             size_t len)
{
    struct jdi_balance_head h;
    if (src >= b->c.nranks || src == b->c.rank)
        return "a message of a rank that does not exist, or of this one";
    if (len < HEAD_BYTES || len > JDI_BALANCE_BYTES)
        return "a message that is too short or too long";
    memcpy(&h, bytes, HEAD_BYTES);
    if (h.type < JDI_BALANCE_SUM || h.type >= JDI_BALANCE_TYPES)
        return "a message of a type that does not exist";
    if (h.total > longest(b))
        return "a list that is longer than all tasks";
    if (h.first % JDI_BALANCE_PIECE != 0 || (h.total ? h.first >= h.total : h.first > 0))
        return "a piece outside of its list";
    if (len != HEAD_BYTES + lots_of_piece(h.total, h.first) * (size_t)LOT_BYTES)
        return "a piece of the wrong length";
    return fault_beside_others(b, src, &h);
}

static struct jdi_letter *new_letter(struct jdi_balance *b, uint32_t src,
                                     const struct jdi_balance_head *h)
{
    uint32_t pieces = h->total ? (h->total - 1) / JDI_BALANCE_PIECE + 1 : 1;
    size_t words = (pieces - 1) / 64 + 1, lots = h->total * (size_t)LOT_BYTES;
    struct jdi_letter *l = jdi_alloc_small(b->c.fault, sizeof *l + lots + 8 * words);
    if (!l)
        return NULL;
    *l = (struct jdi_letter){.src = src, .missing = pieces, .head = *h};
    l->head.first = 0;
    l->lot = (struct jdi_lot *)(l + 1);
    l->seen = (uint64_t *)(l->lot + h->total);
    memset(l->seen, 0, 8 * words);
    return l;
}

int jdi_letter_take(struct jdi_balance *b, uint32_t src, const void *bytes, size_t len,
                    struct jdi_letter **whole)
{
    struct jdi_balance_head h;
    memcpy(&h, bytes, HEAD_BYTES);
    struct jdi_letter **at = find_letter(&b->letters, src, &h), *l = *at;
    *whole = NULL;
    if (!l) {
        l = new_letter(b, src, &h);
        if (!l)
            return JD_ENOMEM;
        *at = l;
    }
    uint32_t piece = h.first / JDI_BALANCE_PIECE;
    l->seen[piece / 64] |= UINT64_C(1) << piece % 64;
    memcpy(l->lot + h.first, (const unsigned char *)bytes + HEAD_BYTES, len - HEAD_BYTES);
    if (--l->missing == 0) {
        *at = l->next;
        l->next = NULL;
        *whole = l;
    }
    return 0;
}

void jdi_letter_free(struct jdi_letter *l)
{
    jdi_free(l);
}

void jdi_letter_free_all(struct jdi_letter **list)
{
    while (*list) {
        struct jdi_letter *l = *list;
        *list = l->next;
        jdi_letter_free(l);
    }
}
