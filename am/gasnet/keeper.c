/*
 * keeper.c - who sweeps if the process that watches over a starting job is killed.
 *
 * Role: a process beside the job, from before GASNet comes up until all ranks are up.  When its
 *       parent is gone it kills what is left of the job and removes the job's segments.  Later
 *       GASNet has removed their names, and ranks die with the process that started them.
 * Owner: the keeper's only thread.
 * Invariants: I1 it has a session of its own and no descriptor, so neither a signal to the job's
 *                group ends it, nor does anybody wait for it.
 * See: doc/am.md section 6; am/gasnet/page.h.
 */
#include "am/gasnet/keeper.h"

#include "am/gasnet/proc.h"
#include "am/gasnet/shm.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MOST = 1024, SWEEPS = 500, SWEEP_MS = 10 };

static void close_files(void)
{
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, 0, ~0U, 0))
        return;
#endif
    for (int fd = 0; fd < FILES_MOST; fd++)
        close(fd);
}

static bool kill_the_rest(const struct jdi_page *p)
{
    bool any = false;
    for (unsigned i = 0; i < JDI_PAGE_MOST && jdi_page_pid(p, i); i++) {
        int status;
        pid_t pid = jdi_page_pid(p, i);
        if (jdi_proc_has_ended(pid, &status) || jdi_proc_is_other(pid))
            continue;
        kill(pid, SIGKILL);
        any = true;
    }
    return any;
}

/* A process that has just been born enters the page before it does anything else. */
static void sweep(const struct jdi_page *p)
{
    const struct timespec pause = {.tv_nsec = SWEEP_MS * 1000000L};
    for (int i = 0; i < SWEEPS && kill_the_rest(p); i++)
        nanosleep(&pause, NULL);
    jdi_shm_remove(p);
}

static _Noreturn void keep(const struct jdi_page *p, pid_t parent)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setsid();
    close_files();
    while (getppid() == parent)
        sigwaitinfo(&all, NULL);
    sweep(p);
    _exit(0);
}

pid_t jdi_keeper_start(const struct jdi_page *p)
{
    pid_t parent = getpid(), keeper = fork();
    if (keeper == 0)
        keep(p, parent);
    return keeper;
}

void jdi_keeper_stop(pid_t keeper)
{
    if (keeper <= 0)
        return;
    kill(keeper, SIGKILL);
    waitpid(keeper, NULL, 0);
}
