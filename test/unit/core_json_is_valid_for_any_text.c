/*
 * core_json_is_valid_for_any_text.c
 *
 * Role: commas and brackets stand where they belong; any bytes become a valid string; numbers that a
 *       double cannot hold become strings.
 * Owner: one thread.
 * Invariants: I1, I2 of core/json.h.
 * See: core/json.c.
 */
#include "core/json.h"
#include "test/kit/tap.h"

#include <math.h>
#include <stdlib.h>

static void quoted(const char *text, const char *want, const char *name)
{
    char *got = NULL;
    size_t n;
    FILE *to = open_memstream(&got, &n);
    jdi_json_quote(to, text);
    fclose(to);
    is_str(got, want, "%s", name);
    free(got);
}

static void write_all(struct jdi_json *j)
{
    jdi_json_open(j, NULL, '{');
    jdi_json_open(j, "none", '[');
    jdi_json_close(j, ']');
    jdi_json_open_flat(j, "some", '[');
    jdi_json_number(j, NULL, UINT64_C(1) << 53);
    jdi_json_number(j, NULL, (UINT64_C(1) << 53) + 1);
    jdi_json_number(j, NULL, UINT64_MAX);
    jdi_json_open(j, NULL, '{');
    jdi_json_truth(j, "a", true);
    jdi_json_text(j, "b", NULL);
    jdi_json_close(j, '}');
    jdi_json_close(j, ']');
    jdi_json_real(j, "half", 0.5);
    jdi_json_real(j, "no number", NAN);
    jdi_json_close(j, '}');
}

int main(void)
{
    char *got = NULL;
    size_t n;
    struct jdi_json j;
    FILE *to = open_memstream(&got, &n);
    jdi_json_init(&j, to);
    write_all(&j);
    fclose(to);
    is_str(
        got,
        "{\n \"none\": [],\n \"some\": [9007199254740992, \"9007199254740993\", "
        "\"18446744073709551615\", {\"a\": true, \"b\": null}],\n \"half\": 0.500000,\n"
        " \"no number\": null\n}\n",
        "lists, objects and values");
    free(got);
    quoted("", "\"\"", "nothing");
    quoted("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\\u007f\"",
           "quotes, backslashes, controls");
    quoted("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa6",
           "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa6\"",
           "characters of two, three and four bytes");
    quoted("\xe9.\xc3", "\"\\ufffd.\\ufffd\"", "bytes that are no characters");
    quoted("\xc0\x80", "\"\\ufffd\\ufffd\"", "a character that is longer than needed");
    quoted("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "half of a pair");
    quoted("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
           "above the last character");
    return done_testing();
}
