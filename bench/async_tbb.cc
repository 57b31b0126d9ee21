/*
 * async_tbb.cc - the side of oneTBB; built if configure has found it and a C++ compiler.
 *
 * Role: tasks of a task_group, run by one thread.
 * Owner: as bench/async.h.
 * Invariants: I1 of bench/async.h: an arena with one slot, and no workers.
 * See: bench/README.md.
 */
#include "bench/async.h"

#include <cstdlib>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace oneapi::tbb;

namespace
{

struct everything {
    global_control one{global_control::max_allowed_parallelism, 1};
    task_arena arena{1};
};
everything *all;

int open_tbb()
{
    all = new everything;
    return 0;
}

void close_tbb()
{
    delete all;
}

double flat()
{
    double ns = 0;
    all->arena.execute([&] {
        task_group group;
        double start = bench_now();
        for (int i = 0; i < BENCH_BATCHES; i++) {
            for (int k = 0; k < BENCH_BATCH; k++)
                group.run([] {});
            group.wait();
        }
        ns = bench_now() - start;
    });
    return ns / BENCH_BATCH / BENCH_BATCHES;
}

void tree(task_group &group, unsigned depth)
{
    if (!depth--)
        return;
    group.run([&group, depth] { tree(group, depth); });
    group.run([&group, depth] { tree(group, depth); });
}

double in_tree()
{
    double ns = 0;
    all->arena.execute([&] {
        task_group group;
        double start = bench_now();
        group.run([&] { tree(group, BENCH_DEPTH); });
        group.wait();
        ns = bench_now() - start;
    });
    return ns / BENCH_NODES;
}

unsigned long fib(unsigned n)
{
    if (n < 2)
        return n;
    unsigned long a, b;
    task_group group;
    group.run([&] { a = fib(n - 1); });
    group.run([&] { b = fib(n - 2); });
    group.wait();
    return a + b;
}

double wait_each()
{
    double ns = 0;
    unsigned long sum = 0;
    all->arena.execute([&] {
        double start = bench_now();
        sum = fib(BENCH_FIB);
        ns = bench_now() - start;
    });
    if (sum != BENCH_FIB_IS)
        std::abort();
    return ns / BENCH_FIB_CALLS;
}

const bench_row rows[] = {
    {"oneTBB task_group, batches of 1000", flat},
    {"oneTBB task_group, binary tree", in_tree},
    {"oneTBB fib, task_group in every call", wait_each},
    {nullptr, nullptr},
};

} // namespace

const bench_side bench_tbb = {open_tbb, close_tbb, rows};
