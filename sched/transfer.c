/*
 * transfer.c - messages with tasks between ranks.
 *
 * Role: the message TASKS for tasks of any kind: how many go into a message, which message answers
 *       the thief.
 * Owner: the communication thread; it claims from shelves like any thief.
 * Invariants: I1 claimed tasks are sent; the claim is finished when they have been copied.
 * See: doc/transfer.md (layouts); paper 003, steal(); ARCHITECTURE.md "Life of a steal".
 */
#include "sched/transfer.h"

#include "sched/recall.h"
#include "sched/traces.h"

enum { ANSWER_BIT = 8, PIECE = 0 /* a further message, no answer */ };
/* Bytes of packed tasks in one message; a larger batch goes in several messages. */
#define PACKED_MAX ((size_t)64 << 20)

/* ---- the victim's side -------------------------------------------------------------- */

static void send_tasks(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_am_msg *m)
{
    struct jdi_rank *r = c->rank;
    if (to->in ? jdi_am_reply(to->in, m) : jdi_am_send(r->am, to->thief.rank, m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                m->len);
}

static void export_tasks(jd_coll *c, const struct jdi_recipient *to, unsigned answer,
                         const struct jdi_claim *claim)
{
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS};
    jdi_recall_gave(c, to->thief.rank, claim);
    void *block = c->kind->pack(c, claim, &m);
    m.arg[0] = jdi_coll_word(c);
    m.arg[2] |= (uint64_t)answer << ANSWER_BIT;
    m.arg[3] = to->thief.when;
    c->rank->stats->steal_messages += answer != PIECE;
    jdi_traces_comm(c->rank, JDI_TRACE_GIVE, c->id, to->thief.rank, claim->n);
    send_tasks(c, to, &m);
    jdi_free(block);
}

void jdi_transfer_send(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_claim *taken)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_recipient next = *to;
    unsigned answer = to->answer;
    struct jdi_claim part = *taken;
    for (uint64_t left = part.n; left; left -= part.n) {
        part.n = left;
        part.n = c->kind->fit(c, &part, PACKED_MAX);
        export_tasks(c, &next, answer, &part);
        jdi_store_finish(&part);
        part.from += part.n;
        next.in = NULL; /* a message can be replied to once */
        answer = PIECE;
    }
}

/* ---- the thief's side --------------------------------------------------------------- */

/* Tell the policy about the answer, and note how long the answer took. */
static void note_answer(jd_coll *c, const struct jdi_am_in *in, unsigned answer)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    if (answer == PIECE)
        return;
    enum jdi_steal_answer a = (enum jdi_steal_answer)answer;
    uint32_t phase = (uint32_t)JDI_GET(in->msg, TASKS, phase);
    const char *fault = jdi_steal_fault_of_answer(&c->steal, in->src, phase, a);
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_steal_answered(&c->steal, in->src, phase, a);
    JD_AUDIT(jdi_steal_check(&c->steal));
    jdi_stats_log2(r->stats->steal_ns, JDI_STATS_TIMES,
                   jdi_rank_now(r) - in->msg->arg[3]);
}

static void on_tasks(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    unsigned id = (unsigned)JDI_GET(in->msg, TASKS, collection);
    /* Tasks of finishes that nobody has asked for may come before the rank has heard of finishes. */
    jd_coll *c = r->colls[id] ? r->colls[id] : jdi_rank_unknown(r, id);
    const char *fault = c ? c->kind->fault(c, in->msg) : "a collection that is not here";
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_news(r);
    jdi_rank_again_now(r);
    jdi_traces_comm(r, JDI_TRACE_GIVEN, c->id, in->src, in->msg->arg[1] >> 32);
    note_answer(c, in, (unsigned)JDI_GET(in->msg, TASKS, answer));
    c->kind->unpack(c, in);
}

void jdi_transfer_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_TASKS, on_tasks, r);
}
