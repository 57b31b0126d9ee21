/*
 * sched_fds_are_used_again_at_once.c
 *
 * Role: a torture by seed: players make pairs of sockets, wait for them with deadlines of every kind while other
 *       tasks write or forget, and close them; so numbers are used again at once, also by other ranks of the
 *       process.  No wait is forgotten, and none is ended by what has happened to an earlier file of its
 *       number.  Arguments: how many rounds a player, the first seed.
 * Owner: a pair belongs to its player; helpers end before their round does.
 * See: doc/waiting.md "Descriptors".
 */
#include "core/random.h"
#include "test/dist/sched_fds_kit.h"

#include <fcntl.h>

enum { PLAYER, WRITE, FORGET };
enum { PLAYERS = 4, SOON_NS = 30000, KINDS = 5 };

static _Atomic uint64_t told, timed_out, closed; /* on all ranks of the process */

struct order {
    int fd, yields;
    unsigned char byte;
    _Atomic uint64_t *written; /* the player's */
    _Atomic bool *done;
};

static void write_task(jd_self *me, void *arg)
{
    const struct order o = *(struct order *)arg;
    for (int i = 0; i < o.yields; i++)
        jd_yield(me);
    if (!put_byte(o.fd, o.byte))
        jd_abort(me, 99, "a byte was not written");
    atomic_fetch_add(o.written, 1);
}

/* Until the player has seen it, because it may not have waited yet. */
static void forget_task(jd_self *me, void *arg)
{
    const struct order o = *(struct order *)arg;
    while (!atomic_load(o.done)) {
        must(me, jd_fd_forget(me, o.fd));
        jd_yield(me);
    }
}

struct player {
    jd_self *me;
    uint64_t rng;
    int fd[2];
    unsigned char byte; /* the next */
    uint64_t asked;     /* bytes that others shall write */
    _Atomic uint64_t written;
};

static void expect(const struct player *p, int got, int want, const char *what)
{
    _Atomic uint64_t *word = want == JD_IN          ? &told
                             : want == JD_ETIMEDOUT ? &timed_out
                                                    : &closed;
    if (got != want)
        jd_abort(p->me, 99, "%s: %d, and not %d", what, got, want);
    atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

static jd_time soon(struct player *p)
{
    return jd_deadline(p->me, jdi_random_below(&p->rng, SOON_NS));
}

static void write_later(struct player *p, int fd)
{
    struct order o = {.fd = fd,
                      .yields = (int)jdi_random_below(&p->rng, 4),
                      .byte = p->byte,
                      .written = &p->written};
    p->asked++;
    must(p->me, jd_async_local(p->me, WRITE, &o, sizeof o));
}

/* The kernel hands a byte over before the call that has written it returns. */
static void close_written(struct player *p, int fd)
{
    while (atomic_load(&p->written) < p->asked)
        jd_yield(p->me);
    close(fd);
}

/* The byte has come, or will come. */
static void read_it(struct player *p)
{
    expect(p, jd_wait_fd(p->me, p->fd[0], JD_IN, JD_FOREVER), JD_IN, "a byte");
    if (take_byte(p->fd[0]) != p->byte)
        jd_abort(p->me, 99, "another byte, or none");
    p->byte++;
}

static void race_a_deadline(struct player *p)
{
    write_later(p, p->fd[1]);
    int result = jd_wait_fd(p->me, p->fd[0], JD_IN, soon(p));
    expect(p, result, result == JD_IN ? JD_IN : JD_ETIMEDOUT, "a deadline and a byte");
    read_it(p);
}

static void be_forgotten(struct player *p)
{
    _Atomic bool done = false;
    jd_scope s;
    struct order o = {.fd = p->fd[0], .done = &done};
    must(p->me, jd_finish_begin(p->me, &s));
    must(p->me, jd_async_local(p->me, FORGET, &o, sizeof o));
    expect(p, jd_wait_fd(p->me, p->fd[0], JD_IN, JD_FOREVER), JD_ECLOSED, "forgotten");
    atomic_store(&done, true);
    must(p->me, jd_finish_end(p->me, &s));
}

/* Its file stays in epoll's set, armed, because a copy is open; then a byte comes for the copy. */
static void leave_a_copy(struct player *p)
{
    expect(p, jd_wait_fd(p->me, p->fd[0], JD_IN, soon(p)), JD_ETIMEDOUT, "nothing");
    int copy = fcntl(p->fd[0], F_DUPFD_CLOEXEC, 0), other = p->fd[1];
    close(p->fd[0]);
    new_pair(p->me, p->fd);
    if (jdi_random_below(&p->rng, 2))
        write_later(p, other);
    else if (!put_byte(other, 0))
        jd_abort(p->me, 99, "a byte was not written to a copy");
    expect(p, jd_wait_fd(p->me, p->fd[0], JD_IN, soon(p)), JD_ETIMEDOUT,
           "a byte for the file before");
    write_later(p, p->fd[1]);
    read_it(p);
    expect(p, jd_wait_fd(p->me, copy, JD_IN, JD_FOREVER), JD_IN, "the copy");
    must(p->me, jd_fd_forget(p->me, copy));
    close(copy);
    close_written(p, other);
}

static void play_round(struct player *p)
{
    new_pair(p->me, p->fd);
    switch (jdi_random_below(&p->rng, KINDS)) {
    case 0:
        if (!put_byte(p->fd[1], p->byte))
            jd_abort(p->me, 99, "a byte was not written at once");
        break;
    case 1:
        write_later(p, p->fd[1]);
        break;
    case 2:
        race_a_deadline(p);
        write_later(p, p->fd[1]);
        break;
    case 3:
        be_forgotten(p);
        write_later(p, p->fd[1]);
        break;
    default:
        leave_a_copy(p);
        write_later(p, p->fd[1]);
    }
    read_it(p);
    if (jdi_random_below(&p->rng, 2)) /* nobody waits, so it need not be said */
        must(p->me, jd_fd_forget(p->me, p->fd[0]));
    close(p->fd[0]);
    close_written(p, p->fd[1]);
}

struct game {
    uint64_t rounds, seed;
};

static void player(jd_self *me, void *arg)
{
    const struct game g = *(struct game *)arg;
    struct player p = {.me = me, .rng = g.seed};
    for (uint64_t i = 0; i < g.rounds; i++)
        play_round(&p);
}

static const jd_task_def tasks[] = {[PLAYER] = JD_TASK(player),
                                    [WRITE] = JD_TASK(write_task),
                                    [FORGET] = JD_TASK(forget_task),
                                    JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    struct game g = {.rounds = argc > 1 ? (uint64_t)atol(argv[1]) : 500};
    uint64_t seed = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < PLAYERS; i++) {
        g.seed = ((seed * jd_nranks(me) + jd_rank(me)) * PLAYERS + i + 1) *
                 UINT64_C(0x9E3779B97F4A7C15);
        must(me, jd_async_local(me, PLAYER, &g, sizeof g));
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, true, "each of %llu rounds ends as it should",
           (unsigned long long)g.rounds * PLAYERS * jd_nranks(me));
    ok_all(me, atomic_load(&told) && atomic_load(&timed_out) && atomic_load(&closed),
           "bytes, deadlines and descriptors that were forgotten have ended waits");
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
