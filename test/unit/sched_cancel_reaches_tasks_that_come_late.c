/*
 * sched_cancel_reaches_tasks_that_come_late.c
 *
 * Role: a task that left before its finish was cancelled is marked, although it arrives after the
 *       cancellation is known, and after many other cancellations.
 * Owner: one thread plays both ranks and the network between them.
 * See: doc/async.md "Cancellation"; sched/finish/cancel.c.
 */
#include "test/unit/sched_cancel_kit.h"

enum { OTHERS = 5000 };

static bool is_marked(const struct cancel_rank *k, jd_finish_id id)
{
    const struct jdi_remote *w = jdi_remote_find(&k->kit.rank, id);
    if (!w)
        bail_out("the tasks have not come");
    return jdi_part_cancelled(w->part);
}

int main(void)
{
    static struct cancel_rank home, other, fresh;
    cancel_rank_init(&home, 0, true);
    cancel_rank_init(&other, 1, true);
    cancel_rank_init(&fresh, 1, false);
    struct jdi_part s, t;
    cancel_scope_open(&home, &s);
    cancel_scope_open(&home, &t);
    unsigned early = cancel_send_task(&home, &s), fine = cancel_send_task(&home, &t);

    cancel_tell(&other, JDI_MSG_CANCELLED, s.id.number);
    for (uint64_t i = 1; i <= OTHERS; i++)
        cancel_tell(&other, JDI_MSG_CANCELLED, s.id.number + 1000000 + i);
    cancel_carry(&home, early, &other);
    cancel_carry(&home, fine, &other);
    ok(is_marked(&other, s.id), "of the cancelled scope");
    ok(!is_marked(&other, t.id), "not of another");

    cancel_tell(&fresh, JDI_MSG_CANCELLED, s.id.number);
    cancel_carry(&home, early, &fresh);
    ok(is_marked(&fresh, s.id), "on a rank that had not heard of any finish");
    return done_testing();
}
