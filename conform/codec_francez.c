/*
 * codec_francez.c - one struct cell per rank, and two bytes for the world.
 *
 * Role: UP, NEXT and TERM need not carry phase and wave: they are those of the child at the
 *       lower end of the edge, which francez_pack checks.  A task message is kept by
 *       destination as older than, equal to or newer than the receiver's wave; older ones
 *       stay older for ever.
 * See: codec_francez.h.
 */
#include "conform/codec_francez.h"

#include "conform/oracle.h"
#include "termination/francez.h"
#include "termination/tree.h"

#include <string.h>

/* Added to sent and recv of an open slot, which must not be negative. */
enum { OFFSET = 64 };

struct slot_cell {
    uint8_t wave : 2, crossed : 1, kids_crossed : 1, kids_in : 4;
    int8_t balance, kids_sum;
};

/* One rank and what is under way to it, and its own report. */
struct cell {
    uint8_t live : 1, state : 2, ended : 2, down : 2, up : 1;
    uint8_t up_crossed : 1, held : 7;
    int8_t up_sum;
    uint8_t task[3];          /* two counts each: [next phase][older, equal, newer] */
    struct slot_cell slot[2]; /* of this phase, of the next */
};

_Static_assert(4 * sizeof(struct cell) + 2 <= JDI_EXPLORE_BYTES, "four ranks must fit");

static struct jdi_francez *det(struct jdi_world *w, unsigned rank)
{
    return (struct jdi_francez *)(void *)w->td[rank];
}

static size_t francez_size(const struct jdi_world_config *c)
{
    return c->ranks * sizeof(struct cell) + 2;
}

/* The smallest wave among the ranks whose slot is that of the phase. */
static uint32_t base_of(struct jdi_world *w, uint32_t phase)
{
    uint32_t base = 0;
    bool any = false;
    for (unsigned i = 0; i < w->c.ranks; i++) {
        if (phase - det(w, i)->phase > 1)
            continue;
        uint32_t wave = det(w, i)->slot[phase & 1].wave;
        if (!any || (int32_t)(wave - base) < 0)
            base = wave;
        any = true;
    }
    return base;
}

static void pack_slot(struct jdi_world *w, unsigned rank, uint32_t phase,
                      struct slot_cell *out)
{
    const struct jdi_francez_slot *s = &det(w, rank)->slot[phase & 1];
    uint32_t wave = s->wave - base_of(w, phase);
    if (wave > 1)
        jdi_oracle_fail(w, "O6 (I1): wave numbers differ by %u", (unsigned)wave);
    out->wave = wave & 3;
    out->crossed = s->crossed;
    out->kids_crossed = s->kids_crossed;
    out->kids_in = s->kids_in & 15;
    out->balance = (int8_t)(s->sent - s->recv);
    out->kids_sum = (int8_t)s->kids_sum;
}

static void pack_task(struct jdi_world *w, const struct jdi_world_packet *p,
                      struct cell *to)
{
    const struct jdi_francez *f = det(w, p->dst);
    uint32_t ahead = p->stamp.phase - f->phase;
    int32_t d = (int32_t)(p->stamp.wave - f->slot[p->stamp.phase & 1].wave);
    unsigned class = d < 0 ? 0 : d == 0 ? 1 : 2;
    unsigned index = (ahead & 1) * 3 + class;
    if (ahead > 1 || d > 1)
        jdi_oracle_fail(w, "O6: a task message no receiver can expect");
    to[p->dst].task[index / 2] += index % 2 ? 16 : 1;
}

static void pack_control(struct jdi_world *w, const struct jdi_world_packet *p,
                         struct cell *to)
{
    unsigned child = p->kind == JDI_WORLD_UP ? p->src : p->dst;
    const struct jdi_francez *f = det(w, child);
    if (p->msg.phase != f->phase || p->msg.wave != f->slot[f->phase & 1].wave)
        jdi_oracle_fail(w, "O6: a control message of another wave than that of rank %u",
                        child);
    if (p->kind != JDI_WORLD_UP) {
        to[child].down = p->kind == JDI_WORLD_NEXT ? 1 : 2;
        return;
    }
    to[child].up = 1;
    to[child].up_crossed = p->msg.crossed;
    to[child].up_sum = (int8_t)p->msg.sum;
}

static void francez_pack(const struct jdi_explore_codec *self, struct jdi_world *w,
                         uint8_t *out)
{
    (void)self;
    struct cell cell[JDI_WORLD_RANKS];
    memset(cell, 0, sizeof cell);
    for (unsigned i = 0; i < w->c.ranks; i++) {
        const struct jdi_francez *f = det(w, i);
        cell[i].live = w->rank[i].nlive > 0;
        cell[i].state = f->state & 3;
        cell[i].ended = w->rank[i].ended & 3;
        cell[i].held = w->rank[i].nheld & 127;
        pack_slot(w, i, f->phase, &cell[i].slot[0]);
        pack_slot(w, i, f->phase + 1, &cell[i].slot[1]);
    }
    for (uint32_t i = 0; i < w->nbag; i++)
        if (w->bag[i].kind == JDI_WORLD_TASK)
            pack_task(w, &w->bag[i], cell);
        else
            pack_control(w, &w->bag[i], cell);
    memcpy(out, cell, w->c.ranks * sizeof cell[0]);
    out[w->c.ranks * sizeof cell[0]] = (uint8_t)w->budget;
    out[w->c.ranks * sizeof cell[0] + 1] = (uint8_t)w->failed_after[0];
}

static void unpack_slot(uint32_t first_wave, const struct slot_cell *in, bool open,
                        struct jdi_francez_slot *s)
{
    memset(s, 0, sizeof *s);
    s->wave = first_wave + in->wave;
    s->crossed = in->crossed;
    s->kids_crossed = in->kids_crossed;
    s->kids_in = in->kids_in;
    s->kids_sum = in->kids_sum;
    s->sent = open ? OFFSET + in->balance : 0;
    s->recv = open ? OFFSET : -in->balance;
    s->held = open ? 0 : (uint32_t)s->recv;
}

static void put_packet(struct jdi_world *w, const struct jdi_world_packet *p)
{
    w->bag[w->nbag++] = *p;
    w->waiting[p->kind][p->dst]++;
}

static void unpack_tasks(struct jdi_world *w, unsigned rank, const struct cell *in)
{
    const struct jdi_francez *f = det(w, rank);
    for (unsigned index = 0; index < 6; index++) {
        struct jdi_world_packet p = {.kind = JDI_WORLD_TASK, .dst = (uint8_t)rank};
        unsigned n = index % 2 ? in->task[index / 2] >> 4 : in->task[index / 2] & 15;
        p.phase = p.stamp.phase = f->phase + index / 3;
        p.stamp.wave = f->slot[p.stamp.phase & 1].wave + index % 3 - 1;
        w->left[p.stamp.phase] += n;
        while (n-- > 0)
            put_packet(w, &p);
    }
}

static void unpack_control(struct jdi_world *w, unsigned rank, const struct cell *in)
{
    const struct jdi_francez *f = det(w, rank);
    struct jdi_world_packet p = {
        .msg = {.phase = f->phase, .wave = f->slot[f->phase & 1].wave}};
    if (in->up) {
        p.kind = JDI_WORLD_UP;
        p.src = (uint8_t)rank;
        p.dst = (uint8_t)f->parent;
        p.msg.type = JDI_TD_UP;
        p.msg.sum = in->up_sum;
        p.msg.crossed = in->up_crossed;
        put_packet(w, &p);
    }
    if (in->down) {
        p.kind = in->down == 1 ? JDI_WORLD_NEXT : JDI_WORLD_TERM;
        p.src = (uint8_t)f->parent;
        p.dst = (uint8_t)rank;
        p.msg.type = in->down == 1 ? JDI_TD_NEXT : JDI_TD_TERM;
        p.msg.sum = 0;
        p.msg.crossed = false;
        put_packet(w, &p);
    }
}

/* Of the children of a rank, those whose report of the wave is here. */
static uint64_t kids_heard(struct jdi_world *w, unsigned rank, uint32_t phase,
                           const struct cell *cell)
{
    const struct jdi_francez *f = det(w, rank);
    uint64_t kids = 0;
    for (unsigned i = 0; i < f->nkids; i++) {
        const struct jdi_francez *kid = det(w, f->first_kid + i);
        uint32_t newer = kid->slot[phase & 1].wave - f->slot[phase & 1].wave;
        if (kid->phase == phase && newer == 1 && !cell[f->first_kid + i].up)
            kids |= UINT64_C(1) << i;
    }
    return kids;
}

static void unpack_rank(struct jdi_world *w, unsigned rank, const struct cell *in)
{
    struct jdi_francez *f = det(w, rank);
    struct jdi_world_rank *r = &w->rank[rank];
    bool out = in->state == JDI_FRANCEZ_OUT;
    f->state = (enum jdi_francez_state)in->state;
    f->phase = in->ended + 1u;
    memset(&f->figures, 0, sizeof f->figures);
    f->pause_end = 0;
    f->futile = 0;
    unpack_slot(f->phase == 1 ? (uint32_t)w->c.first_wave : 0, &in->slot[0], !out,
                &f->slot[f->phase & 1]);
    unpack_slot(0, &in->slot[1], false, &f->slot[~f->phase & 1]);
    r->ended = in->ended;
    r->phase = out ? in->ended : in->ended + 1u;
    r->nlive = in->live;
    r->nheld = in->held;
    w->left[r->phase] += in->live;
    /* What is kept is of the phase to be entered next. */
    w->left[r->phase + 1] += in->held;
    for (uint32_t p = 1; p <= r->phase; p++)
        w->entered[p]++;
}

static void francez_unpack(const struct jdi_explore_codec *self, struct jdi_world *w,
                           const uint8_t *in)
{
    (void)self;
    struct cell cell[JDI_WORLD_RANKS];
    memcpy(cell, in, w->c.ranks * sizeof cell[0]);
    memset(w->entered, 0, sizeof w->entered);
    memset(w->left, 0, sizeof w->left);
    memset(w->waiting, 0, sizeof w->waiting);
    memset(w->sent_by, 0, sizeof w->sent_by);
    w->nbag = 0;
    w->failed_seen[0] = 0;
    w->budget = in[w->c.ranks * sizeof cell[0]];
    w->failed_after[0] = in[w->c.ranks * sizeof cell[0] + 1];
    for (unsigned i = 0; i < w->c.ranks; i++)
        unpack_rank(w, i, &cell[i]);
    for (unsigned i = 0; i < w->c.ranks; i++) {
        unpack_tasks(w, i, &cell[i]);
        unpack_control(w, i, &cell[i]);
        for (uint32_t p = det(w, i)->phase, end = p + 2; p != end; p++)
            det(w, i)->slot[p & 1].kids_heard = kids_heard(w, i, p, cell);
    }
}

const struct jdi_explore_codec jdi_codec_francez = {
    .bytes = francez_size,
    .pack = francez_pack,
    .unpack = francez_unpack,
    /* Of numbers only differences are kept, so there is nothing to be cut. */
    .max_waves = UINT8_MAX};
