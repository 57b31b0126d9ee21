/*
 * sched_causes_text_is_bounded.c
 *
 * Role: however many tasks wait, for however many objects, the text has few lines, short ones, and counts all;
 *       those that wait for the same are in one line.  jd_abort says this text if JACKDAW_VERBOSE is 2.
 * Owner: the body.
 * See: sched/wait/causes.c.
 */
#include "sched/rank.h"
#include "sched/wait/causes.h"
#include "test/dist/sched_kit.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SLEEP, ITEM, ALONE, LATER };
enum { SLEEPERS = 200, RECEIVERS = 100, LONERS = 300, LATER_ONES = 50, LINES_MOST = 50 };

static const jd_time hour = UINT64_C(3600000000000);
static jd_channel channel;

static void sleep_long(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_sleep(me, hour) == JD_ECANCELED ? 0 : JD_ESTATE);
}

static void item(jd_self *me, void *arg)
{
    must(me, jd_channel_receive(me, channel, arg, JD_FOREVER) == JD_ECANCELED ? 0 : -1);
}

/* Waits for an object of its own. */
static void alone(jd_self *me, void *arg)
{
    jd_event e;
    (void)arg;
    must(me, jd_event_create(me, 1, &e));
    must(me, jd_event_wait(me, e, JD_FOREVER) == JD_ECANCELED ? 0 : JD_ESTATE);
}

static void later(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const jd_task_def tasks[] = {[SLEEP] = JD_TASK(sleep_long),
                                    [ITEM] = JD_TASK(item),
                                    [ALONE] = JD_TASK(alone),
                                    [LATER] = JD_TASK(later),
                                    JD_TASK_END};

static void count_wait(void *n, struct jdi_waiting *w)
{
    (void)w;
    ++*(unsigned *)n;
}

static unsigned count_all(jd_self *me)
{
    unsigned n = 0;
    jdi_causes_each(me->rank, count_wait, &n);
    return n;
}

struct page {
    unsigned lines, longest;
    unsigned long long total, sum;
    char text[LINES_MOST * 512];
};

/* A line begins with the number of those that wait, if they are several. */
static void add_line(void *page, const char *line)
{
    struct page *p = page;
    unsigned long long n = strtoull(line, NULL, 10);
    unsigned length = (unsigned)strlen(line);
    p->longest = length > p->longest ? length : p->longest;
    if (!p->lines++)
        sscanf(line, "waiting: %llu", &p->total);
    else
        p->sum += n ? n : 1;
    size_t used = strlen(p->text);
    snprintf(p->text + used, sizeof p->text - used, "%s\n", line);
}

static void fill(jd_self *me)
{
    long room = 0;
    for (int i = 0; i < SLEEPERS; i++)
        must(me, jd_async_local(me, SLEEP, NULL, 0));
    for (int i = 0; i < RECEIVERS; i++)
        must(me, jd_async_local(me, ITEM, &room, sizeof room));
    for (int i = 0; i < LONERS; i++)
        must(me, jd_async_local(me, ALONE, NULL, 0));
    for (int i = 0; i < LATER_ONES; i++)
        must(me, jd_async_after(me, jd_deadline(me, hour), LATER, NULL, 0));
    double end = tap_seconds() + 20;
    while (count_all(me) < SLEEPERS + RECEIVERS + LONERS + LATER_ONES &&
           tap_seconds() < end)
        jd_yield(me);
}

static int body(jd_self *me, int argc, char **argv)
{
    static struct page p;
    jd_scope s;
    (void)argv;
    must(me, jd_channel_create(me, sizeof(long), 0, &channel));
    must(me, jd_finish_begin(me, &s));
    fill(me);
    if (argc > 1)
        jd_abort(me, 3, "enough");
    jdi_causes_tell(me->rank, add_line, &p);
    must(me, jd_cancel(me, jd_finish_mine(me)));
    bool right = jd_finish_end(me, &s) == JD_ECANCELED;
    is_u64(p.total, SLEEPERS + RECEIVERS + LONERS + LATER_ONES, "all are counted");
    is_u64(p.sum, p.total, "and each is in one line");
    ok(p.lines <= LINES_MOST && p.longest < 480, "%u lines, the longest of %u bytes",
       p.lines, p.longest);
    ok(strstr(p.text,
              "200 of task sleep_long wait for its deadline, the first deadline") &&
           strstr(p.text, "100 of task item wait for an item of channel"),
       "who waits for the same is in one line");
    ok(strstr(p.text, "and others like it"), "and there is a line for the many objects");
    ok(right && !count_all(me), "at the end nothing is told");
    return 0;
}

/* What a job writes that jd_abort ends, and its status. */
static int aborted(char *text, size_t size)
{
    static char word[] = "job", *argv[] = {word, word, NULL};
    FILE *f = tmpfile();
    int status = 0;
    fflush(stdout);
    pid_t child = f ? fork() : -1;
    if (child < 0)
        bail_out("no child");
    if (!child) {
        dup2(fileno(f), STDERR_FILENO);
        setenv("JACKDAW_VERBOSE", "2", 1);
        _exit(jd_launch(2, argv, body, tasks));
    }
    waitpid(child, &status, 0);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    static char word[] = "job", *argv[] = {word, NULL}, text[65536];
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_ULT", "boost", 1);
    is_u64((uint64_t)aborted(text, sizeof text), 3, "a job that is aborted");
    ok(strstr(text, "waiting: 650, 50 of them to begin\n") &&
           strstr(text, "200 of task sleep_long wait for its deadline") &&
           strstr(text, "enough"),
       "says what its tasks wait for");
    is_u64((uint64_t)jd_launch(1, argv, body, tasks), 0, "a job that ends by itself");
    return done_testing();
}
