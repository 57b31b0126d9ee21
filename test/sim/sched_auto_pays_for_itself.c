/*
 * sched_auto_pays_for_itself.c - AUTO balances what is uneven, and leaves alone what is even.
 *
 * Role: in virtual time an uneven load is even after one restore by AUTO, as after CENTRAL, and rank 0 explains its
 *       decisions.  With an even load a job takes as long as with RETAIN, to a thousandth.
 * Owner: the body; time is virtual.
 * See: doc/balance.md section 8.
 */
#include "test/dist/sched_kit.h"

#include <unistd.h>

enum { WORK };
enum { SEEDS = 40, ITERATIONS = 40, UNIT_NS = 250000, TEXT = 65536 };

static struct {
    bool uneven;
    enum jd_restore how;
    double second, last; /* imbalance of ranks in these iterations */
    double seconds;      /* all iterations but the first, and restores */
    char text[TEXT];     /* what was said */
} shared;

static void work(jd_self *me, void *arg)
{
    jd_compute(me, *(const uint64_t *)arg);
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.name = "steps", .timed = 1};
    double began = 0, imbalance[ITERATIONS];
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    for (uint32_t i = 0; i < SEEDS; i++) {
        uint64_t ns = shared.uneven && jd_rank(me) % 3 == 1 ? 3 * UNIT_NS : UNIT_NS;
        must(me, jd_coll_add(me, c, WORK, &ns, sizeof ns));
    }
    /* Of what is even the workers of a rank take their shares themselves, and RETAIN keeps these. */
    must(me, jd_coll_stealing(me, c, shared.uneven ? JD_STEAL_NONE : JD_STEAL_LOCAL));
    for (int i = 0; i < ITERATIONS; i++) {
        if (i == 1)
            began = jd_now(me);
        if (i)
            must(me, jd_coll_restore(me, c, shared.how));
        must(me, jd_coll_process(me, c));
        jd_coll_spread load = {.ranks = {.imbalance = 1}};
        if (shared.uneven)
            must(me, jd_coll_get_load(me, c, &load));
        imbalance[i] = load.ranks.imbalance;
    }
    if (jd_rank(me) == 0) {
        shared.seconds = jd_now(me) - began;
        shared.second = imbalance[1];
        shared.last = imbalance[ITERATIONS - 1];
    }
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static double run(bool uneven, enum jd_restore how)
{
    FILE *to = tmpfile();
    int before = dup(STDERR_FILENO);
    shared.uneven = uneven;
    shared.how = how;
    dup2(fileno(to), STDERR_FILENO);
    int status = jd_launch(0, NULL, body, tasks);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(to);
    shared.text[fread(shared.text, 1, TEXT - 1, to)] = '\0';
    fclose(to);
    ok(status == 0, "the job ends well");
    diag("%.9f s, %.3f, %.3f", shared.seconds, shared.second, shared.last);
    return shared.seconds;
}

static bool says(const char *what)
{
    return strstr(shared.text, what) != NULL;
}

int main(void)
{
    setenv("JACKDAW_RANKS", "8", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_STATS", "full", 1);
    double fixed = run(true, JD_RESTORE_CENTRAL), chosen = run(true, JD_RESTORE_AUTO);
    ok(shared.second < 1.05 && shared.last < 1.05, "what is uneven is even at once");
    ok(chosen <= 1.03 * fixed, "within 3%% of the best fixed choice");
    ok(says("balance: steps, phase 1: an iteration loses ") && says(": kept, in ") &&
           says("; the plan before saved "),
       "each decision is explained in a line");
    double retain = run(false, JD_RESTORE_RETAIN), even = run(false, JD_RESTORE_AUTO);
    ok(says(": not worth a plan, in "), "what is even is left alone");
    ok(even <= 1.001 * retain, "which costs less than a thousandth of each iteration");
    return done_testing();
}
