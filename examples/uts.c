/*
 * uts.c - the Unbalanced Tree Search benchmark on Jackdaw.
 *
 * Role: count the nodes of a tree that nobody can divide in advance, one task per node.
 * Owner: a struct run per rank; a worker writes only its own tally, the body reads them
 *        after jd_coll_process has returned.
 * Invariants: I1 nodes counted = tasks run on all ranks (unless -s 0 makes one task);
 *             I2 only rank 0 prints.
 * See: doc/jackdaw-uts.1.md, examples/uts_tree.h, bench/uts.sh.
 */
#include "examples/uts_params.h"
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A worker's counts, on a cache line that no other worker writes. */
struct tally {
    _Alignas(64) struct uts_count count;
};

struct run {
    struct uts_params params;
    struct uts_tree tree;
    struct tally *tallies; /* one per worker */
    unsigned workers;
};

enum { VISIT, VISIT_PARENT, VISIT_ALL, VISIT_ASYNC };
enum { STATUS_WRONG = 1, STATUS_USAGE = 2 };

/* ---- tasks -------------------------------------------------------------------------- */

/*
 * A node makes its children in the slots of the tasks that will visit them.  A leaf ends
 * at once: it has been counted by its parent.
 */
static void visit(jd_self *me, void *arg)
{
    const struct uts_node *node = arg;
    int children = node->children;
    if (children == 0)
        return;
    jd_coll *tree_tasks = jd_coll_mine(me);
    struct run *run = jd_coll_local(tree_tasks);
    struct uts_family family;
    /* The family keeps what it needs: an add may move the node. */
    uts_family_init(&family, &run->tree, node);
    for (int i = 0; i < children; i++) {
        struct uts_node *child =
            jd_coll_add_inplace(me, tree_tasks, VISIT, sizeof *child);
        if (!child)
            jd_abort(me, STATUS_WRONG, "uts: no memory for another node");
        uts_family_child(&family, i, child);
    }
    uts_count_family(&run->tallies[jd_worker(me)].count, &family, children);
}

/* --parents: only nodes that have children become tasks; leaves are made and counted here. */
static void visit_parent(jd_self *me, void *arg)
{
    const struct uts_node *node = arg;
    int children = node->children;
    jd_coll *tree_tasks = jd_coll_mine(me);
    struct run *run = jd_coll_local(tree_tasks);
    struct uts_family family;
    uts_family_init(&family, &run->tree, node);
    for (int i = 0; i < children; i++) {
        struct uts_node child, *slot;
        uts_family_child(&family, i, &child);
        if (child.children == 0)
            continue;
        slot = jd_coll_add_inplace(me, tree_tasks, VISIT_PARENT, sizeof child);
        if (!slot)
            jd_abort(me, STATUS_WRONG, "uts: no memory for another node");
        *slot = child;
    }
    if (children > 0)
        uts_count_family(&run->tallies[jd_worker(me)].count, &family, children);
}

/* -s 0: nothing to steal. */
static void visit_all(jd_self *me, void *arg)
{
    struct run *run = jd_coll_local(jd_coll_mine(me));
    struct uts_node root = *(const struct uts_node *)arg;
    if (uts_search(&run->tree, &root, &run->tallies[jd_worker(me)].count))
        jd_abort(me, STATUS_WRONG, "uts: no memory for another node");
}

/* --style=async: as visit, in a finish. */
static void visit_async(jd_self *me, void *arg)
{
    const struct uts_node *node = arg;
    int children = node->children;
    if (children == 0)
        return;
    struct run *run = jd_local(me);
    struct uts_family family;
    uts_family_init(&family, &run->tree, node);
    for (int i = 0; i < children; i++) {
        struct uts_node *child = jd_async_inplace(me, VISIT_ASYNC, sizeof *child);
        if (!child)
            jd_abort(me, STATUS_WRONG, "uts: no memory for another node");
        uts_family_child(&family, i, child);
    }
    uts_count_family(&run->tallies[jd_worker(me)].count, &family, children);
}

static const jd_task_def tasks[] = {[VISIT] = JD_TASK(visit),
                                    [VISIT_PARENT] = JD_TASK(visit_parent),
                                    [VISIT_ALL] = JD_TASK(visit_all),
                                    [VISIT_ASYNC] = JD_TASK(visit_async),
                                    JD_TASK_END};

/* ---- results ------------------------------------------------------------------------ */

/* Of one search, over all ranks. */
struct result {
    struct uts_count count;
    double seconds;
    uint64_t pes; /* workers */
    uint64_t executed, stolen_in, steals, attempts, stolen_local;
    uint64_t least, most; /* tasks run on one rank */
    uint64_t waves;
    uint32_t ranks; /* 0: serial */
    int async;
};

static uint64_t leaves_of(const struct uts_count *count)
{
    return count->nodes - count->parents;
}

static void add_tallies(const struct run *run, struct uts_count *sum)
{
    for (unsigned w = 0; w < run->workers; w++) {
        const struct uts_count *c = &run->tallies[w].count;
        sum->nodes += c->nodes;
        sum->parents += c->parents;
        sum->truncated += c->truncated;
        if (sum->height < c->height)
            sum->height = c->height;
    }
}

static void must(jd_self *me, int error, const char *what)
{
    if (error < 0)
        jd_abort(me, STATUS_WRONG, "uts: %s: %s", what, jd_strerror(error));
}

/* Collective: every rank gets the sums.  coll is NULL after a search with a finish, whose
 * tasks the runtime counts for all finishes together: see --stats. */
static void gather(jd_self *me, const struct run *run, const jd_coll *coll,
                   struct result *r)
{
    struct uts_node root;
    int first = jd_rank(me) == 0;
    struct uts_count mine = {.nodes = first,
                             .truncated = first && uts_root(&run->tree, &root)};
    jd_coll_info info = {0};
    add_tallies(run, &mine);
    if (coll)
        must(me, jd_coll_get_info(me, coll, &info), "jd_coll_get_info");

    uint64_t sums[] = {mine.nodes,     mine.parents, mine.truncated, run->workers,
                       info.stolen_in, info.steals,  info.attempts,  info.stolen_local};
    uint64_t most[] = {mine.height, info.executed, info.waves};
    must(me, jd_allreduce_u64(me, sums, sizeof sums / sizeof sums[0], JD_SUM), "sum");
    must(me, jd_allreduce_u64(me, most, sizeof most / sizeof most[0], JD_MAX), "max");
    r->least = info.executed;
    must(me, jd_allreduce_u64(me, &r->least, 1, JD_MIN), "min");
    must(me, jd_allreduce_f64(me, &r->seconds, 1, JD_MAX), "max");

    r->count = (struct uts_count){sums[0], sums[1], most[0], sums[2]};
    r->pes = sums[3];
    r->stolen_in = sums[4];
    r->steals = sums[5];
    r->attempts = sums[6];
    r->stolen_local = sums[7];
    r->most = most[1];
    r->waves = most[2];
    r->executed = coll ? info.all_executed : sums[0];
    r->async = !coll;
    r->ranks = jd_nranks(me);
}

/* What a steal takes, for the record: the reference's chunk size; 0 for half. */
static int chunk_in_force(void)
{
    const char *amount = getenv("JACKDAW_STEAL_AMOUNT");
    if (!amount)
        return 0;
    return strcmp(amount, "one") ? atoi(amount) : 1;
}

/* The reference's record for scripts. */
static void print_record(const struct uts_params *p, const struct result *r)
{
    const struct uts_shape_params *is = &p->is;
    double rate = (double)r->count.nodes / r->seconds;
    printf("%4d %7.3f %9llu %7.0llu %7.0llu %d %d %.2f %d %d %1d %f %3d\n", (int)r->pes,
           r->seconds, (unsigned long long)r->count.nodes, (unsigned long long)rate,
           (unsigned long long)(rate / (double)r->pes), chunk_in_force(), is->type,
           is->b0, is->seed, is->depth, is->shape, is->q, is->m);
}

static void print_text(const struct result *r)
{
    const struct uts_count *c = &r->count;
    double rate = (double)c->nodes / r->seconds;
    printf("Tree size = %llu, tree depth = %llu, num leaves = %llu (%.2f%%)\n",
           (unsigned long long)c->nodes, (unsigned long long)c->height,
           (unsigned long long)leaves_of(c),
           100.0 * (double)leaves_of(c) / (double)c->nodes);
    printf("Wallclock time = %.3f sec, performance = %.0f nodes/sec (%.0f nodes/sec per "
           "PE)\n\n",
           r->seconds, rate, rate / (double)r->pes);
    if (r->ranks == 0 || r->async)
        return;
    printf("Tasks run = %llu, per rank %llu to %llu; between ranks: %llu stolen in %llu "
           "steals of %llu requests; inside ranks: %llu stolen; detection: %llu waves\n",
           (unsigned long long)r->executed, (unsigned long long)r->least,
           (unsigned long long)r->most, (unsigned long long)r->stolen_in,
           (unsigned long long)r->steals, (unsigned long long)r->attempts,
           (unsigned long long)r->stolen_local, (unsigned long long)r->waves);
}

/* The known numbers; those that nobody published (0) are not compared. */
static int agrees(const struct uts_sample *s, const struct uts_count *c)
{
    return c->nodes == s->nodes && (!s->height || c->height == s->height) &&
           (!s->leaves || leaves_of(c) == s->leaves);
}

static void print_check(const struct uts_params *p, const struct result *r, int right)
{
    const struct uts_sample *s = p->expected;
    if (right && p->verbose)
        printf("Check: tree %s is as published\n", s->name);
    if (!right)
        fprintf(stderr,
                "uts: tree %s is WRONG: %llu nodes, depth %llu, %llu leaves; published: "
                "%llu, %llu, %llu (0: not published)\n",
                s->name, (unsigned long long)r->count.nodes,
                (unsigned long long)r->count.height,
                (unsigned long long)leaves_of(&r->count), (unsigned long long)s->nodes,
                (unsigned long long)s->height, (unsigned long long)s->leaves);
}

/* A root without children is one task in any case. */
static uint64_t tasks_made(const struct uts_params *p, const struct uts_count *c)
{
    if (!p->steal || c->parents == 0)
        return 1;
    return p->parents ? c->parents : c->nodes;
}

/* Rank 0 prints; every rank gets the same status. */
static int report(const struct uts_params *p, const struct result *r, int print)
{
    uint64_t made = tasks_made(p, &r->count);
    int balanced = r->ranks == 0 || r->executed == made;
    int right = !p->check || agrees(p->expected, &r->count);
    if (print) {
        if (p->verbose)
            print_text(r);
        else
            print_record(p, r);
        if (r->count.truncated)
            fprintf(stderr,
                    "uts: number of children truncated to %d in %llu nodes, as the "
                    "reference does\n",
                    UTS_MAX_CHILDREN, (unsigned long long)r->count.truncated);
        if (!balanced)
            fprintf(stderr, "uts: %llu tasks made but %llu run\n",
                    (unsigned long long)made, (unsigned long long)r->executed);
        if (p->check)
            print_check(p, r, right);
        fflush(stdout);
    }
    return balanced && right ? 0 : STATUS_WRONG;
}

/* ---- the two searches --------------------------------------------------------------- */

static int search_serially(jd_self *me, struct run *run)
{
    int status = 0;
    for (int i = 0; i < run->params.repeat && jd_rank(me) == 0; i++) {
        struct result r = {.count = {.nodes = 1}, .pes = 1};
        struct uts_node root;
        double start = jd_now(me);
        r.count.truncated = uts_root(&run->tree, &root) != 0;
        if (uts_search(&run->tree, &root, &r.count))
            jd_abort(me, STATUS_WRONG, "uts: no memory for another node");
        r.seconds = jd_now(me) - start;
        status |= report(&run->params, &r, 1);
    }
    return status;
}

static void add_root(jd_self *me, struct run *run, jd_coll *coll)
{
    struct uts_node root;
    jd_task task = !run->params.steal    ? VISIT_ALL
                   : run->params.parents ? VISIT_PARENT
                                         : VISIT;
    uts_root(&run->tree, &root);
    must(me, jd_coll_add(me, coll, task, &root, sizeof root), "jd_coll_add");
}

static int search_with_tasks(jd_self *me, struct run *run)
{
    jd_coll_props props = {.name = "tree",
                           .arg_size = sizeof(struct uts_node),
                           .uniform = 1,
                           .no_restore = run->params.repeat == 1,
                           .local = run};
    jd_coll *coll;
    int status = 0;
    must(me, jd_coll_create(me, &props, &coll), "jd_coll_create");
    if (jd_rank(me) == 0)
        add_root(me, run, coll);
    for (int i = 0; i < run->params.repeat; i++) {
        struct result r;
        memset(run->tallies, 0, run->workers * sizeof *run->tallies);
        if (i > 0)
            must(me, jd_coll_restore(me, coll, JD_RESTORE_SEED), "jd_coll_restore");
        must(me, jd_barrier(me), "jd_barrier");
        double start = jd_now(me);
        must(me, jd_coll_process(me, coll), "jd_coll_process");
        r.seconds = jd_now(me) - start;
        gather(me, run, coll, &r);
        status |= report(&run->params, &r, jd_rank(me) == 0);
    }
    must(me, jd_coll_destroy(me, coll), "jd_coll_destroy");
    return status;
}

static void spawn_root(jd_self *me, void *arg)
{
    struct run *run = arg;
    struct uts_node root;
    uts_root(&run->tree, &root);
    must(me, jd_async(me, VISIT_ASYNC, &root, sizeof root), "jd_async");
}

/* The other ranks wait in the reductions, and their workers steal. */
static int search_with_asyncs(jd_self *me, struct run *run)
{
    int status = 0;
    jd_set_local(me, run);
    for (int i = 0; i < run->params.repeat; i++) {
        struct result r = {0};
        memset(run->tallies, 0, run->workers * sizeof *run->tallies);
        must(me, jd_barrier(me), "jd_barrier");
        double start = jd_now(me);
        if (jd_rank(me) == 0) {
            must(me, jd_finish(me, spawn_root, run), "jd_finish");
            r.seconds = jd_now(me) - start;
        }
        must(me, jd_barrier(me), "jd_barrier");
        gather(me, run, NULL, &r);
        status |= report(&run->params, &r, jd_rank(me) == 0);
    }
    return status;
}

/* ---- start -------------------------------------------------------------------------- */

/* Not inlined: its text would lie on the stack of every rank. */
__attribute__((noinline)) static void print_head(jd_self *me, const struct run *run)
{
    char tree[1024];
    uts_params_describe(&run->params, tree, sizeof tree);
    printf("UTS - Unbalanced Tree Search 2.1 (Jackdaw " JD_VERSION ")\n%s", tree);
    if (run->params.serial)
        printf("Execution strategy:  Sequential search\n\n");
    else if (run->params.steal && chunk_in_force() == 0)
        printf("Execution strategy:  Parallel search using %u ranks of %u workers\n"
               "   Load balance by work stealing, half of what the victim shares\n\n",
               jd_nranks(me), run->workers);
    else if (run->params.steal)
        printf("Execution strategy:  Parallel search using %u ranks of %u workers\n"
               "   Load balance by work stealing, chunk size = %d nodes\n\n",
               jd_nranks(me), run->workers, chunk_in_force());
    else
        printf("Execution strategy:  One task, no load balancing\n\n");
    if (run->params.debug & 1) {
        struct uts_node root;
        uts_root(&run->tree, &root);
        printf("root node of type %d, state ", run->params.is.type);
        for (int i = 0; i < UTS_STATE_WORDS; i++)
            printf("%08x", root.state[i]);
        printf(", %d children\n", root.children);
    }
    fflush(stdout);
}

/* The environment wins over -c, -T and --stats; that must not be silent. */
static void warn_overridden(const char *option, int value, const char *variable)
{
    const char *now = getenv(variable);
    int number = !now ? 0 : strcmp(now, "one") ? atoi(now) : 1;
    if (value && now && !strcmp(option, "--stats")) /* others than 0 ask for more */
        number = strcmp(now, "0") != 0;
    if (value && now && number != value)
        fprintf(stderr, "uts: option %s has no effect: %s=%s is set\n", option, variable,
                now);
}

static int run_all(jd_self *me, struct run *run)
{
    run->workers = jd_nworkers(me);
    run->tallies = aligned_alloc(64, run->workers * sizeof *run->tallies);
    if (!run->tallies || uts_tree_init(&run->tree, &run->params.is))
        jd_abort(me, STATUS_WRONG, "uts: out of memory");
    if (jd_rank(me) == 0) {
        warn_overridden("-c", run->params.chunk, "JACKDAW_STEAL_AMOUNT");
        warn_overridden("-T", run->params.workers, "JACKDAW_WORKERS");
        warn_overridden("--stats", run->params.stats, "JACKDAW_STATS");
        if (run->params.verbose)
            print_head(me, run);
    }
    int status = run->params.serial  ? search_serially(me, run)
                 : run->params.async ? search_with_asyncs(me, run)
                                     : search_with_tasks(me, run);
    uts_tree_fini(&run->tree);
    free(run->tallies);
    return status;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct run run = {0};
    char error[192]; /* small, because it stays on the stack */
    enum uts_parsed parsed =
        uts_params_parse(&run.params, argc, argv, error, sizeof error);
    if (parsed == UTS_RUN)
        return run_all(me, &run);
    if (jd_rank(me) == 0) {
        if (parsed == UTS_HELP)
            fputs(uts_help(), stdout);
        else if (parsed == UTS_VERSION)
            puts("uts (Jackdaw) " JD_VERSION);
        else
            fprintf(stderr, "uts: %s\n", error);
        fflush(stdout);
    }
    return parsed == UTS_BAD ? STATUS_USAGE : 0;
}

static void set_unless_set(const char *variable, const char *value)
{
    setenv(variable, value, 0);
}

int main(int argc, char **argv)
{
    uts_params_export(argc, argv, set_unless_set);
    return jd_launch(argc, argv, body, tasks);
}
