/*
 * sched_causes_are_read_while_tasks_wait.c
 *
 * Role: a thread asks without pause what all tasks wait for, while these are made, wait, are woken and end: what
 *       it is told was so.  Each task uses the objects of its own kind only, so another one's would be seen.
 * Owner: the body; `shared` belongs to the job that runs.
 * See: doc/waiting.md "What a task waits for"; sched/inspect.c.
 */
#include "core/random.h"
#include "sched/rank.h"
#include "sched/wait/causes.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>

enum { A, B, LEAF }; /* the two kinds, and a task that sets a future */
enum {
    KINDS = 2,
    WORKERS = 3,
    TASKS = 24,
    ROUNDS = 12,
    ROUNDS_MOST = 2000,
    TURNS = 12,
    SOON_NS = 30000
};

struct objects {
    jd_channel channel;
    jd_event event;
    jd_mutex mutex;
    jd_cond cond;
};

static struct {
    struct jdi_rank *rank;
    struct objects of[KINDS];
    uint64_t
        sorts[JDI_CAUSE_KINDS]; /* waits that were told; the thread's, as the next two */
    uint64_t looks, wrong;
    uint64_t rounds; /* the body's */
    _Atomic uint64_t turns;
    _Atomic bool seen; /* a wait of a task */
    _Atomic bool quit;
} shared;

/* ---- looking -------------------------------------------------------------------------- */

static bool is_case_of(const struct objects *o, const jd_case *c)
{
    return c->kind == JD_CASE_EVENT ? c->number == o->event.number
                                    : c->number == o->channel.number;
}

static bool is_of(const struct objects *o, const struct jdi_cause *c)
{
    const jd_case *cases = (const jd_case *)(uintptr_t)c->number;
    switch (c->kind) {
    case JDI_CAUSE_SEND:
    case JDI_CAUSE_RECEIVE:
    case JDI_CAUSE_RESERVE:
        return c->number == o->channel.number;
    case JDI_CAUSE_EVENT:
        return c->number == o->event.number;
    case JDI_CAUSE_MUTEX:
        return c->number == (uintptr_t)&o->mutex;
    case JDI_CAUSE_COND:
        return c->number == (uintptr_t)&o->cond;
    case JDI_CAUSE_SELECT:
        return c->home == 2 && is_case_of(o, &cases[0]) && is_case_of(o, &cases[1]);
    case JDI_CAUSE_SLEEP:
        return c->deadline != JD_FOREVER;
    case JDI_CAUSE_FUTURE:
        return c->number && c->home == 0;
    case JDI_CAUSE_FINISH:
    case JDI_CAUSE_SUSPEND:
        return c->deadline == JD_FOREVER;
    default:
        return false;
    }
}

static void check_wait(void *ctx, struct jdi_waiting *w)
{
    (void)ctx;
    shared.sorts[w->cause.kind]++;
    if (!w->task) {
        shared.wrong +=
            w->cause.kind != JDI_CAUSE_FINISH && w->cause.kind != JDI_CAUSE_COMM;
        return;
    }
    atomic_store(&shared.seen, true);
    bool leaf = !strcmp(w->task, "leaf"), b = !strcmp(w->task, "b");
    bool right = leaf ? !w->begun && w->cause.kind == JDI_CAUSE_SLEEP
                      : is_of(&shared.of[b], &w->cause);
    shared.wrong += !right || !w->wakers || w->worker >= WORKERS || !w->finish.number;
}

static void *look_without_pause(void *arg)
{
    (void)arg;
    while (!atomic_load(&shared.quit)) {
        jdi_causes_each(shared.rank, check_wait, NULL);
        shared.looks++;
    }
    return NULL;
}

/* ---- tasks ---------------------------------------------------------------------------- */

static void leaf(jd_self *me, void *arg)
{
    must(me, jd_future_set(me, *(jd_future *)arg, NULL, 0));
}

static void publish(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
}

/* 0, or an error that a deadline explains. */
static void may_be_late(jd_self *me, int error)
{
    must(me, error == JD_ETIMEDOUT ? 0 : error);
}

static void wait_for_leaf(jd_self *me, jd_time soon, bool inside)
{
    jd_future f;
    jd_scope s;
    must(me, jd_future_create(me, &f));
    if (inside) {
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async_after(me, soon, LEAF, &f, sizeof f));
        must(me, jd_finish_end(me, &s));
    } else {
        must(me, jd_async_after(me, soon, LEAF, &f, sizeof f));
    }
    must(me, jd_future_get(me, f, NULL, 0));
    must(me, jd_future_destroy(me, f));
}

static void use_mutex(jd_self *me, struct objects *o, jd_time soon, bool waits)
{
    if (jd_mutex_lock(me, &o->mutex, soon))
        return;
    if (waits)
        may_be_late(me, jd_cond_wait(me, &o->cond, &o->mutex, soon));
    else
        jd_cond_signal(me, &o->cond);
    if (!waits)
        must(me, jd_sleep_until(me, soon));
    must(me, jd_mutex_unlock(me, &o->mutex));
}

static void select_one(jd_self *me, struct objects *o, jd_time soon)
{
    long item = 0;
    jd_case c[] = {jd_case_receive(o->channel, &item), jd_case_event(o->event)};
    may_be_late(me, jd_select(me, c, 2, 0, soon));
}

static void take_turn(jd_self *me, struct objects *o, uint64_t *rng)
{
    jd_time soon = jd_deadline(me, jdi_random_below(rng, SOON_NS));
    unsigned way = jdi_random_below(rng, 10);
    long item = 1;
    switch (way) {
    case 0:
        jd_suspend(me, publish, NULL);
        break;
    case 1:
        must(me, jd_sleep_until(me, soon));
        break;
    case 2:
        may_be_late(me, jd_channel_send(me, o->channel, &item, soon));
        break;
    case 3:
        may_be_late(me, jd_channel_receive(me, o->channel, &item, soon));
        break;
    case 4:
        may_be_late(me, jd_event_wait(me, o->event, soon));
        break;
    case 5:
        must(me, jd_event_signal(me, o->event, 1));
        must(me, jd_event_reset(me, o->event, 1));
        break;
    case 6:
        select_one(me, o, soon);
        break;
    case 7:
        use_mutex(me, o, soon, jdi_random_below(rng, 2));
        break;
    default:
        wait_for_leaf(me, soon, way & 1);
    }
}

static void play(jd_self *me, int kind, uint64_t rng)
{
    for (int i = 0; i < TURNS; i++)
        take_turn(me, &shared.of[kind], &rng);
    atomic_fetch_add(&shared.turns, TURNS);
}

static void a(jd_self *me, void *arg)
{
    play(me, 0, *(uint64_t *)arg);
}

static void b(jd_self *me, void *arg)
{
    play(me, 1, *(uint64_t *)arg);
}

static const jd_task_def tasks[] = {
    [A] = JD_TASK(a), [B] = JD_TASK(b), [LEAF] = JD_TASK(leaf), JD_TASK_END};

/* ---- jobs ----------------------------------------------------------------------------- */

static int body(jd_self *me, int argc, char **argv)
{
    pthread_t thread;
    jd_scope s;
    (void)argc, (void)argv;
    shared.rank = me->rank;
    for (int i = 0; i < KINDS; i++) {
        must(me, jd_channel_create(me, sizeof(long), 1, &shared.of[i].channel));
        must(me, jd_event_create(me, 1, &shared.of[i].event));
    }
    if (pthread_create(&thread, NULL, look_without_pause, NULL))
        bail_out("no thread");
    for (uint64_t i = 0; i < ROUNDS || (!atomic_load(&shared.seen) && i < ROUNDS_MOST);
         i++) {
        shared.rounds++;
        must(me, jd_finish_begin(me, &s));
        for (uint64_t k = 1; k <= TASKS; k++)
            must(me, jd_async_local(me, k % KINDS ? B : A, &(uint64_t){i * TASKS + k},
                                    sizeof k));
        must(me, jd_finish_end(me, &s));
    }
    atomic_store(&shared.quit, true);
    pthread_join(thread, NULL);
    return 0;
}

static void run_job(const char *what)
{
    static char word[] = "job", *argv[] = {word, NULL};
    memset(&shared, 0, sizeof shared);
    is_u64((uint64_t)jd_launch(1, argv, body, tasks), 0, "%s: the job ends well", what);
    is_u64(shared.turns, shared.rounds * TASKS * TURNS, "%s: no task stays", what);
    is_u64(shared.wrong, 0, "%s: what was told was so", what);
    unsigned sorts = 0;
    for (unsigned i = 0; i < JDI_CAUSE_KINDS; i++)
        sorts += shared.sorts[i] > 0;
    ok(atomic_load(&shared.seen), "%s: %llu looks have seen %u kinds of waits", what,
       (unsigned long long)shared.looks, sorts);
}

int main(void)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "3", 1);
    setenv("JACKDAW_BIND", "none", 1);
    setenv("JACKDAW_ULT", "boost", 1);
    run_job("back on the last worker");
    setenv("JACKDAW_UNBLOCK", "current", 1);
    run_job("back on the waker's worker");
    setenv("JACKDAW_UNBLOCK", "deque", 1);
    run_job("back in its deque");
    return done_testing();
}
