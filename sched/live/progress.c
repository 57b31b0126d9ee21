/*
 * progress.c - see progress.h; jd_progress.
 *
 * Role: see progress.h.
 * Owner: the communication thread; jd_progress: any worker.
 * Invariants: those of progress.h.
 * Order: [pair: progress-total] the total, and what belongs to it.
 * See: progress.h.
 *
 *   event                           rank                          rank 0
 *   the interval is over, some-     LIVE to rank 0                takes its own
 *     thing has changed
 *   the interval is over, nothing   nothing                       nothing
 *     has changed
 *   LIVE, a new number              refuses it                    keeps it in place of the last one
 *   LIVE, an old number             refuses it                    ignores it
 *   a little after the interval                                   writes the line
 *   the end of the job              a reduction of all tallies    the last line
 *
 * A rank that is silent has not changed: its workers without work have none, and the others are still in the tasks
 * in which they were.  So rank 0 goes on counting their time by itself.
 *
 * In virtual time a rank that has no work and has done nothing asks for no further turn, because a simulation that
 * stands still would go on for ever otherwise.
 */
#include "sched/live/progress.h"

#include "sched/live/count.h"
#include "sched/live/readout.h"
#include "sched/self.h"
#include "sched/worker.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    PLAIN_WIDTH = 200, /* of a line that is written to no terminal */
    LATE_PART = 16, /* of an interval: so late is the line, because messages take time */
    RANK_NS = 100000,     /* of an interval, for each rank of the job */
    LEAST_NS = 100000000, /* the shortest interval, in real time */
    LATE_NS =
        30000000 /* the line is later than messages by that at the least, in real time */
};

/* What rank 0 knows of a rank. */
struct heard {
    struct jdi_tally tally; /* workers 0: nothing yet */
    uint64_t number;
};

_Static_assert((int)sizeof(struct jdi_tally) == (int)JDI_AM_LIVE_BYTES,
               "a message is what a rank has done");

struct jdi_progress {
    uint64_t every, late, began, next;
    uint64_t number;       /* of messages sent */
    struct jdi_tally told; /* the last one that was sent */
    bool quiet;            /* virtual time: nothing happens, so no turn is asked for */
    /* Rank 0. */
    struct heard *of; /* NULL: of another rank */
    struct jdi_tally before;
    uint64_t before_at, line_at;
    bool terminal;
};

static JD_NORETURN void die_without_memory(struct jdi_rank *r)
{
    jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for JACKDAW_PROGRESS");
}

/* ---- what this rank has done -------------------------------------------------------------- */

/* Tasks that count together may say their numbers in another order, so the largest one stands. */
static void say_more(struct jdi_said *s, uint64_t done)
{
    uint64_t now = atomic_load_explicit(&s->done, memory_order_relaxed);
    /* Each turn of the loop is another task's larger number. */
    while (now < done && !atomic_compare_exchange_weak_explicit(&s->done, &now, done,
                                                                memory_order_relaxed,
                                                                memory_order_relaxed))
        continue;
}

int jd_progress(jd_self *me, uint64_t done, uint64_t of)
{
    struct jdi_said *s = &me->rank->said;
    if (done > of)
        return JD_EINVAL;
    if (!done || atomic_load_explicit(&s->of, memory_order_relaxed) != of) {
        atomic_store_explicit(&s->base_done, done, memory_order_relaxed);
        atomic_store_explicit(&s->base_at, jdi_rank_now(me->rank), memory_order_relaxed);
        atomic_store_explicit(&s->done, done, memory_order_relaxed);
        /* [pair: progress-total] release: with the new total nobody sees what belongs to the old one. */
        atomic_store_explicit(&s->of, of, memory_order_release);
    } else {
        say_more(s, done);
    }
    return 0;
}

static void read_said(struct jdi_rank *r, uint64_t now, struct jdi_tally *out)
{
    struct jdi_said *s = &r->said;
    /* [pair: progress-total] acquire: what is read below belongs to this total, or to a later one, which may be
     * smaller. */
    out->of = atomic_load_explicit(&s->of, memory_order_acquire);
    uint64_t done = atomic_load_explicit(&s->done, memory_order_relaxed);
    uint64_t base = atomic_load_explicit(&s->base_done, memory_order_relaxed);
    uint64_t at = atomic_load_explicit(&s->base_at, memory_order_relaxed);
    out->done = done < out->of ? done : out->of;
    out->base_done = base < out->of ? base : out->of;
    out->saying = out->of != 0;
    out->base_age = out->saying && at && at < now ? now - at : 0;
}

/* What the worker has not booked yet, if it is in a task. */
static uint64_t open_work(struct jdi_worker *w, uint64_t now)
{
    uint64_t since = jdi_stats_get(&w->clock.since);
    bool asleep = atomic_load_explicit(&w->asleep, memory_order_relaxed);
    return since && since < now && !asleep ? now - since : 0;
}

void jdi_progress_tally(struct jdi_rank *r, bool ended, struct jdi_tally *out)
{
    uint64_t now = jdi_rank_now(r);
    struct jdi_stats one;
    JD_ASSERT(jdi_rank_is_comm(r));
    *out = (struct jdi_tally){.at = now - r->progress->began, .workers = r->nworkers};
    uint64_t hungry = atomic_load_explicit(&r->hungry, memory_order_relaxed);
    out->idle = hungry < r->nworkers ? hungry : r->nworkers;
    for (unsigned i = 0; i <= r->nworkers; i++) {
        jdi_count_thread(r, i, ended, &one);
        out->executed += one.executed;
        out->attempts += one.attempts;
        out->steals += one.steals;
        if (i < r->nworkers)
            out->work_ns += one.ns_work + (ended ? 0 : open_work(&r->workers[i], now));
    }
    read_said(r, now, out);
}

/* ---- rank 0 ------------------------------------------------------------------------------ */

static void add_tally(struct jdi_tally *to, const struct jdi_tally *t, uint64_t silent_ns)
{
    to->workers += t->workers;
    to->idle += t->idle;
    to->executed += t->executed;
    to->attempts += t->attempts;
    to->steals += t->steals;
    to->work_ns += t->work_ns + (t->workers - t->idle) * silent_ns;
    to->done += t->done;
    to->of += t->of;
    to->base_done += t->base_done;
    /* Who has done all needs no pace any more.  What others have done since they said it is not known. */
    to->base_age += t->base_age + (t->done == t->of && t->of ? silent_ns : 0);
    to->saying += t->saying;
}

static void write_to_terminal(struct jdi_progress *p, const struct jdi_readout *line)
{
    char text[JDI_READOUT_ROOM], out[JDI_READOUT_ROOM + 16];
    struct winsize size = {.ws_col = 80};
    /* Who has stopped the terminal does not stop the job. */
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT))
        return;
    unsigned width = PLAIN_WIDTH;
    if (p->terminal && (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col))
        size.ws_col = 80;
    if (p->terminal)
        width = size.ws_col - 1u; /* in the last column some terminals begin a new line */
    jdi_readout_text(line, width, text, sizeof text);
    bool ends = !p->terminal || line->last;
    int n = snprintf(out, sizeof out, "%s%s%s%s", p->terminal ? "\r" : "", text,
                     p->terminal ? "\033[K" : "", ends ? "\n" : "");
    ssize_t written = write(STDERR_FILENO, out, (size_t)n);
    (void)written; /* nobody reads it any more */
}

static void write_line(struct jdi_rank *r, uint64_t now)
{
    struct jdi_progress *p = r->progress;
    struct jdi_readout line = {.elapsed_ns = now - p->began,
                               .span_ns = now - p->before_at,
                               .before = p->before,
                               .nranks = r->am->nranks};
    jdi_progress_tally(r, false, &p->of[0].tally);
    for (uint32_t i = 0; i < r->am->nranks; i++) {
        const struct heard *h = &p->of[i];
        /* The ranks have begun together, after a barrier. */
        uint64_t silent =
            line.elapsed_ns > h->tally.at ? line.elapsed_ns - h->tally.at : 0;
        add_tally(&line.now, &h->tally, silent);
        line.ranks_idle += h->tally.workers && h->tally.idle == h->tally.workers;
    }
    bool same = line.now.executed == p->before.executed &&
                line.now.done == p->before.done &&
                line.now.attempts == p->before.attempts;
    p->quiet = r->am->time && same && line.ranks_idle == r->am->nranks;
    p->before = line.now;
    p->before_at = now;
    if (!p->quiet)
        write_to_terminal(p, &line);
}

static void on_live(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct jdi_progress *p = r->progress;
    struct jdi_tally t;
    if (!p || !p->of)
        jdi_am_refuse(in, "nobody counts here how far the job is");
    memcpy(&t, in->msg->data, sizeof t);
    const char *fault = jdi_readout_fault(&t);
    if (fault)
        jdi_am_refuse(in, fault);
    struct heard *h = &p->of[in->src];
    uint64_t number = JDI_GET(in->msg, LIVE, number);
    if (number <= h->number) {
        jdi_am_ignore(in);
        return;
    }
    *h = (struct heard){.tally = t, .number = number};
}

/* ---- now and then ------------------------------------------------------------------------ */

/* False: rank 0 knows all that. */
static bool has_changed(const struct jdi_tally *now, const struct jdi_tally *told)
{
    return now->executed != told->executed || now->attempts != told->attempts ||
           now->steals != told->steals || now->done != told->done ||
           now->of != told->of || now->idle != told->idle;
}

static void tell_rank_0(struct jdi_rank *r, const struct jdi_tally *t)
{
    struct jdi_am_msg m = {.type = JDI_MSG_LIVE, .nargs = 2, .len = sizeof *t, .data = t};
    m.arg[0] = JDI_PROGRESS_TALLY;
    m.arg[1] = ++r->progress->number;
    if (jdi_am_post(r->am, 0, &m))
        die_without_memory(r);
    r->progress->told = *t;
}

/* The end of the interval in which `now` lies. */
static uint64_t next_end(const struct jdi_progress *p, uint64_t now)
{
    return p->began + ((now - p->began) / p->every + 1) * p->every;
}

static void turn_of_rank_0(struct jdi_rank *r, uint64_t now)
{
    struct jdi_progress *p = r->progress;
    if (now >= p->line_at) {
        write_line(r, now);
        p->line_at = next_end(p, now) + p->late;
    }
    if (!p->quiet)
        jdi_rank_again(r, p->line_at);
}

static void turn_of_other(struct jdi_rank *r, uint64_t now)
{
    struct jdi_progress *p = r->progress;
    if (now >= p->next && !jdi_am_pending(r->am)) {
        struct jdi_tally t;
        jdi_progress_tally(r, false, &t);
        bool changed = has_changed(&t, &p->told);
        p->quiet = r->am->time && !changed && t.idle == t.workers;
        if (changed)
            tell_rank_0(r, &t);
        p->next = next_end(p, now);
    }
    if (!p->quiet)
        jdi_rank_again(r, p->next);
}

static void turn_progress(struct jdi_rank *r)
{
    (r->am->rank ? turn_of_other : turn_of_rank_0)(r, jdi_rank_now(r));
}

/* ---- begin and end ----------------------------------------------------------------------- */

void jdi_progress_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_LIVE, on_live, r);
}

static bool is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

/* One rank is enough to say it: the others wait for the end. */
static JD_NORETURN void refuse_interval(struct jdi_rank *r)
{
    int error = r->am->rank ? jdi_am_reduce_barrier(r->am) : 0;
    jdi_die(&r->am->log, JDI_EXIT_START,
            "JACKDAW_PROGRESS=%s: 0.1 seconds is the least but in the simulator%s%s",
            r->knobs->progress, error ? ": " : "", error ? jd_strerror(error) : "");
}

void jdi_progress_begin(struct jdi_rank *r)
{
    uint64_t every, least = (uint64_t)r->am->nranks * RANK_NS;
    JD_CHECK(!jdi_knobs_progress(r->knobs->progress, &every)); /* the knob was checked */
    if (!every)
        return;
    if (!r->am->time && every < LEAST_NS)
        refuse_interval(r);
    struct jdi_progress *p = r->progress = jdi_zalloc(&r->am->fault, sizeof *p);
    if (!p)
        die_without_memory(r);
    p->every = r->am->time || every > least ? every : least;
    p->began = p->before_at = jdi_rank_now(r);
    p->next = p->began + p->every;
    p->late = p->every / LATE_PART;
    if (!r->am->time && p->late < LATE_NS)
        p->late = LATE_NS;
    p->line_at = p->next + p->late;
    if (r->am->rank == 0) {
        p->terminal = is_terminal();
        p->of = jdi_zalloc(&r->am->fault, r->am->nranks * sizeof *p->of);
        if (!p->of)
            die_without_memory(r);
    }
    jdi_rank_on_turn(r, turn_progress);
}

/* I3. */
static void reduce_tallies(struct jdi_rank *r, struct jdi_tally *t)
{
    int error = jdi_am_reduce_all(r->am, (uint64_t *)(void *)t, JDI_TALLY_WORDS,
                                  JDI_AM_U64, JD_SUM);
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_START, "gathering the last line of progress: %s",
                jd_strerror(error));
}

void jdi_progress_end(struct jdi_rank *r)
{
    struct jdi_progress *p = r->progress;
    if (!p)
        return;
    uint64_t ns = jdi_rank_now(r) - p->began;
    struct jdi_readout line = {
        .elapsed_ns = ns, .span_ns = ns, .nranks = r->am->nranks, .last = true};
    jdi_progress_tally(r, true, &line.now);
    reduce_tallies(r, &line.now);
    if (r->am->rank == 0)
        write_to_terminal(p, &line);
    if (p->of)
        jdi_free(p->of);
    jdi_free(p);
    r->progress = NULL;
}
