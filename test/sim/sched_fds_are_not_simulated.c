/*
 * sched_fds_are_not_simulated.c
 *
 * Role: in virtual time a wait for a descriptor is refused, whatever is ready; to forget one does nothing.
 * Owner: the body.
 * See: doc/waiting.md "Descriptors".
 */
#include "test/dist/sched_kit.h"

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(jd_wait_fd(me, 1, JD_OUT, JD_NOW) == JD_ENOTSUP &&
           jd_wait_fd(me, 1, JD_OUT, JD_FOREVER) == JD_ENOTSUP,
       "no descriptor is waited for");
    ok(jd_fd_forget(me, 1) == 0 && jd_fd_forget(me, -1) == JD_EINVAL,
       "to forget one does nothing");
    return done_testing();
}

int main(int argc, char **argv)
{
    static const jd_task_def none[] = {JD_TASK_END};
    setenv("JACKDAW_RANKS", "1", 1);
    return jd_launch(argc, argv, body, none);
}
