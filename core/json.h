/*
 * json.h - a writer of JSON.
 *
 * Role: objects, lists, names and values in the order of the calls; commas, indents and escapes by itself.
 * Owner: who writes.
 * Invariants: I1 whatever the strings hold, what is written is valid JSON in UTF-8: a byte that is no
 *                UTF-8 becomes U+FFFD.
 *             I2 a number is read back exactly by who keeps numbers as doubles: above 2^53 it is
 *                written as a string.
 * See: test/unit/core_json_*; doc/jackdaw-stats.7.md.
 */
#ifndef JDI_CORE_JSON_H
#define JDI_CORE_JSON_H

#include "core/base.h"

#include <stdio.h>

enum { JDI_JSON_DEPTH = 16 };

struct jdi_json {
    FILE *to;
    unsigned depth;
    bool more[JDI_JSON_DEPTH]; /* by depth: something stands before */
    bool flat[JDI_JSON_DEPTH]; /* all on one line */
};

/* `name` is NULL in a list, and at the outermost level. */
void jdi_json_init(struct jdi_json *j, FILE *to);
void jdi_json_open(struct jdi_json *j, const char *name, char bracket);
/* The same, with all that is inside on one line. */
void jdi_json_open_flat(struct jdi_json *j, const char *name, char bracket);
void jdi_json_close(struct jdi_json *j, char bracket);
/* NULL becomes null. */
void jdi_json_text(struct jdi_json *j, const char *name, const char *value);
void jdi_json_number(struct jdi_json *j, const char *name, uint64_t value);
/* With six digits behind the point; what is no number becomes null. */
void jdi_json_real(struct jdi_json *j, const char *name, double value);
void jdi_json_truth(struct jdi_json *j, const char *name, bool value);
/* A string by itself, with its quotes. */
void jdi_json_quote(FILE *to, const char *text);

#endif
