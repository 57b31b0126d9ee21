/*
 * sched_worker_calls_are_passed_on.c
 *
 * Role: the loop of a worker, on the test's own stack, beside a neighbour that sleeps.  Tasks are
 *       opened, and other work comes for the worker, at the moments at which a call could be lost:
 *       between the two words with which the worker announces its sleep, and during its sleep.
 *       Whenever the worker runs something, which may never end, no task is open unless the
 *       neighbour was called.  And the worker never sleeps in a way in which nobody can call it.
 * Owner: one thread; the clock's hooks and the linker's wrap of jdi_idle_prepare act for the other
 *        threads.  Its wrap of jdi_store_movable makes the tasks such that only neighbours may have
 *        them.
 * Invariants: I1 the neighbour sleeps from the beginning and never wakes; the test checks whether
 *                the neighbour was called.
 * See: pass_call in sched/worker.c, sched/rest.c; test/models/wake.pml.
 */
#include "test/unit/sched_rank_kit.h"

enum { OWNER, OTHER, WORKER, NEIGHBOUR, WORKERS };

struct game;
typedef void event_fn(struct game *g);

struct game {
    struct kit_rank kit;
    jd_coll *coll;
    struct jdi_time time;
    struct jdi_ult_ops ult;
    struct jdi_call letter;
    jd_self ready; /* a ULT that waits at WORKER */
    event_fn *at_prepare, *at_sleep;
    uint64_t now;
    unsigned ran,
        late; /* things that WORKER ran; with a task open and the neighbour asleep */
    unsigned slept, deaf; /* sleeps; those in which a call would not have been heard */
};

/* The hooks of the engine and of the linker have no other way to find it. */
static struct game *playing;

/* ---- what others do ------------------------------------------------------------------- */

/* A shelf's owner makes a task and opens it. */
static void open_task(struct game *g, unsigned owner)
{
    int error;
    struct jdi_task *t = jdi_coll_new_task(&g->kit.self[owner], g->coll, 0, 0, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    jdi_store_put(&g->coll->seat[owner].shelf);
    if (jdi_store_private(&g->coll->seat[owner].shelf))
        jdi_store_share(&g->coll->seat[owner].shelf);
}

static void take_back(struct game *g, unsigned owner)
{
    if (!jdi_store_pop(&g->coll->seat[owner].shelf))
        bail_out("no task to take back");
}

/* For the linker.  No task of this store may leave the rank: who wakes workers must not ask for
 * what other ranks could have. */
uint64_t __wrap_jdi_store_movable(const struct jdi_store *st);
uint64_t __wrap_jdi_store_movable(const struct jdi_store *st)
{
    (void)st;
    return 0;
}

static bool any_open(const struct game *g)
{
    return jdi_store_local(&g->coll->store);
}

static void send_ult(struct game *g)
{
    g->ready.worker = &g->kit.worker[WORKER];
    g->ready.rank = &g->kit.rank;
    atomic_store_explicit(&g->ready.suspended, true, memory_order_relaxed);
    jd_resume(NULL, &g->ready);
}

static void bring_task(struct jdi_rank *r, struct jdi_call *call)
{
    (void)r, (void)call;
    int error;
    if (!jdi_coll_new_task(&playing->kit.self[WORKER], playing->coll, 0, 0, &error))
        bail_out("no task: %s", jd_strerror(error));
    jdi_store_put(&playing->coll->seat[WORKER].shelf);
}

static void send_letter(struct game *g)
{
    g->letter.run = bring_task;
    jdi_worker_post(&g->kit.worker[WORKER], &g->letter);
}

/* A worker that is only a name sleeps, or is about to. */
static void lie_down(struct game *g, unsigned index)
{
    struct jdi_worker *w = &g->kit.worker[index];
    atomic_fetch_add_explicit(&g->kit.rank.sleeping, 1, memory_order_relaxed);
    atomic_store_explicit(&w->asleep, true, memory_order_relaxed);
    (void)jdi_idle_prepare(w->idle);
}

/* ---- what WORKER does ----------------------------------------------------------------- */

static bool neighbour_is_called(const struct game *g)
{
    return !jdi_idle_waits(g->kit.worker[NEIGHBOUR].idle);
}

/* WORKER goes off with something: the last thing that it is seen to do. */
static void go_off(struct game *g)
{
    g->ran++;
    g->late += any_open(g) && !neighbour_is_called(g);
    atomic_store_explicit(&g->kit.rank.stop, true, memory_order_relaxed);
}

static void run_task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
    go_off(playing);
}

static void *jump(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    (void)self, (void)to, (void)data;
    go_off(playing);
    playing->kit.worker[WORKER].spare = NULL;
    return NULL;
}

static void destroy(struct jdi_ult *u)
{
    (void)u;
}

uint32_t __real_jdi_idle_prepare(struct jdi_idle *i);
uint32_t __wrap_jdi_idle_prepare(struct jdi_idle *i);

/* `asleep` is stored, `waiting` is not. */
uint32_t __wrap_jdi_idle_prepare(struct jdi_idle *i)
{
    event_fn *event = playing->at_prepare;
    if (event && i == playing->kit.worker[WORKER].idle) {
        playing->at_prepare = NULL;
        event(playing);
    }
    return __real_jdi_idle_prepare(i);
}

/* It sleeps without limit: others wake it or nobody does. */
static void sleep_hook(void *ctx, struct jdi_idle *i, uint32_t key, uint64_t timeout_ns)
{
    struct game *g = ctx;
    event_fn *event = g->at_sleep;
    g->slept++;
    g->at_sleep = NULL;
    g->deaf += !atomic_load_explicit(&g->kit.worker[WORKER].asleep, memory_order_relaxed);
    if (event)
        event(g);
    if (timeout_ns != UINT64_MAX || jdi_idle_waits(i)) /* nothing more will come */
        atomic_store_explicit(&g->kit.rank.stop, true, memory_order_relaxed);
    jdi_idle_wait(i, key, 0);
}

static uint64_t now_hook(void *ctx)
{
    return ((struct game *)ctx)->now += 100;
}

static void pause_hook(void *ctx, enum jdi_idle_stage stage)
{
    (void)ctx, (void)stage;
}

static void charge_hook(void *ctx, uint64_t ns)
{
    (void)ctx, (void)ns;
}

/* ---- a game --------------------------------------------------------------------------- */

static void set_up(struct game *g)
{
    static const jd_task_def rows[] = {{"a", run_task, NULL, 0}, JD_TASK_END};
    char text[128];
    memset(g, 0, sizeof *g);
    kit_rank_init(&g->kit, 0, 1, WORKERS);
    if (jdi_registry_init(&g->kit.rank.registry, rows, text, sizeof text))
        bail_out("%s", text);
    g->time = (struct jdi_time){.now = now_hook,
                                .wait = sleep_hook,
                                .pause = pause_hook,
                                .charge = charge_hook,
                                .ctx = g};
    g->kit.am.time = &g->time;
    g->ult = (struct jdi_ult_ops){.jump = jump, .destroy = destroy};
    g->kit.rank.ult = &g->ult;
    if (jdi_coll_new(&g->kit.rank, &jdi_plain_kind, NULL, &g->coll))
        bail_out("no memory");
    for (unsigned i = 0; i < WORKERS; i++) {
        jdi_idle_init(&g->kit.worker[i].own_idle);
        g->kit.worker[i].fuel = 1;
        g->kit.worker[i].rng = 4711;
    }
    kit_open(g->coll);
    atomic_init(&g->coll->hold_in, 1); /* so that anybody may add */
    playing = g;
    jdi_coll_activate(g->coll);
}

static void tear_down(struct game *g)
{
    jdi_coll_free(g->coll);
}

/* WORKER looks around, sleeps, and runs one thing if one comes. */
static void play(const char *what, event_fn *at_prepare, event_fn *at_sleep, bool runs,
                 bool calls)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    if (!g)
        bail_out("no memory");
    set_up(g);
    lie_down(g, NEIGHBOUR);
    g->at_prepare = at_prepare;
    g->at_sleep = at_sleep;
    (void)jdi_worker_run(&g->kit.self[WORKER]);
    ok(g->ran == runs && !g->late, "%s: %u run, %u of them beside a sleeper", what,
       g->ran, g->late);
    ok(!g->deaf, "%s: %u of %u sleeps deaf to calls", what, g->deaf, g->slept);
    ok(neighbour_is_called(g) == calls, "%s: the neighbour is %scalled", what,
       calls ? "" : "not ");
    tear_down(g);
    jdi_free(g);
}

static void task_that_is_taken_back(struct game *g)
{
    open_task(g, OWNER);
    take_back(g, OWNER);
}

static void task(struct game *g)
{
    open_task(g, OWNER);
}

static void ult_and_task(struct game *g)
{
    send_ult(g);
    open_task(g, OWNER);
}

static void task_and_ult(struct game *g)
{
    open_task(g, OWNER);
    send_ult(g);
}

static void letter_and_task(struct game *g)
{
    send_letter(g);
    open_task(g, OWNER);
}

static void ult_and_task_that_is_taken_back(struct game *g)
{
    send_ult(g);
    task_that_is_taken_back(g);
}

/* The first one's call goes to a worker that has just looked at the second one's shelf, and
 * finds the first one gone when it comes to it: none but WORKER looks. */
static void two_tasks(struct game *g)
{
    lie_down(g, OTHER);
    open_task(g, OWNER);
    open_task(g, OTHER);
}

static void start(struct game *g)
{
    jdi_coll_activate(g->coll);
}

/* Whom it calls looks, finds no collection, and sleeps again. */
static void task_before_the_start(struct game *g)
{
    atomic_store_explicit(&g->kit.rank.active[g->coll->id], NULL, memory_order_relaxed);
    open_task(g, OWNER);
    g->at_sleep = start;
}

int main(void)
{
    play("nothing comes", NULL, NULL, false, false);
    play("a task", NULL, task, true, false);
    play("a task before it waits", task, NULL, true, false);
    play("a task that is taken back", NULL, task_that_is_taken_back, false, false);
    play("a task that is taken back before it waits", task_that_is_taken_back, NULL,
         false, false);
    play("a ULT", NULL, send_ult, true, false);
    play("a ULT, a task", NULL, ult_and_task, true, true);
    play("a task, a ULT", NULL, task_and_ult, true, true);
    play("a ULT, a task before it waits", ult_and_task, NULL, true, true);
    /* The ULT has called the worker, so the task calls the neighbour at once. */
    play("a ULT, a task that is taken back", NULL, ult_and_task_that_is_taken_back, true,
         true);
    play("a letter that brings a task", NULL, send_letter, true, false);
    play("a letter that brings a task, a task", NULL, letter_and_task, true, true);
    play("a letter, a task before it waits", letter_and_task, NULL, true, true);
    play("two tasks", NULL, two_tasks, true, true);
    play("a task before its collection starts", NULL, task_before_the_start, true, false);
    return done_testing();
}
