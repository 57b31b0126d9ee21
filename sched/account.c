/*
 * account.c - what one thread of a rank has done for one collection, in numbers.
 *
 * Role: the slow half of account.h: the bounds of a phase, and the audit.
 * Invariants: I1 and I2 of account.h. I3 the ids that one account gives out have no gaps, so their
 *             sum and xor are computed, not collected; but for names.
 * Order: [pair: account-out].
 * See: account.h; test/unit/sched_coll_ids_close.c.
 */
#include "sched/account.h"

enum { ID_SEQUENCE_BITS = 40 };

void jdi_account_init(struct jdi_account *a, uint64_t number)
{
    *a = (struct jdi_account){.id_base = number << ID_SEQUENCE_BITS};
}

void jdi_account_fini(struct jdi_account *a)
{
    jdi_record_free(&a->kept);
}

static uint64_t in_of(const struct jdi_account *a)
{
    return atomic_load_explicit(&a->in, memory_order_relaxed);
}

static uint64_t out_of(const struct jdi_account *a)
{
    return atomic_load_explicit(&a->out, memory_order_relaxed);
}

/* The xor of 0 .. n. */
static uint64_t xor_to(uint64_t n)
{
    const uint64_t x[4] = {n, 1, n + 1, 0};
    return x[n & 3];
}

void jdi_account_audit(const struct jdi_account *a, uint64_t words[4])
{
    if (a->named) {
        words[0] += in_of(a) - a->in_before;
        words[1] += out_of(a) - a->out_before;
        words[2] += a->new_sum - a->id_sum;
        words[3] ^= a->new_xor ^ a->id_xor;
        return;
    }
    uint64_t from = a->in_before, to = in_of(a), n = to - from, ends = from + 1 + to;
    /* Sum and xor of id_base + k for k in (from, to] (I3). */
    uint64_t ramp = n & 1 ? n * (ends / 2) : (n / 2) * ends;
    words[0] += n;
    words[1] += out_of(a) - a->out_before;
    words[2] += n * a->id_base + ramp - a->id_sum;
    words[3] ^= (n & 1 ? a->id_base : 0) ^ xor_to(to) ^ xor_to(from) ^ a->id_xor;
}

uint64_t jdi_account_begin(struct jdi_account *a)
{
    jdi_record_clear(&a->kept);
    return in_of(a) - a->in_before;
}

void jdi_account_live(const struct jdi_account *a, struct jdi_account_sums *sums)
{
    sums->in += in_of(a) - a->in_before;
    sums->out += out_of(a) - a->out_before;
}

void jdi_account_end(struct jdi_account *a, struct jdi_account_sums *sums)
{
    jdi_account_live(a, sums);
    sums->stolen += a->stolen;
    sums->kept += a->kept.count;
    a->in_before = in_of(a);
    a->out_before = out_of(a);
    a->id_sum = a->id_xor = a->new_sum = a->new_xor = a->stolen = 0;
    jdi_account_check(a);
}

void jdi_account_check(const struct jdi_account *a)
{
    JD_CHECK(a->in_before <= in_of(a) && a->out_before <= out_of(a));
    JD_CHECK(in_of(a) < 1ULL << ID_SEQUENCE_BITS); /* else two owners give the same id */
}
