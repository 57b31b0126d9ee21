/*
 * trace_paje.c - a trace in the Paje format, for ViTE and its kind.
 *
 * Role: containers for the run, its ranks and their threads; a stack of states for each thread.
 * Invariants: I1 lines are in the order of their times over all threads, as the format asks for.
 * See: doc/jackdaw-trace.1.md "PAJE"; B. de Oliveira Stein, Paje trace file format.
 */
#include "tools/trace.h"

#include <inttypes.h>
#include <stdlib.h>

/* A state begins (`row`), or the one on top ends. */
struct change {
    uint64_t ns;
    uint32_t thread;
    int row; /* PUSH_SLEEP, a row of tasks, or POP */
    uint32_t depth;
};

enum { POP = -1, PUSH_SLEEP = -2 };

struct changes {
    struct change *c;
    size_t n, room;
};

static void add_change(struct changes *all, uint64_t ns, size_t thread, int row,
                       uint32_t depth)
{
    if (all->n == all->room)
        all->c = trace_grow(all->c, all->room = all->room * 2 + 1024, sizeof *all->c);
    all->c[all->n++] = (struct change){ns, (uint32_t)thread, row, depth};
}

/* At one time ends come first, the innermost before all, then beginnings, the outermost before all. */
static int by_moment(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    bool pop = a->row == POP;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (pop != (b->row == POP))
        return pop ? -1 : 1;
    if (a->depth == b->depth)
        return 0;
    return (a->depth > b->depth) == pop ? -1 : 1;
}

/* Pieces of no time at all would end before they begin, and nobody could see them. */
static void collect_thread(struct changes *all, const struct trace_thread *th,
                           size_t thread)
{
    uint64_t *open = trace_grow(NULL, th->npieces + 1, sizeof *open);
    uint32_t n = 0;
    for (size_t i = 0; i < th->npieces; i++) {
        const struct trace_piece *p = &th->piece[i];
        uint64_t to = p->to;
        while (n && open[n - 1] <= p->from)
            n--;
        to = n && to > open[n - 1] ? open[n - 1] : to;
        if (to == p->from)
            continue;
        add_change(all, p->from, thread, p->row, n);
        add_change(all, to, thread, POP, n);
        open[n++] = to;
    }
    for (size_t i = 0; i < th->nsleeps; i++)
        if (th->sleep[i].to > th->sleep[i].from) {
            add_change(all, th->sleep[i].from, thread, PUSH_SLEEP, 0);
            add_change(all, th->sleep[i].to, thread, POP, 0);
        }
    free(open);
}

static void write_head(FILE *to)
{
    fputs(
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name "
        "string\n"
        "%EndEventDef\n"
        "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n"
        "%EndEventDef\n"
        "%EventDef PajeDefineEntityValue 2\n% Alias string\n% Type string\n% Name "
        "string\n"
        "% Color color\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n"
        "% Container string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDestroyContainer 4\n% Time date\n% Name string\n% Type string\n"
        "%EndEventDef\n"
        "%EventDef PajePushState 5\n% Time date\n% Type string\n% Container string\n"
        "% Value string\n%EndEventDef\n"
        "%EventDef PajePopState 6\n% Time date\n% Type string\n% Container string\n"
        "%EndEventDef\n"
        "0 R 0 \"Run\"\n0 K R \"Rank\"\n0 T K \"Thread\"\n1 S T \"State\"\n",
        to);
}

/* Far apart in hue, and of different brightness for who sees no hue. */
static void write_values(const struct trace *t, FILE *to)
{
    fputs("2 sleep S \"asleep\" \"0.85 0.85 0.85\"\n2 r65535 S \"-\" \"0.5 0.5 0.5\"\n",
          to);
    for (uint32_t i = 0; i < t->nrows; i++) {
        double hue = i * 0.381966, light = 0.45 + 0.1 * (i % 4), rgb[3];
        for (int k = 0; k < 3; k++) {
            double x = hue + k / 3.0, part = x - (double)(long)x;
            double v = part < 0.5 ? 4 * part - 1 : 3 - 4 * part;
            rgb[k] = light + 0.3 * v;
            rgb[k] = rgb[k] < 0 ? 0 : rgb[k] > 1 ? 1 : rgb[k];
        }
        fprintf(to, "2 r%" PRIu32 " S \"%s\" \"%.3f %.3f %.3f\"\n", i,
                trace_row_name(t, i), rgb[0], rgb[1], rgb[2]);
    }
}

static void write_containers(const struct trace *t, FILE *to)
{
    fputs("3 0.000000000 run R 0 \"run\"\n", to);
    for (size_t i = 0; i < t->nranks; i++)
        fprintf(to, "3 0.000000000 k%" PRIu32 " K run \"rank %" PRIu32 "\"\n",
                t->rank[i].rank, t->rank[i].rank);
    for (size_t i = 0; i < t->nthreads; i++) {
        char name[32];
        trace_thread_name(&t->thread[i], name, sizeof name);
        fprintf(to, "3 0.000000000 t%zu T k%" PRIu32 " \"%s\"\n", i, t->thread[i].rank,
                name);
    }
}

static void write_change(const struct change *c, uint64_t begin, FILE *to)
{
    double at = 1e-9 * (double)(c->ns - begin);
    if (c->row == POP)
        fprintf(to, "6 %.9f S t%" PRIu32 "\n", at, c->thread);
    else if (c->row == PUSH_SLEEP)
        fprintf(to, "5 %.9f S t%" PRIu32 " sleep\n", at, c->thread);
    else
        fprintf(to, "5 %.9f S t%" PRIu32 " r%d\n", at, c->thread, c->row);
}

void trace_paje(const struct trace *t, FILE *to)
{
    struct changes all = {0};
    double end = 1e-9 * (double)(t->end - t->begin);
    for (size_t i = 0; i < t->nthreads; i++)
        collect_thread(&all, &t->thread[i], i);
    if (all.n)
        qsort(all.c, all.n, sizeof *all.c, by_moment);
    write_head(to);
    write_values(t, to);
    write_containers(t, to);
    for (size_t i = 0; i < all.n; i++)
        write_change(&all.c[i], t->begin, to);
    for (size_t i = 0; i < t->nthreads; i++)
        fprintf(to, "4 %.9f t%zu T\n", end, i);
    for (size_t i = 0; i < t->nranks; i++)
        fprintf(to, "4 %.9f k%" PRIu32 " K\n", end, t->rank[i].rank);
    fprintf(to, "4 %.9f run R\n", end);
    free(all.c);
}
