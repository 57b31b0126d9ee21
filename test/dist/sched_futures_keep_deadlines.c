/*
 * sched_futures_keep_deadlines.c
 *
 * Role: who waits for a future until a deadline gets the value, or JD_ETIMEDOUT after the deadline, wherever
 *       the home is; who gave up disturbs neither the future nor those who wait for longer; a wait for
 *       transfers that gave up can be repeated.
 *       Arguments: how many tasks wait at once on each rank.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h; doc/data.md "Futures".
 */
#include "test/dist/sched_futures_kit.h"

enum { SETTER, IMPATIENT, PATIENT };
enum { SHORT_NS = 300000, BYTES = 1 << 20 };

static void impatient(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    struct notes *n = notes_of(me, w.mem);
    uint64_t got = 0;
    jd_time until = jd_deadline(me, w.value);
    int error = jd_future_get_until(me, w.future, &got, sizeof got, until);
    if (error == JD_ETIMEDOUT)
        count(jd_clock(me) < until ? &n->early : &n->never, 1);
    else if (!error && got == 4711)
        count(&n->ran, 1);
    else
        jd_abort(me, 98, "a wait ended with %s", jd_strerror(error));
}

static void patient(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got = 0;
    must(me, jd_future_get_until(me, w.future, &got, sizeof got, JD_FOREVER));
    count(&notes_of(me, w.mem)->sum, got);
}

static const jd_task_def tasks[] = {[SETTER] = JD_TASK(setter),
                                    [IMPATIENT] = JD_TASK(impatient),
                                    [PATIENT] = JD_TASK(patient),
                                    JD_TASK_END};

static void test_one(jd_self *me, uint32_t home)
{
    jd_future f = share(me, home);
    uint64_t got = 7, value = 4711;
    size_t size = 7;
    jd_time until = jd_deadline(me, SHORT_NS);
    ok_all(me,
           jd_future_get_until(me, f, &got, sizeof got, JD_NOW) == JD_ETIMEDOUT &&
               jd_future_wait_until(me, f, &size, JD_NOW) == JD_ETIMEDOUT,
           "rank %u: an unset future now", home);
    bool timed_out = jd_future_get_until(me, f, &got, sizeof got, until) == JD_ETIMEDOUT;
    ok_all(me, timed_out && jd_clock(me) >= until, "until a deadline");
    ok_all(me, got == 7 && size == 7, "nothing was written");
    must(me, jd_barrier(me));
    if (jd_rank(me) == jd_nranks(me) - 1)
        must(me, jd_future_set(me, f, &value, sizeof value));
    must(me, jd_barrier(me));
    ok_all(me,
           !jd_future_get_until(me, f, &got, sizeof got, JD_NOW) && got == 4711 &&
               !jd_future_wait_until(me, f, &size, JD_NOW) && size == sizeof got,
           "a future that is set");
    ok_all(me, jd_future_get_until(me, f, &got, 1, JD_NOW) == JD_EINVAL,
           "of another size");
    unshare(me, f);
    must(me, jd_barrier(me));
    ok_all(me, jd_future_get_until(me, f, &got, sizeof got, JD_FOREVER) == JD_EINVAL,
           "and one that is gone");
}

/* Deadlines around the time at which the future is set. */
static void test_many(jd_self *me, jd_mem mem, uint64_t n, uint32_t home)
{
    struct wish w = {.mem = mem, .future = share(me, home)};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++) {
        w.value = i * SHORT_NS / n;
        must(me, jd_async(me, IMPATIENT, &w, sizeof w));
        must(me, jd_async_local(me, PATIENT, &w, sizeof w));
    }
    if (jd_rank(me) == 0) {
        w.value = 4711;
        must(me, jd_sleep(me, SHORT_NS / 2));
        must(me, jd_async_at(me, jd_nranks(me) - 1, SETTER, &w, sizeof w));
    }
    must(me, jd_finish_end(me, &s));
    struct notes *t = notes_of(me, mem);
    uint64_t early = all(me, &t->early), got = all(me, &t->ran),
             late = all(me, &t->never);
    ok_all(me, early == 0, "rank %u: none gives up too early", home);
    ok_all(me, got + late == n * jd_nranks(me), "each has the value, or its deadline");
    ok_all(me, all(me, &t->sum) == 4711 * n * jd_nranks(me),
           "who waits for longer has it");
    unshare(me, w.future);
}

/* Until transfers have ended; the bytes belong to them until then. */
static void test_transfers(jd_self *me)
{
    jd_mem mem;
    unsigned char *to = malloc(BYTES);
    jd_done done = JD_DONE_INIT;
    uint32_t next = (jd_rank(me) + 1) % jd_nranks(me);
    if (!to)
        jd_abort(me, 99, "no memory for the test");
    must(me, jd_mem_create(me, NULL, BYTES, &mem));
    memset(jd_mem_local(me, mem, NULL), (int)jd_rank(me) + 1, BYTES);
    must(me, jd_barrier(me));
    ok_all(me, !jd_done_wait_until(me, &done, JD_NOW), "no transfer is complete now");
    must(me, jd_get_nb(me, mem, next, 0, to, BYTES, &done));
    int first = jd_done_wait_until(me, &done, JD_NOW);
    int second = jd_done_wait_until(me, &done, jd_deadline(me, 1000));
    bool plain = (!first || first == JD_ETIMEDOUT) && (!second || second == JD_ETIMEDOUT);
    ok_all(me, plain, "one under way is, or is not");
    must(me, jd_done_wait_until(me, &done, JD_FOREVER));
    uint64_t wrong = 0;
    for (size_t i = 0; i < BYTES; i++)
        wrong += to[i] != (unsigned char)(next + 1);
    ok_all(me, !wrong && jd_done_test(&done), "later it is, with all bytes");
    must(me, jd_get_nb(me, mem, next, 1, to, BYTES - 1, &done));
    must(me, jd_done_wait(me, &done));
    ok_all(me,
           jd_nranks(me) == 1 || jd_get_nb(me, mem, next, BYTES, to, 1, &done) ||
               jd_done_wait_until(me, &done, JD_FOREVER) == JD_EINVAL,
           "errors are told");
    must(me, jd_mem_destroy(me, mem));
    free(to);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t n = argc > 1 ? (uint64_t)atol(argv[1]) : 20;
    jd_mem mem = begin_notes(me);
    test_one(me, 0);
    test_one(me, jd_nranks(me) - 1);
    test_many(me, mem, n, 0);
    test_many(me, mem, n, jd_nranks(me) - 1);
    test_transfers(me);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
