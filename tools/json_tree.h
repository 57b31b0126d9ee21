/*
 * json_tree.h - a strict reader of JSON.
 *
 * Role: a text becomes a tree of values, or a fault with its place.
 * Owner: one thread.
 * Invariants: I1 what RFC 8259 does not permit is a fault, and so are two members of one name, bytes that are no
 *                UTF-8, a text with the character 0 in it, and more than JSON_TREE_DEPTH levels.
 * See: test/unit/tools_json_tree_is_strict.c; core/json.h, the writer.
 */
#ifndef JDI_TOOLS_JSON_TREE_H
#define JDI_TOOLS_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_TREE_DEPTH = 64 };

enum json_kind {
    JSON_NULL = 1,
    JSON_TRUTH,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};

struct json_node {
    enum json_kind kind;
    unsigned line;    /* where it begins, from 1 */
    const char *name; /* of a member of an object */
    const char *text; /* of a TEXT */
    double real;      /* of a NUMBER */
    uint64_t count;   /* if is_count: of a NUMBER, or of a TEXT of digits */
    size_t n;         /* values inside of a LIST or an OBJECT */
    bool is_count;
    bool true_; /* of a TRUTH */
    struct json_node *first, *next;
};

struct json_block;
struct json_tree {
    struct json_node *root;
    const char *fault; /* what is wrong; NULL: nothing */
    unsigned line, column;
    struct json_block *blocks;
};

/* Read n bytes of text, which the tree keeps using and changes; text[n] is 0.  False: see `fault`. */
bool json_tree_read(struct json_tree *t, char *text, size_t n);
void json_tree_free(struct json_tree *t);
/* The member of that name; NULL: there is none, or it is no object. */
const struct json_node *json_tree_member(const struct json_node *of, const char *name);
/* "a number", and so on. */
const char *json_tree_kind(enum json_kind kind);

#endif
