/*
 * stages.c - a pipeline on one rank: stages of several tasks, joined by channels that hold few items.
 *
 * Role: a source makes numbers, each stage does a step with them, a sink takes them.  Urgent ones overtake the others in
 *       front of each stage, by a select in order.  The source makes a number only when there is room for it, by a
 *       reservation.  The same is done three times: to the end; until the source is told to stop, and then what
 *       is under way still arrives; and until all of it is cancelled, and then nothing is lost without being counted.
 * Owner: rank 0; an item belongs to the task that has it, or to the channel in which it is.
 * Invariants: I1 only rank 0 prints. I2 what was made is delivered, or inside a channel, or was dropped by a task that was
 *             cancelled.
 * See: examples/README.md; jd_select, jd_channel_reserve and jd_event in jackdaw.h.
 */
#include "examples/options.h"
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SOURCE, STAGE, CLOSER, SINK };
enum { STAGES_MOST = 100, URGENT = 10 /* each tenth number is */, US = 1000 };

static const char usage[] = "usage: stages [OPTION VALUE]...\n"
                            "  -n N   numbers (2000)\n"
                            "  -k K   stages (4)\n"
                            "  -w W   tasks of each stage (2)\n"
                            "  -c C   capacity of a channel (16)\n"
                            "  -u US  a step takes so many microseconds (5)\n"
                            "  -h     this text\n"
                            "It runs on rank 0.\n";

struct options {
    int64_t numbers, stages, width, capacity, work;
};

struct item {
    uint64_t number, value;
    jd_time made;
};

/* What lies before a stage, or before the sink. */
struct desk {
    jd_channel urgent, others;
    jd_event empty_handed; /* all who send to it have ended */
};

enum way { TO_THE_END, STOP, CANCEL };

struct line {
    struct options o;
    enum way way;
    struct desk desk[STAGES_MOST + 1];
    jd_event stop;
    jd_finish_id finish;
    uint64_t made, delivered, sum;
    _Atomic uint64_t dropped;
    uint64_t ns[2], n[2]; /* how long the others and the urgent ones were under way */
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "stages: %s", jd_strerror(error));
}

/* Any function will do whose result depends on the order of the stages. */
static uint64_t step(uint64_t value, int64_t stage)
{
    value = (value ^ (uint64_t)stage) * UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

static int is_urgent(uint64_t number)
{
    return number % URGENT == 0;
}

static jd_channel channel_for(const struct desk *d, uint64_t number)
{
    return is_urgent(number) ? d->urgent : d->others;
}

/* ---- the source ------------------------------------------------------------------------- */

/* Room for a number, and only then the number.  False: the source is told to stop, or all is cancelled. */
static int make_number(jd_self *me, struct line *l)
{
    jd_channel to = channel_for(&l->desk[0], l->made);
    jd_case c[] = {jd_case_event(l->stop), jd_case_reserve(to)};
    int at = jd_select(me, c, 2, JD_ORDERED, JD_FOREVER);
    if (at != 1) {
        must(me, at == JD_ECANCELED || at == 0 ? 0 : at);
        return 0;
    }
    struct item i = {l->made, l->made, jd_clock(me)};
    l->made++;
    must(me, jd_channel_commit(me, to, &i));
    return 1;
}

static void source(jd_self *me, void *arg)
{
    struct line *l = jd_local(me);
    (void)arg;
    while (l->made < (uint64_t)l->o.numbers && make_number(me, l))
        ;
    must(me, jd_event_signal(me, l->desk[0].empty_handed, 1));
}

/* ---- stages ----------------------------------------------------------------------------- */

/* The next item of a desk, urgent ones first; 0, or JD_ECLOSED when nothing comes any more, or JD_ECANCELED. */
static int take_item(jd_self *me, const struct desk *d, struct item *i)
{
    jd_case c[] = {jd_case_receive(d->urgent, i), jd_case_receive(d->others, i)};
    int open = 2;
    while (open > 0) {
        int at = jd_select(me, c, 2, JD_ORDERED, JD_FOREVER);
        if (at < 0)
            return at;
        if (!c[at].error)
            return 0;
        c[at].kind = JD_CASE_OFF; /* this channel is closed, and empty */
        open--;
    }
    return JD_ECLOSED;
}

static void stage(jd_self *me, void *arg)
{
    struct line *l = jd_local(me);
    const int64_t number = *(int64_t *)arg;
    const struct desk *from = &l->desk[number], *to = from + 1;
    struct item i;
    int error;
    while (!(error = take_item(me, from, &i))) {
        jd_compute(me, US * (uint64_t)l->o.work);
        i.value = step(i.value, number);
        error = jd_channel_send(me, channel_for(to, i.number), &i, JD_FOREVER);
        if (error) {
            atomic_fetch_add(&l->dropped, 1);
            break;
        }
    }
    must(me, error == JD_ECLOSED || error == JD_ECANCELED ? 0 : error);
    must(me, jd_event_signal(me, to->empty_handed, 1));
}

/* When all who send to a desk have ended, nothing more comes there. */
static void closer(jd_self *me, void *arg)
{
    struct line *l = jd_local(me);
    const struct desk *d = &l->desk[*(int64_t *)arg];
    int error = jd_event_wait(me, d->empty_handed, JD_FOREVER);
    if (error == JD_ECANCELED)
        return; /* so do all others */
    must(me, error);
    must(me, jd_channel_close(me, d->urgent));
    must(me, jd_channel_close(me, d->others));
}

/* ---- the sink --------------------------------------------------------------------------- */

/* Half of the numbers are enough for whoever stops, or cancels. */
static void sink(jd_self *me, void *arg)
{
    struct line *l = jd_local(me);
    struct item i;
    int error;
    (void)arg;
    while (!(error = take_item(me, &l->desk[l->o.stages], &i))) {
        l->delivered++;
        l->sum += i.value;
        l->ns[is_urgent(i.number)] += jd_clock(me) - i.made;
        l->n[is_urgent(i.number)]++;
        if (l->delivered != (uint64_t)(l->o.numbers + 1) / 2)
            continue;
        if (l->way == STOP)
            must(me, jd_event_signal(me, l->stop, 1));
        else if (l->way == CANCEL)
            must(me, jd_cancel(me, l->finish));
    }
    must(me, error == JD_ECLOSED || error == JD_ECANCELED ? 0 : error);
}

static const jd_task_def tasks[] = {[SOURCE] = JD_TASK(source),
                                    [STAGE] = JD_TASK(stage),
                                    [CLOSER] = JD_TASK(closer),
                                    [SINK] = JD_TASK(sink),
                                    JD_TASK_END};

/* ---- the whole -------------------------------------------------------------------------- */

static void open_desks(jd_self *me, struct line *l)
{
    for (int64_t k = 0; k <= l->o.stages; k++) {
        struct desk *d = &l->desk[k];
        uint64_t senders = k ? (uint64_t)l->o.width : 1;
        size_t capacity = (size_t)l->o.capacity;
        must(me, jd_channel_create(me, sizeof(struct item), capacity, &d->urgent));
        must(me, jd_channel_create(me, sizeof(struct item), capacity, &d->others));
        must(me, jd_event_create(me, senders, &d->empty_handed));
    }
    must(me, jd_event_create(me, 1, &l->stop));
}

/* Returns how many items were still inside. */
static uint64_t close_desks(jd_self *me, struct line *l)
{
    uint64_t inside = 0;
    struct item i;
    for (int64_t k = 0; k <= l->o.stages; k++) {
        const struct desk *d = &l->desk[k];
        while (!jd_channel_receive(me, d->urgent, &i, JD_NOW) ||
               !jd_channel_receive(me, d->others, &i, JD_NOW))
            inside++;
        must(me, jd_channel_destroy(me, d->urgent));
        must(me, jd_channel_destroy(me, d->others));
        must(me, jd_event_destroy(me, d->empty_handed));
    }
    must(me, jd_event_destroy(me, l->stop));
    return inside;
}

static int run_stages(jd_self *me, struct line *l)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    l->finish = jd_finish_mine(me);
    must(me, jd_async_local(me, SOURCE, NULL, 0));
    for (int64_t k = 0; k <= l->o.stages; k++) {
        must(me, jd_async_local(me, CLOSER, &k, sizeof k));
        for (int64_t w = 0; k < l->o.stages && w < l->o.width; w++)
            must(me, jd_async_local(me, STAGE, &k, sizeof k));
    }
    must(me, jd_async_local(me, SINK, NULL, 0));
    return jd_finish_end(me, &s);
}

/* Without a cancellation exactly the numbers that were made arrive. */
static int is_right(const struct line *l, uint64_t inside, int error)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < l->made; i++) {
        uint64_t value = i;
        for (int64_t s = 0; s < l->o.stages; s++)
            value = step(value, s);
        sum += value;
    }
    if (l->made != l->delivered + inside + atomic_load(&l->dropped))
        return 0;
    /* A cancellation takes its time, in which all may have ended. */
    if (l->way == CANCEL && error)
        return error == JD_ECANCELED;
    return !error && l->delivered == l->made && l->sum == sum &&
           (l->way == STOP || l->made == (uint64_t)l->o.numbers);
}

static double mean_us(const struct line *l, int urgent)
{
    return l->n[urgent] ? 1e-3 * (double)l->ns[urgent] / (double)l->n[urgent] : 0;
}

/* 1 if all is right. */
static int run_one(jd_self *me, const struct options *o, enum way way)
{
    static const char *const what[] = {"to the end", "stopped", "cancelled"};
    struct line l = {.o = *o, .way = way};
    jd_set_local(me, &l);
    open_desks(me, &l);
    double begin = jd_now(me);
    int error = run_stages(me, &l);
    double seconds = jd_now(me) - begin;
    uint64_t inside = close_desks(me, &l);
    int right = is_right(&l, inside, error);
    printf("%s: %llu made, %llu delivered, %llu inside, %llu dropped: %.6f s; under way "
           "for %.1f us, if urgent %.1f us%s\n",
           what[way], (unsigned long long)l.made, (unsigned long long)l.delivered,
           (unsigned long long)inside, (unsigned long long)atomic_load(&l.dropped),
           seconds, mean_us(&l, 0), mean_us(&l, 1), right ? "" : ": WRONG");
    return right;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    const struct number_option option[] = {{"-n", 100000000, &o->numbers},
                                           {"-k", STAGES_MOST, &o->stages},
                                           {"-w", 1000, &o->width},
                                           {"-c", 100000, &o->capacity},
                                           {"-u", 1000000, &o->work}};
    return read_numbers(argc, argv, option, sizeof option / sizeof *option);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct options o = {2000, 4, 2, 16, 5};
    int bad = read_options(argc, argv, &o);
    if (bad)
        return end_with_usage(me, "stages", argv, bad, usage);
    if (jd_rank(me))
        return 0;
    return !(run_one(me, &o, TO_THE_END) & run_one(me, &o, STOP) &
             run_one(me, &o, CANCEL));
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
