/*
 * sched_panel_shows_what_workers_do.c
 *
 * Role: a viewer finds the pages of all ranks in /proc/self/fd, and sees the task that each worker runs, the tasks that have
 *       ended, and what jd_progress has said; before it looks nothing is written; after the job no page is left.
 * Owner: the body; the tasks wait for the viewer, which is one of them.
 * See: sched/live/panel.h; core/view.h.
 */
#include "core/time.h"
#include "core/view.h"
#include "test/dist/sched_kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONG, SHORT };
enum { RANKS = 2, WORKERS = 2, ROWS = WORKERS + 1, SHORTS = 40 };

static struct jdi_view *page[RANKS];
/* The last reading of each page while the long tasks waited for it. */
static struct jdi_view_row shown[RANKS][ROWS];
static _Atomic bool seen, early;
static _Atomic uint32_t begun;

static int find_pages(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[300], target[64];
        snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
        ssize_t len = readlink(path, target, sizeof target - 1);
        target[len > 0 ? len : 0] = 0;
        if (strncmp(target, "/memfd:" JDI_VIEW_NAME, 7 + strlen(JDI_VIEW_NAME)))
            continue;
        int fd = open(path, O_RDWR | O_CLOEXEC);
        void *at =
            mmap(NULL, jdi_view_bytes(ROWS), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (at == MAP_FAILED)
            continue;
        if (n < RANKS && jdi_view_fits(at, jdi_view_bytes(ROWS)))
            page[n] = at;
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

/* Rows of workers that are in the long task. */
static int count_long(void)
{
    int n = 0;
    for (int i = 0; i < RANKS; i++) {
        struct jdi_view_row *row = shown[i];
        uint64_t at;
        jdi_view_want(page[i], jdi_time_ns() + 1000000000);
        if (!jdi_view_read(page[i], row, ROWS, &at))
            continue;
        for (int k = 0; k < WORKERS; k++)
            n += row[k].doing == JDI_VIEW_TASK && !strcmp(row[k].task, "long_task");
    }
    return n;
}

static void long_task(jd_self *me, void *arg)
{
    bool first = atomic_fetch_add(&begun, 1) == 0;
    (void)arg;
    if (first) {
        if (find_pages() != RANKS)
            jd_abort(me, 99, "there is not a page for each rank");
        for (int i = 0; i < RANKS; i++)
            if (page[i]->written_ns)
                atomic_store(&early, true);
        if (!tap_wait_for(count_long() == RANKS * WORKERS, 30))
            jd_abort(me, 99, "only %d workers are seen in their task", count_long());
        atomic_store(&seen, true);
    }
    if (!tap_wait_for(atomic_load(&seen), 40))
        jd_abort(me, 99, "nobody has looked");
}

static void short_task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_progress(me, 3, 10));
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_LOCAL));
    for (int i = 0; i < SHORTS; i++)
        must(me, jd_coll_add(me, c, SHORT, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_LOCAL));
    for (int i = 0; i < WORKERS; i++)
        must(me, jd_coll_add(me, c, LONG, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static void judge_rank(const struct jdi_view *v, const struct jdi_view_row *row)
{
    uint64_t executed = 0;
    for (int k = 0; k < WORKERS; k++)
        executed += row[k].executed;
    is_u64(executed, 2 * SHORTS, "rank %u: the tasks that had ended", v->rank);
    is_u64(row[WORKERS].doing, JDI_VIEW_NETWORK, "the last row is the communication");
    ok(v->done == 3 && v->of == 10, "what jd_progress has said");
    is_str(v->program, "panel", "the program");
}

int main(void)
{
    static const jd_task_def tasks[] = {
        [LONG] = JD_TASK(long_task), [SHORT] = JD_TASK(short_task), JD_TASK_END};
    static char name[] = "/somewhere/panel", *argv[] = {name, NULL};
    setenv("JACKDAW_ULT", "boost", 1); /* several ranks in this process */
    setenv("JACKDAW_RANKS", "2", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    is_u64((uint64_t)jd_launch(1, argv, body, tasks), 0,
           "each worker is seen in its task");
    ok(!early, "before somebody looked nothing was written");
    for (int i = 0; i < RANKS && page[i]; i++)
        judge_rank(page[i], shown[i]);
    is_u64((uint64_t)find_pages(), 0, "after the job there is no page");
    return done_testing();
}
