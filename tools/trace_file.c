/*
 * trace_file.c - reads the files of JACKDAW_TRACE.
 *
 * Role: the head, the chunks of each thread in their order, the lines of text.
 * Owner: one thread; the files may still be written to.
 * Invariants: I1 of tools/trace.h.
 * Order: [pair: trace-count].
 * See: doc/trace.md "The file is the buffer".
 */
#include "tools/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *trace_grow(void *old, size_t n, size_t each)
{
    void *p = realloc(old, n * each + 1);
    if (!p) {
        fprintf(stderr, "%s: out of memory\n", trace_tool);
        exit(1);
    }
    return p;
}

/* ---- chunks ----------------------------------------------------------------------------- */

struct chunk {
    const struct jdi_trace_chunk *at;
    uint64_t sequence;
    uint32_t rank, count;
    uint16_t use, owner;
    bool ticks; /* of the file */
};

struct chunks {
    struct chunk *c;
    size_t n, room;
};

/* A copy of the chunk, because a job that runs may begin it anew at any time; NULL: it just has. */
static void *copy_chunk(const struct jdi_trace_chunk *at, uint64_t sequence,
                        uint32_t count, size_t bytes)
{
    void *copy = trace_grow(NULL, bytes, 1);
    memcpy(copy, at, bytes);
    /* [pair: trace-count] acquire: whoever begins it anew sets `count` to 0 and has another sequence before he writes
     * to it. */
    atomic_thread_fence(memory_order_acquire);
    if (at->sequence == sequence &&
        atomic_load_explicit(&at->count, memory_order_relaxed) >= count)
        return copy;
    free(copy);
    return NULL;
}

static void keep_copy(struct trace *t, void *copy)
{
    if (!(t->ncopies & (t->ncopies - 1)))
        t->copy = trace_grow(t->copy, t->ncopies ? 2 * t->ncopies : 1, sizeof *t->copy);
    t->copy[t->ncopies++] = copy;
}

static int by_thread(const void *left, const void *right)
{
    const struct chunk *a = left, *b = right;
    if (a->use != b->use)
        return a->use < b->use ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static void add_chunk(struct trace *t, struct chunks *all,
                      const struct jdi_trace_chunk *at, const struct jdi_trace_head *h)
{
    size_t bytes = h->chunk_bytes, each = sizeof(struct jdi_trace_event);
    size_t most = (bytes - sizeof *at) / each;
    struct chunk c = {.at = at, .sequence = at->sequence, .rank = at->rank};
    c.ticks = h->clock == JDI_TRACE_TICKS;
    c.use = at->use;
    c.owner = at->owner;
    /* [pair: trace-count] acquire: the events that it counts. */
    c.count = atomic_load_explicit(&at->count, memory_order_acquire);
    if (c.use == JDI_TRACE_TEXT) {
        most = bytes - sizeof *at;
        each = 1;
    }
    if ((c.use != JDI_TRACE_EVENTS && c.use != JDI_TRACE_TEXT) || c.count > most)
        return; /* not begun, or half written over */
    void *copy = copy_chunk(at, c.sequence, c.count, sizeof *at + c.count * each);
    if (!copy)
        return;
    c.at = copy;
    keep_copy(t, copy);
    if (all->n == all->room)
        all->c = trace_grow(all->c, all->room = all->room * 2 + 64, sizeof *all->c);
    all->c[all->n++] = c;
}

/* What is wrong with a head; NULL: nothing. */
static const char *fault_of_head(const struct jdi_trace_head *h, size_t bytes)
{
    if (bytes < JDI_TRACE_HEAD || memcmp(h->magic, JDI_TRACE_MAGIC, sizeof h->magic))
        return "it is no trace of Jackdaw";
    if (h->order != JDI_TRACE_ORDER)
        return "it was written on a machine with another order of bytes";
    if (h->version != JDI_TRACE_VERSION)
        return "it has another version of the format: use the tools that came with the "
               "library";
    if (h->chunk_bytes < JDI_TRACE_CHUNK_LEAST || h->chunk_bytes > JDI_TRACE_CHUNK_MOST ||
        h->chunk_bytes & (h->chunk_bytes - 1))
        return "its head is damaged";
    return NULL;
}

static bool read_file(struct trace *t, struct chunks *all, const char *name)
{
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        fprintf(stderr, "%s: %s: %s\n", trace_tool, name, strerror(errno));
        return false;
    }
    size_t bytes = (size_t)st.st_size;
    const char *fault = bytes < JDI_TRACE_HEAD ? "it is no trace of Jackdaw" : NULL;
    const char *at = fault ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    const struct jdi_trace_head *h = (const void *)at;
    close(fd);
    if (!fault)
        fault = at == MAP_FAILED ? strerror(errno) : fault_of_head(h, bytes);
    if (fault) {
        fprintf(stderr, "%s: %s: %s\n", trace_tool, name, fault);
        return false;
    }
    t->dropped += atomic_load_explicit(&h->dropped, memory_order_relaxed);
    for (size_t off = JDI_TRACE_HEAD; bytes - off >= h->chunk_bytes;
         off += h->chunk_bytes)
        add_chunk(t, all, (const void *)(at + off), h);
    if ((bytes - JDI_TRACE_HEAD) % h->chunk_bytes) {
        t->cut = name;
        t->cut_bytes = bytes;
    }
    munmap((void *)(uintptr_t)at, bytes);
    return true;
}

/* ---- threads ---------------------------------------------------------------------------- */

static void add_run(struct trace_thread *th, const struct chunk *c, uint64_t expected)
{
    size_t each = (size_t)th->nruns;
    if (!(each & (each - 1)) || !each) {
        size_t room = each ? 2 * each : 1;
        th->run = trace_grow(th->run, room, sizeof *th->run);
        th->count = trace_grow(th->count, room, sizeof *th->count);
    }
    /* All chunks before the first one that is left were full, and as large as this one.  One event of each compared
     * clocks. */
    th->lost += (c->sequence - expected) * (c->count - c->ticks);
    th->run[th->nruns] = (const void *)(c->at + 1);
    th->count[th->nruns++] = c->count;
    th->running = c->at->row;
    th->since = c->at->since;
}

static void make_threads(struct trace *t, const struct chunks *all, size_t from)
{
    struct trace_thread *th = NULL;
    uint64_t expected = 0;
    for (size_t i = from; i < all->n && all->c[i].use == JDI_TRACE_EVENTS; i++) {
        const struct chunk *c = &all->c[i];
        if (!th || th->rank != c->rank || th->owner != c->owner) {
            t->thread = trace_grow(t->thread, t->nthreads + 1, sizeof *t->thread);
            th = &t->thread[t->nthreads++];
            *th = (struct trace_thread){
                .rank = c->rank, .owner = c->owner, .ticks = c->ticks};
            expected = 0;
        }
        add_run(th, c, expected);
        expected = c->sequence + 1;
    }
}

/* ---- text ------------------------------------------------------------------------------- */

static void set_name(char ***names, size_t *n, const char *line)
{
    char *end;
    unsigned long i = strtoul(line, &end, 10);
    if (*end != ' ' || i > UINT16_MAX)
        return;
    if (i >= *n) {
        *names = trace_grow(*names, i + 1, sizeof **names);
        memset(*names + *n, 0, (i + 1 - *n) * sizeof **names);
        *n = i + 1;
    }
    free((*names)[i]);
    (*names)[i] = strdup(end + 1);
}

static struct trace_rank *rank_at(struct trace *t, uint32_t rank)
{
    for (size_t i = 0; i < t->nranks; i++) /* they come in order, but for the last few */
        if (t->rank[t->nranks - 1 - i].rank == rank)
            return &t->rank[t->nranks - 1 - i];
    t->rank = trace_grow(t->rank, t->nranks + 1, sizeof *t->rank);
    struct trace_rank *r = &t->rank[t->nranks++];
    *r = (struct trace_rank){.rank = rank};
    return r;
}

static void read_rank(struct trace *t, const char *line)
{
    uint32_t rank;
    uint64_t start;
    unsigned workers;
    char role[16], host[256] = "";
    long process;
    if (sscanf(line, "%" SCNu32 " %" SCNu64 " %u %15s %ld %255[^\n]", &rank, &start,
               &workers, role, &process, host) < 5)
        return;
    struct trace_rank *r = rank_at(t, rank);
    r->start = start;
    r->workers = workers;
    r->apart = strcmp(role, "worker");
    r->process = process;
    r->known = true;
    memcpy(r->host, host, sizeof host);
}

static void read_id(struct trace *t, const char *id)
{
    if (!*t->run)
        snprintf(t->run, sizeof t->run, "%s", id);
    else if (strcmp(t->run, id))
        snprintf(t->another, sizeof t->another, "%s", id);
}

/* The clock of a rank has the name of its kernel. */
static void read_kernel(struct trace *t, const char *line)
{
    uint32_t rank;
    char name[64];
    if (sscanf(line, "%" SCNu32 " %63s", &rank, name) == 2)
        rank_at(t, rank)->clock = trace_clock_find(t, name) + 1;
}

static struct trace_clock *clock_of(struct trace *t, uint32_t rank)
{
    size_t clock = rank_at(t, rank)->clock;
    return clock ? &t->clock[clock - 1] : NULL;
}

/* A counter and a clock were compared before the first event. */
static void read_clock(struct trace *t, const char *line)
{
    uint32_t rank;
    struct jdi_ticks at;
    if (sscanf(line, "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64, &rank, &at.ticks,
               &at.ns, &at.width) == 4 &&
        clock_of(t, rank))
        trace_clock_add(clock_of(t, rank), at);
}

static void read_meeting(struct trace *t, const char *line)
{
    uint32_t rank;
    unsigned round;
    uint64_t came, left;
    if (sscanf(line, "%" SCNu32 " %u %" SCNu64 " %" SCNu64, &rank, &round, &came,
               &left) == 4 &&
        clock_of(t, rank))
        trace_hosts_met(clock_of(t, rank), rank, round, came, left);
}

static void read_ended(struct trace *t, const char *line)
{
    uint32_t rank;
    uint64_t at;
    if (sscanf(line, "%" SCNu32 " %" SCNu64, &rank, &at) == 2)
        rank_at(t, rank)->ended = at;
}

static void read_line(struct trace *t, char *line)
{
    size_t used = strlen(t->command);
    if (!strncmp(line, "rank ", 5))
        read_rank(t, line + 5);
    else if (!strncmp(line, "ended ", 6))
        read_ended(t, line + 6);
    else if (!strncmp(line, "kernel ", 7))
        read_kernel(t, line + 7);
    else if (!strncmp(line, "clock ", 6))
        read_clock(t, line + 6);
    else if (!strncmp(line, "meeting ", 8))
        read_meeting(t, line + 8);
    else if (!strncmp(line, "task ", 5))
        set_name(&t->row, &t->nrows, line + 5);
    else if (!strncmp(line, "collection ", 11))
        set_name(&t->coll, &t->ncolls, line + 11);
    else if (!strncmp(line, "cause ", 6))
        set_name(&t->cause, &t->ncauses, line + 6);
    else if (!strncmp(line, "run ", 4))
        read_id(t, line + 4);
    else if (!strncmp(line, "network ", 8))
        snprintf(t->network, sizeof t->network, "%s", line + 8);
    else if (!strncmp(line, "argument ", 9))
        snprintf(t->command + used, sizeof t->command - used, "%s%s", used ? " " : "",
                 line + 9);
}

/* The text of one process goes on from chunk to chunk. */
static void read_text(struct trace *t, const struct chunk *c, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += c[i].count;
    char *text = trace_grow(NULL, bytes, 1), *to = text;
    for (size_t i = 0; i < n; i++) {
        memcpy(to, c[i].at + 1, c[i].count);
        to += c[i].count;
    }
    *to = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        read_line(t, line);
    }
    free(text);
}

static void read_texts(struct trace *t, const struct chunks *all)
{
    for (size_t i = 0, n; i < all->n; i += n) {
        for (n = 1; i + n < all->n && all->c[i + n].rank == all->c[i].rank &&
                    all->c[i + n].use == all->c[i].use;)
            n++;
        if (all->c[i].use == JDI_TRACE_TEXT)
            read_text(t, &all->c[i], n);
    }
}

/* ---- all -------------------------------------------------------------------------------- */

uint64_t trace_task_ns(const struct jdi_trace_event *e)
{
    uint64_t a = jdi_trace_a(e);
    return jdi_trace_kind(e) == JDI_TRACE_TASK_LONG ? a * 1000 : a;
}

static bool lasts(const struct jdi_trace_event *e)
{
    enum jdi_trace_kind k = jdi_trace_kind(e);
    return k == JDI_TRACE_TASK || k == JDI_TRACE_TASK_LONG || k == JDI_TRACE_SLEEP ||
           k == JDI_TRACE_POLL;
}

static void see_time(void *trace, const struct jdi_trace_event *e)
{
    struct trace *t = trace;
    uint64_t end = e->ns + (lasts(e) ? trace_task_ns(e) : 0);
    t->begin = e->ns < t->begin ? e->ns : t->begin;
    t->end = end > t->end ? end : t->end;
}

static int by_rank(const void *left, const void *right)
{
    const struct trace_rank *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void tie_ranks(struct trace *t)
{
    for (size_t i = 0; i < t->nthreads; i++)
        (void)rank_at(t, t->thread[i].rank);
    if (t->nranks)
        qsort(t->rank, t->nranks, sizeof *t->rank, by_rank);
    for (size_t i = 0, k = 0; i < t->nthreads; i++) {
        while (t->rank[k].rank != t->thread[i].rank)
            k++;
        t->thread[i].of = &t->rank[k];
    }
}

bool trace_read(struct trace *t, char *const *names, size_t n)
{
    struct chunks all = {0};
    size_t first = 0;
    *t = (struct trace){.begin = UINT64_MAX};
    for (size_t i = 0; i < n; i++)
        if (!read_file(t, &all, names[i])) {
            free(all.c);
            return false;
        }
    if (all.n)
        qsort(all.c, all.n, sizeof *all.c, by_thread);
    while (first < all.n && all.c[first].use != JDI_TRACE_EVENTS)
        first++;
    make_threads(t, &all, first);
    read_texts(t, &all);
    free(all.c);
    if (*t->another) {
        fprintf(stderr, "%s: %s and the other files are of different runs: %s and %s\n",
                trace_tool, names[0], t->run, t->another);
        return false;
    }
    tie_ranks(t);
    trace_clock_set(t);
    for (size_t i = 0; i < t->nthreads; i++)
        trace_each(&t->thread[i], see_time, t);
    if (t->begin > t->end)
        t->begin = t->end = 0;
    return true;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void trace_free(struct trace *t)
{
    for (size_t i = 0; i < t->nthreads; i++) {
        free(t->thread[i].run);
        free(t->thread[i].count);
        free(t->thread[i].piece);
        free(t->thread[i].sleep);
    }
    for (size_t i = 0; i < t->nclocks; i++)
        free(t->clock[i].at);
    free(t->clock);
    free(t->born);
    for (size_t i = 0; i < t->ncopies; i++)
        free(t->copy[i]);
    free(t->copy);
    free(t->steal);
    free(t->thread);
    free(t->rank);
    free_names(t->row, t->nrows);
    free_names(t->coll, t->ncolls);
    free_names(t->cause, t->ncauses);
}
