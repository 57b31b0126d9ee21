/*
 * collect.c - the state of all ranks, put together by one of them.
 *
 * Role: see collect.h.
 * Owner: the communication thread.
 * Invariants: I1, I2 of collect.h.  I3 what comes is bounded, and shown without control characters.
 * See: collect.h; am/messages.def, STATE.
 *
 *   message   from        to          what
 *   ASK       collector   all others  number; answered by PIECEs; a rank with a larger number drops what it collects
 *   PIECE     asked       collector   bytes `start` .. of `total`: the tally, then the text.  Ignored if the number is not
 *                                     that of a collection under way
 *
 * A piece fits into one message of the network, so a job that ends meanwhile leaves no half of a large one.
 */
#include "sched/live/collect.h"

#include "sched/live/live.h"
#include "sched/live/state.h"

#include <inttypes.h>
#include <string.h>

enum {
    ANSWER_NS = 1000000000,
    SAME_NS = 300000000, /* in which a launcher passes a signal to all ranks */
    RANKS_SHOWN = 64,    /* of which the text is shown */
    SILENT_SHOWN = 16
};

enum way { ASK = 1, PIECE }; /* later ones are the watchdog's */

/* What is on the way is what all have sent and nobody has got. */
struct tally {
    uint32_t less[JDI_MSGS]; /* sent minus came, modulo 2^32 */
};

/* ---- answering ----------------------------------------------------------------------------- */

static void post_state(struct jdi_rank *r, uint32_t dst, enum way way, uint32_t number,
                       const char *bytes, uint32_t start, uint32_t len, uint32_t total)
{
    struct jdi_am_msg m = {.type = JDI_MSG_STATE, .nargs = 2, .len = len};
    m.data = len ? bytes + start : NULL;
    m.arg[0] = (uint64_t)way | (uint64_t)number << 32;
    m.arg[1] = start | (uint64_t)total << 32;
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static void count_up(const struct jdi_rank *r, struct tally *t)
{
    for (unsigned i = 0; i < JDI_MSGS; i++) {
        uint32_t sent, came;
        jdi_am_tally(r->am, i, &sent, &came);
        t->less[i] = sent - came;
    }
}

/* The caller frees it. */
static char *describe_here(struct jdi_rank *r, uint32_t *total)
{
    char *bytes = jdi_alloc(NULL, JDI_AM_STATE_BYTES);
    if (!bytes)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for the state of the rank");
    struct tally tally;
    count_up(r, &tally);
    memcpy(bytes, &tally, sizeof tally);
    struct jdi_text t =
        jdi_text_in(bytes + sizeof tally, JDI_AM_STATE_BYTES - sizeof tally);
    jdi_state_tell(r, true, &t);
    *total = (uint32_t)(sizeof tally + t.used);
    return bytes;
}

static void answer_state(struct jdi_rank *r, uint32_t dst, uint32_t number)
{
    uint32_t total, most = r->am->max_data < JDI_AM_PIECE_BYTES ? r->am->max_data
                                                                : JDI_AM_PIECE_BYTES;
    char *bytes = describe_here(r, &total);
    for (uint32_t at = 0; at < total; at += most)
        post_state(r, dst, PIECE, number, bytes, at,
                   total - at < most ? total - at : most, total);
    jdi_free(bytes);
}

/* ---- showing -------------------------------------------------------------------------------- */

void jdi_collect_show(uint32_t rank, const char *text)
{
    while (*text) {
        int n = (int)strcspn(text, "\n");
        jdi_log_show("rank %u: %.*s", rank, n, text);
        text += n + (text[n] != '\0');
    }
}

static bool has_come(const struct jdi_collected *of)
{
    return of->bytes && of->came == of->total;
}

static void show_way(struct jdi_rank *r)
{
    struct jdi_collect *c = &r->live->collect;
    char room[400];
    struct jdi_text t = jdi_text_in(room, sizeof room);
    uint32_t sum[JDI_MSGS] = {0};
    for (uint32_t i = 0; i < r->am->nranks; i++)
        for (unsigned k = 0; k < JDI_MSGS; k++) {
            struct tally one;
            memcpy(&one, c->of[i].bytes, sizeof one);
            sum[k] += one.less[k];
        }
    sum[JDI_MSG_STATE] = sum[JDI_MSG_STEAL] = sum[JDI_MSG_NOWORK] = 0;
    sum[JDI_MSG_CREDIT] = sum[JDI_MSG_FRAG] = sum[JDI_MSG_LIVE] = 0;
    for (unsigned k = 0; k < JDI_MSGS; k++) {
        const struct jdi_am_form *f = jdi_am_messages_form(k);
        if ((int32_t)sum[k] > 0)
            jdi_text_add(&t, "%s %" PRIu32 " %s", t.used ? "," : "", sum[k],
                         f ? f->name : "others");
    }
    jdi_log_show("messages on the way:%s", t.used ? room : " none");
}

static void show_silent(struct jdi_rank *r, uint32_t rank)
{
    const struct jdi_live *live = r->live;
    bool poked = false;
    for (uint32_t i = 0; live->pid && i < r->am->host_size; i++)
        if (r->am->host_peers[i] == rank)
            poked = jdi_listen_poke(live->pid[i]);
    jdi_log_show("rank %u: no answer within a second%s", rank,
                 poked ? "; it will show its state by itself"
                       : ", and its process was not found on this host: send it SIGUSR1 "
                         "where it runs");
}

static void show_all(struct jdi_rank *r)
{
    struct jdi_collect *c = &r->live->collect;
    uint32_t n = r->am->nranks, shown = 0, silent = 0;
    jdi_log_show("the state of %" PRIu32 " rank%s:", n, n == 1 ? "" : "s");
    for (uint32_t i = 0; i < n; i++) {
        if (has_come(&c->of[i]) && shown++ < RANKS_SHOWN)
            jdi_collect_show(i, c->of[i].bytes + sizeof(struct tally));
        else if (!has_come(&c->of[i]) && silent++ < SILENT_SHOWN)
            show_silent(r, i);
    }
    if (shown > RANKS_SHOWN)
        jdi_log_show("%" PRIu32 " ranks more have answered", shown - RANKS_SHOWN);
    if (silent > SILENT_SHOWN)
        jdi_log_show("%" PRIu32 " ranks more have not answered", silent - SILENT_SHOWN);
    if (!silent)
        show_way(r);
    jdi_log_show("end of the state");
}

/* ---- collecting ------------------------------------------------------------------------------ */

void jdi_collect_drop(struct jdi_rank *r)
{
    struct jdi_collect *c = &r->live->collect;
    for (uint32_t i = 0; c->of && i < r->am->nranks; i++)
        jdi_free(c->of[i].bytes);
    jdi_free(c->of);
    c->of = NULL;
}

static void end_collection(struct jdi_rank *r)
{
    show_all(r);
    jdi_collect_drop(r);
}

/* With some launchers the signal comes to all ranks, and each of them asks, sooner or later. */
static bool is_done(const struct jdi_collect *c, uint64_t heard)
{
    return c->of || (c->asked && c->asked + SAME_NS > heard) ||
           (c->began && c->began > heard);
}

void jdi_collect_start(struct jdi_rank *r, uint64_t heard)
{
    struct jdi_collect *c = &r->live->collect;
    if (!r->live->runs || is_done(c, heard))
        return;
    c->of = jdi_zalloc(NULL, r->am->nranks * sizeof *c->of);
    if (!c->of) {
        jdi_log(&r->am->log, JDI_LOG_ERROR,
                "no memory to collect the state of the ranks");
        return;
    }
    c->number++;
    c->began = jdi_rank_now(r);
    c->missing = r->am->nranks - 1;
    for (uint32_t i = 0; i < r->am->nranks; i++)
        if (i != r->am->rank)
            post_state(r, i, ASK, c->number, NULL, 0, 0, 0);
    struct jdi_collected *mine = &c->of[r->am->rank];
    mine->bytes = describe_here(r, &mine->total);
    mine->came = mine->total;
    if (!c->missing)
        end_collection(r);
}

void jdi_collect_turn(struct jdi_rank *r)
{
    const struct jdi_collect *c = &r->live->collect;
    if (JDI_LIKELY(!c->of))
        return;
    if (jdi_rank_now(r) - c->began >= ANSWER_NS)
        end_collection(r);
    else
        jdi_rank_again(r, c->began + ANSWER_NS);
}

/* ---- messages -------------------------------------------------------------------------------- */

static const char *fault_of_state(const struct jdi_am_msg *m, bool ask)
{
    uint64_t start = JDI_GET(m, STATE, start), total = JDI_GET(m, STATE, total);
    if (ask)
        return start || total || m->len ? "a question with an answer" : NULL;
    if (!m->len || start + m->len > total || total <= sizeof(struct tally))
        return "a piece that does not fit into its whole";
    return NULL;
}

static void on_ask(struct jdi_rank *r, const struct jdi_am_in *in)
{
    struct jdi_collect *c = &r->live->collect;
    if (in->src < r->am->rank)
        jdi_collect_drop(r);
    c->asked = jdi_rank_now(r);
    answer_state(r, in->src, (uint32_t)JDI_GET(in->msg, STATE, number));
}

/* A letter, a digit, a sign or a line end. */
static char printable(char byte)
{
    return (byte >= ' ' && byte < 127) || byte == '\n' ? byte : '?';
}

static void keep_piece(struct jdi_rank *r, const struct jdi_am_in *in,
                       struct jdi_collected *of)
{
    const char *from = in->msg->data;
    size_t start = JDI_GET(in->msg, STATE, start);
    uint32_t total = (uint32_t)JDI_GET(in->msg, STATE, total), len = in->msg->len;
    if (of->bytes && (of->total != total || of->came + len > total))
        jdi_am_refuse(in, "pieces of different answers");
    if (!of->bytes)
        of->bytes = jdi_zalloc(NULL, (size_t)total + 1);
    if (!of->bytes)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for the state of a rank");
    of->total = total;
    of->came += len;
    for (uint32_t i = 0; i < len; i++)
        of->bytes[start + i] =
            start + i < sizeof(struct tally) ? from[i] : printable(from[i]);
}

static void on_piece(struct jdi_rank *r, const struct jdi_am_in *in)
{
    struct jdi_collect *c = &r->live->collect;
    if (!c->of || JDI_GET(in->msg, STATE, number) != c->number ||
        has_come(&c->of[in->src])) {
        jdi_am_ignore(in);
        return;
    }
    keep_piece(r, in, &c->of[in->src]);
    if (has_come(&c->of[in->src]) && --c->missing == 0)
        end_collection(r);
}

static void on_state(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    enum way way = (enum way)JDI_GET(in->msg, STATE, way);
    const char *fault = !r->live       ? "nobody asks in this job"
                        : way <= PIECE ? fault_of_state(in->msg, way == ASK)
                                       : NULL;
    if (fault)
        jdi_am_refuse(in, fault);
    if (in->src == r->am->rank)
        jdi_am_refuse(in, "of the rank itself");
    if (way > PIECE)
        jdi_watchdog_on_state(r, in);
    else if (!r->live->runs)
        jdi_am_ignore(in);
    else if (way == ASK)
        on_ask(r, in);
    else
        on_piece(r, in);
}

void jdi_collect_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_STATE, on_state, r);
}
