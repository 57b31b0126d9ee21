/*
 * lens_francez.c - see lens_francez.h.
 *
 * Role: accessors to struct jdi_francez.
 * Owner: the test.
 * Invariants: none.
 * See: lens_francez.h.
 */
#include "conform/lens_francez.h"

#include "termination/francez.h"

static uint32_t wave(const void *td, uint32_t phase)
{
    const struct jdi_francez *f = td;
    return f->slot[phase & 1].wave;
}

static int64_t balance(const void *td, uint32_t phase)
{
    const struct jdi_francez *f = td;
    return f->slot[phase & 1].sent - f->slot[phase & 1].recv;
}

static void set_wave(void *td, uint32_t first)
{
    struct jdi_francez *f = td;
    f->slot[f->phase & 1].wave = first;
}

const struct jdi_world_lens jdi_lens_francez = {
    .wave = wave, .balance = balance, .set_wave = set_wave};
