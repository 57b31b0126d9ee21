/*
 * messages.c - the table of messages, and the check that is made of it.
 *
 * Role: see messages.h.
 * Owner: nobody; any thread.
 * Invariants: I1 and I2 of messages.h.
 * See: am/messages.def.
 */
#include "am/core.h"

#include <stdio.h>

/* The fields one after the other; FIRST_STEAL is the place of the first one of STEAL. */
enum place {
#define JDI_MESSAGE(number, name, ...)    FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define JDI_FIELD_ANY(name, field, ...)   AT_##name##_##field,
#define JDI_FIELD(name, field, ...)       AT_##name##_##field,
#define JDI_FIELD_BELOW(name, field, ...) AT_##name##_##field,
#include "am/messages.def"
    NFIELDS
};

#define MASK(bits) (UINT64_MAX >> (64 - (bits)))

static const struct jdi_am_field fields[] = {
#define JDI_FIELD_ANY(name, field, arg, bit, bits)                                       \
    {#field, arg, bit, bits, 0, 0, MASK(bits)},
#define JDI_FIELD(name, field, arg, bit, bits, least, most)                              \
    {#field, arg, bit, bits, 0, (uint64_t)(least), (uint64_t)(most)},
#define JDI_FIELD_BELOW(name, field, arg, bit, bits, least, bound)                       \
    {#field, arg, bit, bits, JDI_AM_BOUND_##bound, (uint64_t)(least), 0},
#include "am/messages.def"
};
_Static_assert(JDI_ARRAY_LEN(fields) == NFIELDS, "every field has its place");

static const struct jdi_am_form forms[JDI_MSGS] = {
#define JDI_MESSAGE(number, name, way, from, to, fewest, most, least, largest, turn,     \
                    ...)                                                                 \
    [number] = {#name,  from, to,    JDI_AM_##way, JDI_AM_##turn,                        \
                fewest, most, least, largest,      FIRST_##name},
#include "am/messages.def"
};

const struct jdi_am_form *jdi_am_messages_form(unsigned type)
{
    return type < JDI_MSGS && forms[type].name ? &forms[type] : NULL;
}

const struct jdi_am_field *jdi_am_messages_fields(const struct jdi_am_form *f,
                                                  unsigned *n)
{
    const struct jdi_am_form *next = f + 1;
    while (next < forms + JDI_MSGS && !next->name)
        next++;
    *n = (next < forms + JDI_MSGS ? next->first : NFIELDS) - f->first;
    return &fields[f->first];
}

/* ---- the check ------------------------------------------------------------------------- */

/* The value of a field, counted from its least one. */
#define COUNTED(at, bit, bits, least)                                                    \
    (((m->arg[at] >> (bit)) - (uint64_t)(least)) & MASK(bits))

/* The first field with a value that it cannot have, or NFIELDS. */
static enum place wrong_field(const uint64_t bound[], const struct jdi_am_msg *m)
{
    switch (m->type) {
    default:
#define JDI_MESSAGE(number, ...)                                                         \
    return NFIELDS;                                                                      \
    case number:
#define JDI_FIELD(name, field, at, bit, bits, least, most)                               \
    if (m->nargs > (at) &&                                                               \
        COUNTED(at, bit, bits, least) > (uint64_t)(most) - (uint64_t)(least))            \
        return AT_##name##_##field;
#define JDI_FIELD_BELOW(name, field, at, bit, bits, least, limit)                        \
    if (m->nargs > (at) && COUNTED(at, bit, bits, least) >=                              \
                               bound[JDI_AM_BOUND_##limit] - (uint64_t)(least))          \
        return AT_##name##_##field;
#include "am/messages.def"
        return NFIELDS;
    }
}

static void say_field(const struct jdi_am_msg *m, const struct jdi_am_field *f,
                      char *text, size_t size)
{
    uint64_t value = m->arg[f->arg] >> f->bit & MASK(f->bits);
    bool is_signed = f->least >> 63;
    if (is_signed && value >> (f->bits - 1))
        value |= ~MASK(f->bits);
    snprintf(text, size, is_signed ? "its %s cannot be %lld" : "its %s cannot be %llu",
             f->name, (long long)value);
}

bool jdi_am_messages_fit(const uint64_t bound[], const struct jdi_am_msg *m, bool reply,
                         char *text, size_t size)
{
    const struct jdi_am_form *f = jdi_am_messages_form(m->type);
    if (!f)
        return true; /* I2 */
    enum place wrong = NFIELDS;
    if (m->nargs < f->fewest || m->nargs > f->most)
        snprintf(text, size, "it cannot have %u arguments", m->nargs);
    else if (m->len < f->least || m->len > f->largest)
        snprintf(text, size, "it cannot have %u bytes", m->len);
    else if (reply && f->way == JDI_AM_REQUEST)
        snprintf(text, size, "it cannot be a reply");
    else if ((wrong = wrong_field(bound, m)) != NFIELDS)
        say_field(m, &fields[wrong], text, size);
    else
        return true;
    return false;
}
