/*
 * codec_bytes.c - a state is a number for each rank and one for the bag.
 *
 * Role: a rank's number stands for its counts and the bytes of its detector, that of the bag
 *       for its packets in a fixed order.
 * See: codec_bytes.h.
 */
#include "conform/codec_bytes.h"

#include "core/container.h"

#include <stdlib.h>
#include <string.h>

/* The pools grow while packing, so they are not constant although the codec is. */
static struct jdi_codec_bytes *pools(const struct jdi_explore_codec *self)
{
    return jdi_container_of(self, struct jdi_codec_bytes, codec);
}

struct rank_piece {
    uint8_t phase, ended, nlive, nheld;
    unsigned char td[JDI_WORLD_TD];
};

struct bag_piece {
    int64_t sum;
    uint64_t wave;
    uint32_t stamp_phase, stamp_wave, msg_phase;
    uint8_t kind, src, dst, type, crossed, phase;
};

static size_t bytes_size(const struct jdi_world_config *c)
{
    return (c->ranks + 1) * sizeof(uint32_t) + 2;
}

static uint32_t put_rank(struct jdi_codec_bytes *c, struct jdi_world *w, unsigned rank)
{
    const struct jdi_world_rank *r = &w->rank[rank];
    size_t size = w->c.ops->size;
    struct rank_piece piece;
    if (w->c.lens && w->c.lens->forget)
        w->c.lens->forget(w->td[rank]);
    piece.phase = (uint8_t)r->phase;
    piece.ended = (uint8_t)r->ended;
    piece.nlive = (uint8_t)r->nlive;
    piece.nheld = (uint8_t)r->nheld;
    memcpy(piece.td, w->td[rank], size);
    return jdi_pieces_put(&c->ranks, &piece, offsetof(struct rank_piece, td) + size);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct bag_piece));
}

static uint32_t put_bag(struct jdi_codec_bytes *c, const struct jdi_world *w)
{
    struct bag_piece piece[JDI_WORLD_BAG];
    memset(piece, 0, w->nbag * sizeof piece[0]);
    for (uint32_t i = 0; i < w->nbag; i++) {
        const struct jdi_world_packet *p = &w->bag[i];
        piece[i].kind = p->kind;
        piece[i].src = p->src;
        piece[i].dst = p->dst;
        if (p->kind == JDI_WORLD_TASK) {
            piece[i].phase = (uint8_t)p->phase;
            piece[i].stamp_phase = p->stamp.phase;
            piece[i].stamp_wave = p->stamp.wave;
            continue;
        }
        piece[i].type = (uint8_t)p->msg.type;
        piece[i].crossed = p->msg.crossed;
        piece[i].msg_phase = p->msg.phase;
        piece[i].wave = p->msg.wave;
        piece[i].sum = p->msg.sum;
    }
    qsort(piece, w->nbag, sizeof piece[0], compare);
    return jdi_pieces_put(&c->bags, piece, w->nbag * sizeof piece[0]);
}

static void bytes_pack(const struct jdi_explore_codec *self, struct jdi_world *w,
                       uint8_t *out)
{
    struct jdi_codec_bytes *c = pools(self);
    uint32_t number[JDI_WORLD_RANKS + 1];
    for (unsigned i = 0; i < w->c.ranks; i++)
        number[i] = put_rank(c, w, i);
    number[w->c.ranks] = put_bag(c, w);
    size_t n = (w->c.ranks + 1) * sizeof number[0];
    memcpy(out, number, n);
    out[n] = (uint8_t)w->budget;
    out[n + 1] = (uint8_t)w->failed_after[0];
}

static void get_rank(const struct jdi_codec_bytes *c, struct jdi_world *w, unsigned rank,
                     uint32_t number)
{
    struct jdi_world_rank *r = &w->rank[rank];
    size_t len;
    const struct rank_piece *piece = jdi_pieces_get(&c->ranks, number, &len);
    r->phase = piece->phase;
    r->ended = piece->ended;
    r->nlive = piece->nlive;
    r->nheld = piece->nheld;
    memcpy(w->td[rank], piece->td, len - offsetof(struct rank_piece, td));
    w->left[r->phase] += r->nlive;
    /* What is kept is of the phase to be entered next. */
    w->left[r->phase + 1] += r->nheld;
    for (uint32_t p = 1; p <= r->phase; p++)
        w->entered[p]++;
}

static void get_bag(const struct jdi_codec_bytes *c, struct jdi_world *w, uint32_t number)
{
    size_t len;
    const uint8_t *in = jdi_pieces_get(&c->bags, number, &len);
    for (size_t at = 0; at < len; at += sizeof(struct bag_piece)) {
        struct jdi_world_packet *p = &w->bag[w->nbag++];
        struct bag_piece piece;
        memcpy(&piece, in + at, sizeof piece);
        memset(p, 0, sizeof *p);
        p->kind = piece.kind;
        p->src = piece.src;
        p->dst = piece.dst;
        p->phase = piece.phase;
        p->stamp = (struct jdi_td_stamp){piece.stamp_phase, piece.stamp_wave};
        p->msg.type = (enum jdi_td_type)piece.type;
        p->msg.crossed = piece.crossed;
        p->msg.phase = piece.msg_phase;
        p->msg.wave = piece.wave;
        p->msg.sum = piece.sum;
        w->waiting[p->kind][p->dst]++;
        if (p->kind == JDI_WORLD_TASK)
            w->left[p->phase]++;
    }
}

static void bytes_unpack(const struct jdi_explore_codec *self, struct jdi_world *w,
                         const uint8_t *in)
{
    const struct jdi_codec_bytes *c = pools(self);
    uint32_t number[JDI_WORLD_RANKS + 1];
    struct jdi_td_figures f;
    size_t n = (w->c.ranks + 1) * sizeof number[0];
    memcpy(number, in, n);
    memset(w->entered, 0, sizeof w->entered);
    memset(w->left, 0, sizeof w->left);
    memset(w->waiting, 0, sizeof w->waiting);
    memset(w->sent_by, 0, sizeof w->sent_by);
    w->nbag = 0;
    for (unsigned i = 0; i < w->c.ranks; i++)
        get_rank(c, w, i, number[i]);
    get_bag(c, w, number[w->c.ranks]);
    w->budget = in[n];
    w->failed_after[0] = in[n + 1];
    w->c.ops->figures(w->td[0], &f);
    w->failed_seen[0] = f.failed;
}

void jdi_codec_bytes_init(struct jdi_codec_bytes *c, unsigned max_waves)
{
    c->codec = (struct jdi_explore_codec){.bytes = bytes_size,
                                          .pack = bytes_pack,
                                          .unpack = bytes_unpack,
                                          .max_waves = max_waves};
    jdi_pieces_init(&c->ranks);
    jdi_pieces_init(&c->bags);
}

void jdi_codec_bytes_fini(struct jdi_codec_bytes *c)
{
    jdi_pieces_fini(&c->ranks);
    jdi_pieces_fini(&c->bags);
}
