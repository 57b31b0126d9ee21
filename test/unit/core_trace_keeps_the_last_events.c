/*
 * A file of traces: tracers share it, each keeps its last events when its share is used up, a full disk ends in no
 * signal, and names say which file is meant.
 */
#include "core/tracer.h"
#include "test/kit/tap.h"

#include "core/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 256 << 10, MANY = 100000 };

static char path[] = "/tmp/jackdaw-trace-XXXXXX";

static void make_file(struct jdi_trace_file *f, uint32_t ntracers, uint64_t bytes)
{
    const struct jdi_trace_plan plan = {path, bytes, ntracers, 1, JDI_TRACE_NS};
    char err[512] = "";
    is_u64((uint64_t)jdi_trace_create(f, &plan, err, sizeof err), 0, "a file is made%s",
           err);
}

static const struct jdi_trace_chunk *chunk(const struct jdi_trace_file *f, uint32_t i)
{
    return (const void *)((const char *)f->head + JDI_TRACE_HEAD +
                          (size_t)i * f->head->chunk_bytes);
}

/* All chunks of an owner: how many events, the least and the largest b, and whether chunks that follow each other in
 * sequence have numbers that do. */
struct found {
    uint64_t events, least, largest, first_sequence, chunks;
};

static struct found find(const struct jdi_trace_file *f, unsigned owner)
{
    struct found x = {.least = UINT64_MAX, .first_sequence = UINT64_MAX};
    uint32_t n = f->head->taken < f->head->most ? f->head->taken : f->head->most;
    struct stat st;
    fstat(f->fd, &st);
    for (uint32_t i = 0; i < n; i++) {
        if ((off_t)(JDI_TRACE_HEAD + (size_t)(i + 1) * f->head->chunk_bytes) > st.st_size)
            break;
        const struct jdi_trace_chunk *c = chunk(f, i);
        const struct jdi_trace_event *e = (const void *)(c + 1);
        if (c->use != JDI_TRACE_EVENTS || c->owner != owner)
            continue;
        x.chunks++;
        x.first_sequence =
            c->sequence < x.first_sequence ? c->sequence : x.first_sequence;
        for (uint32_t k = 0; k < c->count; k++, x.events++) {
            x.least = e[k].b < x.least ? e[k].b : x.least;
            x.largest = e[k].b > x.largest ? e[k].b : x.largest;
        }
    }
    return x;
}

static void test_few(void)
{
    struct jdi_trace_file f;
    make_file(&f, 2, SIZE);
    struct jdi_tracer *t = jdi_tracer_new(&f, 7, 3, true);
    jdi_tracer_task(t, 5, 1000, 1500, 42);
    jdi_tracer_task(t, 6, 2000, 2000 + JDI_TRACE_A_MOST + 1000, 43);
    const struct jdi_trace_event *e = (const void *)(t->chunk + 1);
    ok(jdi_trace_kind(&e[0]) == JDI_TRACE_TASK && jdi_trace_row(&e[0]) == 5 &&
           jdi_trace_a(&e[0]) == 500 && e[0].ns == 1000 && e[0].b == 42,
       "an event is as it was recorded");
    ok(jdi_trace_kind(&e[1]) == JDI_TRACE_TASK_LONG &&
           jdi_trace_a(&e[1]) == (JDI_TRACE_A_MOST + 1000) / 1000,
       "a task of hours is counted in microseconds");
    ok(t->chunk->rank == 7 && t->chunk->owner == 3 && t->chunk->count == 2,
       "its chunk says whose it is");
    jdi_tracer_starts(t, 9, 3000);
    ok(t->chunk->row == 10 && t->chunk->since == 3000, "a task that runs is named");
    is_u64(jdi_tracer_end(t), 0, "nothing was dropped");
    is_u64(t->chunk->row, 0, "at the end none runs");
    jdi_free(t);
    jdi_trace_close(&f);
}

static void test_last_ones_stay(void)
{
    struct jdi_trace_file f;
    make_file(&f, 2, SIZE);
    struct jdi_tracer *busy = jdi_tracer_new(&f, 0, 0, true),
                      *late = jdi_tracer_new(&f, 0, 1, true);
    for (uint64_t i = 0; i < MANY; i++)
        jdi_tracer_put(busy, JDI_TRACE_TASK, 0, 0, i, i);
    jdi_tracer_put(late, JDI_TRACE_TASK, 0, 0, 0, 4711);
    struct found b = find(&f, 0), l = find(&f, 1);
    is_u64(b.largest, MANY - 1, "the last event is there");
    is_u64(b.events, MANY - b.least, "and all from the oldest one on");
    ok(b.chunks == f.share && b.events > (f.share - 1) * 100,
       "as many as its share holds");
    is_u64(b.first_sequence * ((f.head->chunk_bytes - 32) / 24), b.least,
           "the sequence of the oldest chunk says how many are lost");
    ok(l.events == 1 && l.least == 4711, "another tracer finds its own share");
    jdi_trace_say(&f, 0, "a line\n");
    struct stat st;
    fstat(f.fd, &st);
    ok(st.st_size <= SIZE, "the file is not larger than it may be");
    jdi_tracer_end(busy), jdi_tracer_end(late);
    jdi_free(busy), jdi_free(late);
    jdi_trace_close(&f);
}

static void test_more_tracers_than_chunks(void)
{
    enum { TRACERS = 100 };
    struct jdi_trace_file f;
    struct jdi_tracer *t[TRACERS];
    uint64_t dropped = 0, kept = 0;
    make_file(&f, TRACERS, 64 << 10);
    for (unsigned i = 0; i < TRACERS; i++) {
        t[i] = jdi_tracer_new(&f, i, 0, true);
        jdi_tracer_put(t[i], JDI_TRACE_TASK, 0, 0, 0, i);
    }
    for (unsigned i = 0; i < TRACERS; i++) {
        kept += t[i]->chunk != NULL;
        dropped += jdi_tracer_end(t[i]);
        jdi_free(t[i]);
    }
    ok(kept == f.head->most && kept + dropped == TRACERS && f.head->dropped == dropped,
       "who finds no room counts what is not recorded");
    jdi_trace_close(&f);
}

/* The kernel refuses a longer file as a full disk does. */
static void test_full_disk(void)
{
    struct jdi_trace_file f;
    struct rlimit old,
        small = {JDI_TRACE_HEAD + 3 * JDI_TRACE_CHUNK_LEAST, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    make_file(&f, 8, SIZE);
    is_u64(f.head->chunk_bytes, JDI_TRACE_CHUNK_LEAST, "small chunks");
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    struct jdi_tracer *t = jdi_tracer_new(&f, 0, 0, true);
    for (uint64_t i = 0; i < MANY; i++)
        jdi_tracer_put(t, JDI_TRACE_TASK, 0, 0, i, i);
    setrlimit(RLIMIT_FSIZE, &old);
    struct found x = find(&f, 0);
    ok(f.full && x.chunks == 3 && x.largest == MANY - 1 && x.events == MANY - x.least,
       "on a full disk the last events stay, too");
    jdi_tracer_end(t);
    jdi_free(t);
    jdi_trace_close(&f);
}

static void test_the_same_name(void)
{
    struct jdi_trace_file f, g;
    make_file(&f, 2, SIZE);
    struct jdi_tracer *t = jdi_tracer_new(&f, 0, 0, true);
    jdi_tracer_put(t, JDI_TRACE_TASK, 0, 0, 0, 1);
    make_file(&g, 2, SIZE);
    jdi_tracer_put(t, JDI_TRACE_TASK, 0, 0, 0, 2);
    ok(find(&f, 0).events == 2 && !find(&g, 0).events,
       "a job that makes the file anew leaves another one's alone");
    jdi_tracer_end(t);
    jdi_free(t);
    jdi_trace_close(&f);
    jdi_trace_close(&g);
}

static void test_no_file(void)
{
    const struct jdi_trace_plan plan = {"/nowhere/at/all", SIZE, 1, 1, JDI_TRACE_NS};
    char err[512];
    struct jdi_trace_file f;
    ok(jdi_trace_create(&f, &plan, err, sizeof err) == JD_ESYS &&
           strstr(err, "JACKDAW_TRACE=/nowhere/at/all"),
       "a file that cannot be made is named");
}

int main(void)
{
    int fd = mkstemp(path);
    ok(fd >= 0, "a place for it");
    close(fd);
    test_few();
    test_last_ones_stay();
    test_more_tracers_than_chunks();
    test_full_disk();
    test_the_same_name();
    test_no_file();
    unlink(path);
    return done_testing();
}
