/*
 * sched_progress_comes_beside_long_tasks.c
 *
 * Role: while all workers of all ranks are in tasks that do not end before lines have come, lines come, and they count
 *       these workers as busy; the last line has all tasks; also with one rank of one worker.
 * Owner: the body, and the tasks, which look at the file.
 * See: sched/live/progress.h.
 */
#include "test/dist/sched_kit.h"

#include <fcntl.h>
#include <unistd.h>

enum { LONG, SHORT };
enum { WANTED = 2, SHORTS = 500 };

static int out; /* standard error of the job */

static int lines_of(const char *text)
{
    int n = 0;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

static const char *read_out(void)
{
    static _Thread_local char text[65536];
    ssize_t n = pread(out, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

static void long_task(jd_self *me, void *arg)
{
    (void)arg;
    if (!tap_wait_for(lines_of(read_out()) >= WANTED, 30))
        jd_abort(me, 99, "no lines beside long tasks");
}

static void short_task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_add(me, c, LONG, NULL, 0));
    for (int i = 0; i < SHORTS; i++)
        must(me, jd_coll_add(me, c, SHORT, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static void job(int ranks, const char *workers)
{
    static const jd_task_def tasks[] = {
        [LONG] = JD_TASK(long_task), [SHORT] = JD_TASK(short_task), JD_TASK_END};
    static char name[] = "progress", *argv[] = {name, NULL};
    char file[] = "progress-XXXXXX", number[16], want[64];
    int before = dup(STDERR_FILENO);
    snprintf(number, sizeof number, "%d", ranks);
    setenv("JACKDAW_RANKS", number, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    out = mkstemp(file);
    if (out < 0 || before < 0 || dup2(out, STDERR_FILENO) < 0)
        bail_out("no file for standard error");
    unlink(file);
    int status = jd_launch(1, argv, body, tasks);
    dup2(before, STDERR_FILENO);
    close(before);
    const char *text = read_out();
    is_u64((uint64_t)status, 0, "%d ranks, %s workers: lines come beside long tasks",
           ranks, workers);
    snprintf(want, sizeof want, " %d tasks ", ranks * (SHORTS + 1));
    const char *last = strstr(text, want);
    ok(last && strstr(last, "| ended\n"), "the last line has all tasks");
    ok(strstr(text, "idle 0/"), "the others have nobody idle");
    if (status || !last)
        printf("# %s\n", text);
    close(out);
}

int main(void)
{
    setenv("JACKDAW_ULT", "boost", 1); /* several ranks in this process */
    setenv("JACKDAW_PROGRESS", "0.1", 1);
    job(3, "1");
    job(1, "1");
    return done_testing();
}
