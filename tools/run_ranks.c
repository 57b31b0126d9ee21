/*
 * run_ranks.c - how many ranks, and where.
 *
 * Role: puts together what options, environment and allocation say, and refuses what does not fit together.
 * Owner: as run.h says.
 * Invariants: I1 the slots of the hosts are the ranks that each of them gets; their sum is `ranks`.
 *             I2 no number is taken silently where two differ.
 * Order: none.
 * See: doc/jackdaw-run.1.md, test/unit/tools_run_*.
 */
#include "tools/run.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_process(const struct run_parts *p)
{
    const char *network = p->program.note.network;
    return !strcmp(network, "sim") || !strcmp(network, "loop");
}

static bool is_one_machine(const struct run_parts *p)
{
    return !strcmp(p->program.note.network, "smp") || is_one_process(p);
}

/* As one of several copies each would start a job of its own. */
static void check_copies(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};

    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++) {
        const char *value = getenv(names[i]);
        if (value && run_words_number(value, 2) > 0)
            run_refuse(RUN_CANNOT,
                       "a launcher has started jackdaw-run %s times (%s): start it once, "
                       "without mpirun or srun in front",
                       value, names[i]);
    }
}

/* ---- how many ------------------------------------------------------------------------ */

static long ranks_of_variable(const char *name)
{
    const char *value = getenv(name);
    long n = value ? run_words_number(value, 0) : 0;

    if (n < 0)
        run_refuse(RUN_USAGE, "%s=%s is no number of ranks: unset %s", name, value, name);
    return n;
}

/* I2. */
static void take_number(struct run_parts *p, long n, const char *from)
{
    if (!n)
        return;
    if (p->ranks && p->ranks != n)
        run_refuse(RUN_USAGE,
                   "%s asks for %ld ranks, but %s for %ld: leave one of them out",
                   p->from, p->ranks, from, n);
    if (!p->ranks)
        p->from = from;
    p->ranks = n;
}

static void choose_number(struct run_parts *p)
{
    p->ranks = 0;
    take_number(p, p->wish.ranks, "-n");
    take_number(p, ranks_of_variable("JACKDAW_RANKS"), "JACKDAW_RANKS");
    if (!strcmp(p->program.note.network, "smp"))
        take_number(p, ranks_of_variable("GASNET_PSHM_NODES"), "GASNET_PSHM_NODES");
    if (!p->ranks && p->hosts.n)
        take_number(p, p->hosts.all, p->hosts.from);
    if (!p->ranks)
        take_number(p, p->wish.nodes ? p->wish.nodes : 1, "-N");
}

static void check_most(const struct run_parts *p)
{
    const struct jdi_note_text *note = &p->program.note;
    long most = note->most_ranks;

    if (most && p->ranks > most)
        run_refuse(RUN_USAGE, "%ld ranks: a job on %s has at most %ld; %s", p->ranks,
                   note->network, most,
                   "take fewer ranks with more workers in each (-c), or link with mpi");
}

/* ---- where --------------------------------------------------------------------------- */

static void check_nodes(const struct run_parts *p)
{
    long nodes = p->wish.nodes;

    if (nodes > p->ranks)
        run_refuse(RUN_USAGE,
                   "-N %ld: %ld rank%s cannot be on %ld machines: -n must be as many",
                   nodes, p->ranks, p->ranks == 1 ? "" : "s", nodes);
    if (nodes > 1 && p->wish.localhost)
        run_refuse(RUN_USAGE,
                   "-N %ld and --localhost, which is one machine: leave one of them out",
                   nodes);
    if (nodes > 1 && !p->hosts.n)
        run_refuse(RUN_USAGE,
                   "-N %ld, but only this machine is known: name the others with --hosts",
                   nodes);
    if (p->hosts.n && nodes > (long)p->hosts.n)
        run_refuse(RUN_USAGE,
                   "-N %ld, but %s has %zu machine%s: name more, or ask for fewer", nodes,
                   p->hosts.from, p->hosts.n, p->hosts.n == 1 ? "" : "s");
}

/* Machines of an allocation that nobody has asked for do not trouble the simulator. */
static void check_one_machine(struct run_parts *p)
{
    const char *network = p->program.note.network;
    bool here = run_hosts_are_here(&p->hosts);

    if (!is_one_machine(p))
        return;
    if (p->wish.nodes > 1)
        run_refuse(RUN_USAGE,
                   "-N %ld, but %s is for one machine: link with udp, mpi or ucx",
                   p->wish.nodes, network);
    if (p->wish.hosts && !here)
        run_refuse(
            RUN_USAGE,
            "%s names other machines, but %s is for this one: link with udp, mpi or ucx",
            p->hosts.from, network);
    if (p->hosts.n > 1 && !here && !is_one_process(p))
        run_refuse(
            RUN_USAGE,
            "%s has %zu machines, but %s is for one: link with udp, mpi or ucx, or say "
            "--localhost",
            p->hosts.from, p->hosts.n, network);
    run_hosts_keep(&p->hosts, 0);
}

/* A list of names alone says nothing of how many ranks each may have. */
static bool has_slots(const struct run_hosts *h)
{
    return h->all > h->n;
}

static void spread(struct run_hosts *h, long ranks)
{
    for (size_t i = 0; i < h->n; i++) {
        unsigned first = (unsigned)((size_t)ranks * i / h->n);
        h->at[i].slots = (unsigned)((size_t)ranks * (i + 1) / h->n) - first;
    }
}

static void fill(struct run_hosts *h, long ranks)
{
    size_t i = 0;

    for (; i < h->n && ranks > 0; i++) {
        if (h->at[i].slots > ranks)
            h->at[i].slots = (unsigned)ranks;
        ranks -= h->at[i].slots;
    }
    h->n = i;
}

/* I1. */
static void assign(struct run_parts *p)
{
    struct run_hosts *h = &p->hosts;

    if (!h->n)
        return;
    if (p->wish.nodes)
        run_hosts_keep(h, (size_t)p->wish.nodes);
    if (has_slots(h) && p->ranks > (long)h->all)
        run_refuse(
            RUN_USAGE,
            "%ld ranks, but %s has room for %u on %zu machine%s: ask for fewer, or write "
            "--hosts=NAME:RANKS,...",
            p->ranks, h->from, h->all, h->n, h->n == 1 ? "" : "s");
    if (p->wish.nodes || p->ranks > (long)h->all)
        spread(h, p->ranks);
    else
        fill(h, p->ranks);
}

void run_ranks_choose(struct run_parts *p)
{
    if (p->wish.localhost && p->wish.hosts)
        run_refuse(RUN_USAGE, "--localhost and --hosts=%s: leave one of them out",
                   p->wish.hosts);
    check_copies();
    run_hosts_find(&p->hosts, &p->wish);
    check_one_machine(p);
    choose_number(p);
    check_most(p);
    check_nodes(p);
    assign(p);
}
