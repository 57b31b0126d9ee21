/*
 * lens.c - what the suite may see of the states of the project's detectors.
 *
 * Role: accessors to their structs; forget also makes equal what only looks different.
 * See: lens.h; codec_francez.c, which needs no forget of francez.
 */
#include "conform/lens.h"

#include "termination/fourcounter.h"
#include "termination/francez.h"
#include "termination/rooted_td.h"
#include "termination/safra.h"

#include <string.h>

/* ---- francez ---------------------------------------------------------------------------- */

static uint32_t francez_wave(const void *td, uint32_t phase)
{
    const struct jdi_francez *f = td;
    return f->slot[phase & 1].wave;
}

static int64_t francez_balance(const void *td, uint32_t phase)
{
    const struct jdi_francez *f = td;
    return f->slot[phase & 1].sent - f->slot[phase & 1].recv;
}

/* Waves are counted modulo 2^32. */
static void francez_start(void *td, uint32_t phase, uint64_t wave)
{
    struct jdi_francez *f = td;
    f->phase = phase;
    f->slot[phase & 1].wave = (uint32_t)wave;
}

const struct jdi_world_lens jdi_lens_francez = {
    .wave = francez_wave, .balance = francez_balance, .start = francez_start};

/* ---- safra: only the difference of the counters matters ------------------------------- */

static int64_t safra_balance(const void *td, uint32_t phase)
{
    const struct jdi_safra *f = td;
    return f->slot[phase & 1].sent - f->slot[phase & 1].recv;
}

static void safra_forget(void *td)
{
    struct jdi_safra *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
    struct jdi_safra_slot *s = &f->slot[f->phase & 1];
    /* recv > 0 is checked of a black rank, and equals held before the phase is entered. */
    if (f->open) {
        int64_t balance = s->sent - s->recv;
        s->recv = balance > 0 ? 1 : 1 - balance;
        s->sent = s->recv + balance;
    }
    if (!s->token) {
        s->token_sum = 0;
        s->token_black = false;
    }
}

/* No wave has a number that grows. */
static void safra_start(void *td, uint32_t phase, uint64_t wave)
{
    struct jdi_safra *f = td;
    (void)wave;
    f->phase = phase;
}

const struct jdi_world_lens jdi_lens_safra = {
    .balance = safra_balance, .forget = safra_forget, .start = safra_start};

/* ---- fourcounter ------------------------------------------------------------------------ */

static int64_t fourcounter_balance(const void *td, uint32_t phase)
{
    const struct jdi_fourcounter *f = td;
    return (int64_t)(f->slot[phase & 1].sent - f->slot[phase & 1].recv);
}

static void fourcounter_forget(void *td)
{
    struct jdi_fourcounter *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
}

/* No wave has a number that grows. */
static void fourcounter_start(void *td, uint32_t phase, uint64_t wave)
{
    struct jdi_fourcounter *f = td;
    (void)wave;
    f->phase = phase;
}

const struct jdi_world_lens jdi_lens_fourcounter = {.balance = fourcounter_balance,
                                                    .forget = fourcounter_forget,
                                                    .start = fourcounter_start};

/* ---- diffuse and credit: no wave has a number that grows ---------------------------------- */

static void rooted_start(void *td, uint32_t phase, uint64_t wave)
{
    struct jdi_rooted_td *f = td;
    (void)wave;
    f->phase = phase;
}

/* ---- diffuse ---------------------------------------------------------------------------- */

static void diffuse_forget(void *td)
{
    struct jdi_rooted_td *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->rooted.sent = 0;
    if (!f->rooted.engaged)
        f->rooted.home = 0;
}

const struct jdi_world_lens jdi_lens_diffuse = {.forget = diffuse_forget,
                                                .start = rooted_start};

/* ---- credit ----------------------------------------------------------------------------- */

static void credit_forget(void *td)
{
    struct jdi_rooted_td *f = td;
    memset(&f->figures, 0, sizeof f->figures);
    f->rooted.sent = f->rooted.steps = 0;
    if (!f->rooted.engaged)
        f->rooted.home = 0;
}

const struct jdi_world_lens jdi_lens_credit = {.forget = credit_forget,
                                               .start = rooted_start};
