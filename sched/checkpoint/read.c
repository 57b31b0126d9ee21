/*
 * read.c - files of a checkpoint, whole and checked.
 *
 * Role: see read.h.
 * Invariants: I1 of read.h.
 * See: read.h.
 */
#include "sched/checkpoint/read.h"

#include "core/checksum.h"

#include <errno.h>

enum { PIECE = 1 << 18 }; /* bytes of memories that are read at a time */

static struct jdi_read_end has_failed(int64_t failed)
{
    return (struct jdi_read_end){.error = failed == -ENOENT ? JD_ENOENT : JD_ESYS,
                                 .failed = (int)failed};
}

static struct jdi_read_end has_fault(const char *fault)
{
    return (struct jdi_read_end){.error = fault ? JD_EFILE : 0, .fault = fault};
}

static struct jdi_read_end has_no_memory(void)
{
    return (struct jdi_read_end){.error = JD_ENOMEM};
}

/* n bytes to `to`; fewer are a fault. */
static struct jdi_read_end read_exactly(const struct jdi_read *r, int file, void *to,
                                        uint64_t n)
{
    int64_t got = r->files->read(r->files, file, to, n);
    if (got < 0)
        return has_failed(got);
    return has_fault((uint64_t)got < n ? "it is cut off" : NULL);
}

/* Read behind the first *n bytes of a block until it has `want`, or the file ends.  The block grows with what is there, so a
 * length that a file only claims takes no memory. */
static struct jdi_read_end read_growing(const struct jdi_read *r, int file,
                                        unsigned char **bytes, uint64_t *n, uint64_t want)
{
    for (uint64_t room = *n; *n == room && room < want;) {
        room = room < PIECE ? PIECE : 2 * room;
        room = room < want ? room : want;
        unsigned char *more = jdi_alloc(r->fault, room);
        if (!more)
            return has_no_memory();
        if (*n)
            memcpy(more, *bytes, *n);
        jdi_free(*bytes);
        *bytes = more;
        int64_t got = r->files->read(r->files, file, more + *n, room - *n);
        if (got < 0)
            return has_failed(got);
        *n += (uint64_t)got;
    }
    return has_fault(NULL);
}

/* ---- a manifest ----------------------------------------------------------------------- */

/* The rest of a file of which the head is known.  A file that is longer than it says has one byte more here. */
static struct jdi_read_end read_rest(const struct jdi_read *r, int file,
                                     const struct jdi_head *head, unsigned char **bytes,
                                     uint64_t *n)
{
    *bytes = jdi_alloc(r->fault, sizeof *head);
    if (!*bytes)
        return has_no_memory();
    memcpy(*bytes, head, sizeof *head);
    *n = sizeof *head;
    return read_growing(r, file, bytes, n, head->length + 1);
}

static struct jdi_read_end read_open_manifest(const struct jdi_read *r, int file,
                                              unsigned char **bytes,
                                              struct jdi_manifest *m)
{
    struct jdi_head head = {0};
    int64_t got = r->files->read(r->files, file, &head, sizeof head);
    uint64_t n = 0;
    if (got < 0)
        return has_failed(got);
    const char *fault = jdi_head_fault(&head, (size_t)got, JDI_HEAD_MANIFEST);
    if (!fault && head.length > JDI_MANIFEST_MOST)
        fault = "it is damaged: its length";
    if (fault)
        return has_fault(fault);
    struct jdi_read_end end = read_rest(r, file, &head, bytes, &n);
    return end.error ? end : has_fault(jdi_manifest_get(*bytes, n, m));
}

struct jdi_read_end jdi_read_manifest(const struct jdi_read *r, const char *path,
                                      unsigned char **bytes, struct jdi_manifest *m)
{
    *bytes = NULL;
    int file = r->files->open(r->files, path, JDI_FILES_READ);
    if (file < 0)
        return has_failed(file);
    struct jdi_read_end end = read_open_manifest(r, file, bytes, m);
    (void)r->files->close(r->files, file);
    if (end.error) {
        jdi_free(*bytes);
        *bytes = NULL;
    }
    return end;
}

/* ---- a share -------------------------------------------------------------------------- */

static struct jdi_read_end read_mem(const struct jdi_read *r, int file, uint32_t mem,
                                    uint64_t size, struct jdi_checksum *sum)
{
    struct jdi_read_end end = {0};
    uint64_t whole = jdi_share_mem_bytes(size);
    unsigned char *piece = jdi_alloc(r->fault, PIECE);
    if (!piece)
        return has_no_memory();
    for (uint64_t at = 0; at < whole && !end.error; at += PIECE) {
        uint64_t n = whole - at < PIECE ? whole - at : PIECE;
        uint64_t real = size - at < n ? size - at : n;
        end = read_exactly(r, file, piece, n);
        if (end.error)
            continue;
        jdi_checksum_add(sum, piece, n);
        if (r->take)
            r->take(r->ctx, mem, at, piece, real);
    }
    jdi_free(piece);
    return end;
}

/* The checksum, and that nothing comes behind it. */
static struct jdi_read_end read_sum(const struct jdi_read *r, int file, uint64_t sum,
                                    uint64_t expected)
{
    uint64_t last[2];
    int64_t got = r->files->read(r->files, file, last, sizeof last);
    if (got < 0)
        return has_failed(got);
    if (got != JDI_HEAD_SUM)
        return has_fault(got < JDI_HEAD_SUM ? "it is cut off"
                                            : "it is longer than it says");
    if (last[0] != sum)
        return has_fault("it is damaged: its checksum");
    return has_fault(sum != expected ? "it is another one than its manifest says" : NULL);
}

static struct jdi_read_end read_open_share(const struct jdi_read *r, int file,
                                           const struct jdi_manifest *m,
                                           unsigned char **front, struct jdi_share *s)
{
    const uint64_t *row = jdi_manifest_row(m, s->rank);
    uint64_t n = 0;
    struct jdi_checksum sum;
    jdi_checksum_init(&sum);
    struct jdi_read_end end = read_growing(r, file, front, &n, row[JDI_MANIFEST_FRONT]);
    if (end.error || n < row[JDI_MANIFEST_FRONT])
        return end.error ? end : has_fault("it is cut off");
    jdi_checksum_add(&sum, *front, n);
    for (uint32_t i = 0; i < m->nmems && !end.error; i++)
        end = read_mem(r, file, i, jdi_manifest_mem(m, s->rank, i), &sum);
    if (!end.error)
        end = read_sum(r, file, jdi_checksum_now(&sum), row[JDI_MANIFEST_SUM]);
    return end.error ? end : has_fault(jdi_share_get(*front, m, s->rank, s));
}

struct jdi_read_end jdi_read_share(const struct jdi_read *r, const char *path,
                                   const struct jdi_manifest *m, unsigned char **front,
                                   struct jdi_share *s)
{
    *front = NULL;
    int file = r->files->open(r->files, path, JDI_FILES_READ);
    if (file < 0)
        return has_failed(file);
    struct jdi_read_end end = read_open_share(r, file, m, front, s);
    (void)r->files->close(r->files, file);
    if (end.error) {
        jdi_free(*front);
        *front = NULL;
    }
    return end;
}
