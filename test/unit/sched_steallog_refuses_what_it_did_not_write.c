/*
 * sched_steallog_refuses_what_it_did_not_write.c
 *
 * Role: a steal log is read as it was noted; tasks with consecutive names that took the same way together are
 *       one entry; a file that is cut off, too long, of another version or with a bit changed is refused, and
 *       so is one whose checksum is right but whose entries cannot be.  Random changes never lead outside of the bytes.
 * Owner: one thread.
 * See: sched/steallog.h; doc/steallog.md.
 */
#include "sched/steallog.h"

#include "core/random.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 8, RANK = 3, NOTES = 2000, CHANGES = 20000, ROOM = 1 << 17 };

struct file {
    _Alignas(8) unsigned char bytes[ROOM];
    size_t len;
};

static void note(struct jdi_steallog *l, uint64_t name, uint32_t way)
{
    if (jdi_steallog_note(l, name, way, NULL))
        bail_out("no memory");
}

static void seal(struct file *f, const struct jdi_steallog_bytes *b, uint32_t nparts)
{
    struct jdi_steallog_head h = {.program = 0x1234,
                                  .nranks = RANKS,
                                  .rank = RANK,
                                  .nworkers = 2,
                                  .nparts = nparts,
                                  .bytes = b->used};
    jdi_steallog_seal(&h, b->at, f->bytes);
    memcpy(f->bytes + JDI_STEALLOG_HEAD, b->at, b->used);
    f->len = JDI_STEALLOG_HEAD + b->used;
}

static void write_part(struct jdi_steallog_bytes *b, const struct jdi_steallog *l,
                       uint32_t phase)
{
    if (jdi_steallog_write(b, l, 5, phase, NULL))
        bail_out("no memory");
}

static void test_entries(void)
{
    struct jdi_steallog l = {0};
    note(&l, 10, 1 | JDI_STEALLOG_BATCH);
    note(&l, 11, 1);
    note(&l, 12, 1);
    is_u64(l.n, 1, "consecutive names, one way: one entry");
    is_u64(l.run[0].count, 3, "of three tasks");
    note(&l, 13, 2);
    note(&l, 14, 2 | JDI_STEALLOG_GOT);
    note(&l, 15, 2 | JDI_STEALLOG_GOT | JDI_STEALLOG_BATCH);
    note(&l, 17, 2 | JDI_STEALLOG_GOT);
    is_u64(l.n, 5, "another rank, way, batch, or a gap: another entry");
    jdi_steallog_clear(&l);
    note(&l, UINT64_MAX, 1);
    note(&l, 0, 1);
    is_u64(l.n, 2, "no entry goes over the last name");
    jdi_steallog_free(&l);
}

/* Random notes in two phases, and what was noted comes back. */
static void test_round(struct file *f)
{
    struct jdi_steallog l[2] = {{0}, {0}};
    struct jdi_steallog_bytes b = {0};
    struct jdi_steallog_head h;
    struct jdi_steallog_part p;
    uint64_t rng = 42;
    size_t at = 0;
    for (unsigned i = 0; i < NOTES; i++) {
        uint32_t to = jdi_random_below(&rng, RANKS - 1);
        note(&l[i % 2], jdi_random(&rng),
             (to < RANK ? to : to + 1) | (jdi_random(&rng) & JDI_STEALLOG_GOT));
    }
    l[1].waited = 99;
    l[1].cut = true;
    write_part(&b, &l[0], 1);
    write_part(&b, &l[1], 2);
    seal(f, &b, 2);
    const char *fault = jdi_steallog_fault(f->bytes, f->len, &h);
    ok(!fault, "what was written is read%s%s", fault ? ": " : "", fault ? fault : "");
    ok(h.program == 0x1234 && h.nranks == RANKS && h.rank == RANK && h.nworkers == 2,
       "with its head");
    for (unsigned i = 0; i < 2; i++) {
        bool there = jdi_steallog_next(f->bytes, &h, &at, &p);
        ok(there && p.coll == 5 && p.phase == i + 1 && p.n == l[i].n &&
               p.waited == l[i].waited && p.cut == l[i].cut &&
               !memcmp(p.run, l[i].run, p.n * sizeof *p.run),
           "phase %u is as it was noted", i + 1);
    }
    ok(!jdi_steallog_next(f->bytes, &h, &at, &p), "and there is no third");
    jdi_steallog_free(&l[0]);
    jdi_steallog_free(&l[1]);
    jdi_free(b.at);
}

/* With each byte of the head and some of the rest changed, and cut off anywhere. */
static void test_damage(struct file *f)
{
    struct jdi_steallog_head h;
    unsigned taken = 0;
    for (size_t i = 0; i < f->len; i += i < 200 ? 1 : 97) {
        f->bytes[i] ^= 0x10;
        taken += !jdi_steallog_fault(f->bytes, f->len, &h);
        f->bytes[i] ^= 0x10;
    }
    for (size_t len = 0; len < f->len; len += len < 200 ? 1 : 101)
        taken += !jdi_steallog_fault(f->bytes, len, &h);
    taken += !jdi_steallog_fault(f->bytes, f->len + 8, &h);
    is_u64(taken, 0, "no file with a changed byte, or one too few or many, is taken");
}

static bool refused(const struct jdi_steallog_run *run, uint32_t nparts)
{
    static struct file f;
    struct jdi_steallog l = {(struct jdi_steallog_run *)(uintptr_t)run, 1, 1, 0, false};
    struct jdi_steallog_bytes b = {0};
    struct jdi_steallog_head h;
    write_part(&b, &l, 1);
    seal(&f, &b, nparts);
    const char *fault = jdi_steallog_fault(f.bytes, f.len, &h);
    jdi_free(b.at);
    return fault != NULL;
}

static void test_lies(void)
{
    ok(!refused(&(struct jdi_steallog_run){7, 1, 1}, 1), "a row of one task is taken");
    ok(refused(&(struct jdi_steallog_run){7, 0, 1}, 1), "a row of none is not");
    ok(refused(&(struct jdi_steallog_run){UINT64_MAX, 2, 1}, 1),
       "nor one over the last name");
    ok(refused(&(struct jdi_steallog_run){7, 1, RANK}, 1), "nor one of this rank itself");
    ok(refused(&(struct jdi_steallog_run){7, 1, RANKS}, 1), "nor of a rank there is not");
    ok(refused(&(struct jdi_steallog_run){7, 1, 1}, 2), "nor fewer phases than it says");
    ok(refused(&(struct jdi_steallog_run){7, 1, 1}, 0), "nor more");
}

/* Whatever the bytes say, with the right checksum. */
static void test_random(void)
{
    static struct file f;
    uint64_t rng = 7, taken = 0, entries = 0;
    struct jdi_steallog_head h;
    struct jdi_steallog_part p;
    for (unsigned i = 0; i < CHANGES; i++) {
        uint64_t words[16];
        size_t at = 0, n = 1 + jdi_random_below(&rng, 16);
        for (size_t k = 0; k < n; k++)
            words[k] = jdi_random(&rng) >> jdi_random_below(&rng, 64);
        struct jdi_steallog_bytes b = {(unsigned char *)words, 8 * n, 8 * n};
        seal(&f, &b, jdi_random_below(&rng, 3));
        if (jdi_steallog_fault(f.bytes, f.len, &h))
            continue;
        taken++;
        while (jdi_steallog_next(f.bytes, &h, &at, &p))
            for (uint64_t k = 0; k < p.n; k++)
                entries += jdi_steallog_rank(&p.run[k]) < RANKS;
    }
    ok(taken < CHANGES / 10, "%d of %d heaps of numbers are logs, with %d entries",
       (int)taken, CHANGES, (int)entries);
}

int main(void)
{
    static struct file f;
    test_entries();
    test_round(&f);
    test_damage(&f);
    test_lies();
    test_random();
    return done_testing();
}
