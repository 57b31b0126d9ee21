/*
 * core_explain_names_the_largest_loss.c
 *
 * Role: made-up figures for each rule, and for nothing to gain: the right rule speaks, with the right numbers.
 * Owner: one thread.
 * Invariants: I1, I2 of core/explain.h.
 * See: core/explain.c.
 */
#include "core/explain.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 2, WORKERS = 2 };
static const uint64_t second = 1000000000;

static struct job {
    struct jdi_stats thread[RANKS][WORKERS + 1];
    struct jdi_figures_rank rank[RANKS];
    struct jdi_figures f;
} job;

/* All workers have worked all the time, on many tasks. */
static void start_with_a_good_job(void)
{
    job = (struct job){.f = {.nranks = RANKS, .n = RANKS, .rank = job.rank}};
    for (uint32_t i = 0; i < RANKS; i++) {
        job.rank[i] = (struct jdi_figures_rank){
            .rank = i, .nthreads = WORKERS + 1, .thread = job.thread[i]};
        for (int w = 0; w < WORKERS; w++)
            job.thread[i][w] = (struct jdi_stats){
                .executed = 1000, .ns_work = second, .ns_life = second, .ns_cpu = second};
    }
}

/* Percent of the life of a worker that it idles instead of working. */
static void let_idle(uint32_t rank, int worker, unsigned percent)
{
    struct jdi_stats *s = &job.thread[rank][worker];
    s->ns_idle = second / 100 * percent;
    s->ns_work = s->ns_cpu = second - s->ns_idle;
}

static void let_all_idle(unsigned percent)
{
    for (uint32_t i = 0; i < RANKS; i++)
        for (int w = 0; w < WORKERS; w++)
            let_idle(i, w, percent);
}

static void says(const char *begin, const char *number, const char *advice)
{
    char text[JDI_EXPLAIN_TEXT];
    for (uint32_t i = 0; i < RANKS; i++)
        jdi_figures_add_up(&job.rank[i]);
    jdi_explain(&job.f, text);
    ok(strstr(text, begin) == text && strstr(text, number) && strstr(text, advice) &&
           strlen(text) < JDI_EXPLAIN_TEXT - 1,
       "%s", advice);
    diag("%s", text);
}

static void test_little_to_do(void)
{
    start_with_a_good_job();
    let_all_idle(30);
    says("The workers had nothing to do for 30%", "4 workers", "use fewer");

    start_with_a_good_job();
    let_all_idle(20);
    let_idle(1, 0, 40);
    let_idle(1, 1, 40);
    for (int i = 0; i < RANKS * WORKERS; i++)
        job.thread[i / WORKERS][i % WORKERS].executed = 5;
    says("The workers had nothing to do for 30% of their time, those of rank 1 for 40%",
         "20 tasks of 140.0 ms", "Split the tasks");

    start_with_a_good_job();
    let_all_idle(95);
    let_idle(1, 1, 5);
    says("The workers had nothing to do for 72%", "worker 1 of rank 1 worked for 95%",
         "split it");
}

static void test_causes(void)
{
    start_with_a_good_job();
    let_all_idle(30);
    job.thread[0][WORKERS].attempts = 5000;
    job.thread[0][WORKERS].steals = 20;
    says("The workers had nothing to do for 30%",
         "of 5000 steal requests between ranks 20", "JACKDAW_STEAL=");

    start_with_a_good_job();
    let_all_idle(30);
    job.thread[1][0].suspended = 3000;
    says("The workers had nothing to do for 30%", "3000 waits in 4000 tasks",
         "ask for data earlier");

    start_with_a_good_job();
    let_all_idle(10);
    for (int i = 0; i < RANKS * WORKERS; i++)
        job.thread[i / WORKERS][i % WORKERS].ns_cpu = second / 2;
    says("The workers were awake and had no processor for 40%", "4 workers",
         "JACKDAW_WORKERS");
    job.f.is_virtual = true; /* there are no processors */
    says("The workers had nothing to do for 10%", "4 workers", "use fewer");

    start_with_a_good_job();
    for (uint32_t i = 0; i < RANKS; i++) {
        job.thread[i][0].ns_work = second / 5 * 3;
        job.thread[i][0].ns_progress = second / 5 * 2;
        job.thread[i][WORKERS].messages = 77;
        job.thread[i][WORKERS].bytes = 1000;
    }
    says("The network took 20%", "154 messages with 2000 bytes",
         "JACKDAW_COMM=dedicated");
}

int main(void)
{
    test_little_to_do();
    test_causes();

    start_with_a_good_job();
    says("The workers ran tasks for 100%", "little to gain", "in the tasks themselves");
    let_all_idle(4);
    says("The workers ran tasks for 96%", "little to gain", "in the tasks themselves");
    let_all_idle(6);
    says("The workers had nothing to do for 6%", "4 workers", "use fewer");
    return done_testing();
}
