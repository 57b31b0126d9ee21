/*
 * top_show.c - a job as a table for people, and as JSON for programs.
 *
 * Role: see top.h.
 * Owner: as top.h says.
 * Invariants: I1 no line is longer than the terminal is wide, and there are no more lines than it has.
 * Order: none.
 * See: top.h; tools/top.schema.json.
 */
#include "tools/top.h"

#include "core/human.h"
#include "core/json.h"
#include "core/time.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

enum { CELL = 64, PLAIN_WIDTH = 120, STALE_S = 2 };

static const char *const doings[JDI_VIEW_DOINGS] = {
    [JDI_VIEW_NOTHING] = "looking for work",
    [JDI_VIEW_ASLEEP] = "asleep",
    [JDI_VIEW_TASK] = "task",
    [JDI_VIEW_BODY] = "the body",
    [JDI_VIEW_NETWORK] = "the network",
};

static const char *doing_of(const struct top_line *l)
{
    if (l->age < 0)
        return "not seen yet";
    if (l->row.doing == JDI_VIEW_TASK)
        return l->row.task;
    return l->row.doing < JDI_VIEW_DOINGS ? doings[l->row.doing] : "?";
}

/* ---- cells ------------------------------------------------------------------------------- */

static bool is_comm(const struct top_line *l)
{
    return l->worker + 1 == l->of->rows;
}

static void write_rank(const struct top_line *l, char *cell)
{
    snprintf(cell, CELL, "%u", l->of->rank);
}
static void write_worker(const struct top_line *l, char *cell)
{
    if (is_comm(l))
        snprintf(cell, CELL, "net");
    else
        snprintf(cell, CELL, "%u", l->worker);
}
/* What a terminal would take for a command is shown as a question mark. */
static void write_doing(const struct top_line *l, char *cell)
{
    snprintf(cell, CELL, "%s", doing_of(l));
    for (char *c = cell; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}
static void write_for(const struct top_line *l, char *cell)
{
    *cell = 0;
    if (is_comm(l) || l->age < 0)
        return;
    if (l->row.for_ns < 10000000000)
        snprintf(cell, CELL, "%.1fs", 1e-9 * (double)l->row.for_ns);
    else
        jdi_human_time(l->row.for_ns, cell, CELL);
}
static void write_number(const struct top_line *l, uint64_t n, bool of_network,
                         char *cell)
{
    *cell = 0;
    if (l->age < 0 || (is_comm(l) && !of_network))
        return;
    if (n < 10000)
        snprintf(cell, CELL, "%u", (unsigned)n);
    else
        jdi_human_scaled((double)n, cell, CELL);
}
static void write_tasks(const struct top_line *l, char *cell)
{
    write_number(l, l->row.executed, false, cell);
}
static void write_rate(const struct top_line *l, char *cell)
{
    *cell = 0;
    if (!is_comm(l) && l->of->before_ns)
        jdi_human_scaled(l->rate, cell, CELL);
}
static void write_idle(const struct top_line *l, char *cell)
{
    *cell = 0;
    if (l->idle >= 0)
        snprintf(cell, CELL, "%.0f", l->idle);
}
static void write_in(const struct top_line *l, char *cell)
{
    write_number(l, l->row.stolen_in, true, cell);
}
static void write_out(const struct top_line *l, char *cell)
{
    *cell = 0;
    if (is_comm(l))
        write_number(l, l->row.stolen_out, true, cell);
}
static void write_suspended(const struct top_line *l, char *cell)
{
    write_number(l, l->row.suspended, false, cell);
}
static void write_ready(const struct top_line *l, char *cell)
{
    write_number(l, l->row.ready, false, cell);
}
static void write_queue(const struct top_line *l, char *cell)
{
    write_number(l, l->row.queued, false, cell);
}
static void write_host(const struct top_line *l, char *cell)
{
    snprintf(cell, CELL, "%.20s", l->of->view->host);
}

/* What matters least comes last in `rank`, and goes first where there is no room. */
static const struct column {
    const char *title;
    unsigned width, rank;
    bool left;
    void (*write)(const struct top_line *l, char *cell);
} columns[] = {
    {"RANK", 5, 1, false, write_rank},    {"WRK", 4, 2, false, write_worker},
    {"HOST", 20, 12, true, write_host},   {"DOING", 16, 3, true, write_doing},
    {"FOR", 6, 4, false, write_for},      {"TASKS", 6, 5, false, write_tasks},
    {"RATE", 6, 6, false, write_rate},    {"IDLE%", 6, 7, false, write_idle},
    {"QUEUE", 6, 8, false, write_queue},  {"SUSP", 5, 9, false, write_suspended},
    {"READY", 6, 10, false, write_ready}, {"IN", 6, 11, false, write_in},
    {"OUT", 6, 11, false, write_out},
};

enum {
    RANK_OF_STEALS = 11
}; /* without these columns a line of the communication is empty */

/* The largest rank of a column that has room. */
static unsigned rank_that_fits(unsigned width)
{
    unsigned most = 0;
    for (unsigned rank = 1; rank <= 12; rank++) {
        unsigned sum = 0;
        for (size_t i = 0; i < JDI_ARRAY_LEN(columns); i++)
            sum += columns[i].rank <= rank ? columns[i].width + columns[i].left : 0;
        if (sum > width)
            break;
        most = rank;
    }
    return most;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* What lines are written with: I1. */
struct screen {
    unsigned height, width, lines;
    bool terminal;
};

/* False: there is no room for it. */
static bool write_line(struct screen *s, const char *text, const char *look)
{
    if (s->lines >= s->height)
        return false;
    if (s->terminal)
        printf("%s%s%.*s%s\033[K", s->lines ? "\r\n" : "", look, (int)s->width, text,
               *look ? "\033[0m" : "");
    else
        printf("%.*s\n", (int)s->width, text);
    s->lines++;
    return true;
}

static void add_cell(char *line, size_t room, const struct column *c, const char *cell)
{
    size_t n = strlen(line);
    if (c->left)
        snprintf(line + n, room - n, " %-*.*s", (int)c->width, (int)c->width, cell);
    else
        snprintf(line + n, room - n, "%*s", (int)c->width, cell);
}

static size_t drop_communication(struct top_line *lines, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_comm(&lines[i]))
            lines[kept++] = lines[i];
    return kept;
}

static void write_table(struct screen *s, const struct top_job *job, enum top_order order)
{
    size_t n;
    struct top_line *lines = top_lines(job, order, &n);
    unsigned most = rank_that_fits(s->width);
    char text[512] = "", cell[CELL];
    for (size_t i = 0; i < JDI_ARRAY_LEN(columns); i++)
        if (columns[i].rank <= most)
            add_cell(text, sizeof text, &columns[i], columns[i].title);
    bool room = write_line(s, text, "\033[7m");
    if (most < RANK_OF_STEALS)
        n = drop_communication(lines, n);
    for (size_t k = 0; k < n && room; k++) {
        *text = 0;
        for (size_t i = 0; i < JDI_ARRAY_LEN(columns); i++)
            if (columns[i].rank <= most) {
                columns[i].write(&lines[k], cell);
                add_cell(text, sizeof text, &columns[i], cell);
            }
        if (s->lines + 1 == s->height && k + 1 < n) {
            snprintf(text, sizeof text, "  ... and %zu more", n - k);
            k = n;
        }
        room = write_line(s, text, "");
    }
    free(lines);
}

static void write_head(struct screen *s, const struct top_job *job, enum top_order order)
{
    char text[512], up[32], tasks[32], more[128] = "";
    uint64_t executed = 0, done = 0, of = 0;
    double rate = 0, idle = 0, oldest = 0;
    size_t n, known = 0;
    struct top_line *lines = top_lines(job, TOP_BY_RANK, &n);
    for (size_t i = 0; i < n; i++) {
        executed += lines[i].row.executed;
        rate += lines[i].rate;
        idle += lines[i].idle >= 0 ? lines[i].idle : 0;
        known += lines[i].idle >= 0;
        oldest = lines[i].age > oldest ? lines[i].age : oldest;
    }
    free(lines);
    for (size_t i = 0; i < job->n; i++) {
        done += atomic_load_explicit(&job->rank[i].view->done, memory_order_relaxed);
        of += atomic_load_explicit(&job->rank[i].view->of, memory_order_relaxed);
    }
    jdi_human_time(jdi_time_ns() - job->started_ns, up, sizeof up);
    snprintf(text, sizeof text, "%s, job %s on %s: %zu of %u ranks, %s, up %s",
             job->program, job->name, job->host, job->n, job->nranks, job->network, up);
    if (!write_line(s, text, ""))
        return;
    jdi_human_number(executed, tasks, sizeof tasks);
    jdi_human_scaled(rate, up, sizeof up);
    if (of)
        snprintf(more, sizeof more, ", %.0f%% done", 100 * ((double)done / (double)of));
    if (known) {
        size_t have = strlen(more);
        snprintf(more + have, sizeof more - have, ", idle %.0f%%", idle / (double)known);
    }
    if (oldest >= STALE_S) {
        size_t have = strlen(more);
        snprintf(more + have, sizeof more - have, ", oldest figures %.0f s old", oldest);
    }
    snprintf(text, sizeof text, "%s tasks, %s/s%s%s", tasks, up, more,
             s->terminal ? top_order_text(order) : "");
    (void)write_line(s, text, "");
}

void top_show(const struct top_job *job, enum top_order order, unsigned height,
              unsigned width, bool terminal)
{
    struct screen s = {.height = height ? height : UINT32_MAX,
                       .width = width ? width : PLAIN_WIDTH,
                       .terminal = terminal};
    if (terminal)
        fputs("\033[H", stdout);
    write_head(&s, job, order);
    write_table(&s, job, order);
    if (terminal)
        fputs("\033[J", stdout);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void write_json_line(struct jdi_json *j, const struct top_line *l)
{
    bool is_task = l->age >= 0 && l->row.doing == JDI_VIEW_TASK;
    jdi_json_open_flat(j, NULL, '{');
    jdi_json_number(j, "rank", l->of->rank);
    jdi_json_number(j, "pid", (uint64_t)l->of->pid);
    jdi_json_number(j, "worker", l->worker);
    jdi_json_truth(j, "communication", is_comm(l));
    jdi_json_text(j, "doing", is_task ? "task" : doing_of(l));
    jdi_json_text(j, "task", is_task ? l->row.task : NULL);
    jdi_json_real(j, "for_s", 1e-9 * (double)l->row.for_ns);
    jdi_json_number(j, "executed", l->row.executed);
    jdi_json_real(j, "rate", l->rate);
    jdi_json_real(j, "idle_percent", l->idle >= 0 ? l->idle : (double)NAN);
    jdi_json_number(j, "stolen_in", l->row.stolen_in);
    jdi_json_number(j, "stolen_out", l->row.stolen_out);
    jdi_json_number(j, "suspended", l->row.suspended);
    jdi_json_number(j, "ready", l->row.ready);
    jdi_json_number(j, "queued", l->row.queued);
    jdi_json_real(j, "age_s", l->age >= 0 ? l->age : (double)NAN);
    jdi_json_close(j, '}');
}

void top_json(const struct top_job *job, FILE *to)
{
    struct jdi_json j;
    size_t n;
    struct top_line *lines = top_lines(job, TOP_BY_RANK, &n);
    uint64_t done = 0, of = 0;
    for (size_t i = 0; i < job->n; i++) {
        done += atomic_load_explicit(&job->rank[i].view->done, memory_order_relaxed);
        of += atomic_load_explicit(&job->rank[i].view->of, memory_order_relaxed);
    }
    jdi_json_init(&j, to);
    jdi_json_open(&j, NULL, '{');
    jdi_json_number(&j, "version", 1);
    jdi_json_text(&j, "job", job->name);
    jdi_json_text(&j, "program", job->program);
    jdi_json_text(&j, "host", job->host);
    jdi_json_text(&j, "network", job->network);
    jdi_json_truth(&j, "virtual", job->is_virtual);
    jdi_json_number(&j, "ranks", job->nranks);
    jdi_json_number(&j, "ranks_seen", job->n);
    jdi_json_real(&j, "up_s", 1e-9 * (double)(jdi_time_ns() - job->started_ns));
    jdi_json_number(&j, "done", done);
    jdi_json_number(&j, "of", of);
    jdi_json_open(&j, "threads", '[');
    for (size_t i = 0; i < n; i++)
        write_json_line(&j, &lines[i]);
    jdi_json_close(&j, ']');
    jdi_json_close(&j, '}');
    free(lines);
}
