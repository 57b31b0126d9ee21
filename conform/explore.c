/*
 * explore.c - the set of states and the way through it.
 *
 * Role: the queue is the array of states, which are numbered in the order of their discovery;
 *       so the first fault found is one of those with the fewest actions.
 * Owner: a child process; the array is shared with the parent.
 * See: explore.h.
 */
#include "conform/explore.h"

#include "conform/child.h"
#include "conform/hash.h"
#include "conform/oracle.h"

#include <stdlib.h>
#include <string.h>

/* At least, and for each so many states one more. */
enum { SECONDS = 600, RATE = 5000 };
#define NOWHERE UINT32_MAX

struct explorer {
    const struct jdi_world_config *config;
    const struct jdi_explore_codec *codec;
    struct jdi_explore_result *result;
    size_t bytes;
    uint32_t *table; /* state number + 1, open addressing */
    uint32_t mask;
    uint32_t stop; /* the state whose way is wanted, or NOWHERE */
    struct jdi_world *world;
};

static struct jdi_explore_state *state_at(const struct explorer *x, uint32_t number)
{
    return &x->result->state[number];
}

/* The number of the state, new or known; the limit if there is no room. */
static uint32_t intern(struct explorer *x, const struct jdi_explore_state *s)
{
    struct jdi_explore_result *r = x->result;
    uint32_t i = (uint32_t)jdi_hash_of(s->packed, x->bytes) & x->mask;
    for (; x->table[i]; i = (i + 1) & x->mask)
        if (memcmp(state_at(x, x->table[i] - 1)->packed, s->packed, x->bytes) == 0)
            return x->table[i] - 1;
    if (r->states == r->limit)
        return r->limit;
    *state_at(x, r->states) = *s;
    x->table[i] = ++r->states;
    return r->states - 1;
}

/* What is counted after quiescence is no part of a state: walks look at that. */
static void restore(struct explorer *x, uint32_t number)
{
    memset(&x->world->cost, 0, sizeof x->world->cost);
    x->codec->unpack(x->codec, x->world, state_at(x, number)->packed);
    x->world->over = jdi_oracle_over(x->world);
}

/* One action in state `number`; true if it leads elsewhere. */
static bool follow(struct explorer *x, uint32_t number, enum jdi_world_kind kind,
                   unsigned rank, unsigned variant)
{
    struct jdi_explore_result *r = x->result;
    struct jdi_world *w = x->world;
    struct jdi_explore_state s = {.parent = number,
                                  .kind = (uint8_t)kind,
                                  .rank = (uint8_t)rank,
                                  .variant = (uint8_t)variant};
    r->at = number;
    r->last = s;
    r->transitions++;
    restore(x, number);
    jdi_world_do(w, kind, rank, variant);
    if (!w->fault[0] && !x->codec->pack(x->codec, w, s.packed)) {
        r->cut++;
        return true;
    }
    if (w->fault[0])
        return true;
    return intern(x, &s) != number;
}

/* Every action in this state.  STEP is always one, as a rank polls while it is idle. */
static void expand(struct explorer *x, uint32_t number)
{
    static const uint8_t kinds[] = {JDI_WORLD_ENTER, JDI_WORLD_SEND,  JDI_WORLD_FINISH,
                                    JDI_WORLD_TASK,  JDI_WORLD_UP,    JDI_WORLD_NEXT,
                                    JDI_WORLD_TERM,  JDI_WORLD_TOKEN, JDI_WORLD_ACK,
                                    JDI_WORLD_STEP};
    struct jdi_world *w = x->world;
    bool moved = false;
    for (unsigned rank = 0; rank < x->config->ranks; rank++)
        for (size_t k = 0; k < sizeof kinds; k++) {
            enum jdi_world_kind kind = (enum jdi_world_kind)kinds[k];
            restore(x, number);
            unsigned n = kind == JDI_WORLD_STEP ? 1 : jdi_world_enabled(w, kind, rank);
            for (unsigned v = 0; v < n; v++) {
                moved |= follow(x, number, kind, rank, v);
                if (w->fault[0])
                    return;
            }
        }
    if (moved)
        return;
    x->result->last.kind = 0;
    restore(x, number);
    jdi_oracle_end(w);
}

/* The steps to state `number`, into the trace. */
static void retrace(struct explorer *x, uint32_t number)
{
    const struct jdi_explore_state *s = state_at(x, number);
    if (s->kind == 0)
        return;
    retrace(x, s->parent);
    restore(x, s->parent);
    jdi_world_do(x->world, (enum jdi_world_kind)s->kind, s->rank, s->variant);
}

/* With the last action, after which the world is wrong. */
static void retrace_all(struct explorer *x, const struct jdi_explore_state *last)
{
    retrace(x, x->stop);
    restore(x, x->stop);
    if (last->kind)
        jdi_world_do(x->world, (enum jdi_world_kind)last->kind, last->rank,
                     last->variant);
}

static void search(void *arg)
{
    struct explorer *x = arg;
    struct jdi_explore_result *r = x->result;
    struct jdi_explore_state first = {0}, last = r->last;
    jdi_world_init(x->world, x->config, x->stop == NOWHERE ? NULL : &r->trace);
    x->world->trace = NULL;
    x->codec->pack(x->codec, x->world, first.packed);
    intern(x, &first);
    for (uint32_t i = 0; i < r->states && !x->world->fault[0] && i != x->stop; i++)
        expand(x, i);
    if (x->stop != NOWHERE) {
        r->at = x->stop;
        r->last = last;
        x->world->trace = &r->trace;
        retrace_all(x, &last);
        return;
    }
    snprintf(r->text, sizeof r->text, "%s", x->world->fault);
    r->end = x->world->fault[0]      ? JDI_EXPLORE_REJECTED
             : r->states == r->limit ? JDI_EXPLORE_FULL
                                     : JDI_EXPLORE_COMPLETE;
}

static size_t result_bytes(uint32_t limit)
{
    return sizeof(struct jdi_explore_result) +
           (size_t)limit * sizeof(struct jdi_explore_state);
}

static enum jdi_child_end run_search(struct jdi_explore_result *r,
                                     const struct jdi_world_config *c,
                                     const struct jdi_explore_codec *codec, uint32_t stop,
                                     char *said, size_t saidlen)
{
    struct explorer x = {
        .config = c, .codec = codec, .result = r, .mask = 1, .stop = stop};
    while (x.mask < 2 * r->limit)
        x.mask = x.mask * 2 + 1;
    x.bytes = codec->bytes(c);
    x.table = calloc((size_t)x.mask + 1, sizeof x.table[0]);
    x.world = aligned_alloc(16, sizeof *x.world);
    JD_CHECK(x.table && x.world && x.bytes <= JDI_EXPLORE_BYTES);
    unsigned more = r->limit / RATE;
    enum jdi_child_end e = jdi_child_run(search, &x, SECONDS + more, said, saidlen);
    free(x.table);
    free(x.world);
    return e;
}

struct jdi_explore_result *jdi_explore_run(const struct jdi_world_config *c,
                                           const struct jdi_explore_codec *codec,
                                           uint32_t limit)
{
    struct jdi_explore_result *r = jdi_child_alloc(result_bytes(limit));
    char said[sizeof r->text];
    r->limit = limit;
    enum jdi_child_end e = run_search(r, c, codec, NOWHERE, said, sizeof said);
    if (e != JDI_CHILD_RETURNED) {
        r->end = e == JDI_CHILD_STUCK ? JDI_EXPLORE_FULL : JDI_EXPLORE_CHECKED;
        memcpy(r->text, said, sizeof r->text);
    }
    return r;
}

void jdi_explore_trace(struct jdi_explore_result *r, const struct jdi_world_config *c,
                       const struct jdi_explore_codec *codec)
{
    char said[sizeof r->text];
    r->states = 0;
    run_search(r, c, codec, r->at, said, sizeof said);
}

void jdi_explore_free(struct jdi_explore_result *r)
{
    jdi_child_free(r, result_bytes(r->limit));
}

/* First the parent's way, then this step: the depth is small. */
static void print_path(FILE *out, const struct jdi_explore_result *r,
                       const struct jdi_explore_state *s, const char *prefix)
{
    if (s->kind == 0)
        return;
    print_path(out, r, &r->state[s->parent], prefix);
    fprintf(out, "%s%-6s %u  variant %u\n", prefix,
            jdi_world_kind_name((enum jdi_world_kind)s->kind), s->rank, s->variant);
}

void jdi_explore_print(FILE *out, const struct jdi_explore_result *r, const char *prefix)
{
    fprintf(out, "%s%s\n", prefix,
            r->end == JDI_EXPLORE_FULL ? "too many states" : r->text);
    print_path(out, r, &r->last, prefix);
}
