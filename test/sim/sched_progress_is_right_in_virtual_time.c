/*
 * sched_progress_is_right_in_virtual_time.c
 *
 * Role: a job of four ranks does the same amount of work every second of virtual time.  Each line of JACKDAW_PROGRESS
 *       says how much is done and how long the rest takes, to a percent and a second; the last line has the tasks that
 *       ran; a rank that says nothing counts nothing.
 * Owner: the body; time is virtual, and all ranks are one thread.
 * See: sched/live/progress.h; jd_progress.
 */
#include "test/dist/sched_kit.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum { WORK };
enum { RANKS = 4, SAYING = 3, TASKS = 100, TASK_NS = 100000000, LINES = 64 };

static const char name[] = "sched_progress.err";

static void work(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, TASK_NS);
    uint64_t *ran = jd_local(me);
    ++*ran;
    if (jd_rank(me) >= SAYING)
        return;
    must(me, jd_progress(me, *ran, TASKS));
    if (*ran > 1) /* as a task that was held up would */
        must(me, jd_progress(me, *ran - 1, TASKS));
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t ran = 0;
    jd_coll *c;
    (void)argc, (void)argv;
    jd_set_local(me, &ran);
    if (jd_progress(me, 2, 1) != JD_EINVAL)
        jd_abort(me, 99, "more done than there is to do was not refused");
    if (jd_rank(me) < SAYING)
        must(me, jd_progress(me, 0, TASKS));
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    for (int i = 0; i < TASKS; i++)
        must(me, jd_coll_add(me, c, WORK, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

/* What stands in a line: "[3.1s] 30% 7s left | 120 tasks 40/s | idle 0% | ..." */
struct line {
    double at, percent, left, tasks, rate, idle;
};

static bool read_line(const char *text, struct line *l)
{
    return sscanf(text, "[%lfs] %lf%% %lfs left | %lf tasks %lf/s | idle %lf%%", &l->at,
                  &l->percent, &l->left, &l->tasks, &l->rate, &l->idle) == 6;
}

static void judge_line(const struct line *l)
{
    const double all = 1e-9 * TASK_NS * TASKS;
    ok(fabs(l->percent - 100 * l->at / all) <= 2, "%.1f s: %.0f%% are done", l->at,
       l->percent);
    ok(fabs(l->left - (all - l->at)) <= 1, "%.0f s are left", l->left);
    ok(fabs(l->tasks - RANKS * l->at / (1e-9 * TASK_NS)) <= 2 * RANKS &&
           fabs(l->rate - 1e9 * RANKS / TASK_NS) <= RANKS && l->idle <= 1,
       "%.0f tasks, %.0f each second, %.0f%% idle", l->tasks, l->rate, l->idle);
}

static int run(void)
{
    static const jd_task_def tasks[] = {[WORK] = JD_TASK(work), JD_TASK_END};
    static char arg[] = "progress", *argv[] = {arg, NULL};
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), before = dup(STDERR_FILENO);
    if (fd < 0 || before < 0 || dup2(fd, STDERR_FILENO) < 0)
        bail_out("no file for standard error");
    int status = jd_launch(1, argv, body, tasks);
    dup2(before, STDERR_FILENO);
    close(before);
    close(fd);
    return status;
}

int main(void)
{
    char text[LINES][256];
    int n = 0, judged = 0;
    setenv("JACKDAW_RANKS", "4", 1);
    setenv("JACKDAW_PROGRESS", "1", 1);
    is_u64((uint64_t)run(), 0, "the job");
    FILE *f = fopen(name, "r");
    while (f && n < LINES && fgets(text[n], sizeof text[n], f))
        n++;
    if (f)
        fclose(f);
    unlink(name);
    struct line l;
    for (int i = 0; i + 1 < n; i++)
        if (read_line(text[i], &l)) {
            judge_line(&l);
            judged++;
        }
    ok(judged == 9, "a line each second but the last: %d", judged);
    ok(n > 0 && strstr(text[n - 1], "100% done | 400 tasks 40/s |") &&
           strstr(text[n - 1], "| ended"),
       "the last line: %s", n ? text[n - 1] : "none");
    return done_testing();
}
