/*
 * sched_fd_refusals_change_nothing.c
 *
 * Role: without memory for an entry, a thread, or descriptors of its own, a wait for a descriptor says so,
 *       and succeeds when they are to be had again.  A job leaves neither threads nor descriptors behind.
 * Owner: the body, which arms the rank's faults.
 * See: sched/wait/fd.c, sched/wait/poller.c; core/fault.h.
 */
#include "sched/self.h"
#include "test/dist/sched_fds_kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

enum { READ };
enum { LARGE = 200, LIMIT_S = 20 };

/* The k-th request of the site from now on fails. */
static void fail_request(jd_self *me, enum jdi_fault_site site, uint64_t k)
{
    struct jdi_fault *f = &me->rank->am->fault;
    f->armed[site] = atomic_load(&f->count[site]) + k;
}

/* Waits for a byte that has not been written. */
static int wait_in_vain(jd_self *me, int fd)
{
    return jd_wait_fd(me, fd, JD_IN, jd_deadline(me, FDS_LOOK_NS));
}

static void read_task(jd_self *me, void *arg)
{
    const int *fd = arg;
    if (jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) != JD_IN || take_byte(fd[0]) != 1)
        jd_abort(me, 99, "nothing was read");
}

static bool reads(jd_self *me, const int fd[2])
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, READ, fd, 2 * sizeof *fd));
    until_taken(me, fd[0], JD_IN);
    bool put = put_byte(fd[1], 1);
    must(me, jd_finish_end(me, &s));
    return put;
}

/* No more than `most` descriptors; returns how many there could be before. */
static rlim_t limit_fds(rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        bail_out("no limit");
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_NOFILE, &limit))
        bail_out("the limit stays");
    return before;
}

static const jd_task_def tasks[] = {[READ] = JD_TASK(read_task), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    int fd[2], large[2];
    (void)argc, (void)argv;
    must(me, jd_sleep(me, 1000)); /* what waits need beside descriptors is there */
    new_pair(me, fd);
    large[0] = fcntl(fd[0], F_DUPFD_CLOEXEC, LARGE);
    large[1] = fd[1];
    for (int spare = 0; spare < 2; spare++) { /* for none of its two, and for one */
        rlim_t before = limit_fds((rlim_t)fd[1] + 1 + (rlim_t)spare);
        ok(wait_in_vain(me, fd[0]) == JD_ESYS, "%d descriptors are not enough", spare);
        (void)limit_fds(before);
    }
    fail_request(me, JDI_FAULT_thread, 1);
    ok(wait_in_vain(me, fd[0]) == JD_ESYS, "a first wait without a thread");
    fail_request(me, JDI_FAULT_alloc, 1);
    ok(wait_in_vain(me, fd[0]) == JD_ENOMEM, "a first wait without memory");
    ok(jd_wait_fd(me, fd[0], JD_OUT, JD_FOREVER) == JD_OUT,
       "who need not wait needs none");
    ok(wait_in_vain(me, fd[0]) == JD_ETIMEDOUT && reads(me, fd),
       "both wait when there is some");
    fail_request(me, JDI_FAULT_alloc, 1);
    ok(wait_in_vain(me, large[0]) == JD_ENOMEM && reads(me, fd),
       "no memory for a larger number: smaller ones are as before");
    ok(wait_in_vain(me, large[0]) == JD_ETIMEDOUT && reads(me, large), "then there is");
    must(me, jd_fd_forget(me, large[0]));
    close(large[0]);
    close_pair(me, fd);
    return 0;
}

static uint64_t entries_in(const char *directory)
{
    uint64_t n = 0;
    DIR *d = opendir(directory);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    /* Else requests are not counted. */
    setenv("JACKDAW_FAULT", "alloc:1000000000,thread:1000000000", 1);
    int first = jd_launch(argc, argv, body, tasks); /* what is made once is made now */
    uint64_t threads = entries_in("/proc/self/task"), fds = entries_in("/proc/self/fd");
    ok(!first && !jd_launch(argc, argv, body, tasks), "two jobs end well");
    /* A thread that was joined may be seen for a moment. */
    ok(threads && tap_wait_for(entries_in("/proc/self/task") == threads, LIMIT_S),
       "the second one leaves no thread behind");
    is_u64(entries_in("/proc/self/fd"), fds, "nor a descriptor");
    return done_testing();
}
