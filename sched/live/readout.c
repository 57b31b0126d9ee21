/*
 * readout.c - see readout.h.
 *
 * Role: see readout.h.
 * Invariants: I1 of readout.h.
 * Order: none.
 * See: readout.h.
 */
#include "sched/live/readout.h"

#include "core/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double ns_of_s = 1e9;

const char *jdi_readout_fault(const struct jdi_tally *t)
{
    enum { WORKERS_MOST = 1024 };
    if (t->workers < 1 || t->workers > WORKERS_MOST || t->idle > t->workers)
        return "a number of workers that cannot be";
    if (t->done > t->of || t->base_done > t->of)
        return "more done than there is to do";
    if (t->saying > 1)
        return "a rank that counts more than once";
    return NULL;
}

/* ---- the parts of the line -------------------------------------------------------------- */

/* Add a part, if all of it has room. */
static void add_part(char *out, size_t room, unsigned width, const char *part)
{
    size_t have = strlen(out), more = strlen(part);
    if (have + more <= width && have + more < room)
        memcpy(out + have, part, more + 1);
}

/* What is there of `now` that was not in `before`. */
static double more_of(uint64_t now, uint64_t before)
{
    return now > before ? (double)(now - before) : 0;
}

static void write_done_share(const struct jdi_readout *r, char *part, size_t room)
{
    const struct jdi_tally *t = &r->now;
    char left[32] = "";
    /* The mean over the ranks, because what they have said is of different moments. */
    double age = t->saying ? (double)t->base_age / (double)t->saying : 0;
    double rate =
        age > 0 && t->done > t->base_done ? (double)(t->done - t->base_done) / age : 0;
    if (t->done == t->of)
        snprintf(left, sizeof left, "done");
    else if (rate > 0 && (double)(t->of - t->done) / rate < 1e18)
        jdi_human_time((uint64_t)((double)(t->of - t->done) / rate), left, sizeof left);
    bool counts = *left && t->done < t->of;
    /* Rounded down, because 100% is all. */
    unsigned percent = (unsigned)(100 * ((double)t->done / (double)t->of));
    if (percent > 99 && t->done < t->of)
        percent = 99;
    snprintf(part, room, " %u%%%s%s%s |", percent, *left ? " " : "", left,
             counts ? " left" : "");
}

static void write_steals(const struct jdi_readout *r, char *part, size_t room)
{
    double steals = more_of(r->now.steals, r->before.steals);
    double attempts = more_of(r->now.attempts, r->before.attempts);
    char rate[16], good[16] = "";
    jdi_human_scaled(r->span_ns ? steals / ((double)r->span_ns / ns_of_s) : 0, rate,
                     sizeof rate);
    /* The answers to the last requests are on their way, so there may be more than requests. */
    double percent = attempts > 0 ? 100 * steals / attempts : 0;
    if (attempts > 0)
        snprintf(good, sizeof good, " ok %.0f%%", percent < 100 ? percent : 100);
    snprintf(part, room, " | steals %s/s%s", rate, good);
}

void jdi_readout_text(const struct jdi_readout *r, unsigned width, char *out, size_t room)
{
    char part[128], tasks[16], rate[16];
    double span = (double)r->span_ns;
    double all = span * (double)r->now.workers;
    double work = more_of(r->now.work_ns, r->before.work_ns);
    double idle = all > 0 && work < all ? 100 * (1 - work / all) : 0;
    *out = 0;
    snprintf(part, sizeof part, "[%.*fs]", r->elapsed_ns < 100000000 ? 6 : 1,
             (double)r->elapsed_ns / ns_of_s);
    add_part(out, room, width, part);
    if (r->now.of) {
        write_done_share(r, part, sizeof part);
        add_part(out, room, width, part);
    }
    jdi_human_number(r->now.executed, tasks, sizeof tasks);
    jdi_human_scaled(
        span > 0 ? more_of(r->now.executed, r->before.executed) / (span / ns_of_s) : 0,
        rate, sizeof rate);
    snprintf(part, sizeof part, " %s tasks %s/s", tasks, rate);
    add_part(out, room, width, part);
    snprintf(part, sizeof part, " | idle %.0f%%", idle);
    add_part(out, room, width, part);
    if (r->nranks > 1) {
        write_steals(r, part, sizeof part);
        add_part(out, room, width, part);
    }
    if (r->last)
        snprintf(part, sizeof part, " | ended");
    else if (r->nranks == 1)
        snprintf(part, sizeof part, " | workers idle %" PRIu64 "/%" PRIu64, r->now.idle,
                 r->now.workers);
    else
        snprintf(part, sizeof part, " | ranks idle %u/%u", r->ranks_idle, r->nranks);
    add_part(out, room, width, part);
}
