/*
 * sched_waiting_keeps_errno.c
 *
 * Role: a task that yields, is suspended, or waits for a future or a finish finds errno as it was,
 *       whatever the tasks that ran meanwhile have left there, and the functions that published them.
 * Owner: as sched_waiting_kit.h.
 * See: include/jackdaw.h, sched/self.c.
 */
#include "test/dist/sched_waiting_kit.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAIT, CHILD };
enum { TASKS = 60, ROUNDS = 20, FIRST = 1000, NOBODYS = 77, GUARD_INSTALL = 102 };

/* As on a kernel that cannot guard pages inside a mapping: a new stack leaves EINVAL behind. */
int madvise(void *address, size_t length, int advice)
{
    if (advice == GUARD_INSTALL) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, address, length, advice);
}

/* Not inlined, so that each looks for errno anew. */
static __attribute__((noinline)) void set_errno(int n)
{
    errno = n;
}

static __attribute__((noinline)) bool has_errno(int n)
{
    return errno == n;
}

/* Runs on the stack of whoever goes on in place of `me`. */
static void publish_noisily(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
    set_errno(NOBODYS);
}

/* May run on the stack of the task that waits for it. */
static void child(jd_self *me, void *arg)
{
    (void)me, (void)arg;
    set_errno(NOBODYS);
}

static void once(jd_self *me, int way)
{
    uint64_t value = 1;
    jd_future f;
    jd_scope s;
    switch (way % 4) {
    case 0:
        jd_yield(me);
        break;
    case 2:
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async_local(me, CHILD, NULL, 0));
        must(me, jd_finish_end(me, &s));
        break;
    case 1:
        jd_suspend(me, publish_noisily, NULL);
        break;
    default:
        must(me, jd_future_create(me, &f));
        must(me, jd_future_set(me, f, &value, sizeof value));
        must(me, jd_future_get(me, f, &value, sizeof value));
        must(me, jd_future_destroy(me, f));
    }
}

/* Each leaves something else behind when it waits. */
static void wait_with_errno(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    int number = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        set_errno(FIRST + number + i);
        once(me, i);
        if (!has_errno(FIRST + number + i))
            atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
        set_errno(NOBODYS);
    }
}

static const jd_task_def tasks[] = {
    [WAIT] = JD_TASK(wait_with_errno), [CHILD] = JD_TASK(child), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    (void)argc, (void)argv;
    jd_coll *c = make(me, &s);
    for (int i = 0; i < TASKS; i++)
        must(me, jd_coll_add(me, c, WAIT, &(int){ROUNDS * i}, sizeof i));
    must(me, jd_coll_start(me, c));
    set_errno(FIRST);
    jd_yield(me);
    ok_all(me, has_errno(FIRST), "a body that yields has its errno again");
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, sum_of(me, TASKS)), "all tasks have run");
    ok_all(me, !atomic_load(&s.moved), "each has its errno again after each wait");
    must(me, jd_coll_destroy(me, c));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
