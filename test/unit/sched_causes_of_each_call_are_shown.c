/*
 * sched_causes_of_each_call_are_shown.c
 *
 * Role: each call that waits says what for, while it waits, and nothing afterwards: the kind, the object, the
 *       deadline, the task, its finish, and who can wake it; as values and as text.  Every kind of cause.def is seen.
 * Owner: the body of rank 0; rank 1 takes part in what is collective, and has its communication thread stand still
 *        where rank 0 asks it something.
 * See: sched/cause.def; sched/wait/causes.h; doc/waiting.md "What a task waits for".
 *
 * It has more than 600 lines because it has a few lines for each call that waits.
 */
#include "sched/rank.h"
#include "sched/wait/causes.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <unistd.h>

enum { WAITER, LATER, LOITER };
enum { LIMIT_S = 20, MEM_BYTES = 64 };
enum { TASK = JDI_WAKER_TASK, RANK = JDI_WAKER_RANK, TIMER = JDI_WAKER_TIMER };

enum order { NONE, HOLD, LEAVE };

static struct {
    _Atomic(jd_self *) handle;
    _Atomic bool go, held, failed;
    _Atomic int order; /* for rank 1 */
    struct jdi_call hold;
    jd_channel channel;
    jd_event event, keyed;
    jd_event_key key;
    jd_phaser phaser;
    jd_mutex mutex;
    jd_cond cond;
    jd_future here, second, far;
    jd_mem mem;
    jd_done done;
    int fd[2];
    jd_finish_id finish; /* of the waiting task */
    jd_time hour;        /* a deadline that does not come */
    bool shown[JDI_CAUSE_KINDS];
} t;

/* ---- looking -------------------------------------------------------------------------- */

struct sight {
    unsigned kind; /* that is looked for; JDI_CAUSE_NONE: any */
    const char *task;
    unsigned n;
    struct jdi_waiting w;
};

static bool is_task(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void look_at_one(void *sight, struct jdi_waiting *w)
{
    struct sight *s = sight;
    if (!is_task(w->task, s->task) || (s->kind && w->cause.kind != s->kind))
        return;
    s->n++;
    s->w = *w;
}

static unsigned look(struct jdi_rank *r, struct sight *s)
{
    s->n = 0;
    jdi_causes_each(r, look_at_one, s);
    return s->n;
}

static bool see(jd_self *me, struct sight *s)
{
    double end = tap_seconds() + LIMIT_S;
    while (!look(me->rank, s) && tap_seconds() < end)
        jd_yield(me);
    t.shown[s->kind] |= s->n == 1;
    return s->n == 1;
}

struct page {
    const char *text, *task;
    unsigned hits;
};

static void read_line(void *page, const char *line)
{
    struct page *p = page;
    p->hits += strstr(line, p->text) && strstr(line, p->task);
}

static bool says(jd_self *me, unsigned kind, const char *task)
{
    struct page p = {.text = jdi_cause_row(kind)->text, .task = task};
    jdi_causes_tell(me->rank, read_line, &p);
    return p.hits == 1;
}

/* ---- calls that wait, and what wakes them --------------------------------------------- */

static void publish(jd_self *me, void *arg)
{
    (void)arg;
    atomic_store(&t.handle, me);
}

static void wait_suspended(jd_self *me)
{
    jd_suspend(me, publish, NULL);
}

static void resume_it(jd_self *me)
{
    jd_resume(me, atomic_exchange(&t.handle, NULL));
}

static void wait_sleep(jd_self *me)
{
    must(me, jd_sleep_until(me, t.hour) == JD_ECANCELED ? 0 : JD_ESTATE);
}

static void cancel_it(jd_self *me)
{
    must(me, jd_cancel(me, t.finish));
}

/* The channel has room for one. */
static void wait_send(jd_self *me)
{
    long item = 1;
    must(me, jd_channel_send(me, t.channel, &item, JD_FOREVER));
    must(me, jd_channel_send(me, t.channel, &item, JD_FOREVER));
}

static void receive_two(jd_self *me)
{
    long item;
    must(me, jd_channel_receive(me, t.channel, &item, JD_FOREVER));
    must(me, jd_channel_receive(me, t.channel, &item, JD_FOREVER));
}

static void wait_receive(jd_self *me)
{
    long item;
    must(me, jd_channel_receive(me, t.channel, &item, t.hour));
}

static void send_one(jd_self *me)
{
    long item = 1;
    must(me, jd_channel_send(me, t.channel, &item, JD_FOREVER));
}

static void wait_reserve(jd_self *me)
{
    must(me, jd_channel_reserve(me, t.channel, JD_FOREVER));
    must(me, jd_channel_reserve(me, t.channel, JD_FOREVER));
    must(me, jd_channel_release(me, t.channel));
}

static void release_one(jd_self *me)
{
    must(me, jd_channel_release(me, t.channel));
}

static void wait_event(jd_self *me)
{
    must(me, jd_event_wait(me, t.event, JD_FOREVER));
}

static void signal_event(jd_self *me)
{
    must(me, jd_event_signal(me, t.event, 1));
}

static void wait_keyed(jd_self *me)
{
    must(me, jd_event_wait(me, t.keyed, JD_FOREVER));
}

static void signal_key(jd_self *me)
{
    must(me, jd_event_signal_key(t.key, 1));
}

static void wait_phase(jd_self *me)
{
    must(me, jd_phaser_next(me, t.phaser, JD_FOREVER));
}

static void begin_phased(jd_self *me)
{
    int row = -1;
    must(me, jd_phaser_create(me, JD_PHASE_SIGNAL, &t.phaser));
    must(me, jd_async_phased(me, &(jd_phased){t.phaser, JD_PHASE_WAIT}, 1, WAITER, &row,
                             sizeof row));
}

static void signal_phase(jd_self *me)
{
    must(me, jd_phaser_signal(me, t.phaser));
    must(me, jd_phaser_drop(me, t.phaser));
}

static void wait_mutex(jd_self *me)
{
    must(me, jd_mutex_lock(me, &t.mutex, JD_FOREVER));
    must(me, jd_mutex_unlock(me, &t.mutex));
}

static void unlock_it(jd_self *me)
{
    must(me, jd_mutex_unlock(me, &t.mutex));
}

static void wait_cond(jd_self *me)
{
    must(me, jd_mutex_lock(me, &t.mutex, JD_FOREVER));
    must(me, jd_cond_wait(me, &t.cond, &t.mutex, JD_FOREVER));
    must(me, jd_mutex_unlock(me, &t.mutex));
}

static void signal_cond(jd_self *me)
{
    jd_cond_signal(me, &t.cond);
}

static void wait_future(jd_self *me)
{
    must(me, jd_future_get(me, t.here, NULL, 0));
}

static void set_future(jd_self *me)
{
    must(me, jd_future_set(me, t.here, NULL, 0));
}

static void wait_far(jd_self *me)
{
    must(me, jd_future_wait_until(me, t.far, NULL, t.hour));
}

static void set_far(jd_self *me)
{
    must(me, jd_future_set(me, t.far, NULL, 0));
}

static void wait_select(jd_self *me)
{
    long item;
    jd_case c[] = {jd_case_receive(t.channel, &item),
                   jd_case_event(t.keyed),
                   jd_case_future(t.far, NULL, 0),
                   jd_case_fd(t.fd[0], JD_IN),
                   {.kind = JD_CASE_OFF}};
    must(me, jd_select(me, c, 5, 0, t.hour));
}

static void wait_fd(jd_self *me)
{
    must(me, jd_wait_fd(me, t.fd[0], JD_IN, JD_FOREVER));
}

static void write_one(jd_self *me)
{
    char byte = 1;
    if (write(t.fd[1], &byte, 1) != 1 || read(t.fd[0], &byte, 1) != 1)
        jd_abort(me, 99, "a pipe that loses bytes");
}

static void write_one_and_wait(jd_self *me)
{
    char byte = 1;
    if (write(t.fd[1], &byte, 1) != 1)
        jd_abort(me, 99, "a full pipe");
}

static void wait_finish(jd_self *me)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_then(me, t.here, LATER, NULL, 0)); /* nothing to help with meanwhile */
    must(me, jd_finish_end(me, &s));
}

static void wait_answer(jd_self *me)
{
    must(me, jd_future_ready(me, t.far));
}

static void wait_get(jd_self *me)
{
    char to[MEM_BYTES];
    must(me, jd_get(me, t.mem, 1, 0, to, sizeof to));
}

static void wait_done(jd_self *me)
{
    char to[MEM_BYTES];
    must(me, jd_get_nb(me, t.mem, 1, 0, to, sizeof to, &t.done));
    must(me, jd_done_wait_until(me, &t.done, t.hour));
}

static void let_go(jd_self *me)
{
    (void)me;
    atomic_store(&t.go, true);
}

static void begin_later(jd_self *me)
{
    must(me, jd_async_after(me, t.hour, LATER, NULL, 0));
}

static void begin_then(jd_self *me)
{
    must(me, jd_then(me, t.here, LATER, NULL, 0));
}

static void begin_await(jd_self *me)
{
    jd_future both[] = {t.here, t.second};
    must(me, jd_async_await(me, both, 2, LATER, NULL, 0));
}

static void set_both(jd_self *me)
{
    must(me, jd_future_set(me, t.here, NULL, 0));
    must(me, jd_future_set(me, t.second, NULL, 0));
}

static const struct row {
    const char *call;
    unsigned kind, wakers;
    void (*wait)(jd_self *me);  /* the task */
    void (*begin)(jd_self *me); /* instead of spawning it */
    void (*wake)(jd_self *me);
    const uint64_t *number; /* of the object; NULL: not looked at */
    bool held;              /* rank 1 answers nothing meanwhile */
    bool hour;              /* it has a deadline */
} rows[] = {{"jd_suspend", JDI_CAUSE_SUSPEND, JDI_WAKER_HANDLE, wait_suspended, NULL,
             resume_it, NULL, false, false},
            {"jd_sleep_until", JDI_CAUSE_SLEEP, TIMER, wait_sleep, NULL, cancel_it, NULL,
             false, true},
            {"jd_channel_send", JDI_CAUSE_SEND, TASK, wait_send, NULL, receive_two,
             &t.channel.number, false, false},
            {"jd_channel_receive", JDI_CAUSE_RECEIVE, TASK | TIMER, wait_receive, NULL,
             send_one, &t.channel.number, false, true},
            {"jd_channel_reserve", JDI_CAUSE_RESERVE, TASK, wait_reserve, NULL,
             release_one, &t.channel.number, false, false},
            {"jd_event_wait", JDI_CAUSE_EVENT, TASK, wait_event, NULL, signal_event,
             &t.event.number, false, false},
            {"jd_event_wait, with a key", JDI_CAUSE_EVENT, TASK | JDI_WAKER_FOREIGN,
             wait_keyed, NULL, signal_key, &t.keyed.number, false, false},
            {"jd_phaser_next", JDI_CAUSE_PHASER, TASK, wait_phase, begin_phased,
             signal_phase, &t.phaser.number, false, false},
            {"jd_mutex_lock", JDI_CAUSE_MUTEX, TASK, wait_mutex, NULL, unlock_it, NULL,
             false, false},
            {"jd_cond_wait", JDI_CAUSE_COND, TASK, wait_cond, NULL, signal_cond, NULL,
             false, false},
            {"jd_future_get", JDI_CAUSE_FUTURE, TASK | RANK, wait_future, NULL,
             set_future, &t.here.number, false, false},
            {"jd_future_ready, far", JDI_CAUSE_ANSWER, RANK, wait_answer, NULL, let_go,
             &t.far.number, true, false},
            {"jd_select", JDI_CAUSE_SELECT,
             TASK | RANK | TIMER | JDI_WAKER_FOREIGN | JDI_WAKER_KERNEL, wait_select,
             NULL, send_one, NULL, false, true},
            {"jd_wait_fd", JDI_CAUSE_FD, TASK | JDI_WAKER_KERNEL, wait_fd, NULL,
             write_one_and_wait, NULL, false, false},
            {"jd_finish_end", JDI_CAUSE_FINISH, TASK | RANK, wait_finish, NULL,
             set_future, NULL, false, false},
            {"jd_get", JDI_CAUSE_TRANSFER, RANK, wait_get, NULL, let_go, &t.mem.number,
             true, false},
            {"jd_done_wait_until", JDI_CAUSE_DONE, RANK | TIMER, wait_done, NULL, let_go,
             NULL, true, true},
            {"jd_async_after", JDI_CAUSE_SLEEP, TIMER, NULL, begin_later, cancel_it, NULL,
             false, true},
            {"jd_then", JDI_CAUSE_FUTURE, TASK | RANK, NULL, begin_then, set_future,
             &t.here.number, false, false},
            {"jd_async_await", JDI_CAUSE_FUTURES, TASK | RANK, NULL, begin_await,
             set_both, &t.here.number, false, false},
            {"jd_future_wait_until, far", JDI_CAUSE_FUTURE, RANK | TIMER, wait_far, NULL,
             set_far, &t.far.number, false, true}};

/* ---- tasks ---------------------------------------------------------------------------- */

static void waiter(jd_self *me, void *arg)
{
    int row = *(int *)arg;
    if (row < 0)
        wait_phase(me);
    else
        rows[row].wait(me);
}

static void later(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void loiter(jd_self *me, void *arg)
{
    (void)arg;
    while (!atomic_load(&t.go))
        jd_yield(me);
}

static const jd_task_def tasks[] = {[WAITER] = JD_TASK(waiter),
                                    [LATER] = JD_TASK(later),
                                    [LOITER] = JD_TASK(loiter),
                                    JD_TASK_END};

/* ---- tasks wait, the body looks --------------------------------------------------------- */

static void stand(struct jdi_rank *r, struct jdi_call *call)
{
    (void)r, (void)call;
    atomic_store(&t.held, true);
    while (!atomic_load(&t.go))
        jdi_idle_pause(JDI_IDLE_YIELD);
    atomic_store(&t.held, false);
}

static void hold_other_rank(jd_self *me)
{
    atomic_store(&t.go, false);
    atomic_store(&t.order, HOLD);
    while (!atomic_load(&t.held))
        jd_yield(me);
}

static void prepare(jd_self *me, const struct row *row)
{
    must(me, jd_event_reset(me, t.event, 1));
    must(me, jd_event_reset(me, t.keyed, 1));
    must(me, jd_future_create(me, &t.here));
    must(me, jd_future_create(me, &t.second));
    if (row->kind == JDI_CAUSE_MUTEX)
        must(me, jd_mutex_lock(me, &t.mutex, JD_FOREVER));
    if (row->held)
        hold_other_rank(me);
}

static void clear_up(jd_self *me)
{
    must(me, jd_future_destroy(me, t.here));
    must(me, jd_future_destroy(me, t.second));
    while (atomic_load(&t.held))
        jd_yield(me);
}

static bool is_right(const struct row *row, const struct jdi_waiting *w)
{
    bool begun = row->wait != NULL, nested = row->kind == JDI_CAUSE_FINISH;
    uint64_t finish = nested ? w->cause.number : t.finish.number;
    bool right = w->cause.deadline == (row->hour ? t.hour : JD_FOREVER) &&
                 (!row->number || w->cause.number == *row->number) &&
                 w->wakers == row->wakers && w->begun == begun && w->worker < 2 &&
                 w->finish.number == finish && w->finish.home == 0;
    if (!right)
        diag("%s: number %llx home %u deadline %llx wakers %x begun %d worker %u finish "
             "%llu",
             row->call, (unsigned long long)w->cause.number, w->cause.home,
             (unsigned long long)w->cause.deadline, w->wakers, w->begun, w->worker,
             (unsigned long long)w->finish.number);
    return right;
}

static void show(jd_self *me, int i)
{
    const struct row *row = &rows[i];
    const char *task = row->wait ? "waiter" : "later";
    struct sight s = {.kind = row->kind, .task = task};
    jd_scope scope;
    prepare(me, row);
    must(me, jd_finish_begin(me, &scope));
    t.finish = jd_finish_mine(me);
    if (row->begin)
        row->begin(me);
    else
        must(me, jd_async_local(me, WAITER, &i, sizeof i));
    bool seen = see(me, &s);
    ok(seen && is_right(row, &s.w), "%s says what it waits for", row->call);
    ok(seen && says(me, row->kind, task), "%s, in words", row->call);
    struct jdi_waiting first = s.w;
    ok(look(me->rank, &s) == 1 && !first.since && !s.w.since == !s.w.begun,
       "%s, and since when", row->call);
    row->wake(me);
    int error = jd_finish_end(me, &scope);
    bool cancelled = row->wake == cancel_it;
    s.kind = JDI_CAUSE_NONE;
    ok(error == (cancelled ? JD_ECANCELED : 0) && !look(me->rank, &s),
       "%s, and nothing when it goes on", row->call);
    clear_up(me);
}

static void show_all(jd_self *me)
{
    t.hour = jd_deadline(me, UINT64_C(3600000000000));
    must(me, jd_channel_create(me, sizeof(long), 1, &t.channel));
    must(me, jd_event_create(me, 1, &t.event));
    must(me, jd_event_create(me, 1, &t.keyed));
    must(me, jd_event_get_key(me, t.keyed, &t.key));
    if (pipe(t.fd))
        jd_abort(me, 99, "no pipe");
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
        show(me, i);
    atomic_store(&t.order, LEAVE);
    write_one(me);
    must(me, jd_fd_forget(me, t.fd[0]));
    close(t.fd[0]);
    close(t.fd[1]);
}

/* Rank 1, meanwhile. */
static void obey(jd_self *me)
{
    int order;
    while ((order = atomic_exchange(&t.order, NONE)) != LEAVE) {
        if (order == HOLD)
            jdi_rank_post(me->rank, &t.hold);
        jd_yield(me);
    }
}

/* ---- the body waits, a thread looks ------------------------------------------------------ */

struct watch {
    struct jdi_rank *rank;
    struct sight s;
};

static void *watch_body(void *arg)
{
    struct watch *w = arg;
    bool seen = tap_wait_for(look(w->rank, &w->s), LIMIT_S);
    t.shown[w->s.kind] |= seen;
    atomic_store(&t.go, true);
    return NULL;
}

static void show_body(jd_self *me, const char *call, unsigned kind,
                      void (*wait)(jd_self *me))
{
    struct watch w = {.rank = me->rank, .s = {.kind = kind}};
    pthread_t thread;
    bool here = jd_rank(me) == 0;
    if (here)
        atomic_store(&t.go, false);
    must(me, jd_barrier(me));
    if (here && pthread_create(&thread, NULL, watch_body, &w))
        jd_abort(me, 99, "no thread");
    wait(me);
    if (!here)
        return;
    pthread_join(thread, NULL);
    ok(w.s.n == 1 && w.s.w.cause.deadline == JD_FOREVER && w.s.w.begun,
       "%s: the body says what it waits for", call);
    ok(!w.s.w.finish.number, "%s: and is in no finish that may have ended", call);
    w.s.kind = JDI_CAUSE_NONE;
    ok(!look(me->rank, &w.s), "%s, and nothing when it goes on", call);
}

static void meet_late(jd_self *me)
{
    while (jd_rank(me) && !atomic_load(&t.go))
        jd_yield(me);
    must(me, jd_barrier(me));
}

static void process(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, LOITER, NULL, 0));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
}

static void spawn_one(jd_self *me, void *arg)
{
    (void)arg;
    if (jd_rank(me) == 0)
        must(me, jd_async_local(me, LOITER, NULL, 0));
}

static void finish_all(jd_self *me)
{
    must(me, jd_finish_spmd(me, spawn_one, NULL));
}

/* The communication thread of this rank stands still while it is asked to start a phase. */
static void start(jd_self *me)
{
    struct jdi_call hold = {.run = stand};
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        jdi_rank_post(me->rank, &hold);
    must(me, jd_coll_start(me, c));
    must(me, jd_coll_wait(me, c));
    must(me, jd_coll_destroy(me, c));
}

/* ---- all ------------------------------------------------------------------------------- */

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    bool here = jd_rank(me) == 0;
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, MEM_BYTES, &mem));
    if (here)
        t.mem = mem;
    else
        must(me, jd_future_create(me, &t.far));
    show_body(me, "jd_barrier", JDI_CAUSE_COLLECTIVE, meet_late);
    show_body(me, "jd_coll_process", JDI_CAUSE_PHASE, process);
    show_body(me, "jd_finish_spmd", JDI_CAUSE_FINISH_SPMD, finish_all);
    show_body(me, "jd_coll_start", JDI_CAUSE_COMM, start);
    if (here)
        show_all(me);
    else
        obey(me);
    must(me, jd_barrier(me));
    if (!here)
        return 0;
    for (unsigned kind = JDI_CAUSE_NONE + 1; kind < JDI_CAUSE_KINDS; kind++)
        ok(t.shown[kind], "%s was seen", jdi_cause_row(kind)->name);
    return done_testing();
}

int main(int argc, char **argv)
{
    t.hold.run = stand;
    setenv("JACKDAW_RANKS", "2", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    setenv("JACKDAW_COMM", "dedicated", 1);
    setenv("JACKDAW_BIND", "none", 1);
    setenv("JACKDAW_ULT", "boost", 1);
    return jd_launch(argc, argv, body, tasks);
}
