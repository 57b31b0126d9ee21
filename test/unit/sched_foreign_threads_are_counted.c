/*
 * sched_foreign_threads_are_counted.c
 *
 * Role: a thread that is registered counts until it leaves, once; one that stays is named when the job ends.
 * Owner: the body.
 * See: sched/wait/foreign.c; jd_foreign_enter in jackdaw.h.
 */
#include "core/lock.h"
#include "sched/rank.h"
#include "sched/wait/causes.h"
#include "sched/wait/foreign.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <unistd.h>

enum { NOTHING };
enum { THREADS = 3, HANDLES = 400 };

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}
static const jd_task_def tasks[] = {[NOTHING] = JD_TASK(nothing), JD_TASK_END};

/* ---- one, and many ---------------------------------------------------------------------- */

struct crowd {
    jd_foreign handle[HANDLES];
    _Atomic unsigned entered, left, refused;
};

/* Threads leave for each other: each handle is given back by one of them. */
static void *leave_all(void *arg)
{
    struct crowd *c = arg;
    for (unsigned i = 0; i < HANDLES; i++) {
        while (atomic_load(&c->entered) <= i)
            jdi_idle_pause(JDI_IDLE_YIELD);
        atomic_fetch_add(jd_foreign_leave(c->handle[i]) ? &c->refused : &c->left, 1);
    }
    return NULL;
}

static void many(jd_self *me)
{
    static struct crowd c;
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, leave_all, &c))
            bail_out("no thread");
    for (unsigned i = 0; i < HANDLES; i++) {
        must(me, jd_foreign_enter(me, "one of many", &c.handle[i]));
        atomic_fetch_add(&c.entered, 1);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    is_u64(c.left, HANDLES, "each leaves once");
    is_u64(c.refused, (THREADS - 1) * HANDLES, "and no more");
    is_u64(jdi_foreign_count(me->rank), 0, "nobody is left");
}

static void find_count(void *found, const char *line)
{
    *(bool *)found |= strstr(line, "1 foreign thread is registered") != NULL;
}

static int counting_body(jd_self *me, int argc, char **argv)
{
    jd_foreign f = {0};
    bool told = false;
    (void)argc, (void)argv;
    ok(jd_foreign_enter(me, NULL, &f) == JD_EINVAL && !f.number, "a thread has a name");
    ok(jd_foreign_leave(f) == JD_EINVAL, "what is no handle is refused");
    must(me, jd_foreign_enter(me, "disk", &f));
    is_u64(jdi_foreign_count(me->rank), 1, "who enters counts");
    jdi_causes_tell(me->rank, find_count, &told);
    ok(told, "and is told of");
    must(me, jd_foreign_leave(f));
    is_u64(jdi_foreign_count(me->rank), 0, "who leaves does not");
    ok(jd_foreign_leave(f) == JD_EINVAL, "and leaves once");
    many(me);
    return 0;
}

/* ---- at the end of the job -------------------------------------------------------------- */

static int staying_body(jd_self *me, int argc, char **argv)
{
    jd_foreign f;
    (void)argc, (void)argv;
    return jd_foreign_enter(me, "a thread whose name is much longer than that", &f);
}

/* Run a job, and read what it writes to standard error. */
static int run_aside(jd_body body, char *text, size_t size)
{
    static char word[] = "job", *argv[] = {word, NULL};
    FILE *f = tmpfile();
    int err = dup(STDERR_FILENO);
    if (!f || err < 0 || dup2(fileno(f), STDERR_FILENO) < 0)
        bail_out("no file");
    int status = jd_launch(1, argv, body, tasks);
    fflush(stderr);
    dup2(err, STDERR_FILENO);
    close(err);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
    return status;
}

int main(void)
{
    char text[1024];
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_ULT", "boost", 1);
    is_u64((uint64_t)run_aside(counting_body, text, sizeof text), 0, "a job of threads");
    is_str(text, "", "that all have left, so nothing is said");
    is_u64((uint64_t)run_aside(staying_body, text, sizeof text), 0,
           "a job ends also if a thread stays");
    ok(strstr(text, "thread a thread whose name is much lon has not"),
       "and says which: %s", text);
    return done_testing();
}
