/*
 * json.c - a writer of JSON.
 *
 * Role: see json.h.
 * Owner: who writes.
 * Invariants: I1, I2 of json.h.
 * Order: none.
 * See: json.h.
 */
#include "core/json.h"

#include <inttypes.h>
#include <math.h>

#define MOST_EXACT (UINT64_C(1) << 53)

void jdi_json_init(struct jdi_json *j, FILE *to)
{
    *j = (struct jdi_json){.to = to};
}

/* ---- strings ------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character at `s`, 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80                 ? 1
               : *s >= 0xC2 && *s < 0xE0 ? 2
               : *s >= 0xE0 && *s < 0xF0 ? 3
                                         : 4;
    if (n == 1)
        return 1;
    if (*s < 0xC2 || *s > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    /* Longer than needed, half of a pair, and above U+10FFFF. */
    bool wrong = (*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F) ||
                 (*s == 0xF0 && s[1] < 0x90) || (*s == 0xF4 && s[1] > 0x8F);
    return wrong ? 0 : n;
}

void jdi_json_quote(FILE *to, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', to);
    while (*s) {
        size_t n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F)
            fprintf(to, "\\u%04x", *s);
        else if (n)
            fwrite(s, 1, n, to);
        else
            fputs("\\ufffd", to);
        s += n ? n : 1;
    }
    fputc('"', to);
}

/* ---- values ------------------------------------------------------------------------- */

static void begin_value(struct jdi_json *j, const char *name)
{
    JD_CHECK(j->depth < JDI_JSON_DEPTH);
    bool flat = j->flat[j->depth];
    if (j->more[j->depth])
        fputs(flat ? ", " : ",", j->to);
    if (j->depth && !flat)
        fprintf(j->to, "\n%*s", (int)j->depth, "");
    j->more[j->depth] = true;
    if (name) {
        jdi_json_quote(j->to, name);
        fputs(": ", j->to);
    }
}

static void open_level(struct jdi_json *j, const char *name, char bracket, bool flat)
{
    begin_value(j, name);
    flat = flat || j->flat[j->depth];
    fputc(bracket, j->to);
    j->depth++;
    JD_CHECK(j->depth < JDI_JSON_DEPTH);
    j->more[j->depth] = false;
    j->flat[j->depth] = flat;
}

void jdi_json_open(struct jdi_json *j, const char *name, char bracket)
{
    open_level(j, name, bracket, false);
}

void jdi_json_open_flat(struct jdi_json *j, const char *name, char bracket)
{
    open_level(j, name, bracket, true);
}

void jdi_json_close(struct jdi_json *j, char bracket)
{
    JD_CHECK(j->depth > 0);
    bool broken = j->more[j->depth] && !j->flat[j->depth];
    j->depth--;
    if (broken)
        fprintf(j->to, "\n%*s", (int)j->depth, "");
    fputc(bracket, j->to);
    if (!j->depth)
        fputc('\n', j->to);
}

void jdi_json_text(struct jdi_json *j, const char *name, const char *value)
{
    begin_value(j, name);
    if (value)
        jdi_json_quote(j->to, value);
    else
        fputs("null", j->to);
}

void jdi_json_number(struct jdi_json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    fprintf(j->to, value > MOST_EXACT ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

void jdi_json_real(struct jdi_json *j, const char *name, double value)
{
    begin_value(j, name);
    if (isfinite(value))
        fprintf(j->to, "%.6f", value);
    else
        fputs("null", j->to);
}

void jdi_json_truth(struct jdi_json *j, const char *name, bool value)
{
    begin_value(j, name);
    fputs(value ? "true" : "false", j->to);
}
