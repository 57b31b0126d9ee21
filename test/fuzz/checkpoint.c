/*
 * checkpoint.c - reads the files of a checkpoint from any bytes, for fuzzers.
 *
 * Role: cuts the bytes into a manifest and shares, and reads all of these as jd_coll_load and jackdaw-info do; then once
 *       more with checksums that fit, because a fuzzer cannot guess them.
 * Owner: one thread.
 * Invariants: I1 what a reader gives out lies where its manifest says; all of it is looked at.
 * See: test/fuzz/run.sh, which searches; test/unit/sched_checkpoint_corpus_is_read_or_refused.c, which replays;
 *      sched/checkpoint/read.h.
 */
#include "test/fuzz/checkpoint.h"

#include "core/container.h"
#include "sched/checkpoint/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 16 }; /* files of a checkpoint that an input can have */

struct part {
    unsigned char *bytes; /* a block of its own, so that a read behind it is seen */
    size_t n, at;
};

struct input {
    struct jdi_files files;
    struct part part[PARTS];
    int nparts;
    uint64_t looked; /* a sum of all bytes that were given out */
    const struct jdi_manifest *m;
    uint32_t rank;
};

/* ---- the bytes as files --------------------------------------------------------------- */

static struct input *input_of(const struct jdi_files *f)
{
    return jdi_container_of((struct jdi_files *)(uintptr_t)f, struct input, files);
}

/* The manifest is "c", the share of rank R is "c.G.R". */
static int input_open(const struct jdi_files *f, const char *path, enum jdi_files_how how)
{
    struct input *in = input_of(f);
    unsigned long part =
        strcmp(path, "c") != 0 ? strtoul(strrchr(path, '.') + 1, NULL, 10) + 1 : 0;
    (void)how;
    if (part >= (unsigned long)in->nparts)
        return -ENOENT;
    in->part[part].at = 0;
    return (int)part;
}

static int64_t input_read(const struct jdi_files *f, int file, void *to, size_t n)
{
    struct part *p = &input_of(f)->part[file];
    size_t some = p->n - p->at < n ? p->n - p->at : n;
    if (some)
        memcpy(to, p->bytes + p->at, some);
    p->at += some;
    return (int64_t)some;
}

static int input_close(const struct jdi_files *f, int file)
{
    (void)f, (void)file;
    return 0;
}

/* A part is as long as its head says, if so many bytes are there. */
static void cut_input(struct input *in, const unsigned char *bytes, size_t n)
{
    while (n && in->nparts < PARTS) {
        struct jdi_head head;
        struct part *p = &in->part[in->nparts++];
        p->n = n;
        if (n >= sizeof head) {
            memcpy(&head, bytes, sizeof head);
            if (head.length >= sizeof head && head.length < n)
                p->n = (size_t)head.length;
        }
        p->bytes = malloc(p->n);
        if (!p->bytes)
            abort();
        memcpy(p->bytes, bytes, p->n);
        bytes += p->n;
        n -= p->n;
    }
}

/* ---- checksums that fit --------------------------------------------------------------- */

static void seal_part(struct part *p)
{
    if (p->n % JDI_HEAD_UNIT == 0 && p->n >= sizeof(struct jdi_head) + JDI_HEAD_SUM)
        jdi_head_seal(p->bytes, p->n - JDI_HEAD_SUM);
}

/* False: the manifest is refused whatever its checksum is. */
static bool seal_input(struct input *in)
{
    struct jdi_manifest m;
    seal_part(&in->part[0]);
    if (jdi_manifest_get(in->part[0].bytes, in->part[0].n, &m))
        return false;
    for (int i = 1; i < in->nparts && (uint32_t)i <= m.nranks; i++) {
        uint64_t *row = (uint64_t *)(uintptr_t)jdi_manifest_row(&m, (uint64_t)i - 1);
        seal_part(&in->part[i]);
        if (in->part[i].n >= JDI_HEAD_SUM)
            memcpy(&row[JDI_MANIFEST_SUM],
                   in->part[i].bytes + in->part[i].n - JDI_HEAD_SUM, JDI_HEAD_SUM);
    }
    seal_part(&in->part[0]);
    return true;
}

/* ---- reading -------------------------------------------------------------------------- */

static void look(struct input *in, const unsigned char *bytes, uint64_t n)
{
    while (n--)
        in->looked += *bytes++;
}

static void take_mem(void *ctx, uint32_t mem, uint64_t offset, const unsigned char *bytes,
                     uint64_t n)
{
    struct input *in = ctx;
    if (mem >= in->m->nmems || offset + n > jdi_manifest_mem(in->m, in->rank, mem))
        abort(); /* I1 */
    look(in, bytes, n);
}

static void look_at_tasks(struct input *in, const unsigned char **at, uint64_t n)
{
    while (n--) {
        struct jdi_share_task t = jdi_share_next(at);
        if (t.fn >= in->m->ntasks)
            abort(); /* I1 */
        look(in, t.arg, t.len);
    }
}

static void look_at_share(struct input *in, const struct jdi_share *s)
{
    const unsigned char *at = s->tasks;
    look_at_tasks(in, &at, s->nadded);
    for (uint64_t w = 0; w < s->nworkers; w++) {
        in->looked += s->worker[w].load + s->worker[w].longest;
        look_at_tasks(in, &at, s->worker[w].kept);
    }
    look(in, (const unsigned char *)s->pruned, s->npruned * sizeof *s->pruned);
}

static void look_at_manifest(struct input *in, const struct jdi_manifest *m)
{
    look(in, (const unsigned char *)m->name, strlen(m->name));
    look(in, m->state, m->state_size);
    for (uint32_t i = 0; i < m->ntasks; i++) {
        const char *name = jdi_manifest_task(m, i);
        look(in, (const unsigned char *)name, strlen(name));
    }
}

/* All of it; false: it is refused. */
static bool read_input(struct input *in)
{
    static struct jdi_fault none;
    struct jdi_read r = {&in->files, &none, take_mem, in};
    struct jdi_manifest m = {0};
    unsigned char *bytes = NULL, *front = NULL;
    struct jdi_read_end end = jdi_read_manifest(&r, "c", &bytes, &m);
    in->m = &m;
    if (!end.error)
        look_at_manifest(in, &m);
    for (uint32_t rank = 0; !end.error && rank < m.nranks; rank++) {
        char path[JDI_FILES_PATH];
        struct jdi_share s = {.rank = in->rank = rank};
        jdi_files_share("c", m.generation, rank, path);
        end = jdi_read_share(&r, path, &m, &front, &s);
        if (!end.error)
            look_at_share(in, &s);
        jdi_free(front);
    }
    jdi_free(bytes);
    if (end.error == JD_EFILE && !end.fault)
        abort();
    return !end.error;
}

bool fuzz_checkpoint_reads(const unsigned char *bytes, size_t n, bool seal)
{
    struct input in = {
        .files = {.open = input_open, .read = input_read, .close = input_close}};
    cut_input(&in, bytes, n);
    bool whole = in.nparts && (!seal || seal_input(&in)) && read_input(&in);
    for (int i = 0; i < in.nparts; i++)
        free(in.part[i].bytes);
    return whole;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n)
{
    (void)fuzz_checkpoint_reads(bytes, n, false);
    (void)fuzz_checkpoint_reads(bytes, n, true);
    return 0;
}
