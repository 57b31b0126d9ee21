/*
 * termination_references_every_small_state_is_safe.c
 *
 * Role: every state that the reference detectors can reach with up to three ranks and four
 *       task messages, or four ranks and two, is safe, and each run ends.  `francez` is in the
 *       list too, up to a number of waves, because two codecs that agree check each other.
 * Owner: one thread.
 * See: explore.h, codec_bytes.h, known.h.
 */
#include "conform/codec_bytes.h"
#include "conform/known.h"
#include "termination/find.h"
#include "test/kit/tap.h"

enum { LIMIT = 4000000, MAX_WAVES = 3 };

struct size {
    unsigned ranks, arity, sends, phases;
};

static const struct size sizes[] = {
    {1, 2, 4, 3}, {2, 2, 4, 1}, {2, 1, 2, 3}, {3, 2, 3, 1}, {3, 1, 2, 1}, {3, 2, 1, 2},
};

static void explore(const struct jdi_known *k, const struct size *s)
{
    const struct jdi_world_config c = {.ops = k->ops,
                                       .lens = k->lens,
                                       .audit = true,
                                       .ranks = s->ranks,
                                       .arity = s->arity,
                                       .phases = s->phases,
                                       .sends = s->sends,
                                       .max_seeds = 1,
                                       .max_failed = k->max_failed,
                                       .one_bit_live = true,
                                       .no_stats = true};
    struct jdi_codec_bytes codec;
    jdi_codec_bytes_init(&codec, MAX_WAVES);
    struct jdi_explore_result *r = jdi_explore_run(&c, &codec.codec, LIMIT);
    ok(r->end == JDI_EXPLORE_COMPLETE,
       "%s: %u ranks, arity %u, %u messages, %u phases: %u states, %llu steps, %u cut",
       k->ops->name, s->ranks, s->arity, s->sends, s->phases, (unsigned)r->states,
       (unsigned long long)r->transitions, (unsigned)r->cut);
    if (r->end != JDI_EXPLORE_COMPLETE)
        jdi_explore_print(stderr, r, "# ");
    jdi_explore_free(r);
    jdi_codec_bytes_fini(&codec);
}

int main(void)
{
    for (size_t i = 0; jdi_known_at(i); i++)
        for (size_t j = 0; j < JDI_ARRAY_LEN(sizes); j++)
            if (sizes[j].ranks * sizes[j].sends < 9 || !tap_sanitized())
                explore(jdi_known_at(i), &sizes[j]);
    return done_testing();
}
