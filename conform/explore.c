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
/* Rounds in which a detector that does not number its waves is where it was before. */
enum { PUMPS = 64 };
#define NOWHERE UINT32_MAX

struct explorer {
    const struct jdi_world_config *config;
    const struct jdi_explore_codec *codec;
    struct jdi_explore_result *result;
    size_t bytes;
    uint32_t *table; /* state number + 1, open addressing */
    uint32_t mask;
    uint32_t stop; /* the state whose way is wanted, or NOWHERE */
    bool numbers;  /* the detector numbers its waves */
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

static void pump(struct jdi_world *w)
{
    for (unsigned rank = 0; rank < w->c.ranks && !w->fault[0]; rank++) {
        for (unsigned k = JDI_WORLD_UP; k <= JDI_WORLD_ACK; k++)
            while (!w->fault[0] && jdi_world_enabled(w, (enum jdi_world_kind)k, rank) > 0)
                jdi_world_do(w, (enum jdi_world_kind)k, rank, 0);
        if (!w->fault[0])
            jdi_world_do(w, JDI_WORLD_STEP, rank, 0);
    }
}

/* A message is under way for ever: does a state come twice?  Then there is an end of states. */
static bool numbers_waves(struct explorer *x)
{
    struct jdi_world *w = x->world;
    uint8_t seen[PUMPS][JDI_EXPLORE_BYTES];
    unsigned n = 0;
    for (unsigned rank = 0; rank < x->config->ranks; rank++)
        jdi_world_do(w, JDI_WORLD_ENTER, rank, rank == 0);
    if (jdi_world_enabled(w, JDI_WORLD_SEND, 0) == 0)
        return true;
    jdi_world_do(w, JDI_WORLD_SEND, 0, 0);
    jdi_world_do(w, JDI_WORLD_FINISH, 0, 0);
    while (n < PUMPS && !w->fault[0]) {
        pump(w);
        memset(seen[n], 0, sizeof seen[n]);
        x->codec->pack(x->codec, w, seen[n]);
        for (unsigned i = 0; i < n; i++)
            if (memcmp(seen[i], seen[n], x->bytes) == 0)
                return false;
        n++;
    }
    return true;
}

/* What the action adds to the state's count; true if it is a wave too many. */
static bool count_wave(const struct explorer *x, struct jdi_explore_state *s,
                       const uint8_t *before)
{
    const struct jdi_world *w = x->world;
    unsigned spoke = w->said != 0, is_step = s->kind == JDI_WORLD_STEP;
    if (w->c.ranks == 1) /* which has nobody to talk to */
        spoke = is_step && memcmp(s->packed, before, x->bytes) != 0;
    if (s->kind == JDI_WORLD_ENTER)
        s->spoke[0][s->rank] = s->spoke[1][s->rank] = 0;
    else if (s->kind == JDI_WORLD_TASK)
        return false;
    uint8_t *count = &s->spoke[is_step][s->rank];
    *count += spoke && *count < UINT8_MAX;
    return x->numbers && *count > x->codec->max_waves + 1;
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
    memcpy(s.spoke, state_at(x, number)->spoke, sizeof s.spoke);
    r->at = number;
    r->last = s;
    r->transitions++;
    restore(x, number);
    jdi_world_do(w, kind, rank, variant);
    if (!w->fault[0])
        x->codec->pack(x->codec, w, s.packed);
    if (w->fault[0])
        return true;
    if (count_wave(x, &s, state_at(x, number)->packed)) {
        r->cut++;
        return true;
    }
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

static bool is_same(const struct jdi_world_packet *a, const struct jdi_world_packet *b)
{
    if (a->kind != b->kind || a->src != b->src || a->dst != b->dst)
        return false;
    if (a->kind == JDI_WORLD_TASK)
        return a->stamp.phase == b->stamp.phase && a->stamp.wave == b->stamp.wave;
    return a->msg.phase == b->msg.phase && a->msg.wave == b->msg.wave &&
           a->msg.sum == b->msg.sum && a->msg.crossed == b->msg.crossed;
}

/* A packed world has its messages in another order: which one of `w` is meant? */
static unsigned variant_in(const struct explorer *x, const struct jdi_world *w,
                           const struct jdi_explore_state *s)
{
    unsigned skip = s->variant, variant = 0;
    const struct jdi_world_packet *want = NULL;
    if (s->kind < JDI_WORLD_TASK || s->kind > JDI_WORLD_ACK)
        return s->variant;
    for (uint32_t i = 0; i < x->world->nbag && !want; i++) {
        const struct jdi_world_packet *p = &x->world->bag[i];
        if (p->kind == s->kind && p->dst == s->rank && skip-- == 0)
            want = p;
    }
    for (uint32_t i = 0; want && i < w->nbag; i++) {
        if (is_same(&w->bag[i], want))
            return variant;
        variant += w->bag[i].kind == s->kind && w->bag[i].dst == s->rank;
    }
    return UINT8_MAX;
}

/* The action of state s, which follows `parent`, in a world that is not packed. */
static bool repeat_action(struct explorer *x, struct jdi_world *w, uint32_t parent,
                          const struct jdi_explore_state *s)
{
    enum jdi_world_kind kind = (enum jdi_world_kind)s->kind;
    restore(x, parent);
    unsigned variant = variant_in(x, w, s);
    if (w->fault[0] ||
        (kind != JDI_WORLD_STEP && variant >= jdi_world_enabled(w, kind, s->rank)))
        return false;
    jdi_script_add(&x->result->script, jdi_script_item_of(w, kind, s->rank, variant));
    jdi_world_do(w, kind, s->rank, variant);
    return true;
}

/* The way to state `number`; false if it cannot be told in a world that is not packed. */
static bool repeat_way(struct explorer *x, struct jdi_world *w, uint32_t number)
{
    const struct jdi_explore_state *s = state_at(x, number);
    return s->kind == 0 ||
           (repeat_way(x, w, s->parent) && repeat_action(x, w, s->parent, s));
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
    struct jdi_explore_result *r = x->result;
    struct jdi_world *w = aligned_alloc(16, sizeof *w);
    JD_CHECK(w != NULL);
    jdi_world_init(w, x->config, &r->trace);
    r->script.count = 0;
    bool told = repeat_way(x, w, x->stop) &&
                (last->kind == 0 || repeat_action(x, w, x->stop, last));
    free(w);
    if (told)
        return;
    r->script.count = r->trace.count = 0;
    x->world->trace = &r->trace;
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
    x->numbers = numbers_waves(x);
    x->world->fault[0] = '\0'; /* the search finds the way to it */
    for (uint32_t i = 0; i < r->states && !x->world->fault[0] && i != x->stop; i++)
        expand(x, i);
    if (x->stop != NOWHERE) {
        r->at = x->stop;
        r->last = last;
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
