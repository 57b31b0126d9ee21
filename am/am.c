/*
 * am.c - sending, dispatch and poll: what every network shares.
 *
 * Role: checks each message, runs its handler, and decides whether a message leaves at
 *       once, waits in a queue, or is cut into fragments.
 * Owner: the communication thread of the rank; jdi_am_end_job any thread.
 * Invariants: those of am/core.h.  I4 is what makes a handler safe inside `request`: the
 *             caller's own injection is the only one under way.
 * See: doc/am.md, am/am.h, test/am/behaviour.c, test/unit/am_deliver_refuses_bad_messages.c.
 */
#include "am/core.h"

#include <stdarg.h>
#include <stdio.h>

static void end_job_for_log(void *ctx, int status)
{
    jdi_am_end_job(ctx, status);
}

int jdi_am_core_init(struct jdi_am *am)
{
    JD_CHECK(am->ops && am->nranks > 0 && am->rank < am->nranks && am->max_data > 0);
    struct jdi_am_core *core = jdi_zalloc(&am->fault, sizeof *core);
    if (!core)
        return JD_ENOMEM;
    core->bound[JDI_AM_BOUND_RANKS] = am->nranks;
    core->bound[JDI_AM_BOUND_CREDITS] = JDI_AM_CREDITS_MOST;
    am->core = core;
    am->hot[0] = (struct jdi_am_hot){core->bound,
                                     sizeof *core - offsetof(struct jdi_am_core, bound)};
    jdi_am_queue_init(am);
    if (!am->credits)
        am->credits = JDI_AM_CREDITS;
    jdi_idle_init(&am->own_idle);
    am->idle = &am->own_idle;
    am->log = (struct jdi_log){.rank = am->rank,
                               .nranks = am->nranks,
                               .level = JDI_LOG_WARN,
                               .end_job = end_job_for_log,
                               .ctx = am};
    return 0;
}

void jdi_am_core_fini(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    if (!core)
        return;
    jdi_am_queue_fini(am);
    jdi_am_frag_fini(am);
    jdi_am_reduce_fini(am);
    jdi_free(core);
    am->core = NULL;
}

void jdi_am_count(const struct jdi_am *am, struct jdi_stats *sum)
{
    const struct jdi_am_stats *s = &am->stats;
    sum->messages += s->messages;
    sum->bytes += s->bytes;
    sum->polls += s->polls;
    sum->deferred += s->deferred;
    sum->ignored += s->ignored;
}

void jdi_am_tally(const struct jdi_am *am, unsigned type, uint32_t *sent, uint32_t *came)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    JD_CHECK(type < JDI_MSGS);
    *sent = am->core->sent[type];
    *came = am->core->came[type];
}

void jdi_am_end_job(struct jdi_am *am, int status)
{
    am->ops->end_job(am, status);
    __builtin_unreachable();
}

void jdi_am_peer_fault(struct jdi_am *am, uint32_t src, unsigned type, const char *format,
                       ...)
{
    char name[16], text[256];
    const struct jdi_am_form *f = jdi_am_messages_form(type);
    va_list args;
    snprintf(name, sizeof name, "type %u", type);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    jdi_die(&am->log, JDI_EXIT_PEER, "bad message from rank %u: %s: %s", src,
            f ? f->name : name, text);
}

void jdi_am_no_memory(struct jdi_am *am, const char *what)
{
    jdi_die(&am->log, JDI_EXIT_MEMORY, "out of memory for %s", what);
}

void jdi_am_set_bound(struct jdi_am *am, enum jdi_am_bound bound, uint64_t value)
{
    am->core->bound[bound] = value;
}

void jdi_am_set_handler(struct jdi_am *am, unsigned type, jdi_am_handler *fn, void *ctx)
{
    JD_CHECK(type < JDI_AM_TYPES);
    am->core->handler[type].fn = fn;
    am->core->handler[type].ctx = ctx;
}

/* ---- sending ------------------------------------------------------------------------- */

/* What a sender promises is what its receiver checks. */
static bool fits(const struct jdi_am *am, const struct jdi_am_msg *m, bool reply)
{
    char text[64];
    return jdi_am_messages_fit(am->core->bound, m, reply, text, sizeof text);
}

static void count(struct jdi_am *am, const struct jdi_am_msg *m)
{
    am->stats.messages++;
    am->stats.bytes += m->len;
    if (m->type < JDI_MSGS)
        am->core->sent[m->type]++;
}

/* The fault of a network that loses a message: its sender has sent it.  What tells of that comes through. */
static bool lose(struct jdi_am *am, const struct jdi_am_msg *m)
{
    if (m->type == JDI_MSG_STATE || !jdi_fault_hit(&am->fault, JDI_FAULT_lose))
        return false;
    count(am, m);
    return true;
}

int jdi_am_send_any(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    JD_CHECK(dst < am->nranks && m->nargs <= JDI_AM_ARGS);
    JD_ASSERT(fits(am, m, false));
    int rc = JD_EAGAIN;
    if (dst == am->rank) {
        rc = jdi_am_queue_add_self(am, m, false);
    } else {
        struct jdi_am_peer *p = jdi_am_queue_peer(am, dst);
        if (!p)
            return JD_ENOMEM;
        if (!am->core->in_handler && m->len <= am->max_data &&
            jdi_am_queue_may_send(am, p))
            rc = jdi_am_queue_inject(am, p, m);
        if (rc)
            rc = jdi_am_queue_add(am, p, m, false);
    }
    if (!rc)
        count(am, m);
    return rc;
}

int jdi_am_send(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    JD_CHECK(m->type < JDI_AM_TYPES);
    return JDI_UNLIKELY(lose(am, m)) ? 0 : jdi_am_send_any(am, dst, m);
}

static int post(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m,
                bool in_place)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    JD_CHECK(m->type < JDI_AM_TYPES && dst < am->nranks && m->nargs <= JDI_AM_ARGS);
    JD_ASSERT(fits(am, m, false));
    if (JDI_UNLIKELY(lose(am, m)))
        return 0;
    struct jdi_am_peer *p = dst == am->rank ? NULL : jdi_am_queue_peer(am, dst);
    if (dst != am->rank && !p)
        return JD_ENOMEM;
    int rc = !p         ? jdi_am_queue_add_self(am, m, false)
             : in_place ? jdi_am_queue_add_in_place(am, p, m)
                        : jdi_am_queue_add(am, p, m, false);
    if (!rc)
        count(am, m);
    return rc;
}

int jdi_am_post(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    return post(am, dst, m, false);
}

int jdi_am_post_in_place(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m)
{
    return post(am, dst, m, m->len <= am->max_data);
}

/* The reply pays the debt to the asker: at least the credit of the request that it answers. */
static void reply_now(struct jdi_am *am, const struct jdi_am_in *in,
                      struct jdi_am_peer *p, const struct jdi_am_msg *m)
{
    struct jdi_am_msg out = *m;
    JD_ASSERT(p->owed);
    out.wire = p->owed;
    p->owed = 0;
    am->ops->reply(am, in->token, &out);
}

int jdi_am_reply(const struct jdi_am_in *in, const struct jdi_am_msg *m)
{
    JD_ASSERT(jdi_owner_is_me(&in->am->comm));
    struct jdi_am *am = in->am;
    JD_CHECK(m->type < JDI_AM_TYPES && m->nargs <= JDI_AM_ARGS);
    JD_CHECK(am->core->in_handler && in->token && !am->core->replied);
    JD_ASSERT(fits(am, m, true));
    int rc = 0;
    if (in->src == am->rank) {
        rc = jdi_am_queue_add_self(am, m, true);
    } else {
        struct jdi_am_peer *p = jdi_am_queue_peer(am, in->src);
        JD_CHECK(p);
        if (m->len <= am->max_data)
            reply_now(am, in, p, m);
        else
            rc = jdi_am_queue_add(am, p, m, true);
    }
    if (rc)
        return rc;
    am->core->replied = true;
    count(am, m);
    return 0;
}

/* ---- receiving ----------------------------------------------------------------------- */

static bool is_handled(const struct jdi_am_core *core, unsigned type)
{
    return type < JDI_AM_TYPES ? core->handler[type].fn != NULL : type < JDI_MSGS;
}

void jdi_am_check(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m, bool reply)
{
    char text[128];
    if (!is_handled(am->core, m->type))
        jdi_am_peer_fault(am, src, m->type, "no handler for it");
    if (!jdi_am_messages_fit(am->core->bound, m, reply, text, sizeof text))
        jdi_am_peer_fault(am, src, m->type, "%s", text);
}

void jdi_am_dispatch(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                     void *token)
{
    struct jdi_am_core *core = am->core;
    if (m->type < JDI_MSGS)
        core->came[m->type]++;
    switch (m->type) {
    case JDI_MSG_FRAG:
        jdi_am_frag_on_frag(am, src, m, token);
        return;
    case JDI_MSG_UP:
        jdi_am_reduce_on_up(am, src, m);
        return;
    case JDI_MSG_DOWN:
        jdi_am_reduce_on_down(am, src, m);
        return;
    default:
        break;
    }
    JD_CHECK(m->type < JDI_AM_TYPES && core->handler[m->type].fn);
    struct jdi_am_in in = {.am = am, .src = src, .msg = m, .token = token};
    core->replied = false;
    core->handling = &in;
    core->handler[m->type].fn(core->handler[m->type].ctx, &in);
    core->handling = NULL;
}

const struct jdi_am_in *jdi_am_handling(const struct jdi_am *am)
{
    return am->core->handling;
}

/* All of it is checked before anything is written, the credits too. */
void jdi_am_deliver(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                    void *token)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    struct jdi_am_core *core = am->core;
    JD_CHECK(!core->in_handler);
    if (src >= am->nranks || src == am->rank)
        jdi_am_peer_fault(am, src, m->type, "no such sender");
    if (m->nargs > JDI_AM_ARGS || m->len > am->max_data || (m->len && !m->data))
        jdi_am_peer_fault(am, src, m->type,
                          "more than a message can have: %u arguments, %u bytes",
                          m->nargs, m->len);
    jdi_am_check(am, src, m, token == NULL);
    struct jdi_am_peer *p = jdi_am_queue_peer(am, src);
    if (!p)
        jdi_am_no_memory(am, "the state of a peer");
    const char *fault = jdi_am_queue_account(am, p, m, token != NULL);
    if (fault)
        jdi_am_peer_fault(am, src, m->type, "%s", fault);
    am->heard++;
    if (m->type == JDI_MSG_CREDIT)
        return;
    core->in_handler = true;
    jdi_am_dispatch(am, src, m, token);
    core->in_handler = false;
}

static void ignore(void *ctx, const struct jdi_am_in *in)
{
    (void)ctx;
    jdi_am_ignore(in);
}

void jdi_am_retire(struct jdi_am *am)
{
    for (unsigned type = 0; type < JDI_AM_TYPES; type++) {
        const struct jdi_am_form *f = jdi_am_messages_form(type);
        bool late = f && f->turn == JDI_AM_IGNORED;
        jdi_am_set_handler(am, type, late ? ignore : NULL, NULL);
    }
    jdi_am_frag_retire(am);
}

/* What this rank has sent to itself, but not what the handlers add now. */
static void deliver_self(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    struct jdi_am_fifo now = core->self;
    core->self = (struct jdi_am_fifo){NULL, NULL};
    for (struct jdi_am_out *o; (o = jdi_am_queue_take(&now)) != NULL; jdi_free(o)) {
        core->in_handler = true;
        jdi_am_dispatch(am, am->rank, &o->m, o->reply ? NULL : core);
        core->in_handler = false;
    }
}

/* ---- words --------------------------------------------------------------------------- */

bool jdi_am_peek_word(struct jdi_am *am, uint32_t src, unsigned i, uint64_t *value)
{
    JD_CHECK(src < am->nranks && i < JDI_AM_WORDS);
    return am->ops->peek_word && am->ops->peek_word(am, src, i, value);
}

int jdi_am_get_word(struct jdi_am *am, uint32_t src, unsigned i, struct jdi_am_get *get)
{
    uint64_t value;
    JD_CHECK(src < am->nranks && i < JDI_AM_WORDS && !am->core->in_handler);
    if (!jdi_am_peek_word(am, src, i, &value))
        return am->ops->get_word(am, src, i, get);
    jdi_am_get_finished(am, get, value);
    return 0;
}

void jdi_am_get_finished(struct jdi_am *am, struct jdi_am_get *get, uint64_t value)
{
    get->value = value;
    get->next = am->core->gets;
    am->core->gets = get;
}

static void run_gets(struct jdi_am *am)
{
    struct jdi_am_get *get = am->core->gets;
    am->core->gets = NULL;
    while (get) {
        struct jdi_am_get *next = get->next; /* `done` may start the same one again */
        get->done(get->ctx, get->value);
        get = next;
    }
}

/* ---- progress ------------------------------------------------------------------------ */

void jdi_am_poll(struct jdi_am *am)
{
    JD_ASSERT(jdi_owner_is_me(&am->comm));
    struct jdi_am_core *core = am->core;
    JD_CHECK(!core->in_handler);
    am->stats.polls++;
    am->ops->poll(am);
    if (core->self.head)
        deliver_self(am);
    if (core->nwaiting || core->due)
        jdi_am_queue_drain(am);
    if (core->gets)
        run_gets(am);
    if (core->reduced)
        jdi_am_reduce_run(am);
    if (core->npeers >= core->forget_at)
        jdi_am_queue_forget_peers(am);
}

bool jdi_am_rests(struct jdi_am *am)
{
    uint64_t heard = am->heard;
    if (am->time || !am->wakes)
        return true; /* in virtual time nothing comes in between */
    jdi_am_poll(am); /* who sent before this rank announced its sleep did not ring */
    if (am->heard != heard)
        return false;
    if (am->ops->arm)
        am->ops->arm(am);
    return true;
}

void jdi_am_flush(struct jdi_am *am)
{
    while (jdi_am_pending(am)) {
        jdi_am_poll(am);
        if (jdi_am_pending(am))
            jdi_time_pause(am->time, JDI_IDLE_YIELD);
    }
}

bool jdi_am_pending(const struct jdi_am *am)
{
    const struct jdi_am_core *core = am->core;
    return core->nwaiting || core->due || core->self.head || core->gets || core->reduced;
}
