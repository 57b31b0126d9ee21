/*
 * idle.pml - the idle test of a rank: jdi_coll_idle in sched/coll.c.
 *
 * Role: WORKERS workers with a lane each (in: tasks made, out: tasks over) and the
 *       communication thread, which has the last lane; no lock, no atomic update, every load
 *       and store is a step of its own.  The thread reads all out, then all in.
 * Invariants: idle says true only if no task exists: queued, running or suspended.
 * See: doc/termination.md rule R3; test/models/run.sh.
 *
 * Wrong variants (one at a time):
 *   IN_FIRST     in is read before out
 *   LANE_BY_LANE in and out of one lane, then of the next
 *   LATE_IN      a task can be taken before it is counted in
 *   EARLY_OUT    a task is counted out before its last child is counted in
 *   QUEUES_ONLY  idle is "no deque has a task"
 */
#define WORKERS 2
#ifndef TASKS
#define TASKS 4 /* that tasks make, besides the seed and one import */
#endif

byte in[WORKERS + 1], out[WORKERS + 1];
byte queued, suspended;
byte exist;          /* ghost */
byte budget = TASKS, imports = 1;
bit  over;

/* The store of the counter and the ghost are one step; the push is another. */
inline new_task(w)
{
    atomic { budget > 0 -> budget-- };
#ifdef LATE_IN
    d_step { queued++; exist++ };
    in[w]++
#else
    d_step { in[w]++; exist++ };
    queued++
#endif
}

inline run_task(w)
{
    do :: new_task(w) :: break od;
#ifdef EARLY_OUT
    out[w]++;
    if :: new_task(w) :: skip fi;
    exist--
#else
    if :: suspended++; atomic { suspended > 0 -> suspended-- } :: skip fi;
    d_step { exist--; out[w]++ }
#endif
}

proctype worker(byte w)
{
    do
    :: atomic { queued > 0 -> queued-- }; run_task(w)
    :: over -> break
    od
}

proctype communication()
{
    byte i, o;
    do
    :: imports > 0 -> imports--; d_step { in[WORKERS]++; exist++ }; queued++
    :: atomic { queued > 0 -> queued-- }; d_step { exist--; out[WORKERS]++ }
    :: i = 0; o = 0;
#if defined(QUEUES_ONLY)
       o = queued;
#elif defined(IN_FIRST)
       i = in[0]; i = i + in[1]; i = i + in[2];
       o = out[0]; o = o + out[1]; o = o + out[2];
#elif defined(LANE_BY_LANE)
       o = out[0]; i = in[0]; o = o + out[1]; i = i + in[1]; o = o + out[2]; i = i + in[2];
#else
       o = out[0]; o = o + out[1]; o = o + out[2];
       i = in[0]; i = i + in[1]; i = i + in[2];
#endif
       if :: i == o -> assert(exist == 0) :: else fi;
       i = 0; o = 0
    :: budget == 0 && imports == 0 && exist == 0 -> over = 1; break
    od
}

init
{
    atomic {
        queued = 1; exist = 1; in[0] = 1; /* the seed */
        run worker(0); run worker(1); run communication()
    }
}
