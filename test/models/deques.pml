/*
 * deques.pml - the many deques of a worker: sched/deques.c.
 *
 * Role: WORKERS workers and ULTS tasks, each of which waits TURNS times; a thread that wakes whatever
 *       was published.  A worker's lock is real; looks without a lock are steps of their own.
 * Invariants: nobody is at a deque together with somebody else; a ULT is taken once for each time that
 *             it was woken, and what is ready lies in a deque that has a worker; a deque that goes back
 *             to the pool has nothing; all end.
 * See: sched/deques.h; doc/deques.md; test/models/run.sh.
 *
 * Wrong variants (one at a time); the first two are those of the paper's pseudo-code:
 *   LATE_COUNT   the ULT is published before it is counted in its deque
 *   LOWER_FIRST  the callback lowers the counter before the ULT is in the bag
 *   NO_SETTLE    a thief that empties a deque nobody waits for leaves it where it is
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ULTS
#define ULTS 2
#endif
#ifndef TURNS
#define TURNS 2
#endif
#ifndef THIEVES
#define THIEVES WORKERS
#endif
#define LANES (ULTS + WORKERS)
#define NOBODY 255

byte owner[LANES];     /* worker + 1; 0: free */
byte suspended[LANES];
byte inside[LANES];    /* ULTs in its bag */
byte at[ULTS];         /* in whose bag a ready ULT lies: lane + 1 */
byte lane[ULTS];       /* from which it was suspended: lane + 1 */
byte turns[ULTS];
byte current[WORKERS];  /* lane + 1; 0: none */
bit locked[WORKERS], published[ULTS];
byte busy[LANES];      /* ghost: how many are at it */
byte nready, begun, done;

inline lock(w) { atomic { !locked[w] -> locked[w] = 1 } }
/* Local variables are forgotten, for fewer states. */
inline unlock(w) { d_step { locked[w] = 0; l = 0; b = 0; v = 0 } }
inline enter(l) { d_step { busy[l]++; assert(busy[l] == 1) } }
inline leave(l) { busy[l]-- }

/* Under the lock of its worker: leave a deque that is not active.  It may go back to the pool. */
inline settle(l)
{
    if
    :: !suspended[l] && !inside[l] -> d_step { busy[l]--; owner[l] = 0 }
    :: else -> leave(l)
    fi
}

inline set_aside(w)
{
    if
    :: current[w] ->
        b = current[w] - 1;
        current[w] = 0;
        enter(b);
        settle(b)
    :: else
    fi
}

inline take(l)
{
    d_step {
        cur = 0;
        do
        :: at[cur] != l + 1 -> cur++
        :: else -> break
        od;
        at[cur] = 0;
        inside[l]--;
        nready--
    }
}

/* Any deque of w that is ready; LANES: none. */
inline find_ready(w)
{
    d_step {
        l = 0;
        do
        :: l < LANES && !(owner[l] == w + 1 && inside[l]) -> l++
        :: else -> break
        od
    }
}

inline suspend(w)
{
    lock(w);
    if
    :: !current[w] ->
        /* The pool's lock is held for this step only, as it is where a deque goes back. */
        d_step {
            b = 0;
            do
            :: owner[b] -> b++
            :: else -> break
            od;
            assert(!suspended[b] && !inside[b]);
            owner[b] = w + 1
        }
        current[w] = b + 1
    :: else
    fi;
    b = current[w] - 1;
    lane[cur] = b + 1;
#ifndef LATE_COUNT
    enter(b);
    suspended[b]++;
    leave(b);
#endif
    unlock(w);
    published[cur] = 1;
#ifdef LATE_COUNT
    lock(w);
    suspended[current[w] - 1]++;
    unlock(w);
#endif
    cur = NOBODY
}

active [WORKERS] proctype worker()
{
    byte w = _pid, cur = NOBODY, b, l, v;
    do
    :: cur == NOBODY && begun < ULTS -> atomic {
            if
            :: begun < ULTS -> cur = begun; begun++ /* a task from a shelf */
            :: else
            fi
        }
    :: cur != NOBODY && turns[cur] == TURNS -> done++; cur = NOBODY
    :: cur != NOBODY && turns[cur] < TURNS -> turns[cur]++; suspend(w)
    :: cur == NOBODY && nready -> /* pop and change */
        lock(w);
        find_ready(w);
        if
        :: l < LANES && current[w] != l + 1 ->
            set_aside(w);
            current[w] = l + 1
        :: else
        fi;
        if
        :: l < LANES -> enter(l); take(l); leave(l)
        :: else
        fi;
        unlock(w)
    :: cur == NOBODY && nready && w < THIEVES -> /* steal, from whichever deque */
        lock(w);
        if
        :: current[w] && (suspended[current[w] - 1] || inside[current[w] - 1]) -> set_aside(w)
        :: else
        fi;
        unlock(w);
        atomic {
            l = 0;
            do
            :: l < LANES - 1 -> l++
            :: break
            od;
            v = owner[l]
        }
        if
        :: v && v != w + 1 && inside[l] ->
            v--;
            lock(v);
            if
            :: owner[l] == v + 1 && inside[l] ->
                enter(l);
                take(l);
#ifndef NO_SETTLE
                if
                :: current[v] != l + 1 -> settle(l)
                :: else -> leave(l)
                fi
#else
                leave(l)
#endif
            :: else
            fi;
            atomic { b = v; unlock(b) }
        :: else -> l = 0; v = 0
        fi
    :: cur == NOBODY && done == ULTS -> break
    od
}

active proctype waker()
{
    byte u, l, w, b, v;
again:
    if
    :: done == ULTS -> goto over
    :: atomic { published[0] -> published[0] = 0; u = 0 }
#if ULTS > 1
    :: atomic { published[1] -> published[1] = 0; u = 1 }
#endif
#if ULTS > 2
    :: atomic { published[2] -> published[2] = 0; u = 2 }
#endif
    fi;
    l = lane[u] - 1;
    assert(owner[l]);
    w = owner[l] - 1;
    lock(w);
    enter(l);
    assert(suspended[l]);
    suspended[l]--;
#ifdef LOWER_FIRST
    leave(l);
    unlock(w); /* as if there were no lock */
    lock(w);
    enter(l);
#endif
    assert(owner[l] == w + 1);
    d_step { at[u] = l + 1; inside[l]++; nready++ }
    leave(l);
    unlock(w);
    goto again;
over:
    skip;
    d_step { /* what is left over is empty, and belongs to somebody */
        l = 0;
        do
        :: l == LANES -> break
        :: l < LANES ->
            assert(!inside[l] && !suspended[l]);
            assert(!owner[l] || current[owner[l] - 1] == l + 1);
            l++
        od
    }
}
