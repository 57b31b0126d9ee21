/*
 * sched_coll_holds_count_as_tasks.c
 *
 * Role: a collection is idle when no task is queued, running or kept for later and nothing is held.
 *       Each of the four alone keeps the collection from being idle.
 * Owner: one thread.
 * See: sched/coll.c, jdi_coll_idle.
 */
#include "test/unit/sched_rank_kit.h"

int main(void)
{
    static struct kit_rank k;
    jd_coll *c;
    int error;
    kit_rank_init(&k, 0, 2, 2);
    if (jdi_coll_new(&k.rank, &jdi_plain_kind, NULL, &c))
        bail_out("no collection");
    ok(jdi_coll_idle(c), "a new one is idle");

    ok(jd_coll_hold(&k.body, c) == 0 && !jdi_coll_idle(c), "not with a hold");
    ok(jd_coll_hold(&k.body, c) == 0 && jd_coll_release(&k.body, c) == 0 &&
           !jdi_coll_idle(c),
       "nor with one of two left");
    ok(jd_coll_release(&k.body, c) == 0 && jdi_coll_idle(c),
       "idle after the last release");
    ok(jd_coll_release(&k.body, c) == JD_ESTATE && jdi_coll_idle(c),
       "a release too many is refused");

    ok(jdi_coll_new_task(&k.self[1], c, 0, 0, &error) && !jdi_coll_idle(c),
       "not with a task queued");
    jdi_store_put(&c->seat[1].shelf);
    ok(jdi_store_pop(&c->seat[1].shelf) && !jdi_coll_idle(c), "nor with one running");
    jdi_account_out(&c->seat[0].account, 1);
    ok(jdi_coll_idle(c), "idle when it has ended, on whatever worker");

    jdi_account_in(jdi_coll_network(c), 3);
    ok(!jdi_coll_idle(c), "not with imported tasks");
    jdi_account_out(jdi_coll_network(c), 2);
    jdi_account_out(&c->seat[1].account, 1);
    ok(jdi_coll_idle(c), "idle when they ran or went on to another rank");

    c->held = jdi_zalloc(NULL, sizeof *c->held);
    ok(c->held && !jdi_coll_idle(c), "not with tasks kept for the next phase");
    jdi_coll_free(c);
    return done_testing();
}
