/*
 * termination_francez_every_small_state_is_safe.c
 *
 * Role: every state that the shipped object can reach with up to three ranks and four task
 *       messages, or four ranks and three, is safe, and each run ends.  The same search finds
 *       faults in wrong detectors.
 * Owner: one thread.
 * Invariants: I1 to I8 of doc/termination.md, at most one failed wave after quiescence.
 * See: explore.h; doc/termination.md section 9.
 */
#include "conform/codec_francez.h"
#include "conform/lens.h"
#include "conform/mutants_francez.h"
#include "test/kit/tap.h"

enum { LIMIT = 3000000 };

struct size {
    unsigned ranks, arity, sends, phases;
    uint32_t first_wave;
};

static const struct size sizes[] = {
    {1, 2, 4, 1, 0},          {1, 2, 4, 3, 0}, {2, 2, 4, 1, 0}, {2, 2, 3, 3, 0},
    {3, 2, 4, 1, 0},          {3, 1, 4, 1, 0}, {3, 2, 2, 2, 0}, {3, 2, 3, 1, 0x7fffffff},
    {3, 1, 3, 1, 0xffffffff}, {4, 2, 3, 1, 0},
};

/* Wrong detectors without a memory of their own, so that the codec has all of them. */
static const struct jdi_td_ops *const wrong[] = {
    &jdi_mutant_no_count,   &jdi_mutant_giver,          &jdi_mutant_giver_counted,
    &jdi_mutant_no_colour,  &jdi_mutant_no_root,        &jdi_mutant_own_colour,
    &jdi_mutant_no_forward, &jdi_mutant_clear_at_enter,
};

static struct jdi_explore_result *explore(const struct jdi_td_ops *ops,
                                          const struct size *s)
{
    const struct jdi_world_config c = {.ops = ops,
                                       .lens = &jdi_lens_francez,
                                       .audit = ops == &jdi_td_francez,
                                       .ranks = s->ranks,
                                       .arity = s->arity,
                                       .phases = s->phases,
                                       .sends = s->sends,
                                       .first_wave = s->first_wave,
                                       .max_seeds = 1,
                                       .max_failed = 1,
                                       .one_bit_live = true,
                                       .no_stats = true};
    return jdi_explore_run(&c, &jdi_codec_francez, LIMIT);
}

static void all_safe(const struct size *s)
{
    struct jdi_explore_result *r = explore(&jdi_td_francez, s);
    ok(r->end == JDI_EXPLORE_COMPLETE,
       "%u ranks, arity %u, %u messages, %u phases, waves from %u: %u states, %llu steps",
       s->ranks, s->arity, s->sends, s->phases, (unsigned)s->first_wave,
       (unsigned)r->states, (unsigned long long)r->transitions);
    if (r->end != JDI_EXPLORE_COMPLETE)
        jdi_explore_print(stderr, r, "# ");
    jdi_explore_free(r);
}

static void finds_fault(const struct jdi_td_ops *ops)
{
    const struct size s = {3, 1, 3, 1, 0};
    struct jdi_explore_result *r = explore(ops, &s);
    ok(r->end == JDI_EXPLORE_REJECTED || r->end == JDI_EXPLORE_CHECKED,
       "%s is found out after %u states", ops->name, (unsigned)r->states);
    diag("%s", r->text);
    jdi_explore_free(r);
}

int main(void)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(sizes); i++)
        if (sizes[i].ranks * sizes[i].sends < 12 || !tap_sanitized())
            all_safe(&sizes[i]);
    for (size_t i = 0; i < JDI_ARRAY_LEN(wrong); i++)
        finds_fault(wrong[i]);
    return done_testing();
}
