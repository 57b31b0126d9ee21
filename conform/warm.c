/*
 * warm.c - phases, messages and waves in a row, in a fair order.
 *
 * Role: one round after another; in each, every rank does what it can.
 * See: warm.h.
 */
#include "conform/warm.h"

#include "conform/oracle.h"

enum {
    ROUNDS = 2000,   /* within which a phase ends */
    STEP_EVERY = 16, /* imports: then the waves go on, too */
    STILL = 64,      /* calls of step that lead to nothing: this detector has no waves */
    OPEN_MESSAGES = 3
};

bool jdi_warm_is_asked(const struct jdi_world_config *c)
{
    return c->past.phases > 0 || c->past.imports > 0 || c->past.waves > 0;
}

static bool can_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank)
{
    if (w->fault[0] || jdi_world_enabled(w, kind, rank) == 0)
        return false;
    jdi_world_do(w, kind, rank, 0);
    return true;
}

/* True if the rank has said something. */
static bool deliver_control(struct jdi_world *w, unsigned rank)
{
    bool spoke = false;
    for (unsigned k = JDI_WORLD_UP; k <= JDI_WORLD_ACK; k++)
        while (can_do(w, (enum jdi_world_kind)k, rank))
            spoke |= w->said != 0;
    return spoke;
}

/* One message of an own task to the next rank, if it can be sent. */
static void send_one(struct jdi_world *w, unsigned rank)
{
    w->budget = 1;
    can_do(w, JDI_WORLD_SEND, rank);
    w->budget = 0;
}

static void enter_all(struct jdi_world *w, uint32_t phase)
{
    for (unsigned i = 0; i < w->c.ranks && !w->fault[0]; i++)
        if (w->rank[i].phase < phase && jdi_world_enabled(w, JDI_WORLD_ENTER, i) > 0)
            jdi_world_do(w, JDI_WORLD_ENTER, i, i == phase % w->c.ranks);
}

static void run_down(struct jdi_world *w, unsigned rank)
{
    while (can_do(w, JDI_WORLD_TASK, rank))
        ;
    while (can_do(w, JDI_WORLD_FINISH, rank))
        ;
    deliver_control(w, rank);
    can_do(w, JDI_WORLD_STEP, rank);
}

static bool has_ended(const struct jdi_world *w, uint32_t phase)
{
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].ended < phase)
            return false;
    return true;
}

/* One task, which makes one message. */
static void live_through(struct jdi_world *w, uint32_t phase)
{
    enter_all(w, phase);
    send_one(w, phase % w->c.ranks);
    for (unsigned round = 0; !w->fault[0] && !has_ended(w, phase); round++) {
        for (unsigned i = 0; i < w->c.ranks; i++)
            run_down(w, i);
        can_do(w, JDI_WORLD_TIME, 0);
        if (round == ROUNDS)
            jdi_oracle_fail(w, "O4: phase %u has not ended after %d rounds",
                            (unsigned)jdi_world_number(w, phase), ROUNDS);
    }
}

static unsigned last_with_task(const struct jdi_world *w)
{
    unsigned rank = w->c.ranks;
    while (rank-- > 0)
        if (w->rank[rank].nlive > 0)
            return rank;
    return w->c.ranks;
}

/* A task goes from rank to rank: to and fro between two of them, or to all in turn. */
static void pass_round(struct jdi_world *w, uint32_t imports)
{
    unsigned n = w->c.ranks, at = last_with_task(w);
    bool to_and_fro = imports % 2 == 0;
    for (uint32_t i = 0; i < imports && !w->fault[0] && at < n; i++) {
        unsigned step = to_and_fro && i % 2 ? n - 1 : 1, to = (at + step) % n;
        w->budget = 1;
        if (jdi_world_enabled(w, JDI_WORLD_SEND, at) == 0)
            return;
        jdi_world_do(w, JDI_WORLD_SEND, at, n == 1 ? 0 : step - 1);
        w->budget = 0;
        can_do(w, JDI_WORLD_TASK, to);
        can_do(w, JDI_WORLD_FINISH, at);
        deliver_control(w, at);
        if (i % STEP_EVERY == 0)
            can_do(w, JDI_WORLD_STEP, at);
        at = to;
    }
}

/* All tasks are in messages; as long as they are, waves fail.  One is over when rank 0 has spoken
 * again, or, alone, has stepped. */
static void fail_waves(struct jdi_world *w, uint32_t waves)
{
    unsigned n = w->c.ranks, at = last_with_task(w), still = 0;
    for (int i = 0; i < OPEN_MESSAGES && at < n; i++)
        send_one(w, at);
    for (unsigned i = 0; i < n; i++)
        while (can_do(w, JDI_WORLD_FINISH, i))
            ;
    while (waves > 0 && still < STILL && !w->fault[0]) {
        bool spoke = false;
        for (unsigned i = 0; i < n; i++) {
            bool said = deliver_control(w, i);
            jdi_world_do(w, JDI_WORLD_STEP, i, 0);
            spoke |= i == 0 && (said || w->said || n == 1);
        }
        can_do(w, JDI_WORLD_TIME, 0);
        still = spoke ? 0 : still + 1;
        waves -= spoke;
    }
}

void jdi_warm_init(struct jdi_world *w, const struct jdi_world_config *c,
                   struct jdi_world_trace *trace)
{
    jdi_world_init(w, c, trace);
    if (!jdi_warm_is_asked(c))
        return;
    w->budget = 0;
    for (uint32_t phase = 1; phase <= c->past.phases && !w->fault[0]; phase++)
        live_through(w, phase);
    if (c->past.imports > 0 || c->past.waves > 0)
        enter_all(w, c->past.phases + 1);
    pass_round(w, c->past.imports);
    if (c->past.waves > 0)
        fail_waves(w, c->past.waves);
    w->budget = c->sends;
    if (w->fault[0])
        return;
    w->actions = 0;
    if (trace)
        trace->count = 0;
}
