/*
 * wake.pml - how sleeping workers are woken: jdi_rest_sleep, jdi_rank_wake_one and pass_call
 *            in sched/worker.c.
 *
 * Role: WORKERS workers that sleep; OPENERS others that are busy, open tasks in lanes of their
 *       own, and may take them back; MAILS times a ULT (jd_resume) or a letter of a hand
 *       (jdi_hand_post) comes for one of the sleepers, and the letter may bring a private task.
 *       Every load, store and exchange is a step of its own.  A wake of an eventcount is one
 *       step, because I1 and I3 of core/idle.h hold.
 *       With ONCE a smaller world, for three workers: they sleep at the beginning and go off for
 *       ever, a mail is a letter for the first of them, and tasks are not taken back.
 * Invariants: when nothing moves any more, nobody sleeps beside an open task, and nobody sleeps
 *             over a letter of its own.  A worker that has found something to run may be busy
 *             with it for ever: it does not count as somebody who will look.
 * See: ARCHITECTURE.md "Waiting"; test/models/run.sh.
 *
 * Wrong variants (one at a time):
 *   ONE_LOOK      a worker whose `asleep` is taken before it is `waiting` sleeps all the same
 *   KEPT_CALL     a called worker goes off with something else and tells nobody
 *   KEPT_BY_ULT, KEPT_BY_OWN, KEPT_BY_TAKE   it tells in all cases but this one
 *   PLAIN_LEAVE   `asleep` is read and then stored when a worker leaves its sleep
 *   LOOK_BEFORE   the last look for work comes before the announcement
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef OPENERS
#define OPENERS 1
#endif
#ifndef OPENINGS
#define OPENINGS 2 /* of each opener */
#endif
#ifndef AMOUNT
#define AMOUNT 1 /* tasks of an opening */
#endif
#ifndef MAILS
#define MAILS 1
#endif

byte open[OPENERS];
byte own[WORKERS];     /* private tasks */
bit  ready[WORKERS];   /* a ULT in the mailbox */
bit  letter[WORKERS];  /* of the hand */
byte sleeping;
bit  asleep[WORKERS], waiting[WORKERS];
bit  sleeps[WORKERS];  /* ghost: in the futex */

inline idle_wake(v)
{
    d_step { waiting[v] = 0 }
}

inline wake_one(k)
{
    if
    :: sleeping == 0
    :: else ->
       k = 0;
       do
       :: k == WORKERS -> break
       :: k < WORKERS ->
          if
          :: atomic { asleep[k] -> asleep[k] = 0 }; idle_wake(k); break
          :: atomic { else -> k++ }
          fi
       od
    fi;
    k = 0
}

/* Each lane is looked at by itself; `found` ends as 1 if one was open. */
inline look_at_lanes(k, found)
{
    found = 0; k = 0;
    do
    :: atomic { k < OPENERS && open[k] > 0 -> found = 1; break }
    :: atomic { k < OPENERS && open[k] == 0 -> k++ }
    :: k == OPENERS -> break
    od;
    k = 0
}

inline pass_call(k, found)
{
    if
    :: called ->
       called = 0;
#ifndef KEPT_CALL
       look_at_lanes(k, found);
       if :: found -> wake_one(k) :: else fi
#endif
    :: else
    fi;
    found = 0
}

#define LANE ((first + k) % OPENERS)

proctype worker(byte w)
{
    bit called, found;
    byte k, first;
#ifdef ONCE
    goto end_asleep;
#endif
again:
    if :: letter[w] -> letter[w] = 0; if :: own[w]++ :: skip fi :: else fi;
    if
    :: ready[w] ->
       ready[w] = 0;
#ifndef KEPT_BY_ULT
       pass_call(k, found);
#endif
       goto busy
    :: else
    fi;
    if
    :: own[w] > 0 ->
#ifndef KEPT_BY_OWN
       pass_call(k, found);
#endif
       own[w]--;
       goto busy
    :: else
    fi;
    /* steal_local, from any lane on.  A claim is one step, because of the lock. */
    atomic { k = 0; found = 0; select(first : 0 .. OPENERS - 1) };
    do
    :: atomic { k < OPENERS && open[LANE] > 0 ->
           open[LANE] = open[LANE] / 2; found = open[LANE] > 0; k = 0; first = 0 };
       if :: found -> called = 0; wake_one(k) :: else fi;
#ifndef KEPT_BY_TAKE
       pass_call(k, found);
#endif
       goto busy
    :: atomic { k < OPENERS && open[LANE] == 0 -> k++ }
    :: atomic { k == OPENERS -> k = 0; first = 0; break }
    od;
    called = 0;
    if :: ready[w] -> goto again :: else fi;

    /* jdi_rest_sleep */
#ifdef LOOK_BEFORE
    look_at_lanes(k, found);
    if :: ready[w] || letter[w] || found -> found = 0; goto again :: else fi;
#endif
    sleeping++;
    asleep[w] = 1;
    waiting[w] = 1;
#ifndef LOOK_BEFORE
    if
    :: ready[w] || letter[w] -> goto cancel
    :: else
    fi;
    look_at_lanes(k, found);
    if
    :: found -> goto cancel
    :: else
    fi;
#endif
#ifndef ONE_LOOK
    if :: !asleep[w] -> goto cancel :: else fi;
#endif
    sleeps[w] = 1;
end_asleep:
    atomic { !waiting[w] -> sleeps[w] = 0 };
    goto leave;
cancel:
    waiting[w] = 0;
leave:
    found = 0;
#ifdef PLAIN_LEAVE
    if :: !asleep[w] -> called = 1 :: else fi;
    asleep[w] = 0;
#else
    atomic { if :: !asleep[w] -> called = 1 :: else fi; asleep[w] = 0 };
#endif
    sleeping--;
    goto again;
busy:
    /* For ever, or until it is over. */
#ifndef ONCE
    if :: goto again :: skip fi
#else
    skip
#endif
}

/* A busy worker: its lane is `l`.  It takes back half of what is open, or lets it lie. */
proctype opener(byte l)
{
    byte k, n = OPENINGS;
    do
    :: n > 0 ->
       n--;
       if
       :: open[l] == 0 -> open[l] = AMOUNT; wake_one(k)
       :: else
       fi;
#ifndef ONCE
       if :: d_step { open[l] = open[l] / 2 } :: skip fi
#endif
    :: n == 0 -> break
    od
}

/* jdi_unblock: the first ULT for a worker that sleeps calls it, a further one somebody else. */
inline resume(v, k)
{
    ready[v] = 1;
    if
    :: atomic { asleep[v] -> asleep[v] = 0 }; idle_wake(v)
    :: atomic { else -> skip }; idle_wake(v); wake_one(k)
    fi
}

proctype sender()
{
    byte v, k, n = MAILS;
    do
    :: n > 0 ->
       n--;
#ifdef ONCE
       letter[v] = 1; idle_wake(v)
#else
       select(v : 0 .. WORKERS - 1);
       if
       :: resume(v, k)
       :: letter[v] = 1; idle_wake(v)
       fi
#endif
    :: n == 0 -> break
    od
}

proctype judge()
{
    byte i, l;
end:
    atomic {
        timeout ->
        for (i : 0 .. WORKERS - 1) {
            assert(!(sleeps[i] && (ready[i] || letter[i])));
            for (l : 0 .. OPENERS - 1) {
                assert(!(sleeps[i] && open[l] > 0))
            }
        }
    }
}

init
{
    byte i;
    atomic {
        for (i : 0 .. WORKERS - 1) {
#ifdef ONCE
            sleeping++; asleep[i] = 1; waiting[i] = 1; sleeps[i] = 1;
#endif
            run worker(i)
        }
        for (i : 0 .. OPENERS - 1) { run opener(i) }
        run sender();
        run judge()
    }
}
