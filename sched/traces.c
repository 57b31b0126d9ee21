/*
 * traces.c - see traces.h.
 *
 * Role: whose file is whose, and what the lines of text say.
 * Invariants: I1 of traces.h. I2 a file is made before a barrier, and opened by others after it.
 * See: traces.h; doc/trace.md "The file is the buffer".
 */
#include "sched/traces.h"

#include "sched/clocks.h"
#include "sched/job.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 4096, LINE_BYTES = 512 };

static bool records(const struct jdi_rank *r)
{
    return r->knobs->trace[0];
}

/* Has each rank a file of its own? */
static bool has_own(const struct jdi_rank *r)
{
    return jdi_outfile_of_rank(r->knobs->trace);
}

/* Does this rank make the file it writes to?  Else the first rank of those that share the file does. */
static bool makes_file(const struct jdi_rank *r)
{
    if (has_own(r))
        return true;
    return r->am->shared || !jdi_outfile_of_host(r->knobs->trace) ? !r->am->rank
                                                                  : !r->am->host_rank;
}

static JD_NORETURN void die_of_trace(const struct jdi_rank *r, const char *text)
{
    jdi_die(&r->am->log, JDI_EXIT_START, "%s", text);
}

static struct jdi_trace_file *new_file(const struct jdi_rank *r, const char *name)
{
    struct jdi_trace_file *f = jdi_zalloc(NULL, sizeof *f);
    if (!f)
        die_of_trace(r, "no memory for the trace");
    snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

/* ---- the file --------------------------------------------------------------------------- */

static void name_file(struct jdi_rank *r, const struct jdi_job *job,
                      char name[NAME_BYTES])
{
    const char *pattern = r->knobs->trace;
    char text[LINE_BYTES];
    if (jdi_outfile_fits(pattern, strlen(pattern)) &&
        !jdi_job_file(r, job, pattern, name, NAME_BYTES))
        return;
    snprintf(text, sizeof text,
             "JACKDAW_TRACE=%.200s: a file name of up to %d bytes, in which %%r is the "
             "rank, %%h the host, %%j the number of the job, and %%%% is %%",
             pattern, NAME_BYTES - 1);
    die_of_trace(r, text);
}

/* How many threads of how many ranks write to the file. */
static uint32_t ntracers(const struct jdi_rank *r)
{
    uint32_t nranks = r->am->shared || !jdi_outfile_of_host(r->knobs->trace)
                          ? r->am->nranks
                          : r->am->host_size;
    return (r->nworkers + 1) * (has_own(r) ? 1 : nranks);
}

/* Several processes can share a file only through one kernel. */
static void check_hosts(const struct jdi_rank *r)
{
    char text[LINE_BYTES];
    if (has_own(r) || jdi_outfile_of_host(r->knobs->trace) || r->am->shared ||
        r->am->host_size == r->am->nranks)
        return;
    snprintf(text, sizeof text,
             "JACKDAW_TRACE=%.200s: the ranks are on several hosts, so each rank or host "
             "needs a file of its own: put %%r or %%h into the name",
             r->knobs->trace);
    die_of_trace(r, text);
}

void jdi_traces_make(struct jdi_rank *r)
{
    char name[NAME_BYTES], text[NAME_BYTES + LINE_BYTES];
    struct jdi_job job;
    if (!records(r))
        return;
    jdi_job_names(r, &job);
    name_file(r, &job, name);
    check_hosts(r);
    if (!makes_file(r) && r->am->shared)
        return;
    r->trace = new_file(r, name);
    if (!makes_file(r))
        return;
    const struct jdi_trace_plan plan = {
        .name = name,
        .bytes = r->knobs->trace_size,
        .ntracers = ntracers(r),
        .nranks = r->am->nranks,
        .clock = !r->am->time && jdi_ticks_usable() ? JDI_TRACE_TICKS : JDI_TRACE_NS};
    if (jdi_trace_create(r->trace, &plan, text, sizeof text))
        die_of_trace(r, text);
    if (!has_own(r) && r->am->shared)
        *r->am->shared = r->trace;
}

static void open_file(struct jdi_rank *r)
{
    char name[NAME_BYTES], text[NAME_BYTES + LINE_BYTES];
    if (makes_file(r))
        return;
    if (r->am->shared) {
        r->trace = *r->am->shared;
        return;
    }
    memcpy(name, r->trace->name, sizeof name);
    if (jdi_trace_attach(r->trace, name, ntracers(r), text, sizeof text))
        die_of_trace(r, text);
}

/* ---- what it says in words -------------------------------------------------------------- */

static void say_line(struct jdi_rank *r, const char *format, ...) JDI_PRINTF(2, 3);
static void say_line(struct jdi_rank *r, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    /* One line, whatever the program calls its things. */
    for (char *p = line; *p; p++)
        if (*p == '\n')
            *p = ' ';
    strcat(line, "\n");
    jdi_trace_say(r->trace, r->am->rank, line);
}

/* What is the same on all ranks: said once in each file. */
static void describe_job(struct jdi_rank *r)
{
    for (int i = 0; i < r->argc; i++)
        say_line(r, "argument %s", r->argv[i]);
    say_line(r, "run %016" PRIx64, r->run_id);
    say_line(r, "network %s", jdi_conduit.name);
    say_line(r, "ranks %" PRIu32, r->am->nranks);
    say_line(r, "version %s", JD_VERSION);
    for (unsigned k = JDI_CAUSE_NONE + 1; k < JDI_CAUSE_KINDS; k++)
        say_line(r, "cause %u %s", k, jdi_cause_row(k)->name);
    for (uint32_t i = 0; i < r->registry.count; i++)
        say_line(r, "task %" PRIu32 " %s", i, r->registry.row[i].name);
}

/* Who talks to the network: a thread of its own, with a core or without, or worker 0. */
static const char *role_of_comm(const struct jdi_rank *r)
{
    if (!r->place.apart)
        return "worker";
    return r->place.dedicated ? "dedicated" : "inline";
}

/* Which clock it is, in one word: that of a kernel from its start on. */
static void name_clock(char name[64])
{
    snprintf(name, 64, "unknown");
    FILE *from = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!from)
        return;
    if (fscanf(from, "%63s", name) != 1)
        snprintf(name, 64, "unknown");
    fclose(from);
}

static void say_clock(struct jdi_rank *r, struct jdi_ticks c)
{
    say_line(r, "clock %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64, r->am->rank,
             c.ticks, c.ns, c.width);
}

/* Whose clock it is.  Two comparisons of the counter with it, as far apart as there is time for: they say how fast the
 * counter is, for who reads the file before there are more. */
static void describe_clock(struct jdi_rank *r)
{
    char name[64];
    if (r->am->time)
        return;
    name_clock(name);
    r->many_clocks = jdi_clocks_differ(r, name);
    say_line(r, "kernel %" PRIu32 " %s", r->am->rank, name);
    if (r->trace->head->clock != JDI_TRACE_TICKS)
        return;
    if (makes_file(r))
        say_clock(r, r->trace->head->made);
    say_clock(r, jdi_ticks_compare());
}

static void note_meeting(struct jdi_rank *r, unsigned round, uint64_t came, uint64_t left)
{
    say_line(r, "meeting %" PRIu32 " %u %" PRIu64 " %" PRIu64, r->am->rank, round, came,
             left);
}

/* Only where ranks have several clocks. */
static void meet_others(struct jdi_rank *r, unsigned first)
{
    if (r->many_clocks)
        jdi_clocks_meet(r, first, note_meeting);
}

static void describe_rank(struct jdi_rank *r)
{
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    say_line(r, "rank %" PRIu32 " %" PRIu64 " %u %s %ld %s", r->am->rank, jdi_rank_now(r),
             r->nworkers, role_of_comm(r), (long)getpid(), host);
}

void jdi_traces_name(struct jdi_rank *r, unsigned coll, const char *name)
{
    if (r->trace && makes_file(r))
        say_line(r, "collection %u %s", coll, name);
}

/* ---- begin and end ---------------------------------------------------------------------- */

static struct jdi_tracer *new_tracer(const struct jdi_rank *r, unsigned owner)
{
    struct jdi_tracer *t = jdi_tracer_new(r->trace, r->am->rank, (uint16_t)owner,
                                          r->knobs->trace_tasks == JDI_TRACE_TASKS_YES);
    if (!t)
        die_of_trace(r, "no memory for the trace");
    return t;
}

/* Other tools write their traces when SIGUSR2 comes.  This one is always written, so who sends the signal shall not end the
 * job by it; but a handler of the program, or of GASNet, is left alone. */
static void endure_signal(void)
{
    struct sigaction now;
    if (!sigaction(SIGUSR2, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL)
        (void)signal(SIGUSR2, SIG_IGN);
}

void jdi_traces_begin(struct jdi_rank *r)
{
    if (!records(r))
        return;
    open_file(r);
    if (!r->am->time)
        endure_signal();
    describe_rank(r);
    describe_clock(r);
    if (makes_file(r))
        describe_job(r);
    for (unsigned i = 0; i < r->nworkers; i++)
        r->workers[i].tracer = new_tracer(r, i);
    r->tracer = new_tracer(r, r->nworkers);
    meet_others(r, 0);
}

static void end_tracer(struct jdi_tracer **t)
{
    (void)jdi_tracer_end(*t);
    jdi_free(*t);
    *t = NULL;
}

void jdi_traces_end(struct jdi_rank *r)
{
    if (!r->tracer)
        return;
    meet_others(r, JDI_CLOCKS_ROUNDS);
    for (unsigned i = 0; i < r->nworkers; i++)
        end_tracer(&r->workers[i].tracer);
    end_tracer(&r->tracer);
    say_line(r, "ended %" PRIu32 " %" PRIu64, r->am->rank, jdi_rank_now(r));
}

/* Said by who has made the file. */
static void tell_of_losses(const struct jdi_rank *r)
{
    uint64_t dropped =
        atomic_load_explicit(&r->trace->head->dropped, memory_order_relaxed);
    if (atomic_load_explicit(&r->trace->full, memory_order_relaxed))
        jdi_log(&r->am->log, JDI_LOG_WARN,
                "%s: the disk is full, so the oldest events were written over",
                r->trace->name);
    if (dropped)
        jdi_log(&r->am->log, JDI_LOG_WARN,
                "%s: %" PRIu64 " events found no room, raise JACKDAW_TRACE_SIZE",
                r->trace->name, dropped);
}

void jdi_traces_close(struct jdi_rank *r)
{
    struct jdi_trace_file *f = r->trace;
    r->trace = NULL;
    if (!f || (r->am->shared && !makes_file(r)))
        return;
    r->trace = f;
    tell_of_losses(r);
    r->trace = NULL;
    jdi_trace_close(f);
    jdi_free(f);
}
