/*
 * francez.pml - the detector of termination/francez.c, in P phases without barriers.
 *
 * Role: N ranks in a binary tree, M task messages, P phases; each transition is one call of
 *       the C function whose name it bears.  Task messages are a bag; UP, NEXT and TERM are
 *       one place per edge, and that one is enough is asserted (I2).
 * Invariants: announce only if the phase is quiescent; at most FAILED waves fail after; every
 *             run ends with all phases announced everywhere (no invalid end state).
 * See: doc/termination.md; test/models/run.sh.
 *
 * Wave numbers are kept modulo 3, for two ranks differ by at most 1 (I1, asserted by I5), and
 * a message under way by its stamp seen from the receiver: older, equal or newer.  When the
 * receiver reports, equal becomes older and newer becomes equal.  This is exact.
 * Of a phase only the parity is kept: p and p+2 never exist together.
 *
 * Wrong variants (one at a time):
 *   NO_COLOUR      imported never sets crossed
 *   GIVER          exported sets crossed instead
 *   CLEAR_AT_NEXT  crossed is cleared by NEXT, not by the report
 *   LATCHED_IDLE   the idle test is not at the instant of the report
 *   NO_FORWARD     TERM is not forwarded
 *   NO_PHASE       (P >= 2) one slot for all phases
 *   CLEAR_AT_ENTER (P >= 2) the slot is cleared by enter, not at TERM
 *   KEPT_IDLE      (P >= 2) kept tasks become live some time after enter
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 3
#endif
#ifndef P
#define P 1
#endif
#ifndef FAILED
#define FAILED 1
#endif

#define OUT     1
#define OPEN    2
#define WAITING 3
#define NEXT    1
#define TERM    2
#define KID(i, k)  (2 * (i) + 1 + (k))
#define KIDS(i)    ((KID(i, 0) < N -> 1 : 0) + (KID(i, 1) < N -> 1 : 0))
#ifdef NO_PHASE
#define SLOT(i, p) (i)
#else
#define SLOT(i, p) (((p) % 2) * N + (i))
#endif
#define FLY(i, p, c) fly[(((p) % 2) * N + (i)) * 3 + (c)]

/* struct jdi_francez */
byte  phase[N] = 1;
byte  state[N] = OUT;
short balance[2 * N];              /* sent - recv */
short kids_sum[2 * N];
byte  wave[2 * N], kids_in[2 * N], held[2 * N];
bit   crossed[2 * N], kids_crossed[2 * N];
/* the world */
bit   live[N];
byte  fly[2 * N * 3];              /* to rank i, of a phase; older, equal, newer */
bit   up[N]; short up_sum[N]; bit up_crossed[N]; byte up_phase[N];
byte  down[N];
byte  budget = M;
byte  entered[P + 2], left[P + 2]; /* the ledger: live ranks, messages, kept tasks */
byte  failed_after;
#ifdef LATCHED_IDLE
bit   latched[N];
#define IDLE(i) latched[i]
#else
#define IDLE(i) (!live[i])
#endif
/* scratch, 0 between transitions */
short sum; bit cross; byte s;

#define QUIESCENT(p) (entered[p] == N && left[p] == 0)

inline clear(slot)
{
    balance[slot] = 0; kids_sum[slot] = 0; wave[slot] = 0; kids_in[slot] = 0;
    held[slot] = 0; crossed[slot] = 0; kids_crossed[slot] = 0
}

inline tell_kids(i, verdict)
{
    if :: KID(i, 0) < N -> assert(down[KID(i, 0)] == 0); down[KID(i, 0)] = verdict
       :: else fi;
    if :: KID(i, 1) < N -> assert(down[KID(i, 1)] == 0); down[KID(i, 1)] = verdict
       :: else fi
}

inline go_live(i)
{
    if :: live[i] -> left[phase[i]]-- :: else -> live[i] = 1 fi
}

/* R1 */
inline exported(i, j)
{
    balance[SLOT(i, phase[i])]++;
    FLY(j, phase[i], (wave[SLOT(i, phase[i])] + 4 - wave[SLOT(j, phase[i])]) % 3)++;
    left[phase[i]]++;
    budget--;
#ifdef GIVER
    crossed[SLOT(i, phase[i])] = 1
#endif
}

/* R2; ahead: the message is of the next phase */
inline imported(i, ahead, class)
{
    FLY(i, phase[i] + ahead, class)--;
    s = SLOT(i, phase[i] + ahead);
    balance[s]--;
#if !defined(NO_COLOUR) && !defined(GIVER)
    if :: class == 2 -> crossed[s] = 1 :: else fi;
#endif
    assert(!ahead || state[i] == WAITING); /* I8 */
    if
    :: !ahead && state[i] != OUT -> go_live(i)
    :: else -> held[s]++
    fi;
    s = 0
}

/* R9 */
inline enter(i)
{
    s = SLOT(i, phase[i]);
#ifdef CLEAR_AT_ENTER
    clear(s);
#endif
    entered[phase[i]]++;
    state[i] = OPEN;
#ifndef KEPT_IDLE
    if
    :: held[s] > 0 -> left[phase[i]] = left[phase[i]] - held[s] + 1; held[s] = 0; live[i] = 1
    :: else
    fi;
#endif
    s = 0
}

/* R8 */
inline end_phase(i)
{
    assert(QUIESCENT(phase[i]));
    assert(state[i] == WAITING && !live[i]);
#ifdef NO_FORWARD
    if :: i == 0 -> tell_kids(i, TERM) :: else fi;
#else
    tell_kids(i, TERM);
#endif
#ifndef CLEAR_AT_ENTER
    clear(SLOT(i, phase[i]));
#endif
    state[i] = OUT;
    phase[i]++;
    if :: i == 0 -> failed_after = 0 :: else fi
}

/* R6, R7 */
inline next_wave(i)
{
    tell_kids(i, NEXT);
    assert(state[i] == WAITING);
    state[i] = OPEN;
#ifdef CLEAR_AT_NEXT
    crossed[SLOT(i, phase[i])] = 0
#endif
}

/* R4 and the root's decision; in C, the pause may come before next_wave. */
inline report(i)
{
    s = SLOT(i, phase[i]);
    sum = kids_sum[s] + balance[s];
    cross = kids_crossed[s] || crossed[s];
#ifndef CLEAR_AT_NEXT
    crossed[s] = 0;
#endif
    kids_in[s] = 0; kids_sum[s] = 0; kids_crossed[s] = 0;
    wave[s] = (wave[s] + 1) % 3;
    FLY(i, phase[i], 0) = FLY(i, phase[i], 0) + FLY(i, phase[i], 1);
    FLY(i, phase[i], 1) = FLY(i, phase[i], 2);
    FLY(i, phase[i], 2) = 0;
#ifdef LATCHED_IDLE
    latched[i] = 0;
#endif
    state[i] = WAITING;
    s = 0;
    if
    :: i != 0 ->
        assert(!up[i]);
        up[i] = 1; up_sum[i] = sum; up_crossed[i] = cross; up_phase[i] = phase[i]
    :: i == 0 && sum == 0 && !cross -> end_phase(0)
    :: else ->
        if :: QUIESCENT(phase[0]) -> failed_after++; assert(failed_after <= FAILED)
           :: else fi
    fi;
    sum = 0; cross = 0
}

/* R5 */
inline on_up(i, kid)
{
    s = SLOT(i, up_phase[kid]);
    assert(up_phase[kid] == phase[i] && state[i] != WAITING);
    up[kid] = 0;
    kids_in[s]++;
    kids_sum[s] = kids_sum[s] + up_sum[kid];
    kids_crossed[s] = kids_crossed[s] || up_crossed[kid];
    up_sum[kid] = 0; up_crossed[kid] = 0; up_phase[kid] = 0;
    s = 0
}

#define CAN_SEND(i, j) (live[i] && budget > 0 && (j) < N && (j) != (i))

proctype rank(byte i)
{
    do
    /* the program */
    :: atomic { state[i] == OUT && phase[i] <= P -> d_step { enter(i) };
                if :: !live[i] -> d_step { live[i] = 1; left[phase[i]]++ }
                   :: skip fi;
#ifdef LATCHED_IDLE
                latched[i] = !live[i]
#endif
              }
    :: d_step { CAN_SEND(i, 0) -> exported(i, 0) }
    :: d_step { CAN_SEND(i, 1) -> exported(i, 1) }
    :: d_step { CAN_SEND(i, 2) -> exported(i, 2) }
    :: d_step { CAN_SEND(i, 3) -> exported(i, 3) }
    :: d_step { live[i] -> live[i] = 0; left[phase[i]]--;
#ifdef LATCHED_IDLE
                latched[i] = 1
#endif
              }
#ifdef KEPT_IDLE
    :: d_step { state[i] == OPEN && held[SLOT(i, phase[i])] > 0 ->
                left[phase[i]] = left[phase[i]] - held[SLOT(i, phase[i])] + !live[i];
                held[SLOT(i, phase[i])] = 0; live[i] = 1 }
#endif
    /* the network */
    :: d_step { FLY(i, phase[i], 0) > 0 -> imported(i, 0, 0) }
    :: d_step { FLY(i, phase[i], 1) > 0 -> imported(i, 0, 1) }
    :: d_step { FLY(i, phase[i], 2) > 0 -> imported(i, 0, 2) }
    :: d_step { FLY(i, phase[i] + 1, 0) > 0 -> imported(i, 1, 0) }
    :: d_step { FLY(i, phase[i] + 1, 1) > 0 -> imported(i, 1, 1) }
    :: d_step { FLY(i, phase[i] + 1, 2) > 0 -> imported(i, 1, 2) }
    :: d_step { KID(i, 0) < N && up[KID(i, 0)] -> on_up(i, KID(i, 0)) }
    :: d_step { KID(i, 1) < N && up[KID(i, 1)] -> on_up(i, KID(i, 1)) }
    :: d_step { down[i] == NEXT -> down[i] = 0; next_wave(i) }
    :: d_step { down[i] == TERM -> down[i] = 0; end_phase(i) }
    /* step */
    :: d_step { state[i] == OPEN && IDLE(i) &&
                kids_in[SLOT(i, phase[i])] == KIDS(i) -> report(i) }
    :: d_step { i == 0 && state[0] == WAITING -> next_wave(0) }
    :: phase[i] > P -> break
    od
}

init
{
    atomic {
        run rank(0);
#if N > 1
        run rank(1);
#endif
#if N > 2
        run rank(2);
#endif
#if N > 3
        run rank(3);
#endif
    }
}
