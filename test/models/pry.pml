/*
 * pry.pml - opening private tasks of an owner that does nothing: jdi_deque_pry in sched/deque.c.
 *
 * Role: an owner that pushes and pops, and THIEVES others that pry or claim.  What the owner stores
 *       into `head` lies in a buffer of its core first, and a later load may be before it (TSO).  The
 *       heavy fence waits for the buffer, the light one does nothing; so does an atomic update of
 *       the owner.  All other loads and stores are steps of their own.
 * Invariants: each task is taken once, and complete.
 * See: sched/deque.h "Pry"; test/unit/sched_deque_pried_tasks_go_to_one_taker.c; test/models/run.sh.
 *
 * Wrong variants (one at a time):
 *   NO_FENCE     who pries does not pass the heavy fence
 *   NO_LOOK      nor looks at head after it
 *   LATE_LOWER   the owner looks at split before it lowers head
 *   NO_DRAFT     who pries does not look whether the last task is complete
 */
#ifndef TASKS
#define TASKS 4
#endif
#ifndef THIEVES
#define THIEVES 2
#endif

byte head, split, stail, draft;
bit locked;
bit buffered; /* the owner's core: a store into head that others do not see yet */
byte buffer;
byte slot[TASKS + 1];
bit complete[TASKS + 1];
byte taken[TASKS + 1];
byte left = TASKS; /* ghost: tasks that nobody has taken */

#ifdef NO_DRAFT
#define IS_THERE(h, to) (h >= to)
#else
#define IS_THERE(h, to) (h >= to && (h != draft || h > to))
#endif

inline lock() { atomic { !locked -> locked = 1 } }
inline unlock() { locked = 0 }
inline take(id)
{
    d_step { assert(complete[id] && !taken[id]); taken[id] = 1; left-- }
}

active proctype core()
{
end:
    do
    :: atomic { buffered -> head = buffer; buffered = 0 }
    od
}

byte mine; /* the owner's head */

inline store_head(v)
{
    atomic { !buffered -> buffer = v; mine = buffer; buffered = 1 }
}

inline push(id)
{
    slot[mine] = id;
    if
    :: complete[id] = 1; store_head(mine + 1)
    :: draft = mine + 1; store_head(mine + 1); complete[id] = 1 /* before the next call */
    fi
}

inline pop()
{
    do
    ::
#ifdef LATE_LOWER
        s = split;
        store_head(mine - 1);
#else
        store_head(mine - 1);
        s = split;
#endif
        if
        :: mine < 128 && mine >= s -> take(slot[mine]); break
        :: else ->
            store_head(mine + 1);
            if :: mine == split && stail == split -> break :: else fi;
            /* The lock is an atomic update: it waits for the buffer. */
            !buffered; lock();
            if
            :: mine > split -> skip /* somebody has given tasks back */
            :: else -> split = split - (split - stail + 1) / 2
            fi;
            unlock()
        fi
    od
}

active proctype owner()
{
    byte next = 1, s;
    do
    :: next <= TASKS -> push(next); next++
    :: pop()
    :: next > TASKS && left == 0 -> break
    od
}

active [THIEVES] proctype thief()
{
    byte h, s, to;
    do
    :: left == 0 -> break
    :: lock();
        if
        :: split != stail -> /* claim the oldest */
            h = slot[stail];
            take(h);
            stail++
        :: else ->
            s = split;
            h = head;
            to = s + (h - s + 1) / 2;
            if
            :: h < 128 && h > s && IS_THERE(h, to) ->
                split = to; /* the owner raises split by an atomic update, not in this model */
#ifndef NO_FENCE
                !buffered;
#endif
#ifndef NO_LOOK
                h = head;
                if
                :: h < 128 && IS_THERE(h, to) -> skip
                :: else -> split = s
                fi
#else
                skip
#endif
            :: else -> skip
            fi
        fi;
        unlock()
    od
}
