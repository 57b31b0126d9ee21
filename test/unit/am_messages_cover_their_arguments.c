/* The rows of am/messages.def: the fields of a message cover each bit of its arguments once,
 * have values, and are found in a message. */
#include "am/messages.h"
#include "test/kit/tap.h"

#include <string.h>

static uint64_t mask(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

/* How often each bit of the arguments is in a field: is it once? */
static bool covered(const struct jdi_am_form *f)
{
    unsigned n, bits = 0;
    const struct jdi_am_field *field = jdi_am_messages_fields(f, &n);
    uint64_t seen[JDI_AM_ARGS] = {0};
    for (unsigned i = 0; i < n; i++) {
        if (field[i].arg >= f->most || !field[i].bits ||
            field[i].bit + field[i].bits > 64)
            return false;
        seen[field[i].arg] |= mask(field[i].bits) << field[i].bit;
        bits += field[i].bits;
    }
    for (unsigned i = 0; i < f->most; i++)
        if (seen[i] != UINT64_MAX)
            return false;
    return bits == 64u * f->most;
}

static bool has_values(const struct jdi_am_form *f)
{
    unsigned n;
    const struct jdi_am_field *field = jdi_am_messages_fields(f, &n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t span = field[i].most - field[i].least;
        bool some =
            field[i].bound ? field[i].bound < JDI_AM_BOUNDS : span <= mask(field[i].bits);
        for (unsigned k = 0; k < i; k++)
            some = some && strcmp(field[k].name, field[i].name) != 0;
        if (!some)
            return false;
    }
    return true;
}

int main(void)
{
    unsigned rows = 0;
    for (unsigned type = 0; type < JDI_MSGS; type++) {
        const struct jdi_am_form *f = jdi_am_messages_form(type);
        if (!f)
            continue;
        rows++;
        ok(covered(f), "%s: each bit is in one field", f->name);
        ok(has_values(f), "%s: each field has a name and values", f->name);
        ok(f->fewest <= f->most && f->most <= JDI_AM_ARGS && f->least <= f->largest,
           "%s: least and most are in order", f->name);
        ok(*f->name && *f->from && *f->to, "%s: it has a name, a sender and a receiver",
           f->name);
    }
    ok(rows > 0 && jdi_am_messages_form(JDI_MSG_STEAL), "there are rows");
    ok(!jdi_am_messages_form(JDI_MSGS) && !jdi_am_messages_form(1),
       "what is not in the table has no row");
    struct jdi_am_msg m = {.arg = {UINT64_C(7) << 32 | 3, UINT64_C(0x102) << 32 | 9}};
    is_u64(JDI_GET(&m, STEAL, collection), 3, "the first field of an argument");
    is_u64(JDI_GET(&m, STEAL, phase), 7, "the last one");
    is_u64(JDI_GET(&m, STEAL, manner), 2, "one between others");
    is_u64(JDI_GET(&m, STEAL, knows), 1, "one bit");
    return done_testing();
}
