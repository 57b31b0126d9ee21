/*
 * credit.pml - the rooted scope of termination/credit.c.
 *
 * Role: N ranks, rank 0 is the root and the only one with work at first, M task messages,
 *       weights in units of 2^-EXP; each transition is one call of the C function whose name
 *       it bears.  Tokens and RETURNs are bags: any delay, any order.
 * Invariants: done only if no task, token or RETURN exists; I1 (debt = what is out) after each
 *             transition; every run ends with done (no invalid end state).
 * See: doc/termination.md section 11; test/models/run.sh.
 *
 * With EXP 0 each export of a rank that is not the root is an underflow, with 1 every second
 * one; with EXP >= M none is.
 *
 * Wrong variants (one at a time):
 *   NO_STEP        on underflow the last unit goes, and tasks stay without weight
 *   FORGET_DEBT    a giver returns its weight before its own credit is back
 *   EARLY_RETURN   weight is returned without asking idle
 *   MERGE_FOREIGN  weight of another giver is added to that of the home
 *   LOSE_FOREIGN   it is not returned
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 3
#endif
#ifndef EXP
#define EXP 1
#endif
#if EXP == 0
#define ONE       1
#elif EXP == 1
#define ONE       2
#elif EXP == 2
#define ONE       4
#else
#error EXP is 0, 1 or 2
#endif
#define UNITS(e)  (ONE >> (e))
#define MOST      (M * ONE)
#define FLY(dst, giver, e) fly[((dst) * N + (giver)) * (EXP + 1) + (e)]
#define RET(giver, w)      ret[(giver) * (MOST + 1) + (w)]

/* struct jdi_rooted */
bit  engaged[N];
byte home[N], weight[N], debt[N];
/* the world */
bit  live[N];
byte fly[N * N * (EXP + 1)];
byte ret[N * (MOST + 1)];
byte budget = M;
byte left;       /* ledger: ranks with tasks, and task messages */
byte returns;    /* under way */
bit  over;
/* scratch, 0 between transitions */
byte g, e, w, k; short out;

inline check_i1()
{
    g = 0;
    do
    :: g < N ->
        out = 0;
        k = 0;
        do
        :: k < N -> e = 0;
            do
            :: e <= EXP -> out = out + FLY(k, g, e) * UNITS(e); e++
            :: else -> break
            od;
            if :: engaged[k] && k != 0 && home[k] == g -> out = out + weight[k] :: else fi;
            k++
        :: else -> break
        od;
        w = 1;
        do
        :: w <= MOST -> out = out + RET(g, w) * w; w++
        :: else -> break
        od;
        assert(out == debt[g]);
        g++
    :: else -> break
    od;
    g = 0; e = 0; w = 0; k = 0; out = 0
}

inline give_back(to, units)
{
    RET(to, units)++;
    returns++
}

inline exported(i, j)
{
    assert(engaged[i]);
    if
#if defined(NO_STEP)
    :: i == 0 ->
#else
    :: i == 0 || debt[i] > 0 || weight[i] < 2 ->
#endif
        debt[i] = debt[i] + ONE; g = i; e = 0
#ifdef NO_STEP
    :: i != 0 && weight[i] < 2 -> g = home[i]; e = EXP; weight[i] = 0
#endif
    :: else ->
        g = home[i]; e = 0;
        do
        :: UNITS(e) > weight[i] / 2 -> e++
        :: else -> break
        od;
        weight[i] = weight[i] - UNITS(e)
    fi;
    FLY(j, g, e)++;
    left++;
    budget--;
    g = 0; e = 0;
    check_i1()
}

inline imported(i, giver, exponent)
{
    FLY(i, giver, exponent)--;
    left--;
    if :: !live[i] -> live[i] = 1; left++ :: else fi;
    if
    :: giver == i -> debt[i] = debt[i] - UNITS(exponent)
    :: giver != i && !engaged[i] ->
        engaged[i] = 1; home[i] = giver; weight[i] = UNITS(exponent)
#ifdef MERGE_FOREIGN
    :: giver != i && engaged[i] && i != 0 -> weight[i] = weight[i] + UNITS(exponent)
    :: giver != i && i == 0 -> give_back(giver, UNITS(exponent))
#else
    :: giver != i && engaged[i] && i != 0 && home[i] == giver ->
        weight[i] = weight[i] + UNITS(exponent)
    :: else ->
#ifndef LOSE_FOREIGN
        give_back(giver, UNITS(exponent))
#else
        skip
#endif
#endif
    fi;
    check_i1()
}

inline returned(i, units)
{
    RET(i, units)--;
    returns--;
    assert(engaged[i] && units <= debt[i]);
    debt[i] = debt[i] - units;
    check_i1()
}

inline step(i)
{
    if
    :: i == 0 ->
        assert(left == 0 && returns == 0);
        over = 1
    :: else ->
        if :: weight[i] > 0 -> give_back(home[i], weight[i]) :: else fi;
        engaged[i] = 0; home[i] = 0; weight[i] = 0
    fi;
    check_i1()
}

#ifdef EARLY_RETURN
#define IDLE(i) (i != 0 || !live[i])
#else
#define IDLE(i) (!live[i])
#endif
#ifdef FORGET_DEBT
#define SETTLED(i) (i != 0 || debt[i] == 0)
#else
#define SETTLED(i) (debt[i] == 0)
#endif
#define CAN_SEND(i, j) (live[i] && budget > 0 && (j) < N && (j) != (i))

#define TOKEN(i, giver, exponent) \
    ((giver) < N && (exponent) <= EXP && FLY(i, giver, exponent) > 0)
#define RETURN(i, units) ((units) <= MOST && RET(i, units) > 0)
#if M * ONE > 12
#error the transitions of the network do not go so far
#endif

proctype rank(byte i)
{
    do
    :: d_step { CAN_SEND(i, 0) -> exported(i, 0) }
    :: d_step { CAN_SEND(i, 1) -> exported(i, 1) }
    :: d_step { CAN_SEND(i, 2) -> exported(i, 2) }
    :: d_step { CAN_SEND(i, 3) -> exported(i, 3) }
    :: d_step { live[i] -> live[i] = 0; left-- }
    /* the network: any token, any RETURN */
    :: d_step { TOKEN(i, 0, 0) -> imported(i, 0, 0) }
    :: d_step { TOKEN(i, 0, 1) -> imported(i, 0, 1) }
    :: d_step { TOKEN(i, 0, 2) -> imported(i, 0, 2) }
    :: d_step { TOKEN(i, 1, 0) -> imported(i, 1, 0) }
    :: d_step { TOKEN(i, 1, 1) -> imported(i, 1, 1) }
    :: d_step { TOKEN(i, 1, 2) -> imported(i, 1, 2) }
    :: d_step { TOKEN(i, 2, 0) -> imported(i, 2, 0) }
    :: d_step { TOKEN(i, 2, 1) -> imported(i, 2, 1) }
    :: d_step { TOKEN(i, 2, 2) -> imported(i, 2, 2) }
    :: d_step { TOKEN(i, 3, 0) -> imported(i, 3, 0) }
    :: d_step { TOKEN(i, 3, 1) -> imported(i, 3, 1) }
    :: d_step { TOKEN(i, 3, 2) -> imported(i, 3, 2) }
    :: d_step { RETURN(i, 1) -> returned(i, 1) }
    :: d_step { RETURN(i, 2) -> returned(i, 2) }
    :: d_step { RETURN(i, 3) -> returned(i, 3) }
    :: d_step { RETURN(i, 4) -> returned(i, 4) }
    :: d_step { RETURN(i, 5) -> returned(i, 5) }
    :: d_step { RETURN(i, 6) -> returned(i, 6) }
    :: d_step { RETURN(i, 7) -> returned(i, 7) }
    :: d_step { RETURN(i, 8) -> returned(i, 8) }
    :: d_step { RETURN(i, 9) -> returned(i, 9) }
    :: d_step { RETURN(i, 10) -> returned(i, 10) }
    :: d_step { RETURN(i, 11) -> returned(i, 11) }
    :: d_step { RETURN(i, 12) -> returned(i, 12) }
    :: d_step { engaged[i] && SETTLED(i) && IDLE(i) -> step(i) }
    :: over -> break
    od
}

init
{
    atomic {
        engaged[0] = 1; live[0] = 1; left = 1;
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
