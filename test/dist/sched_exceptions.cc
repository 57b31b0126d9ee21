/*
 * sched_exceptions.cc
 *
 * Role: tasks of C++ that wait while they handle an exception, or while one unwinds their stack,
 *       go on with their own.  "leave": a task that lets one out, as a body does with "leave-body".
 * Owner: the body; a count of what was wrong belongs to the rank, whose workers add to it.
 * See: test/dist/sched_exceptions.sh; core/ult/own.h.
 */
#include "jackdaw.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace
{

enum { RETHROW, UNWIND, NEST, WAIT, LEAVE };
enum { TASKS = 100, WAITS = 5 };

struct rank_state {
    std::atomic<unsigned> wrong{0}, ran{0};
};

rank_state &state_of(jd_self *me)
{
    return *static_cast<rank_state *>(jd_coll_local(jd_coll_mine(me)));
}

void note(jd_self *me, bool right)
{
    state_of(me).wrong += !right;
}

void demand(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 10, "answered: %s", jd_strerror(error));
}

void publish(jd_self *me, void *)
{
    jd_resume(nullptr, me);
}

/* In every way by which a task of one rank gives its worker away. */
void wait_a_while(jd_self *me)
{
    int value = 0;
    jd_future f;
    for (int k = 0; k < WAITS; k++)
        jd_yield(me);
    jd_suspend(me, publish, nullptr);
    demand(me, jd_future_create(me, &f));
    demand(me, jd_future_set(me, f, &value, sizeof value));
    demand(me, jd_future_get(me, f, &value, sizeof value));
    demand(me, jd_future_destroy(me, f));
}

void rethrow(jd_self *me, void *arg)
{
    const int id = *static_cast<int *>(arg);
    note(me, !std::current_exception());
    try {
        try {
            throw id;
        } catch (int i) {
            for (int k = 0; k < WAITS; k++)
                jd_yield(me);
            note(me, i == id);
            throw;
        }
    } catch (int j) {
        wait_a_while(me);
        note(me, j == id && std::uncaught_exceptions() == 0);
    }
    note(me, !std::current_exception());
    state_of(me).ran++;
}

/* Waits while an exception is on its way through its frame. */
struct waiter {
    jd_self *me;
    ~waiter()
    {
        jd_scope s;
        int none = 0;
        note(me, std::uncaught_exceptions() == 1);
        demand(me, jd_finish_begin(me, &s));
        demand(me, jd_async_local(me, WAIT, &none, sizeof none));
        demand(me, jd_finish_end(me, &s));
        wait_a_while(me);
        note(me, std::uncaught_exceptions() == 1);
    }
};

void unwind(jd_self *me, void *arg)
{
    const std::string name = "task " + std::to_string(*static_cast<int *>(arg));
    try {
        waiter w{me};
        throw std::runtime_error(name);
    } catch (const std::exception &e) {
        note(me, e.what() == name);
    }
    note(me, std::uncaught_exceptions() == 0);
    state_of(me).ran++;
}

/* Handles one exception inside the handler of another, and waits for tasks that handle theirs. */
void nest(jd_self *me, void *arg)
{
    const int id = *static_cast<int *>(arg);
    try {
        throw id;
    } catch (int) {
        jd_scope s;
        demand(me, jd_finish_begin(me, &s));
        for (int i = 0; i < 2; i++)
            demand(me, jd_async_local(me, WAIT, &id, sizeof id));
        try {
            throw std::to_string(id);
        } catch (const std::string &text) {
            demand(me, jd_finish_end(me, &s));
            note(me, text == std::to_string(id));
        }
        try {
            wait_a_while(me);
            throw;
        } catch (int j) {
            note(me, j == id);
        }
    }
    note(me, !std::current_exception());
    state_of(me).ran++;
}

/* A task of a finish, which has no collection.  It may run on the stack of the task that waits for
 * it inside a handler. */
void wait_inside(jd_self *me, void *arg)
{
    const int id = *static_cast<int *>(arg);
    if (std::current_exception() || std::uncaught_exceptions())
        jd_abort(me, 12, "task %d begins with an exception of another one", id);
    try {
        throw -id;
    } catch (int) {
        wait_a_while(me);
        try {
            throw;
        } catch (int j) {
            if (j != -id)
                jd_abort(me, 11, "task %d has the exception of another one", id);
        }
    }
}

[[noreturn]] void leave(jd_self *, void *)
{
    throw std::runtime_error("nobody catches this");
}

const jd_task_def tasks[] = {JD_TASK(rethrow),     JD_TASK(unwind), JD_TASK(nest),
                             JD_TASK(wait_inside), JD_TASK(leave),  JD_TASK_END};

int body(jd_self *me, int argc, char **argv)
{
    const std::string way = argc > 1 ? argv[1] : "";
    rank_state here;
    jd_coll_props props{};
    jd_coll *c = nullptr;
    unsigned added = 0;
    props.local = &here;
    demand(me, jd_coll_create(me, &props, &c));
    if (way == "leave-body" && jd_rank(me) == jd_nranks(me) - 1)
        leave(me, nullptr);
    for (int i = 1; i <= TASKS; i++)
        for (jd_task t : {RETHROW, UNWIND, NEST}) {
            demand(me, jd_coll_add(me, c, t, &i, sizeof i));
            added++;
        }
    if (way == "leave" && jd_rank(me) == 0)
        demand(me, jd_coll_add(me, c, LEAVE, nullptr, 0));
    try {
        throw way;
    } catch (const std::string &) {
        demand(me, jd_coll_process(me, c));
        try {
            throw;
        } catch (const std::string &same) {
            here.wrong += same != way;
        }
    }
    uint64_t sum[] = {here.ran, here.wrong, added};
    demand(me, jd_allreduce_u64(me, sum, 3, JD_SUM));
    demand(me, jd_coll_destroy(me, c));
    if (jd_rank(me) == 0 && (sum[0] != sum[2] || sum[1]))
        std::fprintf(stderr, "%lu of %lu tasks, %lu wrong\n", (unsigned long)sum[0],
                     (unsigned long)sum[2], (unsigned long)sum[1]);
    return sum[0] != sum[2] || sum[1];
}

} // namespace

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
