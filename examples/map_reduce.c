/*
 * map_reduce.c - fetch many values that come late, compute with each, and add up the results.
 *
 * Role: the workload of "Latency-Hiding Work Stealing" (Muller, Acar): divide and conquer over n elements; each
 *       is fetched with a latency, and then computed with.  While one is fetched its task waits and the
 *       worker goes on with others.  Every rank has its share of the elements.
 * Owner: each rank its elements; a join belongs to whichever of its two parts ends last.
 * Invariants: I1 only rank 0 prints. I2 every element is counted once.
 * See: examples/README.md; jd_sleep_until, jd_get and jd_resume in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAP, HALF };
enum how { BY_TIMER, BY_GET, BY_PIPE };

static const char usage[] = "usage: map_reduce [OPTION VALUE]...\n"
                            "  -n N       elements (5000)\n"
                            "  -l USEC    latency of an element (1000)\n"
                            "  -w USEC    work with an element (10)\n"
                            "  -U WIDTH   only so many of the elements are fetched, "
                            "spread evenly; the others are at hand (all)\n"
                            "  -s SOURCE  timer; get: from the memory of the next "
                            "rank, as late as the network is; or pipe:\n"
                            "             from a process that answers late (timer)\n"
                            "  -j JOIN    counter: who ends last goes on with the sum; "
                            "or finish: a task waits for its\n"
                            "             two halves (counter)\n"
                            "  -h         this text\n";

struct options {
    int64_t n, latency, work, width;
    enum how how;
    int finish;
};

/* Two parts of the elements; the one that ends last has the sum of both. */
struct join {
    _Atomic uint64_t sum;
    _Atomic int missing;
};

/* Elements first .. end-1 of this rank; the join above is node / 2. */
struct part {
    int64_t first, end;
    uint64_t node;
};

/* One half, and where its sum goes. */
struct half {
    int64_t first, end;
    uint64_t *sum;
};

/* Who waits for an element, and its value once it is there. */
struct place {
    _Atomic(jd_self *) me;
    uint64_t value;
};

/* That process, and the thread that reads its answers. */
struct source {
    pid_t process;
    pthread_t reader;
    int ask,
        answers; /* descriptors: the number of an element goes there, and comes back */
    int64_t first;
    struct place *place; /* of each element from the first one on */
};

struct run { /* of one rank */
    struct options o;
    int64_t first, end; /* its elements */
    struct join *joins;
    struct source source;
    jd_mem values; /* the elements of the rank before, by number from its first one on */
    _Atomic uint64_t total, mapped;
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "map_reduce: %s", jd_strerror(error));
}

/* ---- elements ----------------------------------------------------------------------- */

static uint64_t value_of(int64_t i)
{
    return 3 * (uint64_t)i + 1;
}

static uint64_t mapped(uint64_t value)
{
    return value * value + 1;
}

/* Exactly `width` of the n elements are. */
static int is_fetched(const struct options *o, int64_t i)
{
    return i * o->width / o->n != (i + 1) * o->width / o->n;
}

/* ---- a process that answers late ---------------------------------------------------- */

/* All of the bytes; 0 if there is an end before them. */
static int move_bytes(int fd, void *bytes, size_t n, int reads)
{
    for (size_t done = 0; done < n;) {
        char *at = (char *)bytes + done;
        ssize_t now = reads ? read(fd, at, n - done) : write(fd, at, n - done);
        if (now > 0)
            done += (size_t)now;
        else if (now == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

struct late {
    int64_t i;
    uint64_t due; /* ns */
};

/* The process: all latencies are the same, so what has come first is due first.  Ends when nobody can
 * ask any more. */
static void answer_late(int asked, int answers, uint64_t latency, struct late *queue)
{
    struct pollfd in = {.fd = asked, .events = POLLIN};
    size_t first = 0, end = 0;
    while (in.fd >= 0 || first < end) {
        uint64_t now = jd_clock(NULL);
        uint64_t left =
            first < end && queue[first].due > now ? queue[first].due - now : 0;
        (void)poll(&in, 1, first < end ? (int)((left + 999999) / 1000000) : -1);
        if (in.revents) {
            if (move_bytes(asked, &queue[end].i, sizeof queue[end].i, 1))
                queue[end++].due = jd_clock(NULL) + latency;
            else
                in.fd = -1;
        }
        for (; first < end && queue[first].due <= jd_clock(NULL); first++)
            if (!move_bytes(answers, &queue[first].i, sizeof queue[first].i, 0))
                return;
    }
}

/* A thread of the program's own: whom an answer is for goes on. */
static void *read_answers(void *arg)
{
    const struct source *s = arg;
    for (int64_t i; move_bytes(s->answers, &i, sizeof i, 1);) {
        struct place *p = &s->place[i - s->first];
        /* Acquire: what the task did before it has stopped. */
        jd_self *waits = atomic_load_explicit(&p->me, memory_order_acquire);
        p->value = value_of(i);
        jd_resume(NULL, waits);
    }
    return NULL;
}

static void open_source(jd_self *me, struct run *run)
{
    int asks[2], answers[2];
    size_t most = (size_t)(run->end - run->first) + 1;
    struct late *queue = calloc(most, sizeof *queue);
    run->source.first = run->first;
    run->source.place = calloc(most, sizeof *run->source.place);
    if (!queue || !run->source.place || pipe(asks) || pipe(answers))
        jd_abort(me, 1, "map_reduce: no pipe to another process");
    run->source.process = fork();
    if (run->source.process == 0) {
        close(asks[1]);
        close(answers[0]);
        answer_late(asks[0], answers[1], 1000 * (uint64_t)run->o.latency, queue);
        _exit(0);
    }
    free(queue);
    close(asks[0]);
    close(answers[1]);
    run->source.ask = asks[1];
    run->source.answers = answers[0];
    if (run->source.process < 0 ||
        pthread_create(&run->source.reader, NULL, read_answers, &run->source))
        jd_abort(me, 1, "map_reduce: no process that answers");
}

static void close_source(const struct source *s)
{
    close(s->ask);
    pthread_join(s->reader, NULL);
    close(s->answers);
    waitpid(s->process, NULL, 0);
    free(s->place);
}

struct asking {
    const struct source *source;
    int64_t i;
};

/* Runs after the task has stopped.  The number is written whole or not at all, because it is short. */
static void ask(jd_self *me, void *arg)
{
    const struct asking a =
        *(struct asking *)arg; /* an answer may come before the call returns */
    atomic_store_explicit(&a.source->place[a.i - a.source->first].me, me,
                          memory_order_release);
    if (!move_bytes(a.source->ask, (void *)(uintptr_t)&a.i, sizeof a.i, 0))
        abort(); /* the process that answers has gone */
}

/* ---- elements, fetched and mapped ----------------------------------------------------- */

static uint64_t fetch(jd_self *me, const struct run *run, int64_t i)
{
    uint64_t value = value_of(i);
    if (!is_fetched(&run->o, i))
        return value;
    if (run->o.how == BY_TIMER) {
        must(me, jd_sleep(me, 1000 * (uint64_t)run->o.latency));
        return value;
    }
    if (run->o.how == BY_PIPE) {
        struct asking a = {&run->source, i};
        jd_suspend(me, ask, &a);
        return run->source.place[i - run->first].value;
    }
    uint32_t next = (jd_rank(me) + 1) % jd_nranks(me);
    must(me, jd_get(me, run->values, next, 8 * (uint64_t)(i - run->first), &value,
                    sizeof value));
    return value;
}

static uint64_t element(jd_self *me, struct run *run, int64_t i)
{
    uint64_t value = fetch(me, run, i);
    jd_compute(me, 1000 * (uint64_t)run->o.work);
    atomic_fetch_add_explicit(&run->mapped, 1, memory_order_relaxed);
    return mapped(value);
}

/* ---- joins by counters --------------------------------------------------------------- */

/* A part has ended with this sum: go on upwards as long as it is the last. */
static void join(struct run *run, uint64_t node, uint64_t sum)
{
    for (; node > 1; node /= 2) {
        struct join *j = &run->joins[node / 2];
        atomic_fetch_add_explicit(&j->sum, sum, memory_order_relaxed);
        /* Release: this part's sum.  Acquire: that of the other part, which has ended before. */
        if (atomic_fetch_sub_explicit(&j->missing, 1, memory_order_acq_rel) > 1)
            return;
        sum = atomic_load_explicit(&j->sum, memory_order_relaxed);
    }
    atomic_store_explicit(&run->total, sum, memory_order_relaxed);
}

static void map(jd_self *me, void *arg)
{
    struct part p = *(struct part *)arg;
    struct run *run = jd_local(me);
    while (p.end - p.first > 1) {
        int64_t middle = p.first + (p.end - p.first) / 2;
        struct part right = {middle, p.end, 2 * p.node + 1};
        atomic_store_explicit(&run->joins[p.node].missing, 2, memory_order_relaxed);
        must(me, jd_async_local(me, MAP, &right, sizeof right));
        p = (struct part){p.first, middle, 2 * p.node};
    }
    join(run, p.node, element(me, run, p.first));
}

/* ---- joins by finishes --------------------------------------------------------------- */

static uint64_t sum_of_part(jd_self *me, struct run *run, int64_t first, int64_t end)
{
    if (end - first == 1)
        return element(me, run, first);
    uint64_t right_sum = 0, sum;
    struct half right = {first + (end - first) / 2, end, &right_sum};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, HALF, &right, sizeof right));
    sum = sum_of_part(me, run, first, right.first);
    must(me, jd_finish_end(me, &s));
    return sum + right_sum;
}

static void half(jd_self *me, void *arg)
{
    struct half h = *(struct half *)arg;
    *h.sum = sum_of_part(me, jd_local(me), h.first, h.end);
}

static const jd_task_def tasks[] = {
    [MAP] = JD_TASK(map), [HALF] = JD_TASK(half), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------- */

static void start(jd_self *me, void *arg)
{
    struct run *run = arg;
    uint64_t sum = 0;
    if (run->o.finish) {
        struct half all = {run->first, run->end, &sum};
        half(me, &all);
        atomic_store_explicit(&run->total, sum, memory_order_relaxed);
        return;
    }
    struct part all = {run->first, run->end, 1};
    must(me, jd_async_local(me, MAP, &all, sizeof all));
}

/* The elements of a rank. */
static int64_t first_of(const struct options *o, uint64_t rank, uint64_t nranks)
{
    return (int64_t)((uint64_t)o->n * rank / nranks);
}

/* This rank's part of the values: those that the rank before fetches. */
static void put_values(jd_self *me, struct run *run)
{
    uint64_t ranks = jd_nranks(me), before = (jd_rank(me) + ranks - 1) % ranks;
    int64_t first = first_of(&run->o, before, ranks),
            end = first_of(&run->o, before + 1, ranks);
    must(me, jd_mem_create(me, NULL, 8 * (size_t)(end - first), &run->values));
    uint64_t *value = jd_mem_local(me, run->values, NULL);
    for (int64_t i = first; i < end; i++)
        value[i - first] = value_of(i);
}

/* Returns the seconds that all ranks took. */
static double map_all(jd_self *me, struct run *run)
{
    jd_set_local(me, run);
    must(me, jd_barrier(me));
    double begin = jd_now(me);
    if (run->end > run->first)
        must(me, jd_finish(me, start, run));
    must(me, jd_barrier(me));
    return jd_now(me) - begin;
}

static int report(jd_self *me, const struct run *run, double seconds)
{
    const struct options *o = &run->o;
    uint64_t sum[] = {run->total, run->mapped, jd_nworkers(me)}, want = 0;
    must(me, jd_allreduce_u64(me, sum, 3, JD_SUM));
    for (int64_t i = 0; i < o->n; i++)
        want += mapped(value_of(i));
    int wrong = sum[0] != want || sum[1] != (uint64_t)o->n;
    double latency = o->how != BY_GET && o->width ? (double)o->latency : 0;
    double work = 1e-6 * (double)o->n * (double)o->work / (double)sum[2];
    double span = 1e-6 * (latency + (double)o->work);
    double bound = work > span ? work : span;
    if (jd_rank(me) == 0)
        printf(
            "%lld elements, %lld fetched in %g us, work %lld us, %llu workers: %.6f s; "
            "max(W/P, span) %.6f s, ratio %.3f%s\n",
            (long long)o->n, (long long)o->width, latency, (long long)o->work,
            (unsigned long long)sum[2], seconds, bound, seconds / bound,
            wrong ? ": WRONG" : "");
    return wrong;
}

static int run_all(jd_self *me, const struct options *o)
{
    struct run run = {.o = *o};
    run.first = first_of(o, jd_rank(me), jd_nranks(me));
    run.end = first_of(o, jd_rank(me) + 1, jd_nranks(me));
    /* Numbers of nodes are below four times that of the leaves. */
    run.joins = calloc(4 * (size_t)(run.end - run.first) + 1, sizeof *run.joins);
    must(me, run.joins ? 0 : JD_ENOMEM);
    put_values(me, &run);
    if (o->how == BY_PIPE)
        open_source(me, &run);
    int wrong = report(me, &run, map_all(me, &run));
    if (o->how == BY_PIPE)
        close_source(&run.source);
    must(me, jd_mem_destroy(me, run.values));
    free(run.joins);
    return wrong;
}

/* 1 if the text is one of the words; then its number among them is in *out. */
static int read_word(const char *text, const char *const *words, int nwords, int *out)
{
    for (*out = 0; *out < nwords; ++*out)
        if (!strcmp(text, words[*out]))
            return 1;
    return 0;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    static const char *const sources[] = {"timer", "get", "pipe"};
    static const char *const joins[] = {"counter", "finish"};
    int source = 0;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (!strcmp(argv[i], "-n"))
            right = read_number(value, 1, 100000000, &o->n);
        else if (!strcmp(argv[i], "-l"))
            right = read_number(value, 0, 1000000000, &o->latency);
        else if (!strcmp(argv[i], "-w"))
            right = read_number(value, 0, 1000000000, &o->work);
        else if (!strcmp(argv[i], "-U"))
            right = read_number(value, 0, INT64_MAX, &o->width);
        else if (!strcmp(argv[i], "-s"))
            right = read_word(value, sources, 3, &source);
        else if (!strcmp(argv[i], "-j"))
            right = read_word(value, joins, 2, &o->finish);
        if (!right)
            return i;
    }
    o->how = (enum how)source; /* in the order of the words */
    o->width = o->width < o->n ? o->width : o->n;
    return 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {.n = 5000, .latency = 1000, .work = 10, .width = INT64_MAX};
    int bad = read_options(argc, argv, &o);
    if (bad)
        return end_with_usage(me, "map_reduce", argv, bad, usage);
    /* Virtual time stands still while another process lets real time pass. */
    if (o.how == BY_PIPE && jd_now(NULL) - jd_now(me) > 1) {
        if (jd_rank(me) == 0)
            fputs("map_reduce: -s pipe needs real time: not in the simulator\n", stderr);
        return 2;
    }
    return run_all(me, &o);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
