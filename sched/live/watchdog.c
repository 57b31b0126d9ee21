/*
 * watchdog.c - sees that a job hangs, and says so.
 *
 * Role: see watchdog.h.
 * Owner: the communication thread.
 * Invariants: I1, I2 of watchdog.h.
 * See: doc/watchdog.md "The watchdog".
 *
 *   message    from     to         what
 *   WAVE       rank 0   each rank  its number; answered by STANDING
 *   STANDING   asked    rank 0     a struct jdi_standing of its next turn.  Ignored if it is not of this wave
 *
 * Not the handler of WAVE looks, because the network may run it while the thread is in the middle of something: with calls
 * taken from the mailbox and not yet run, or a message that is on its way and not yet counted.
 */
#include "sched/live/watchdog.h"

#include "sched/live/live.h"

#include <inttypes.h>
#include <string.h>

enum {
    GAP_NS = 10000000,    /* between a wave that finds nothing and the next one */
    PERIOD_NS = 250000000 /* between others, if the interval is not shorter */
};

enum wave { WAVE = 3, STANDING };

static double seconds_between(uint64_t from, uint64_t to)
{
    return to > from ? 1e-9 * (double)(to - from) : 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

static void post_wave(struct jdi_rank *r, uint32_t dst, enum wave way, uint32_t number,
                      const struct jdi_standing *s)
{
    struct jdi_am_msg m = {.type = JDI_MSG_STATE, .nargs = 2, .data = s};
    m.len = s ? sizeof *s : 0;
    m.arg[0] = (uint64_t)way | (uint64_t)number << 32;
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static void start_wave(struct jdi_rank *r, uint64_t now)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    d->number++;
    d->began = now;
    d->missing = r->am->nranks - 1;
    memset(d->answered, 0, r->am->nranks * sizeof *d->answered);
    for (uint32_t i = 1; i < r->am->nranks; i++)
        post_wave(r, i, WAVE, d->number, NULL);
    jdi_standing_take(r, &d->sum);
}

/* ---- what is said ----------------------------------------------------------------------------- */

/* The state follows, and then the end of the job if that is wanted. */
static void show_state(struct jdi_rank *r, bool ends_job)
{
    r->live->watchdog.ends_job = ends_job;
    jdi_collect_start(r, UINT64_MAX);
}

static void say_proof(struct jdi_rank *r, uint64_t now)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    d->ended = true;
    jdi_log_show("watchdog: the job hangs, and this is proved: nothing runs, no message "
                 "is on the way, and nobody is "
                 "left who could wake what waits (%" PRIu64 " in all), for %.3f s",
                 d->sum.waits, seconds_between(d->since, now));
    show_state(r, d->aborts);
}

/* I2.  A suspicion that another thread says at this moment takes the place of this one. */
unsigned jdi_watchdog_suspects(struct jdi_watchdog *d, uint64_t since, uint64_t now)
{
    unsigned times = atomic_load_explicit(&d->times, memory_order_relaxed);
    if (times >= JDI_WATCHDOG_TIMES || now - since < d->interval << times ||
        !atomic_compare_exchange_strong_explicit(
            &d->times, &times, times + 1, memory_order_relaxed, memory_order_relaxed))
        return 0;
    return times + 1;
}

static void say_suspicion(struct jdi_rank *r, unsigned times, const char *what, double s,
                          const char *why)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    bool last = times == JDI_WATCHDOG_TIMES;
    jdi_log_show(
        "watchdog: the job may hang: %s for %.1f s; this is no proof, because %s%s", what,
        s, why, last ? "; the watchdog says no more of this" : "");
    show_state(r, last && d->aborts);
}

static void suspect_all(struct jdi_rank *r, unsigned times, uint64_t now)
{
    const struct jdi_watchdog *d = &r->live->watchdog;
    char room[400];
    struct jdi_text why = jdi_text_in(room, sizeof room);
    jdi_standing_say(&d->sum, &why);
    say_suspicion(r, times, "no task has ended or gone on",
                  seconds_between(d->since, now),
                  why.used ? room : "something has just changed");
}

static void suspect_silent(struct jdi_rank *r, unsigned times, uint64_t now)
{
    const struct jdi_watchdog *d = &r->live->watchdog;
    char room[64];
    struct jdi_text what = jdi_text_in(room, sizeof room);
    uint32_t first = 1;
    while (first + 1 < r->am->nranks && d->answered[first])
        first++;
    jdi_text_add(&what, "rank %" PRIu32 " has not answered", first);
    if (d->missing > 1)
        jdi_text_add(&what, ", nor have %" PRIu32 " others,", d->missing - 1);
    say_suspicion(r, times, room, seconds_between(d->began, now),
                  "its communication thread does not come by");
}

/* ---- judging ----------------------------------------------------------------------------------- */

static bool finds_nothing(const struct jdi_standing *sum)
{
    return !sum->goes && sum->waits && !jdi_standing_ends(sum);
}

/* doc/watchdog.md "The proof".  Messages of a type are counted modulo 2^32, and so are their sums. */
static bool is_proved(const struct jdi_watchdog *d)
{
    return d->was_quiet && finds_nothing(&d->sum) && d->last.steps == d->sum.steps &&
           (uint32_t)d->last.came == (uint32_t)d->sum.sent;
}

static bool has_moved(const struct jdi_watchdog *d)
{
    return d->last.done != d->sum.done || d->last.sent != d->sum.sent ||
           d->last.came != d->sum.came;
}

static void end_wave(struct jdi_rank *r)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    uint64_t now = jdi_rank_now(r);
    uint64_t period = d->interval / 4 < PERIOD_NS ? d->interval / 4 : PERIOD_NS;
    bool quiet = finds_nothing(&d->sum);
    if (d->number == 1 || has_moved(d))
        d->since = d->began;
    unsigned times = 0;
    if (is_proved(d))
        say_proof(r, now);
    else if ((times = jdi_watchdog_suspects(d, d->since, now)) > 0)
        suspect_all(r, times, now);
    d->next_at = now + (quiet && !d->was_quiet && period > GAP_NS ? GAP_NS : period);
    d->was_quiet = quiet;
    d->last = d->sum;
}

static void watch_job(struct jdi_rank *r)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    uint64_t now = jdi_rank_now(r);
    unsigned times = d->missing ? jdi_watchdog_suspects(d, d->began, now) : 0;
    if (times)
        suspect_silent(r, times, now);
    if (!d->missing && now >= d->next_at) {
        start_wave(r, now);
        if (!d->missing)
            end_wave(r);
    }
    times = atomic_load_explicit(&d->times, memory_order_relaxed);
    if (!d->missing)
        jdi_rank_again(r, d->next_at);
    else if (times < JDI_WATCHDOG_TIMES)
        jdi_rank_again(r, d->began + (d->interval << times));
}

static void answer_wave(struct jdi_rank *r)
{
    struct jdi_standing s;
    jdi_standing_take(r, &s);
    post_wave(r, 0, STANDING, r->live->watchdog.asked, &s);
    r->live->watchdog.asked = 0;
}

void jdi_watchdog_turn(struct jdi_rank *r)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    atomic_store_explicit(&d->turns,
                          atomic_load_explicit(&d->turns, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (!r->live->runs)
        return;
    if (d->asked)
        answer_wave(r);
    if (r->am->rank)
        return;
    if (d->ends_job && !r->live->collect.of) {
        atomic_store_explicit(&d->over, true, memory_order_relaxed);
        jdi_die(&r->am->log, JDI_EXIT_STALL,
                "the watchdog ends the job: JACKDAW_WATCHDOG");
    }
    if (!d->ended && !r->finished)
        watch_job(r);
    else
        jdi_rank_again(r, jdi_rank_now(r) + d->interval / 4);
}

void jdi_watchdog_on_state(struct jdi_rank *r, const struct jdi_am_in *in)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    bool wave = JDI_GET(in->msg, STATE, way) == WAVE;
    uint32_t number = (uint32_t)JDI_GET(in->msg, STATE, number);
    struct jdi_standing s;
    if (JDI_GET(in->msg, STATE, start) || JDI_GET(in->msg, STATE, total) ||
        in->msg->len != (wave ? 0 : sizeof s) || (wave ? in->src != 0 : r->am->rank != 0))
        jdi_am_refuse(in, "no wave of the watchdog is like that");
    if (wave) {
        d->asked = number;
        jdi_rank_again_now(r);
        return;
    }
    if (!d->missing || number != d->number || d->answered[in->src]) {
        jdi_am_ignore(in);
        return;
    }
    memcpy(&s, in->msg->data, sizeof s);
    d->answered[in->src] = true;
    jdi_standing_add(&d->sum, &s);
    if (--d->missing == 0)
        end_wave(r);
}

/* ---- start and end ------------------------------------------------------------------------------ */

void jdi_watchdog_begin(struct jdi_rank *r)
{
    struct jdi_watchdog *d = &r->live->watchdog;
    JD_CHECK(!jdi_knobs_watchdog(r->knobs->watchdog, &d->interval,
                                 &d->aborts)); /* the knob was checked */
    if (!d->interval)
        return;
    d->answered = jdi_zalloc(&r->am->fault, r->am->nranks * sizeof *d->answered);
    if (!d->answered)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the watchdog");
    jdi_rank_on_turn(r, jdi_watchdog_turn);
}

void jdi_watchdog_end(struct jdi_rank *r)
{
    jdi_free(r->live->watchdog.answered);
    r->live->watchdog = (struct jdi_watchdog){0};
}
