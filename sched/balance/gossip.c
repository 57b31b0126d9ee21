/*
 * gossip.c - ranks hear of room by rumour, and ask for it.
 *
 * Role: in each iteration the ranks with room become known to others in a few rounds; then each rank
 *       with too much offers tasks to some that it has heard of, and these take what fits.
 * Invariants: I1 a rank sends and gets `fanout` messages in each round: who sends to whom follows from the
 *                seed.
 *             I2 a rank takes tasks when all offers have come, in an order that does not depend on their arrival.
 *             I3 a rank that offers takes nothing in that iteration, and nobody is filled above
 *                `full`, or to what the sender had: so the largest load never rises.
 * See: balance.h, machine.h; doc/balance.md section 5; vt's TemperedLB.
 *
 *   state      event                                  next      sends
 *   RUMOURS    KNOW of all of a round, not the last   RUMOURS   KNOW of the next round
 *   RUMOURS    the same of the last round             OFFERS    OFFER to the chosen ranks
 *   OFFERS     all below have been HEARD              OFFERS    REPORT to the parent
 *   OFFERS     NEXT of the parent                     ANSWERS   NEXT to the children, ANSWER to each offer
 *   ANSWERS    all below have their ANSWERs           ANSWERS   REPORT to the parent
 *   ANSWERS    NEXT of the parent, not the last       RUMOURS   NEXT to the children, KNOW
 *   ANSWERS    NEXT of the parent, the last           (planned) NEXT to the children
 */
#include "core/random.h"
#include "sched/balance/letter.h"
#include "sched/balance/shape.h"
#include "sched/balance/stock.h"

#include <string.h>

enum gossip_state { RUMOURS = 1, OFFERS, ANSWERS };

/* The words of REPORT and of NEXT. */
enum { REPORT_MOST };
enum { NEXT_LAST };
enum { OFFER_LOAD };

/* Draws before a rank takes whoever has the most room. */
enum { DRAWS = 8 };

/* What is offered to a rank, or by one. */
struct offer {
    uint32_t rank;
    bool open;     /* no ANSWER yet */
    uint64_t load; /* of `in`: what its sender had */
    struct jdi_lots lots;
};

struct offers {
    struct offer *at;
    uint32_t n, room;
};

struct gossip {
    enum gossip_state state;
    uint32_t iteration, round;
    uint32_t heard; /* KNOWs of this round that are here: a bit for each */
    struct jdi_lots rumour[JDI_BALANCE_FANOUT_MOST]; /* what they say */
    struct jdi_lots
        known; /* ranks with room: `time` is how much; ascending by a random key */
    struct offers out, in;
    uint32_t unheard, unanswered, missing; /* of `out`; children that have not reported */
    uint64_t said[JDI_BALANCE_SAID];
    bool reported;
    uint64_t most; /* below this rank, and here */
    uint64_t limit, full;
};

static struct gossip *gossip_of(const struct jdi_balance *b)
{
    return b->own;
}

/* A number that all ranks know, for a place in a session. */
static uint64_t common_dice(const struct jdi_balance *b, uint64_t what, uint64_t which)
{
    uint64_t state = (b->c.seed + 1) * 0x9e3779b97f4a7c15u ^
                     (what + 1) * UINT64_C(0x94d049bb133111eb) ^ which << 1;
    state |= 1;
    jdi_random(&state);
    return jdi_random(&state);
}

/* How far ahead the receiver of message j of a round is, or its sender behind: 1 to p - 1. */
static uint32_t gossip_distance(const struct jdi_balance *b, uint32_t step)
{
    return 1 + (uint32_t)(common_dice(b, 0, step) % (b->c.nranks - 1));
}

static uint32_t step_of(const struct jdi_balance *b, uint32_t j)
{
    const struct gossip *g = gossip_of(b);
    return (g->iteration * b->c.rounds + g->round) * b->c.fanout + j;
}

/* ---- offers -------------------------------------------------------------------------------- */

static void forget_offers(struct offers *o)
{
    for (uint32_t i = 0; i < o->n; i++)
        jdi_lots_free(&o->at[i].lots);
    jdi_free(o->at);
    *o = (struct offers){0};
}

static struct offer *find_offer(const struct offers *o, uint32_t rank)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->at[i].rank == rank)
            return &o->at[i];
    return NULL;
}

/* The offer of or to that rank, made if there is none; NULL when out of memory. */
static struct offer *get_offer(struct jdi_balance *b, struct offers *o, uint32_t rank)
{
    struct offer *found = find_offer(o, rank);
    if (found)
        return found;
    if (o->n == o->room) {
        uint32_t room = o->room ? 2 * o->room : 4;
        struct offer *at = jdi_alloc_small(b->c.fault, room * sizeof *at);
        if (!at)
            return NULL;
        if (o->n > 0)
            memcpy(at, o->at, o->n * sizeof *at);
        jdi_free(o->at);
        o->at = at;
        o->room = room;
    }
    o->at[o->n] = (struct offer){.rank = rank, .open = true};
    return &o->at[o->n++];
}

/* The place in `known` of a rank with room, by chance, more room more often; or UINT32_MAX. */
static uint32_t gossip_draw(struct jdi_balance *b, uint64_t *dice, uint64_t time)
{
    const struct jdi_lots *known = &gossip_of(b)->known;
    uint64_t most = 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < known->n; i++)
        if (known->at[i].time > most) {
            most = known->at[i].time;
            best = i;
        }
    b->work += known->n;
    if (best == UINT32_MAX)
        return UINT32_MAX;
    if (most < time)
        return gossip_of(b)->full - most + time < b->load ? best : UINT32_MAX;
    for (unsigned k = 0; k < DRAWS; k++) {
        uint32_t i = jdi_random_below(dice, known->n);
        if (known->at[i].time >= time && jdi_random(dice) % most < known->at[i].time)
            return i;
    }
    return best;
}

static int offer_lot(struct jdi_balance *b, uint64_t *dice, const struct jdi_lot *lot,
                     bool *taken)
{
    struct gossip *g = gossip_of(b);
    uint32_t i = gossip_draw(b, dice, lot->time);
    *taken = i != UINT32_MAX;
    if (!*taken)
        return 0;
    struct offer *o = get_offer(b, &g->out, g->known.at[i].rank);
    if (!o)
        return JD_ENOMEM;
    g->known.at[i].time -=
        g->known.at[i].time < lot->time ? g->known.at[i].time : lot->time;
    return o->lots.n < JDI_BALANCE_PIECE ? jdi_lots_add(&o->lots, *lot, b->c.fault) : 0;
}

/* Tasks that together are what is too much, the longest first, and one more if need be. */
static int choose_offers(struct jdi_balance *b)
{
    const struct gossip *g = gossip_of(b);
    uint64_t excess = b->load > g->limit ? b->load - g->limit : 0;
    uint64_t dice = common_dice(b, 1 + g->iteration, b->c.rank) | 1;
    uint32_t least = UINT32_MAX;
    bool taken;
    int rc = 0;
    for (uint32_t i = b->have.n; !rc && excess > 0 && i-- > 0;) {
        const struct jdi_lot *lot = &b->have.at[i];
        if (lot->time > excess || lot->time == 0) {
            least = lot->time > 0 ? i : least;
            continue;
        }
        rc = offer_lot(b, &dice, lot, &taken);
        excess -= taken ? lot->time : 0;
    }
    if (!rc && excess > 0 && least != UINT32_MAX)
        rc = offer_lot(b, &dice, &b->have.at[least], &taken);
    b->work += b->have.n;
    return rc;
}

/* ---- barriers ------------------------------------------------------------------------------- */

static int gossip_go_on(struct jdi_balance *b, bool last);

static uint16_t barrier_of(const struct gossip *g)
{
    return (uint16_t)(2 * g->iteration + (g->state == ANSWERS));
}

static int report_if_ready(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    bool ready =
        g->state == OFFERS ? g->unheard == 0 : g->state == ANSWERS && g->unanswered == 0;
    if (!ready || g->missing > 0 || g->reported)
        return 0;
    g->reported = true;
    g->most = g->most > b->load ? g->most : b->load;
    if (b->c.rank == 0)
        return gossip_go_on(
            b, g->state == ANSWERS &&
                   (g->iteration + 1 >= b->c.iterations || g->most <= g->limit));
    const struct jdi_balance_head what = {.type = JDI_BALANCE_REPORT,
                                          .step = barrier_of(g),
                                          .word = {[REPORT_MOST] = g->most}};
    return jdi_letter_send(b, jdi_shape_parent(b, b->c.rank), &what, NULL, 0);
}

static void enter_gossip(struct jdi_balance *b, enum gossip_state state)
{
    struct gossip *g = gossip_of(b);
    g->state = state;
    if (state == RUMOURS)
        return;
    g->missing = b->children;
    g->reported = false;
    g->most = 0;
    memset(g->said, 0, sizeof g->said);
}

/* ---- rumours --------------------------------------------------------------------------------- */

static int send_offers(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    const struct jdi_balance_head what = {.type = JDI_BALANCE_OFFER,
                                          .step = (uint16_t)g->iteration,
                                          .word = {[OFFER_LOAD] = b->load}};
    enter_gossip(b, OFFERS);
    int rc = choose_offers(b);
    g->unheard = g->unanswered = g->out.n;
    for (uint32_t i = 0; !rc && i < g->out.n; i++) {
        b->work += jdi_lots_sort(&g->out.at[i].lots);
        rc = jdi_letter_send(b, g->out.at[i].rank, &what, g->out.at[i].lots.at,
                             g->out.at[i].lots.n);
    }
    return rc ? rc : report_if_ready(b);
}

static int send_rumours(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    int rc = 0;
    g->heard = 0;
    for (uint32_t j = 0; !rc && j < b->c.fanout; j++) {
        uint32_t step = step_of(b, j);
        const struct jdi_balance_head what = {.type = JDI_BALANCE_KNOW,
                                              .step = (uint16_t)step};
        uint64_t to = (uint64_t)b->c.rank + gossip_distance(b, step);
        rc = jdi_letter_send(b, (uint32_t)(to % b->c.nranks), &what, g->known.at,
                             g->known.n);
    }
    return rc;
}

static int begin_iteration(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    enter_gossip(b, RUMOURS);
    forget_offers(&g->out);
    g->round = 0;
    g->known.n = 0;
    if (b->load <= g->limit && b->load < g->full) {
        int rc = jdi_lots_add(
            &g->known, (struct jdi_lot){g->full - b->load, b->c.rank, 0}, b->c.fault);
        if (rc)
            return rc;
    }
    return send_rumours(b);
}

static bool knows(const struct jdi_lots *known, uint32_t rank)
{
    for (uint32_t i = 0; i < known->n; i++)
        if (known->at[i].rank == rank)
            return true;
    return false;
}

/* Remember some of what was said in this round: a random choice if that is more than fits. */
static int learn(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    uint64_t dice =
        common_dice(b, UINT32_MAX + UINT64_C(1) + step_of(b, 0), b->c.rank) | 1;
    int rc = 0;
    for (uint32_t j = 0; j < b->c.fanout; j++) {
        for (uint32_t i = 0; !rc && i < g->rumour[j].n; i++) {
            const struct jdi_lot *lot = &g->rumour[j].at[i];
            if (knows(&g->known, lot->rank))
                continue;
            if (g->known.n == b->c.known)
                g->known.at[jdi_random_below(&dice, g->known.n)] = *lot;
            else
                rc = jdi_lots_add(&g->known, *lot, b->c.fault);
        }
        b->work += g->rumour[j].n;
        jdi_lots_free(&g->rumour[j]);
    }
    return rc;
}

static uint32_t number_of_know(const struct jdi_balance *b,
                               const struct jdi_balance_in *in)
{
    uint32_t j = in->head.step % b->c.fanout;
    uint64_t from = (uint64_t)in->src + gossip_distance(b, in->head.step);
    return from % b->c.nranks == b->c.rank ? j : UINT32_MAX;
}

/* ---- offers that have come ------------------------------------------------------------------- */

static void sort_offers(struct offers *o)
{
    for (uint32_t i = 1; i < o->n; i++)
        for (uint32_t k = i; k > 0 && o->at[k - 1].rank > o->at[k].rank; k--) {
            struct offer swap = o->at[k];
            o->at[k] = o->at[k - 1];
            o->at[k - 1] = swap;
        }
}

/* Mark what is not taken of all that is offered; the longest tasks come first. */
static int take_offers(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    struct jdi_lots all = {0};
    uint64_t load = b->load;
    int rc = 0;
    sort_offers(&g->in);
    for (uint32_t i = 0; !rc && i < g->in.n; i++)
        for (uint32_t k = 0; !rc && k < g->in.at[i].lots.n; k++) {
            struct jdi_lot lot = {g->in.at[i].lots.at[k].time, i, k};
            rc = jdi_lots_add(&all, lot, b->c.fault);
        }
    b->work += jdi_lots_sort(&all);
    for (uint32_t i = all.n; !rc && i-- > 0;) {
        struct jdi_lot *lot = &g->in.at[all.at[i].rank].lots.at[all.at[i].place];
        if (load + lot->time <= g->full ||
            load + lot->time < g->in.at[all.at[i].rank].load)
            load += lot->time;
        else
            lot->rank = UINT32_MAX; /* not taken */
    }
    jdi_lots_free(&all);
    return rc;
}

static int answer_offers(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    const struct jdi_balance_head what = {.type = JDI_BALANCE_ANSWER,
                                          .step = (uint16_t)g->iteration};
    int rc = take_offers(b);
    for (uint32_t i = 0; !rc && i < g->in.n; i++) {
        struct jdi_lots *lots = &g->in.at[i].lots;
        uint32_t n = 0;
        for (uint32_t k = 0; k < lots->n; k++)
            if (lots->at[k].rank != UINT32_MAX)
                lots->at[n++] = lots->at[k];
        rc = jdi_letter_send(b, g->in.at[i].rank, &what, lots->at, n);
        if (!rc)
            rc = jdi_stock_accept(b, lots->at, n);
    }
    forget_offers(&g->in);
    return rc;
}

/* All offers have come everywhere, or all answers. */
static int gossip_go_on(struct jdi_balance *b, bool last)
{
    struct gossip *g = gossip_of(b);
    const struct jdi_balance_head what = {
        .type = JDI_BALANCE_NEXT, .step = barrier_of(g), .word = {[NEXT_LAST] = last}};
    int rc = jdi_shape_tell(b, &what);
    if (rc)
        return rc;
    if (g->state == OFFERS) {
        enter_gossip(b, ANSWERS);
        rc = answer_offers(b);
        return rc ? rc : report_if_ready(b);
    }
    if (last)
        return jdi_balance_planned(b);
    g->iteration++;
    return begin_iteration(b);
}

/* ---- messages -------------------------------------------------------------------------------- */

static int gossip_begin(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    double bound = (double)b->figures.sum / b->c.nranks;
    bound = bound < (double)b->figures.largest ? (double)b->figures.largest : bound;
    g->limit = (uint64_t)(b->c.donate * bound);
    g->full = (uint64_t)(b->c.accept * bound);
    return begin_iteration(b);
}

static bool gossip_early(const struct jdi_balance *b, const struct jdi_balance_head *h)
{
    const struct gossip *g = gossip_of(b);
    if (h->type == JDI_BALANCE_KNOW)
        return h->step / b->c.fanout > g->iteration * b->c.rounds + g->round;
    if (h->type == JDI_BALANCE_REPORT)
        return g->state == RUMOURS && h->step == 2 * g->iteration;
    return h->type == JDI_BALANCE_OFFER && h->step > g->iteration;
}

static const char *fault_of_know(const struct jdi_balance *b,
                                 const struct jdi_balance_in *in)
{
    const struct gossip *g = gossip_of(b);
    uint32_t j = number_of_know(b, in);
    if (g->state != RUMOURS || j == UINT32_MAX || g->heard >> j & 1 ||
        in->head.step / b->c.fanout != g->iteration * b->c.rounds + g->round)
        return "a rumour that nobody waits for";
    if (in->n > b->c.known)
        return "a rumour that is too long";
    for (uint32_t i = 0; i < in->n; i++)
        if (in->lot[i].rank >= b->c.nranks || in->lot[i].time == 0 ||
            in->lot[i].time > g->full || in->lot[i].place != 0)
            return "a rumour that cannot be";
    return NULL;
}

static const char *fault_of_offer(const struct jdi_balance *b,
                                  const struct jdi_balance_in *in)
{
    const struct gossip *g = gossip_of(b);
    if (g->state == ANSWERS || in->head.step != g->iteration || in->n == 0 ||
        find_offer(&g->in, in->src) || b->load > g->limit || b->load >= g->full)
        return "an offer that nobody waits for";
    return in->head.word[OFFER_LOAD] > b->figures.most_before
               ? "an offer of a rank that cannot have so much"
               : jdi_stock_fault(b, in->lot, in->n);
}

static const char *fault_of_heard(const struct jdi_balance *b,
                                  const struct jdi_balance_in *in)
{
    const struct gossip *g = gossip_of(b);
    const struct offer *o = find_offer(&g->out, in->src);
    if (in->head.step != g->iteration || !o || !o->open)
        return "an answer to no offer";
    if (in->head.type == JDI_BALANCE_HEARD)
        return g->unheard > 0 && in->n == 0 ? NULL : "an answer that nobody waits for";
    if (g->state == RUMOURS || g->unheard > 0)
        return "an answer that nobody waits for";
    for (uint32_t i = 0, k = 0; i < in->n; i++, k++) {
        while (k < o->lots.n && memcmp(&o->lots.at[k], &in->lot[i], sizeof in->lot[i]))
            k++;
        if (k >= o->lots.n)
            return "a task that was not offered";
    }
    return NULL;
}

static const char *fault_of_report(const struct jdi_balance *b,
                                   const struct jdi_balance_in *in)
{
    const struct gossip *g = gossip_of(b);
    if (in->head.type == JDI_BALANCE_NEXT) {
        bool waits = g->reported && g->state != RUMOURS && b->c.rank > 0 &&
                     in->src == jdi_shape_parent(b, b->c.rank);
        uint64_t last = in->head.word[NEXT_LAST];
        if (!waits || in->head.step != barrier_of(g))
            return "a go-ahead that nobody waits for";
        return last > (g->state == ANSWERS) || (!last && g->state == ANSWERS &&
                                                g->iteration + 1 >= b->c.iterations)
                   ? "a go-ahead that cannot be"
                   : NULL;
    }
    uint32_t child = jdi_shape_child(b, in->src);
    if (child == UINT32_MAX || g->state == RUMOURS || in->head.step != barrier_of(g) ||
        g->said[child / 64] >> child % 64 & 1)
        return "a report that nobody waits for";
    return in->head.word[REPORT_MOST] > b->figures.most_before ? "a report that cannot be"
                                                               : NULL;
}

static const char *gossip_fault(const struct jdi_balance *b,
                                const struct jdi_balance_in *in)
{
    switch (in->head.type) {
    case JDI_BALANCE_KNOW:
        return fault_of_know(b, in);
    case JDI_BALANCE_OFFER:
        return fault_of_offer(b, in);
    case JDI_BALANCE_HEARD:
    case JDI_BALANCE_ANSWER:
        return fault_of_heard(b, in);
    case JDI_BALANCE_REPORT:
    case JDI_BALANCE_NEXT:
        return in->n > 0 ? "a list where none can be" : fault_of_report(b, in);
    default:
        return "a message of another balancer";
    }
}

static int on_know(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    struct gossip *g = gossip_of(b);
    uint32_t j = number_of_know(b, in);
    g->heard |= 1u << j;
    int rc = jdi_lots_append(&g->rumour[j], in->lot, in->n, b->c.fault);
    if (!rc && g->heard + 1 == 1u << b->c.fanout)
        rc = learn(b);
    if (rc || g->heard + 1 != 1u << b->c.fanout)
        return rc;
    if (g->round + 1 == b->c.rounds)
        return send_offers(b);
    g->round++;
    return send_rumours(b);
}

static int on_offer(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    const struct jdi_balance_head what = {.type = JDI_BALANCE_HEARD,
                                          .step = in->head.step};
    struct offer *o = get_offer(b, &gossip_of(b)->in, in->src);
    int rc = o ? jdi_lots_append(&o->lots, in->lot, in->n, b->c.fault) : JD_ENOMEM;
    if (!rc)
        o->load = in->head.word[OFFER_LOAD];
    return rc ? rc : jdi_letter_send(b, in->src, &what, NULL, 0);
}

static int gossip_answered(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    struct gossip *g = gossip_of(b);
    find_offer(&g->out, in->src)->open = false;
    g->unanswered--;
    jdi_stock_remove(b, in->lot, in->n);
    return report_if_ready(b);
}

static int gossip_message(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    struct gossip *g = gossip_of(b);
    switch (in->head.type) {
    case JDI_BALANCE_KNOW:
        return on_know(b, in);
    case JDI_BALANCE_OFFER:
        return on_offer(b, in);
    case JDI_BALANCE_HEARD:
        g->unheard--;
        return report_if_ready(b);
    case JDI_BALANCE_ANSWER:
        return gossip_answered(b, in);
    case JDI_BALANCE_NEXT:
        return gossip_go_on(b, in->head.word[NEXT_LAST] != 0);
    default: {
        uint32_t child = jdi_shape_child(b, in->src);
        uint64_t most = in->head.word[REPORT_MOST];
        g->said[child / 64] |= UINT64_C(1) << child % 64;
        g->most = g->most > most ? g->most : most;
        g->missing--;
        return report_if_ready(b);
    }
    }
}

static void gossip_end(struct jdi_balance *b)
{
    struct gossip *g = gossip_of(b);
    jdi_lots_free(&g->known);
    for (uint32_t j = 0; j < JDI_BALANCE_FANOUT_MOST; j++)
        jdi_lots_free(&g->rumour[j]);
    forget_offers(&g->out);
    forget_offers(&g->in);
    *g = (struct gossip){0};
}

const struct jdi_balance_ops jdi_balance_gossip = {
    .name = "gossip",
    .size = sizeof(struct gossip),
    .iterations = 16,
    .begin = gossip_begin,
    .early = gossip_early,
    .fault = gossip_fault,
    .message = gossip_message,
    .end = gossip_end,
};
