/*
 * messages.h - what every message between ranks looks like, made of am/messages.def.
 *
 * Role: numbers, names, and the check that a message passes before a handler sees it.
 * Owner: nobody: constant tables, pure functions.  Any thread.
 * Invariants: I1 the fields of a message cover each bit of its arguments once.
 *             I2 what is not in the table is a message of somebody's own, and not checked.
 * See: am/messages.def; doc/am.md section 7; test/unit/am_messages_cover_their_arguments.c.
 */
#ifndef JDI_AM_MESSAGES_H
#define JDI_AM_MESSAGES_H

#include "am/am.h"

enum jdi_msg_type {
#define JDI_MESSAGE(number, name, ...) JDI_MSG_##name = (number),
#include "am/messages.def"
    JDI_MSGS /* one more than the largest */
};

/* Where each field lies: JDI_ARG_STEAL_manner, JDI_BIT_..., JDI_BITS_... */
enum {
#define PLACE(name, field, arg, bit, bits)                                               \
    JDI_ARG_##name##_##field = (arg), JDI_BIT_##name##_##field = (bit),                  \
    JDI_BITS_##name##_##field = (bits),
#define JDI_FIELD_ANY(name, field, arg, bit, bits) PLACE(name, field, arg, bit, bits)
#define JDI_FIELD(name, field, arg, bit, bits, least, most)                              \
    PLACE(name, field, arg, bit, bits)
#define JDI_FIELD_BELOW(name, field, arg, bit, bits, least, bound)                       \
    PLACE(name, field, arg, bit, bits)
#include "am/messages.def"
#undef PLACE
    JDI_FIELDS_ARE_PLACED
};

/* The field of a message: JDI_GET(m, STEAL, manner). */
#define JDI_GET(m, name, field)                                                          \
    ((m)->arg[JDI_ARG_##name##_##field] >> JDI_BIT_##name##_##field &                    \
     UINT64_MAX >> (64 - JDI_BITS_##name##_##field))

enum jdi_am_way { JDI_AM_REQUEST = 1, JDI_AM_EITHER };
enum jdi_am_turn { JDI_AM_FATAL = 1, JDI_AM_IGNORED, JDI_AM_ANSWERED, JDI_AM_COUNTED };

/* One row of the table. */
struct jdi_am_form {
    const char *name, *from, *to;
    enum jdi_am_way way;
    enum jdi_am_turn turn;
    uint8_t fewest, most;    /* arguments */
    uint32_t least, largest; /* bytes of payload */
    uint16_t first;          /* field, see jdi_am_messages_fields */
};

/* A field of a message.  Its values are least .. most, modulo 2^bits; with a bound, least ..
 * bound - 1. */
struct jdi_am_field {
    const char *name;
    uint8_t arg, bit, bits;
    uint8_t bound; /* enum jdi_am_bound, or 0 */
    uint64_t least, most;
};

/* NULL: no row has that number. */
const struct jdi_am_form *jdi_am_messages_form(unsigned type);
/* The fields of f, *n of them. */
const struct jdi_am_field *jdi_am_messages_fields(const struct jdi_am_form *f,
                                                  unsigned *n);

/* Is a message as its row says?  If not, `text` is why.  bound[]: by enum jdi_am_bound. */
bool jdi_am_messages_fit(const uint64_t bound[], const struct jdi_am_msg *m, bool reply,
                         char *text, size_t size);

#endif
