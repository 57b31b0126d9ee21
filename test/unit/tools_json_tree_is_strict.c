/*
 * tools_json_tree_is_strict.c
 *
 * Role: values are read as they were written, and what is no JSON is a fault with its line and column.
 * Owner: one thread.
 * Invariants: I1 of tools/json_tree.h.
 * See: tools/json_tree.c.
 */
#include "test/kit/tap.h"
#include "tools/json_tree.h"

#include <stdio.h>
#include <string.h>

static char text[4096];

/* The text ends at a byte that must not be read: memcheck and the address sanitizer see it. */
static bool read_all(struct json_tree *t, const char *from)
{
    snprintf(text, sizeof text, "%s", from);
    return json_tree_read(t, text, strlen(text));
}

static void refused(const char *from, unsigned line, unsigned column, const char *fault)
{
    struct json_tree t;
    char got[200], want[200];
    bool good = read_all(&t, from);
    snprintf(got, sizeof got, "%u:%u: %s", t.line, t.column, good ? "good" : t.fault);
    snprintf(want, sizeof want, "%u:%u: %s", line, column, fault);
    is_str(got, want, "%u:%u: %s", line, column, fault);
    json_tree_free(&t);
}

static void values_are_read(void)
{
    struct json_tree t;
    ok(read_all(&t, " {\"a\": [1, -2.5e1, \"\\u00e9\\n\\ud83d\\ude00/\", true,\n null],\n"
                    " \"b\": {}, \"c\": \"18446744073709551615\", \"d\": "
                    "18446744073709551616 } \n"),
       "an object");
    const struct json_node *a = json_tree_member(t.root, "a"), *v = a->first;
    is_u64(a->n, 5, "a list has five values");
    ok(v->is_count && v->count == 1 && v->kind == JSON_NUMBER, "a count");
    v = v->next;
    ok(!v->is_count && v->real == -25, "a number");
    v = v->next;
    is_str(v->text, "\xc3\xa9\n\xf0\x9f\x98\x80/", "a text with escapes");
    v = v->next;
    ok(v->kind == JSON_TRUTH && v->true_, "true");
    v = v->next;
    ok(v->kind == JSON_NULL && v->line == 2 && !v->next, "null, on the second line");
    ok(json_tree_member(t.root, "b")->kind == JSON_OBJECT, "an empty object");
    is_u64(json_tree_member(t.root, "c")->count, UINT64_MAX,
           "a count that is written as a text");
    ok(!json_tree_member(t.root, "d")->is_count, "what 64 bits cannot hold is no count");
    ok(!json_tree_member(t.root, "e") && !json_tree_member(a, "a"), "what is not there");
    json_tree_free(&t);
}

static void faults_have_places(void)
{
    refused("", 1, 1, "it ends too early");
    refused("{\"a\":\n  [1,", 2, 6, "it ends too early");
    refused("{\"a\": 1", 1, 8, "it ends too early");
    refused("[1] 2", 1, 5, "something stands behind its end");
    refused("[1 2]", 1, 4, "a comma or a bracket is missing");
    refused("[1}", 1, 3, "a comma or a bracket is missing");
    refused("[1,]", 1, 4, "no value begins like this");
    refused("{,}", 1, 2, "a name in quotes is missing");
    refused("{\"a\": 1,}", 1, 9, "a name in quotes is missing");
    refused("{\"a\" 1}", 1, 6, "a colon is missing behind a name");
    refused("{\"a\": 1, \"a\": 2}", 1, 10, "the name stood there before");
    refused("{a: 1}", 1, 2, "a name in quotes is missing");
    refused("tru", 1, 1, "no value begins like this");
    refused("[NaN]", 1, 2, "no value begins like this");
    refused("[+1]", 1, 2, "no value begins like this");
    refused("[01]", 1, 3, "a number begins with 0");
    refused("[1.]", 1, 4, "a digit is missing behind the point");
    refused("[1e+]", 1, 5, "a digit is missing in an exponent");
    refused("[.5]", 1, 2, "no value begins like this");
}

static void faults_in_texts(void)
{
    refused("\"abc", 1, 5, "it ends in the middle of a text");
    refused("\"a\nb\"", 1, 3, "a control character stands in a text");
    refused("\"\\x\"", 1, 3, "no such escape in a text");
    refused("\"\\u12g4\"", 1, 4, "four hexadecimal digits are missing");
    refused("\"\\u0000\"", 1, 4, "the character 0 stands in a text");
    refused("\"\\ud800\"", 1, 8, "half of a pair of surrogates");
    refused("\"\\udc00\\ud800\"", 1, 8, "half of a pair of surrogates");
    refused("\"\xff\"", 1, 2, "a text that is no UTF-8");
    refused("\"\xc0\x80\"", 1, 2, "a text that is no UTF-8");
    refused("\"\xed\xa0\x80\"", 1, 2, "a text that is no UTF-8");
    refused("\"\xe2\x82\"", 1, 2, "a text that is no UTF-8");
}

static void depth_has_a_bound(void)
{
    struct json_tree t;
    char deep[2 * JSON_TREE_DEPTH + 3] = "";
    memset(deep, '[', JSON_TREE_DEPTH);
    memset(deep + JSON_TREE_DEPTH, ']', JSON_TREE_DEPTH);
    ok(read_all(&t, deep), "as deep as it may be");
    json_tree_free(&t);
    memset(deep, '[', JSON_TREE_DEPTH + 1);
    refused(deep, 1, JSON_TREE_DEPTH + 1, "too many brackets are open");
}

int main(void)
{
    values_are_read();
    faults_have_places();
    faults_in_texts();
    depth_has_a_bound();
    return done_testing();
}
