/*
 * A trace that is read while a thread writes its small file over and over: each event is whole, and those of the thread are in
 * the order in which it has recorded them, however often one looks.
 */
#include "core/tracer.h"
#include "test/kit/tap.h"
#include "tools/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

const char trace_tool[] = "test";

enum { ROUNDS = 300, FILE_BYTES = 64 << 10, FACTOR = 7 };

struct writer {
    struct jdi_trace_file file;
    _Atomic uint64_t wrote;
    _Atomic bool stop;
};

static void *write_events(void *arg)
{
    struct writer *w = arg;
    struct jdi_tracer *t = jdi_tracer_new(&w->file, 0, 0, true);
    if (!t)
        bail_out("no memory");
    for (uint64_t i = 1; !atomic_load_explicit(&w->stop, memory_order_relaxed); i++) {
        jdi_tracer_put(t, JDI_TRACE_GIVE, 0, i, i, i * FACTOR);
        atomic_store_explicit(&w->wrote, i, memory_order_relaxed);
    }
    (void)jdi_tracer_end(t);
    free(t);
    return NULL;
}

struct seen {
    uint64_t n, last, torn, back;
};

static void see(void *seen, const struct jdi_trace_event *e)
{
    struct seen *s = seen;
    s->n++;
    s->torn += e->b != e->ns * FACTOR || jdi_trace_a(e) != e->ns;
    s->back += e->ns <= s->last;
    s->last = e->ns;
}

/* Twice, as who shows it does: it must be the same. */
static void look(const struct trace *t, struct seen *all)
{
    struct seen s[2] = {{0}, {0}};
    for (size_t i = 0; i < t->nthreads; i++)
        for (unsigned k = 0; k < 2; k++)
            trace_each(&t->thread[i], see, &s[k]);
    all->n += s[0].n;
    all->torn += s[0].torn + s[1].torn;
    all->back += s[0].back + s[1].back + (s[0].last != s[1].last);
}

int main(void)
{
    static struct writer w;
    char name[] = "/tmp/live-XXXXXX", err[256], *names[] = {name};
    int fd = mkstemp(name);
    if (fd >= 0)
        close(fd);
    const struct jdi_trace_plan plan = {name, FILE_BYTES, 1, 1, JDI_TRACE_NS};
    pthread_t writer;
    struct seen all = {0};
    if (jdi_trace_create(&w.file, &plan, err, sizeof err) ||
        pthread_create(&writer, NULL, write_events, &w))
        bail_out("no file, or no thread");
    while (atomic_load_explicit(&w.wrote, memory_order_relaxed) < FILE_BYTES / 24)
        sched_yield(); /* it is written over from here on */
    unsigned read = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct trace t;
        read += trace_read(&t, names, 1);
        look(&t, &all);
        trace_free(&t);
    }
    atomic_store_explicit(&w.stop, true, memory_order_relaxed);
    pthread_join(writer, NULL);
    jdi_trace_close(&w.file);
    unlink(name);
    is_u64(read, ROUNDS, "it can be read at any time");
    ok(all.n > 0, "%llu events were there", (unsigned long long)all.n);
    is_u64(all.torn, 0, "each is whole");
    is_u64(all.back, 0, "they are in order, and the same when one looks again");
    return done_testing();
}
