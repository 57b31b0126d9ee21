/*
 * balance.c - balancers at scale, in virtual time: what a plan costs and how good it is.
 *
 * Role: up to 38,400 ranks and more, each the machine of sched/balance/, with the tasks of Table 3 of
 *       paper 003.  A message costs by LogGP; computing costs by the steps that the machine counts.
 * Owner: one thread.
 * Invariants: I1 the same arguments give the same line.
 *             I2 a rank does one thing at a time: it handles messages in the order of their arrival.
 *             I3 after a session each task is at one rank, and the loads are what the figures say.
 * See: bench/balance.sh, bench/README.md; doc/balance.md; sched/balance/balance.h.
 */
#include "sched/balance/balance.h"
#include "conform/heap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LogGP as in the simulator (JACKDAW_SIM_NET); G in ns for 1,000 bytes. */
struct net {
    double o, latency, gap, gap_kb, step;
};

struct parcel {
    uint32_t src, dst;
    size_t len;
    unsigned char *bytes;
};

struct member {
    struct world *w;
    struct jdi_balance *b;
    struct jdi_balance_task *task;
    uint32_t n, room;
    uint64_t work;        /* charged until now */
    double now, departed; /* its clock; its last message */
};

struct world {
    struct net net;
    uint32_t ranks;
    struct member *member;
    struct jdi_heap heap;
    struct parcel *parcel; /* under way, by number */
    uint32_t *spare, spares, parcels;
    uint64_t messages, bytes;
    double ended;
};

static void *must(void *p)
{
    if (!p) {
        fprintf(stderr, "balance: out of memory\n");
        exit(1);
    }
    return p;
}

/* ---- messages ----------------------------------------------------------------------------- */

static void charge(struct member *m)
{
    uint64_t work = jdi_balance_work(m->b);
    m->now += (double)(work - m->work) * m->w->net.step;
    m->work = work;
}

static uint32_t new_parcel(struct world *w)
{
    if (w->spares == 0) {
        uint32_t more = w->parcels ? w->parcels : 1024;
        w->parcel = must(realloc(w->parcel, (w->parcels + more) * sizeof *w->parcel));
        w->spare = must(realloc(w->spare, (w->parcels + more) * sizeof *w->spare));
        for (uint32_t i = 0; i < more; i++)
            w->spare[w->spares++] = w->parcels + i;
        w->parcels += more;
    }
    return w->spare[--w->spares];
}

static void send_parcel(void *ctx, uint32_t dst, const void *bytes, size_t len)
{
    struct member *m = ctx;
    struct world *w = m->w;
    uint32_t i = new_parcel(w);
    charge(m);
    m->now = fmax(m->now + w->net.o, m->departed + w->net.gap);
    m->departed = m->now;
    w->parcel[i] =
        (struct parcel){(uint32_t)(m - w->member), dst, len, must(malloc(len))};
    memcpy(w->parcel[i].bytes, bytes, len);
    w->messages++;
    w->bytes += len;
    double arrives = m->now + w->net.latency + w->net.gap_kb * (double)len / 1000;
    jdi_heap_put(&w->heap, (uint64_t)(arrives * 1000), i);
}

static void end_if_wrong(const struct member *m, int rc)
{
    uint32_t src;
    if (!rc)
        return;
    const char *lie = jdi_balance_lie(m->b, &src);
    fprintf(stderr, "balance: %s: rank %u says %s\n", jd_strerror(rc), (unsigned)src,
            lie ? lie : "nothing");
    exit(1);
}

static void run(struct world *w)
{
    struct jdi_heap_item next;
    for (uint32_t r = 0; r < w->ranks; r++) {
        struct member *m = &w->member[r];
        end_if_wrong(m, jdi_balance_start(m->b, m->task, m->n));
        charge(m);
    }
    while (jdi_heap_take(&w->heap, &next)) {
        struct parcel p = w->parcel[next.what];
        struct member *m = &w->member[p.dst];
        m->now = fmax(m->now, (double)next.time / 1000) + w->net.o +
                 w->net.gap_kb * (double)p.len / 1000;
        end_if_wrong(m, jdi_balance_message(m->b, p.src, p.bytes, p.len));
        charge(m);
        free(p.bytes);
        w->spare[w->spares++] = next.what;
    }
    for (uint32_t r = 0; r < w->ranks; r++)
        w->ended = fmax(w->ended, w->member[r].now);
}

/* ---- tasks --------------------------------------------------------------------------------- */

/*
 * Times of tasks, longest first, `at` of 0 to 1: few long ones above a body that is rather flat.  The
 * mean is that of HF-Be256, 0.54 s; see bench/README.md for how the numbers were found.
 */
struct shape {
    double largest, head, flat; /* s; the part of the head; how flat */
};
static const double MEAN = 0.5408;

static double time_at(const struct shape *s, double at)
{
    double body = (MEAN - s->largest * s->head) / (1 / (1 + s->flat) - s->head);
    return (s->largest - body) * exp(-at / s->head) + body * pow(1 - at, s->flat);
}

static int compare_tasks(const void *a, const void *b)
{
    const struct jdi_balance_task *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : 0;
}

static void add_task(struct member *m, uint32_t home, uint32_t index, uint64_t time)
{
    if (m->n == m->room) {
        m->room = m->room ? 2 * m->room : 8;
        m->task = must(realloc(m->task, m->room * sizeof *m->task));
    }
    m->task[m->n++] = (struct jdi_balance_task){home, index, time, 64};
}

/* Sorted tasks dealt round-robin, every n-th rank gets m of them. */
static void deal(struct world *w, const struct shape *s, uint32_t tasks, uint32_t n,
                 uint32_t m)
{
    uint32_t dealt = 0;
    for (uint32_t r = 0; dealt < tasks; r = (r + 1) % w->ranks)
        for (uint32_t k = r % n == 0 ? m : 1; k > 0 && dealt < tasks; k--, dealt++) {
            double time = time_at(s, (dealt + 0.5) / tasks);
            add_task(&w->member[r], r, w->member[r].n, (uint64_t)(time * 1e9));
        }
    for (uint32_t r = 0; r < w->ranks; r++)
        if (w->member[r].n > 0)
            qsort(w->member[r].task, w->member[r].n, sizeof(struct jdi_balance_task),
                  compare_tasks);
}

/* ---- the result ----------------------------------------------------------------------------- */

/* The largest load after the moves, by adding up; ends the program unless it is as planned. */
static uint64_t add_up(const struct world *w)
{
    uint64_t *load = must(calloc(w->ranks, sizeof *load)), most = 0, moved = 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        const struct member *m = &w->member[r];
        struct jdi_balance_plan p = jdi_balance_plan(m->b);
        for (uint32_t i = 0; i < m->n; i++)
            load[r] += m->task[i].time;
        for (uint32_t i = 0; i < p.moves; i++) {
            load[r] -= m->task[p.move[i].place].time;
            load[p.move[i].rank] += m->task[p.move[i].place].time;
        }
        moved += p.moves;
    }
    for (uint32_t r = 0; r < w->ranks; r++)
        most = most > load[r] ? most : load[r];
    struct jdi_balance_figures f = jdi_balance_plan(w->member[0].b).figures;
    JD_CHECK_EQ(most, f.most_after);
    JD_CHECK(!f.kept || moved == f.moved);
    free(load);
    return most;
}

static void print_result(const struct world *w, const char *name, uint32_t n, uint32_t m)
{
    struct jdi_balance_figures f = jdi_balance_plan(w->member[0].b).figures;
    double mean = (double)f.sum / w->ranks, most = (double)add_up(w);
    double least = fmax(mean, (double)f.largest);
    printf(
        "%s %u %u %u before %.1f %% after %.2f %% bound %.2f %% over %.2f %% time %.3f "
        "ms messages %.2f MiB %.2f moved %.3f%s\n",
        name, (unsigned)n, (unsigned)m, (unsigned)w->ranks,
        100 * (double)f.most_before / mean, 100 * (most / mean - 1),
        100 * (least / mean - 1), 100 * (most / least - 1), w->ended / 1e6,
        (double)w->messages / w->ranks, (double)w->bytes / 1048576,
        (double)f.moved / (double)f.tasks,
        f.kept      ? ""
        : f.planned ? " dropped"
                    : " no plan");
}

static const struct jdi_balance_ops *ops_of(const char *name)
{
    static const struct jdi_balance_ops *const all[] = {
        &jdi_balance_central, &jdi_balance_tree, &jdi_balance_tree, &jdi_balance_gossip};
    static const char *const names[] = {"central", "tree", "printed", "gossip"};
    for (size_t i = 0; i < JDI_ARRAY_LEN(all); i++)
        if (strcmp(name, names[i]) == 0)
            return all[i];
    return NULL;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: balance central|tree|printed|gossip RANKS N M [NAME=NUMBER]...\n"
            "  tasks= largest= head= flat=   the tasks\n"
            "  arity= holes= fanout= rounds= known= iterations= seed= c= d=\n"
            "  o= L= g= G= step=   ns; G for 1,000 bytes; of a step of a heap\n");
    return 2;
}

struct options {
    struct jdi_balance_config c;
    struct net net;
    struct shape shape;
    double tasks, arity, holes, fanout, rounds, known, iterations, seed;
};

static bool take_option(struct options *o, const char *arg)
{
    const struct {
        const char *name;
        double *to;
    } all[] = {{"tasks", &o->tasks},     {"largest", &o->shape.largest},
               {"head", &o->shape.head}, {"flat", &o->shape.flat},
               {"arity", &o->arity},     {"holes", &o->holes},
               {"fanout", &o->fanout},   {"rounds", &o->rounds},
               {"known", &o->known},     {"iterations", &o->iterations},
               {"seed", &o->seed},       {"c", &o->c.donate},
               {"d", &o->c.accept},      {"o", &o->net.o},
               {"L", &o->net.latency},   {"g", &o->net.gap},
               {"G", &o->net.gap_kb},    {"step", &o->net.step}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(all); i++) {
        size_t len = strlen(all[i].name);
        if (strncmp(arg, all[i].name, len) == 0 && arg[len] == '=') {
            *all[i].to = atof(arg + len + 1);
            return true;
        }
    }
    return false;
}

static void make_members(struct world *w, const struct options *o)
{
    struct jdi_balance_config c = o->c;
    c.nranks = w->ranks;
    c.arity = (uint32_t)o->arity;
    c.fanout = (uint32_t)o->fanout;
    c.rounds = (uint32_t)o->rounds;
    c.known = (uint32_t)o->known;
    c.iterations = (uint32_t)o->iterations;
    c.seed = (uint64_t)o->seed;
    if (o->holes > 0)
        c.holes = (uint32_t)o->holes;
    w->member = must(calloc(w->ranks, sizeof *w->member));
    for (uint32_t r = 0; r < w->ranks; r++) {
        const struct jdi_balance_env env = {.ctx = &w->member[r], .send = send_parcel};
        c.rank = r;
        w->member[r].w = w;
        w->member[r].b = must(jdi_balance_new(&c, &env));
    }
}

int main(int argc, char **argv)
{
    struct options o = {
        .net = {.o = 300, .latency = 1000, .gap = 50, .gap_kb = 100, .step = 5},
        .shape = {.largest = 4.03, .head = 0.005, .flat = 1},
        .tasks = 213000};
    struct world w = {0};
    if (argc < 5 || !ops_of(argv[1]) || atoi(argv[2]) < 1 || atoi(argv[3]) < 1 ||
        atoi(argv[4]) < 1)
        return usage();
    o.c.ops = ops_of(argv[1]);
    o.c.holes = strcmp(argv[1], "printed") == 0 ? JDI_BALANCE_AS_PRINTED : 0;
    for (int i = 5; i < argc; i++)
        if (!take_option(&o, argv[i]))
            return usage();
    w.ranks = (uint32_t)atoi(argv[2]);
    w.net = o.net;
    jdi_heap_init(&w.heap);
    make_members(&w, &o);
    deal(&w, &o.shape, (uint32_t)o.tasks, (uint32_t)atoi(argv[3]),
         (uint32_t)atoi(argv[4]));
    run(&w);
    print_result(&w, argv[1], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    for (uint32_t r = 0; r < w.ranks; r++) {
        jdi_balance_free(w.member[r].b);
        free(w.member[r].task);
    }
    free(w.member);
    free(w.parcel);
    free(w.spare);
    jdi_heap_fini(&w.heap);
    return 0;
}
