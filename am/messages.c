/*
 * messages.c - the table of messages.
 *
 * Role: see messages.h.
 * Owner: nobody; any thread.
 * Invariants: I1 and I2 of messages.h.
 * See: am/messages.def.
 */
#include "am/core.h"

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

const struct jdi_am_form *jdi_am_form(unsigned type)
{
    return type < JDI_MSGS && forms[type].name ? &forms[type] : NULL;
}

const struct jdi_am_field *jdi_am_fields(const struct jdi_am_form *f, unsigned *n)
{
    const struct jdi_am_form *next = f + 1;
    while (next < forms + JDI_MSGS && !next->name)
        next++;
    *n = (next < forms + JDI_MSGS ? next->first : NFIELDS) - f->first;
    return &fields[f->first];
}
