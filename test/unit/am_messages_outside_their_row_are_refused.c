/* Of each message in am/messages.def: the least and the largest values pass the check, and one
 * that is outside of its row in one thing is refused with a text that names it. */
#include "am/messages.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

static const uint64_t bound[JDI_AM_BOUNDS] = {
    [JDI_AM_BOUND_RANKS] = 5, [JDI_AM_BOUND_COLLS] = 9};

static unsigned type_of(const struct jdi_am_form *f)
{
    unsigned type = 0;
    while (jdi_am_messages_form(type) != f)
        type++;
    return type;
}

static uint64_t mask_of(const struct jdi_am_field *f)
{
    return UINT64_MAX >> (64 - f->bits);
}

static uint64_t most_of(const struct jdi_am_field *f)
{
    return f->bound ? bound[f->bound] - 1 : f->most;
}

static void put(struct jdi_am_msg *m, const struct jdi_am_field *f, uint64_t value)
{
    m->arg[f->arg] &= ~(mask_of(f) << f->bit);
    m->arg[f->arg] |= (value & mask_of(f)) << f->bit;
}

/* All fields at one end of their ranges. */
static struct jdi_am_msg at_end(const struct jdi_am_form *f, bool largest)
{
    struct jdi_am_msg m = {.type = (uint8_t)type_of(f), .data = ""};
    unsigned n;
    const struct jdi_am_field *field = jdi_am_messages_fields(f, &n);
    m.nargs = largest ? f->most : f->fewest;
    m.len = largest ? f->largest : f->least;
    for (unsigned i = 0; i < n; i++)
        put(&m, &field[i], largest ? most_of(&field[i]) : field[i].least);
    return m;
}

static bool fits(const struct jdi_am_msg *m, bool reply, char text[128])
{
    text[0] = 0;
    return jdi_am_messages_fit(bound, m, reply, text, 128);
}

static void refuses(const struct jdi_am_msg *m, bool reply, const char *what)
{
    char text[128];
    bool fit = fits(m, reply, text);
    ok(!fit && strstr(text, what), "%s: %s", jdi_am_messages_form(m->type)->name,
       fit ? what : text);
}

/* One below, one above, and far away from both. */
static void try_field(const struct jdi_am_form *f, const struct jdi_am_field *field)
{
    uint64_t span = (most_of(field) - field->least) & mask_of(field);
    const uint64_t outside[] = {field->least - 1, most_of(field) + 1,
                                most_of(field) + 1 + (mask_of(field) - span) / 2};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(outside) && span < mask_of(field); i++) {
        struct jdi_am_msg m = at_end(f, true);
        put(&m, field, outside[i]);
        if (((outside[i] - field->least) & mask_of(field)) > span)
            refuses(&m, false, field->name);
    }
}

static void try_shape(const struct jdi_am_form *f)
{
    struct jdi_am_msg few = at_end(f, false), many = at_end(f, true);
    struct jdi_am_msg brief = few, lengthy = many, reply = few;
    few.nargs--;
    many.nargs++;
    brief.len--;
    lengthy.len++;
    if (f->fewest)
        refuses(&few, false, "arguments");
    refuses(&many, false, "arguments");
    if (f->least)
        refuses(&brief, false, "bytes");
    if (f->largest < UINT32_MAX)
        refuses(&lengthy, false, "bytes");
    if (f->way == JDI_AM_REQUEST)
        refuses(&reply, true, "reply");
}

int main(void)
{
    char text[128];
    for (unsigned type = 0; type < JDI_MSGS; type++) {
        const struct jdi_am_form *f = jdi_am_messages_form(type);
        unsigned n;
        if (!f)
            continue;
        struct jdi_am_msg least = at_end(f, false), largest = at_end(f, true);
        ok(fits(&least, false, text), "%s: all that is least fits %s", f->name, text);
        ok(fits(&largest, false, text), "%s: all that is most fits %s", f->name, text);
        if (f->way == JDI_AM_EITHER)
            ok(fits(&least, true, text), "%s: it may be a reply %s", f->name, text);
        const struct jdi_am_field *field = jdi_am_messages_fields(f, &n);
        for (unsigned i = 0; i < n; i++)
            try_field(f, &field[i]);
        try_shape(f);
    }
    struct jdi_am_msg own = {.type = 1, .nargs = 3, .len = 7};
    ok(fits(&own, true, text), "nothing is asked of a number without a row");
    return done_testing();
}
