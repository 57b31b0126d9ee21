/*
 * sched_select_carries_out_one_case.c
 *
 * Role: jd_select does one of its cases and leaves the others as they were, whether it had to wait or not: with
 *       closed channels, the same channel twice, no case, a thousand, wrong ones; what a deadline, a
 *       cancellation and the end of a channel do to it; selects that meet each other.
 *       Argument: how often two selects meet.
 * Owner: the body; a channel belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Select".
 */
#include "test/dist/sched_channels_kit.h"

#include <limits.h>

enum { SELECTOR, MEETER };
enum { MANY = 1000, SHORT_NS = 200000, UNTOUCHED = 99 };

static jd_event new_event(jd_self *me, uint64_t count)
{
    jd_event e = {0};
    must(me, jd_event_create(me, count, &e));
    return e;
}

/* ---- without waiting ------------------------------------------------------------------ */

static void test_ready(jd_self *me)
{
    jd_channel a = new_channel(me, 8, 1), b = new_channel(me, 8, 1);
    jd_event e = new_event(me, 1);
    uint64_t in = UNTOUCHED, out = 5;
    jd_case c[] = {jd_case_receive(a, &in), jd_case_event(e), jd_case_send(b, &out),
                   jd_case_reserve(b)};
    c[2].kind = c[3].kind = JD_CASE_OFF;
    bool right = jd_select(me, c, 4, 0, JD_NOW) == JD_ETIMEDOUT && in == UNTOUCHED;
    ok_all(me, right, "no case is ready, and one that is off is skipped");
    send_word(me, a, 7);
    right = jd_select(me, c, 4, 0, JD_NOW) == 0 && in == 7 && !c[0].error;
    must(me, jd_event_signal(me, e, 1));
    right = right && jd_select(me, c, 4, 0, JD_NOW) == 1 && !c[1].error;
    ok_all(me, right, "a case that is ready is carried out: receive, event");
    must(me, jd_event_reset(me, e, 1));
    c[2].kind = JD_CASE_SEND;
    right = jd_select(me, c, 4, 0, JD_NOW) == 2 && receive_word(me, b) == 5;
    c[2].kind = JD_CASE_OFF;
    c[3].kind = JD_CASE_RESERVE;
    right = right && jd_select(me, c, 4, 0, JD_NOW) == 3 &&
            jd_select(me, c, 4, 0, JD_NOW) == JD_ETIMEDOUT &&
            !jd_channel_commit(me, b, &out) && receive_word(me, b) == 5;
    ok_all(me, right, "send, reserve");
    must(me, jd_channel_destroy(me, a));
    must(me, jd_channel_destroy(me, b));
    must(me, jd_event_destroy(me, e));
}

static void test_closed(jd_self *me)
{
    jd_channel a = new_channel(me, 8, 1), empty = new_channel(me, 8, 1);
    uint64_t word = UNTOUCHED;
    jd_case receive[] = {jd_case_receive(empty, &word), jd_case_receive(a, &word)};
    jd_case send[] = {jd_case_send(a, &word), jd_case_reserve(a)};
    send_word(me, a, 7);
    must(me, jd_channel_close(me, a));
    bool right =
        jd_select(me, receive, 2, 0, JD_NOW) == 1 && !receive[1].error && word == 7;
    ok_all(me, right, "what is in a closed channel is received");
    word = UNTOUCHED;
    right = jd_select(me, receive, 2, 0, JD_FOREVER) == 1 &&
            receive[1].error == JD_ECLOSED && !receive[0].error && word == UNTOUCHED;
    ok_all(me, right, "then its case is ready, with an error");
    int at = jd_select(me, send, 2, 0, JD_FOREVER);
    right = (at == 0 || at == 1) && send[at].error == JD_ECLOSED && !send[1 - at].error;
    ok_all(me, right, "so is one that would send there");
    must(me, jd_channel_destroy(me, a));
    must(me, jd_channel_destroy(me, empty));
}

/* The second of three cases is wrong: nothing is done, and it says so. */
static bool is_refused(jd_self *me, jd_case wrong)
{
    jd_channel c = new_channel(me, 8, 1);
    uint64_t word = 7;
    jd_case all[] = {jd_case_send(c, &word), wrong, jd_case_send(c, &word)};
    bool right = jd_select(me, all, 3, 0, JD_NOW) == JD_EINVAL && !all[0].error &&
                 all[1].error == JD_EINVAL && !all[2].error &&
                 jd_channel_receive(me, c, &word, JD_NOW) == JD_ETIMEDOUT;
    must(me, jd_channel_destroy(me, c));
    return right;
}

static void test_refusals(jd_self *me)
{
    jd_channel c = new_channel(me, 8, 1), direct = new_channel(me, 8, 0), none = {0};
    jd_channel old = new_channel(me, 8, 1), far = c;
    jd_event gone = new_event(me, 0);
    uint64_t word = 7;
    must(me, jd_channel_destroy(me, old));
    must(me, jd_event_destroy(me, gone));
    far.number = ~far.number;
    jd_case negative = jd_case_send(c, &word), unknown = negative;
    negative.kind = -1;
    unknown.kind = JD_CASE_KINDS;
    ok_all(me,
           is_refused(me, jd_case_send(none, &word)) &&
               is_refused(me, jd_case_receive(old, &word)) &&
               is_refused(me, jd_case_receive(far, &word)) &&
               is_refused(me, jd_case_event(gone)),
           "a name that is wrong, or out of date, is refused");
    ok_all(me,
           is_refused(me, jd_case_send(c, NULL)) &&
               is_refused(me, jd_case_receive(c, NULL)) &&
               is_refused(me, jd_case_reserve(direct)) && is_refused(me, negative) &&
               is_refused(me, unknown),
           "so is what cannot be done");
    far = c;
    far.home = (jd_rank(me) + 1) % jd_nranks(me);
    jd_event e = new_event(me, 0), far_event = e;
    far_event.home = far.home;
    ok_all(me,
           jd_nranks(me) == 1 || (is_refused(me, jd_case_send(far, &word)) &&
                                  is_refused(me, jd_case_event(far_event))),
           "so is what belongs to another rank");
    ok_all(me,
           jd_select(me, NULL, 1, 0, JD_NOW) == JD_EINVAL &&
               jd_select(me, &negative, (size_t)INT_MAX + 1, 0, JD_NOW) == JD_EINVAL &&
               jd_select(me, &negative, 0, 4, JD_NOW) == JD_EINVAL,
           "so are too many cases, and flags that do not exist");
    must(me, jd_event_destroy(me, e));
    must(me, jd_channel_destroy(me, c));
    must(me, jd_channel_destroy(me, direct));
}

static void test_deadlines(jd_self *me)
{
    jd_channel c = new_channel(me, 8, 0);
    uint64_t word = 7;
    jd_time by = jd_deadline(me, SHORT_NS);
    bool right = jd_select(me, NULL, 0, 0, JD_NOW) == JD_ETIMEDOUT &&
                 jd_select(me, NULL, 0, 0, by) == JD_ETIMEDOUT && jd_clock(me) >= by;
    ok_all(me, right, "without cases it waits for the deadline");
    jd_case both[] = {jd_case_send(c, &word), jd_case_receive(c, &word),
                      jd_case_send(c, &word)};
    by = jd_deadline(me, SHORT_NS);
    right = jd_select(me, both, 3, 0, JD_NOW) == JD_ETIMEDOUT &&
            jd_select(me, both, 3, 0, by) == JD_ETIMEDOUT && jd_clock(me) >= by;
    ok_all(me, right, "it does not meet itself");
    ok_all(me,
           jd_channel_send(me, c, &word, JD_NOW) == JD_ETIMEDOUT &&
               jd_channel_receive(me, c, &word, JD_NOW) == JD_ETIMEDOUT,
           "after its deadline it is in no line");
    must(me, jd_channel_destroy(me, c));
}

/* ---- waiting -------------------------------------------------------------------------- */

struct job {
    jd_channel a, b, begun, results;
    jd_event e;
    uint64_t n;
};

static struct job new_job(jd_self *me)
{
    struct job j = {.a = new_channel(me, 8, 0),
                    .b = new_channel(me, 8, 1),
                    .begun = new_channel(me, 0, 1),
                    .results = new_channel(me, 8, 1),
                    .e = new_event(me, 1)};
    return j;
}

/* Reports index, error and words as one number. */
static uint64_t result(int at, int error, uint64_t first, uint64_t second)
{
    return (uint64_t)(at + 100) << 48 | (uint64_t)(error + 100) << 32 | first << 16 |
           second;
}

/* Waits for each kind of case, twice for channel `a`. */
static void selector(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t out = 3, first = UNTOUCHED, second = UNTOUCHED, full = 1;
    jd_case c[] = {jd_case_receive(j.a, &first), jd_case_receive(j.a, &second),
                   jd_case_send(j.b, &out), jd_case_event(j.e), jd_case_reserve(j.b)};
    if (j.n)
        c[4].kind = JD_CASE_OFF;
    must(me, jd_channel_send(me, j.b, &full, JD_NOW));
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    int at = jd_select(me, c, 5, JD_ORDERED, JD_FOREVER);
    send_word(me, j.results, result(at, at < 0 ? 0 : c[at].error, first, second));
}

enum end { SEND_A, RECEIVE_B, SIGNAL, CLOSE_A, DESTROY_A, DESTROY_E, CANCEL_IT };

static void end_by(jd_self *me, const struct job *j, enum end end)
{
    uint64_t word = 7;
    switch (end) {
    case SEND_A:
        must(me, jd_channel_send(me, j->a, &word, JD_FOREVER));
        break;
    case RECEIVE_B:
        must(me, jd_channel_receive(me, j->b, &word, JD_FOREVER));
        break;
    case SIGNAL:
        must(me, jd_event_signal(me, j->e, 1));
        break;
    case CLOSE_A:
        must(me, jd_channel_close(me, j->a));
        break;
    case DESTROY_A:
        must(me, jd_channel_destroy(me, j->a));
        break;
    case DESTROY_E:
        must(me, jd_event_destroy(me, j->e));
        break;
    case CANCEL_IT:
        must(me, jd_cancel(me, jd_finish_mine(me)));
        break;
    }
}

/* What a select returns that waits until it is ended so, or just before it would wait. */
static uint64_t ended_by(jd_self *me, enum end end, bool reserves, uint64_t *left)
{
    struct job j = new_job(me);
    jd_scope s;
    j.n = !reserves;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, SELECTOR, &j, sizeof j));
    must(me, jd_channel_receive(me, j.begun, NULL, JD_FOREVER));
    end_by(me, &j, end);
    int error = jd_finish_end(me, &s);
    if (error != (end == CANCEL_IT ? JD_ECANCELED : 0))
        jd_abort(me, 99, "the finish ends with: %s", jd_strerror(error));
    uint64_t got = receive_word(me, j.results);
    if (jd_channel_receive(me, j.b, left, JD_NOW))
        *left = 0;
    if (end != DESTROY_A)
        must(me, jd_channel_destroy(me, j.a));
    if (end != DESTROY_E)
        must(me, jd_event_destroy(me, j.e));
    must(me, jd_channel_destroy(me, j.b));
    must(me, jd_channel_destroy(me, j.begun));
    must(me, jd_channel_destroy(me, j.results));
    return got;
}

static void test_waits(jd_self *me)
{
    uint64_t left, got = ended_by(me, SEND_A, true, &left);
    ok_all(me, got == result(0, 0, 7, UNTOUCHED) && left == 1,
           "one of two cases of the same channel gets the item");
    got = ended_by(me, RECEIVE_B, true, &left);
    ok_all(me, got == result(2, 0, UNTOUCHED, UNTOUCHED) && left == 3,
           "a case that sends is carried out when there is room");
    got = ended_by(me, SIGNAL, true, &left);
    ok_all(me, got == result(3, 0, UNTOUCHED, UNTOUCHED) && left == 1,
           "one for an event when that is set");
    got = ended_by(me, CLOSE_A, false, &left);
    ok_all(me, got == result(0, JD_ECLOSED, UNTOUCHED, UNTOUCHED) && left == 1,
           "a channel that is closed ends it");
    /* On several workers the channel or event may be gone before the select begins. */
    uint64_t gone = result(JD_EINVAL, 0, UNTOUCHED, UNTOUCHED);
    got = ended_by(me, DESTROY_A, true, &left);
    ok_all(me,
           (got == result(0, JD_ECLOSED, UNTOUCHED, UNTOUCHED) || got == gone) &&
               left == 1,
           "so does one that is destroyed");
    got = ended_by(me, DESTROY_E, true, &left);
    ok_all(me,
           (got == result(3, JD_ECLOSED, UNTOUCHED, UNTOUCHED) || got == gone) &&
               left == 1,
           "and an event");
    got = ended_by(me, CANCEL_IT, true, &left);
    ok_all(me, got == result(JD_ECANCELED, 0, UNTOUCHED, UNTOUCHED) && left == 1,
           "a cancelled finish ends it, and nothing was done");
}

/* ---- selects that meet ---------------------------------------------------------------- */

/* Sends to `a` and receives from `b` where the other one does the opposite; until both are done. */
static void meeter(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t sent = 0, received = 0, sum = 0, word = 0;
    while (sent < j.n || received < j.n) {
        uint64_t out = sent;
        jd_case c[] = {jd_case_send(j.a, &out), jd_case_receive(j.b, &word)};
        c[0].kind = sent < j.n ? JD_CASE_SEND : JD_CASE_OFF;
        c[1].kind = received < j.n ? JD_CASE_RECEIVE : JD_CASE_OFF;
        int at = jd_select(me, c, 2, 0, JD_FOREVER);
        must(me, at);
        must(me, c[at].error);
        sent += at == 0;
        received += at == 1;
        sum += at == 1 ? word : 0;
    }
    send_word(me, j.results, sum);
}

static const jd_task_def tasks[] = {
    [SELECTOR] = JD_TASK(selector), [MEETER] = JD_TASK(meeter), JD_TASK_END};

static void test_meet(jd_self *me, uint64_t n)
{
    struct job j = {.a = new_channel(me, 8, 0),
                    .b = new_channel(me, 8, 0),
                    .results = new_channel(me, 8, 2),
                    .n = n};
    jd_channel a = j.a;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, MEETER, &j, sizeof j));
    j.a = j.b;
    j.b = a;
    must(me, jd_async_local(me, MEETER, &j, sizeof j));
    must(me, jd_finish_end(me, &s));
    uint64_t sum = receive_word(me, j.results) + receive_word(me, j.results);
    ok_all(me, sum == n * (n - 1),
           "two selects that meet without capacity hand over all");
    must(me, jd_channel_destroy(me, j.a));
    must(me, jd_channel_destroy(me, j.b));
    must(me, jd_channel_destroy(me, j.results));
}

static void test_many(jd_self *me)
{
    static const int some[] = {0, 1, 511, 512, MANY - 1};
    jd_case *c = malloc(MANY * sizeof *c);
    jd_channel *channel = malloc(MANY * sizeof *channel);
    uint64_t word = 0;
    bool right = c && channel;
    for (int i = 0; right && i < MANY; i++) {
        channel[i] = new_channel(me, 8, 1);
        c[i] = jd_case_receive(channel[i], &word);
    }
    for (size_t k = 0; right && k < sizeof some / sizeof *some; k++) {
        int i = some[k];
        send_word(me, channel[i], (uint64_t)i);
        right = jd_select(me, c, MANY, 0, JD_FOREVER) == i && word == (uint64_t)i &&
                jd_select(me, c, MANY, 0, jd_deadline(me, 1000)) == JD_ETIMEDOUT;
    }
    ok_all(me, right, "a thousand cases, of which one is ready");
    for (int i = 0; i < MANY; i++)
        must(me, jd_channel_destroy(me, channel[i]));
    free(channel);
    free(c);
}

static int body(jd_self *me, int argc, char **argv)
{
    test_ready(me);
    test_closed(me);
    test_refusals(me);
    test_deadlines(me);
    test_waits(me);
    test_meet(me, argc > 1 ? (uint64_t)atol(argv[1]) : 100);
    test_many(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
