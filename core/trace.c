/*
 * trace.c - see trace.h.
 *
 * Role: the file: made, mapped, grown chunk by chunk; its lines of text.
 * Invariants: I1-I3 of trace.h. I4 a number of a chunk is given out once, by an atomic addition, in whichever
 *             process.
 * Order: [pair: trace-count]; [pair: lock].
 * See: trace.h; doc/trace.md; fallocate(2).
 */
#include "core/trace.h"

#include "core/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNKS_OF_SHARE = 8, /* a tracer that begins again loses one of so many */
    MODE = 0644
};

/* ---- the file --------------------------------------------------------------------------- */

static int refuse_trace(struct jdi_trace_file *f, const char *what, char *err,
                        size_t errlen)
{
    snprintf(err, errlen, "JACKDAW_TRACE=%s: %s: %s", f->name, what, strerror(errno));
    if (f->fd >= 0)
        close(f->fd);
    return JD_ESYS;
}

/* A power of two, so that a share has CHUNKS_OF_SHARE of them if that is possible. */
static uint32_t chunk_bytes_for(uint64_t bytes, uint32_t ntracers)
{
    uint64_t share = bytes / ntracers / CHUNKS_OF_SHARE;
    uint32_t chunk = JDI_TRACE_CHUNK_LEAST;
    while (chunk < JDI_TRACE_CHUNK_MOST && chunk * UINT64_C(2) <= share)
        chunk *= 2;
    return chunk;
}

static bool map_file(struct jdi_trace_file *f, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    f->bytes = bytes;
    f->head = at == MAP_FAILED ? NULL : at;
    return f->head;
}

static void set_share(struct jdi_trace_file *f, uint32_t ntracers)
{
    uint32_t share = f->head->most / ntracers;
    f->share = share ? share : 1;
}

/* A file that is there may be mapped by a job that runs, which must not lose it under its feet: so it is
 * not made shorter, but loses its name.  Nothing but a file is taken away. */
static int open_new(const char *name)
{
    struct stat st;
    if (!lstat(name, &st) && S_ISREG(st.st_mode) && unlink(name))
        return -1;
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
}

int jdi_trace_create(struct jdi_trace_file *f, const struct jdi_trace_plan *plan,
                     char *err, size_t errlen)
{
    uint32_t chunk = chunk_bytes_for(plan->bytes, plan->ntracers);
    struct jdi_trace_head head = {.magic = JDI_TRACE_MAGIC,
                                  .order = JDI_TRACE_ORDER,
                                  .version = JDI_TRACE_VERSION,
                                  .chunk_bytes = chunk,
                                  .most =
                                      (uint32_t)((plan->bytes - JDI_TRACE_HEAD) / chunk),
                                  .nranks = plan->nranks,
                                  .clock = plan->clock};
    if (plan->clock == JDI_TRACE_TICKS)
        head.made = jdi_ticks_compare();
    JD_ASSERT(plan->bytes >= 2 * JDI_TRACE_CHUNK_LEAST && plan->ntracers);
    *f = (struct jdi_trace_file){.fd = -1};
    snprintf(f->name, sizeof f->name, "%s", plan->name);
    f->fd = open_new(plan->name);
    if (f->fd < 0)
        return refuse_trace(f, "it cannot be made", err, errlen);
    if (ftruncate(f->fd, JDI_TRACE_HEAD) ||
        pwrite(f->fd, &head, sizeof head, 0) != sizeof head)
        return refuse_trace(f, "it cannot be written", err, errlen);
    if (!map_file(f, JDI_TRACE_HEAD + (size_t)head.most * chunk))
        return refuse_trace(f, "it cannot be mapped", err, errlen);
    set_share(f, plan->ntracers);
    return 0;
}

int jdi_trace_attach(struct jdi_trace_file *f, const char *name, uint32_t ntracers,
                     char *err, size_t errlen)
{
    struct jdi_trace_head head;
    *f = (struct jdi_trace_file){.fd = -1};
    snprintf(f->name, sizeof f->name, "%s", name);
    f->fd = open(name, O_RDWR | O_CLOEXEC);
    if (f->fd < 0 || pread(f->fd, &head, sizeof head, 0) != sizeof head)
        return refuse_trace(f, "rank 0 has made it, and it cannot be opened", err,
                            errlen);
    if (!map_file(f, JDI_TRACE_HEAD + (size_t)head.most * head.chunk_bytes))
        return refuse_trace(f, "it cannot be mapped", err, errlen);
    set_share(f, ntracers);
    return 0;
}

void jdi_trace_close(struct jdi_trace_file *f)
{
    munmap(f->head, f->bytes);
    close(f->fd);
    f->head = NULL;
}

/* ---- chunks ----------------------------------------------------------------------------- */

struct jdi_trace_chunk *jdi_trace_chunk(const struct jdi_trace_file *f, uint32_t i)
{
    return (struct jdi_trace_chunk *)(void *)((char *)f->head + JDI_TRACE_HEAD +
                                              (size_t)i * f->head->chunk_bytes);
}

/* Disk space for chunk i.  A file system that has no fallocate gets a longer file. */
static bool find_space(struct jdi_trace_file *f, uint32_t i)
{
    off_t at = (off_t)JDI_TRACE_HEAD + (off_t)i * f->head->chunk_bytes;
    int saved = errno, error;
    do
        error = fallocate(f->fd, 0, at, f->head->chunk_bytes) ? errno : 0;
    while (error == EINTR);
    if (error == EOPNOTSUPP)
        error = posix_fallocate(f->fd, at, f->head->chunk_bytes);
    errno = saved;
    if (error)
        atomic_store_explicit(&f->full, true, memory_order_relaxed);
    return !error;
}

bool jdi_trace_take(struct jdi_trace_file *f, uint32_t *out)
{
    if (atomic_load_explicit(&f->full, memory_order_relaxed) ||
        atomic_load_explicit(&f->head->taken, memory_order_relaxed) >= f->head->most)
        return false;
    *out = atomic_fetch_add_explicit(&f->head->taken, 1, memory_order_relaxed);
    return *out < f->head->most && find_space(f, *out);
}

void jdi_trace_begin(struct jdi_trace_chunk *c, enum jdi_trace_use use, uint32_t rank,
                     uint16_t owner, uint64_t sequence)
{
    atomic_store_explicit(&c->count, 0, memory_order_relaxed);
    c->rank = rank;
    c->owner = owner;
    c->row = 0;
    c->since = 0;
    c->sequence = sequence;
    /* A live reader that sees the new use sees an empty chunk.  [pair: trace-count] */
    atomic_thread_fence(memory_order_release);
    c->use = (uint16_t)use;
}

/* True if the newest chunk has room, which may be a new one. */
static bool text_has_room(struct jdi_trace_file *f, size_t room)
{
    struct jdi_trace_text *t = &f->text;
    uint32_t i;
    if (t->chunk && atomic_load_explicit(&t->chunk->count, memory_order_relaxed) < room)
        return true;
    if (!jdi_trace_take(f, &i))
        return false;
    t->chunk = jdi_trace_chunk(f, i);
    jdi_trace_begin(t->chunk, JDI_TRACE_TEXT, t->rank, 0, t->sequence++);
    return true;
}

void jdi_trace_say(struct jdi_trace_file *f, uint32_t rank, const char *text)
{
    size_t left = strlen(text), room = f->head->chunk_bytes - sizeof *f->text.chunk;
    jdi_lock(&f->text.lock);
    if (!f->text.sequence)
        f->text.rank = rank;
    while (left && text_has_room(f, room)) {
        struct jdi_trace_chunk *c = f->text.chunk;
        uint32_t used = atomic_load_explicit(&c->count, memory_order_relaxed);
        size_t n = left < room - used ? left : room - used;
        memcpy((char *)(c + 1) + used, text, n);
        /* [pair: trace-count] release: the text. */
        atomic_store_explicit(&c->count, used + (uint32_t)n, memory_order_release);
        text += n;
        left -= n;
    }
    jdi_unlock(&f->text.lock);
}
