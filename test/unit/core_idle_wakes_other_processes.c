/*
 * core_idle_wakes_other_processes.c
 *
 * Role: two processes that share an eventcount wake each other in turn, and neither loses a wake-up.
 * Owner: the parent and its child, one thread each.
 * Invariants: I1 of core/idle.h, for an eventcount in shared memory.
 * See: core/idle.c.
 */
#include "core/idle.h"
#include "core/time.h"
#include "test/kit/tap.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 20000 };
#define PATIENT UINT64_C(5000000000)

struct side {
    struct jdi_idle idle;
    _Atomic uint32_t balls; /* that have come to this side; writer: the other side */
};

/* Returns how often the wait came to its time-out: a wake-up was lost. */
static unsigned play(struct side *mine, struct side *other, bool first)
{
    unsigned lost = 0;
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        if (first || turn > 1) {
            atomic_store_explicit(&other->balls, turn - !first, memory_order_relaxed);
            jdi_idle_wake(&other->idle);
        }
        while (atomic_load_explicit(&mine->balls, memory_order_relaxed) < turn) {
            uint64_t since = jdi_time_ns();
            uint32_t key = jdi_idle_prepare(&mine->idle);
            if (atomic_load_explicit(&mine->balls, memory_order_relaxed) < turn)
                jdi_idle_wait(&mine->idle, key, PATIENT);
            else
                jdi_idle_cancel(&mine->idle);
            lost += jdi_time_ns() - since >= PATIENT;
        }
    }
    if (!first) {
        atomic_store_explicit(&other->balls, TURNS, memory_order_relaxed);
        jdi_idle_wake(&other->idle);
    }
    return lost;
}

int main(void)
{
    struct side *side = mmap(NULL, 2 * sizeof *side, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = -1;
    if (side == MAP_FAILED)
        bail_out("no shared memory");
    for (int i = 0; i < 2; i++) {
        jdi_idle_init_shared(&side[i].idle);
        atomic_init(&side[i].balls, 0);
    }
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(play(&side[1], &side[0], false) != 0);
    }
    unsigned lost = play(&side[0], &side[1], true);
    ok(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status),
       "the child has lost no wake-up in %d turns", TURNS);
    is_u64(lost, 0, "nor has the parent");
    return done_testing();
}
