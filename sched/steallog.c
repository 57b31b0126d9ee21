/*
 * steallog.c - which tasks a rank has got from others, and given to others, in a phase.
 *
 * Role: see steallog.h.
 * Invariants: I1 to I3 of steallog.h.
 * See: steallog.h; test/unit/sched_steallog_*.
 */
#include "sched/steallog.h"

#include "core/checksum.h"
#include "core/grow.h"

#include <string.h>

enum { FIRST_RUNS = 64, FIRST_BYTES = 4096, ORDER_MARK = 0x01020304 };
static const char magic[8] = "jdsteals";

struct head_bytes {
    char magic[8];
    uint32_t order, version; /* of bytes in a word; of the layout */
    uint64_t program;
    uint32_t nranks, rank, nworkers, nparts;
    uint64_t bytes;
    uint64_t sum; /* of the head with 0 here, and what follows */
    uint64_t zero;
};
_Static_assert(sizeof(struct head_bytes) == JDI_STEALLOG_HEAD, "as the document says");

struct part_bytes {
    uint32_t coll, phase;
    uint64_t waited;
    uint64_t n; /* runs; the top bit: it was cut */
};
#define CUT_BIT (1ULL << 63)

/* ---- the list ----------------------------------------------------------------------- */

static bool extends(const struct jdi_steallog *l, uint64_t name, uint32_t way)
{
    if (!l->n || way & JDI_STEALLOG_BATCH)
        return false;
    const struct jdi_steallog_run *last = &l->run[l->n - 1];
    return last->first + last->count == name && last->count < UINT32_MAX &&
           (last->way & ~(uint32_t)JDI_STEALLOG_BATCH) == way && name > last->first;
}

int jdi_steallog_note(struct jdi_steallog *l, uint64_t name, uint32_t way,
                      struct jdi_fault *f)
{
    if (l->cut)
        return 0;
    if (extends(l, name, way)) {
        l->run[l->n - 1].count++;
        return 0;
    }
    if (l->n == JDI_STEALLOG_MOST) {
        l->cut = true;
        return 0;
    }
    void *run = jdi_grow(f, l->run, l->n, 1, sizeof *l->run, &l->room, FIRST_RUNS);
    if (!run)
        return JD_ENOMEM;
    l->run = run;
    l->run[l->n++] = (struct jdi_steallog_run){name, 1, way};
    return 0;
}

void jdi_steallog_clear(struct jdi_steallog *l)
{
    l->n = l->waited = 0;
    l->cut = false;
}

void jdi_steallog_free(struct jdi_steallog *l)
{
    jdi_free(l->run);
    *l = (struct jdi_steallog){0};
}

/* ---- writing ------------------------------------------------------------------------ */

int jdi_steallog_write(struct jdi_steallog_bytes *b, const struct jdi_steallog *l,
                       uint32_t coll, uint32_t phase, struct jdi_fault *f)
{
    struct part_bytes p = {coll, phase, l->waited, l->n | (l->cut ? CUT_BIT : 0)};
    size_t runs = l->n * sizeof *l->run;
    void *at = jdi_grow(f, b->at, b->used, sizeof p + runs, 1, &b->room, FIRST_BYTES);
    if (!at)
        return JD_ENOMEM;
    b->at = at;
    memcpy(b->at + b->used, &p, sizeof p);
    if (runs)
        memcpy(b->at + b->used + sizeof p, l->run, runs);
    b->used += sizeof p + runs;
    return 0;
}

static uint64_t sum_of(const struct head_bytes *h, const void *bytes)
{
    struct jdi_checksum s;
    struct head_bytes bare = *h;
    bare.sum = 0;
    jdi_checksum_init(&s);
    jdi_checksum_add(&s, &bare, sizeof bare);
    jdi_checksum_add(&s, bytes, h->bytes);
    return jdi_checksum_now(&s);
}

void jdi_steallog_seal(const struct jdi_steallog_head *h, const void *bytes,
                       unsigned char out[JDI_STEALLOG_HEAD])
{
    struct head_bytes k = {.order = ORDER_MARK,
                           .version = JDI_STEALLOG_VERSION,
                           .program = h->program,
                           .nranks = h->nranks,
                           .rank = h->rank,
                           .nworkers = h->nworkers,
                           .nparts = h->nparts,
                           .bytes = h->bytes};
    memcpy(k.magic, magic, sizeof magic);
    k.sum = sum_of(&k, h->bytes ? bytes : "");
    memcpy(out, &k, sizeof k);
}

/* ---- reading ------------------------------------------------------------------------ */

bool jdi_steallog_is_one(const void *file, size_t len)
{
    return len >= sizeof magic && !memcmp(file, magic, sizeof magic);
}

static const char *fault_of_head(const struct head_bytes *h, size_t len)
{
    if (h->order != ORDER_MARK)
        return "it was written on a machine with another order of bytes";
    if (h->version != JDI_STEALLOG_VERSION)
        return "it has another version of the layout";
    if (h->bytes != len - sizeof *h)
        return "it is cut off, or has more bytes than it says";
    if (!h->nranks || h->rank >= h->nranks || h->nranks > JDI_STEALLOG_RANK)
        return "it is of no rank that its job has";
    return NULL;
}

static const char *fault_of_run(const struct jdi_steallog_run *r,
                                const struct jdi_steallog_head *h)
{
    if (!r->count || r->first + (r->count - 1) < r->first)
        return "a row of tasks that is none";
    if (jdi_steallog_rank(r) >= h->nranks || jdi_steallog_rank(r) == h->rank)
        return "a task that came from, or went to, no other rank";
    return NULL;
}

static const char *fault_of_parts(const unsigned char *at,
                                  const struct jdi_steallog_head *h)
{
    size_t left = h->bytes;
    for (uint32_t i = 0; i < h->nparts; i++) {
        struct part_bytes p;
        if (left < sizeof p)
            return "fewer phases than it says";
        memcpy(&p, at, sizeof p);
        p.n &= ~CUT_BIT;
        if (p.n > (left - sizeof p) / sizeof(struct jdi_steallog_run))
            return "a phase with fewer entries than it says";
        at += sizeof p;
        for (uint64_t k = 0; k < p.n; k++, at += sizeof(struct jdi_steallog_run)) {
            struct jdi_steallog_run run;
            memcpy(&run, at, sizeof run);
            const char *fault = fault_of_run(&run, h);
            if (fault)
                return fault;
        }
        left -= sizeof p + p.n * sizeof(struct jdi_steallog_run);
    }
    return left ? "more bytes than its phases have" : NULL;
}

const char *jdi_steallog_fault(const void *file, size_t len,
                               struct jdi_steallog_head *out)
{
    struct head_bytes h;
    if (!jdi_steallog_is_one(file, len))
        return "it is no steal log";
    if (len < sizeof h)
        return "it is cut off, or has more bytes than it says";
    memcpy(&h, file, sizeof h);
    const char *fault = fault_of_head(&h, len);
    if (fault)
        return fault;
    const unsigned char *bytes = (const unsigned char *)file + sizeof h;
    if (sum_of(&h, bytes) != h.sum || h.zero)
        return "its checksum is wrong";
    struct jdi_steallog_head head = {.program = h.program,
                                     .nranks = h.nranks,
                                     .rank = h.rank,
                                     .nworkers = h.nworkers,
                                     .nparts = h.nparts,
                                     .bytes = h.bytes};
    fault = fault_of_parts(bytes, &head);
    if (!fault)
        *out = head;
    return fault;
}

bool jdi_steallog_next(const void *file, const struct jdi_steallog_head *h, size_t *at,
                       struct jdi_steallog_part *out)
{
    const unsigned char *bytes = (const unsigned char *)file + JDI_STEALLOG_HEAD;
    struct part_bytes p;
    if (*at == h->bytes)
        return false;
    JD_ASSERT(h->bytes - *at >= sizeof p);
    memcpy(&p, bytes + *at, sizeof p);
    uint64_t n = p.n & ~CUT_BIT;
    const void *run = bytes + *at + sizeof p;
    *out = (struct jdi_steallog_part){.coll = p.coll,
                                      .phase = p.phase,
                                      .cut = n != p.n,
                                      .waited = p.waited,
                                      .n = n,
                                      .run = run};
    *at += sizeof p + n * sizeof(struct jdi_steallog_run);
    return true;
}
