/*
 * sched_exits.c
 *
 * Role: a program whose atexit handlers and destructors print, and whose tasks fork.  The script
 *       counts what is printed.  Handlers run in exit(), while the other ranks wait for the end.
 * Owner: each rank's main thread; file-scope state is what handlers without arguments need.
 * See: test/dist/sched_exits_run_handlers.sh.
 */
#include "jackdaw.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank = -1, bodies, dies_by;
static pid_t pid;

/* A process that a task has forked has them, too. */
static void say(const char *what)
{
    if (getpid() == pid || rank < 0)
        printf("%s of rank %d after %d\n", what, rank, bodies);
}

static void at_exit_of_main(void)
{
    say("handler of main");
}

static void at_exit_of_body(void)
{
    say("handler of the body");
    if (dies_by)
        raise(dies_by);
}

__attribute__((destructor)) static void destroy(void)
{
    say("destructor");
}

static void fork_and_exit(jd_self *me, void *arg)
{
    int status, want = *(int *)arg;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(want);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != want)
        jd_abort(me, 9, "the child did not end with %d", want);
}

static const jd_task_def tasks[] = {JD_TASK(fork_and_exit), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    int status = argc > 2 ? atoi(argv[2]) : 0;
    rank = (int)jd_rank(me);
    pid = getpid();
    atexit(at_exit_of_body);
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        jd_coll *c;
        if (jd_coll_create(me, &(jd_coll_props){.name = "forks"}, &c) ||
            jd_coll_add(me, c, 0, &status, sizeof status) || jd_coll_process(me, c))
            return 1;
        status = 0;
    }
    if (argc > 1 && !strcmp(argv[1], "late") && jd_rank(me) == jd_nranks(me) - 1)
        dies_by = status;
    if (dies_by)
        status = 0;
    bodies++;
    return status;
}

int main(int argc, char **argv)
{
    atexit(at_exit_of_main);
    return jd_launch(argc, argv, body, tasks);
}
