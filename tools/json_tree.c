/*
 * json_tree.c - a strict reader of JSON.
 *
 * Role: see json_tree.h.
 * Owner: one thread.
 * Invariants: I1 of json_tree.h.
 *             I2 a text lies where it was read: it is never longer than what stands for it.
 * Order: none.
 * See: json_tree.h.
 */
#include "tools/json_tree.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

struct json_block {
    struct json_block *next;
    size_t used;
    struct json_node node[BLOCK];
};

struct reader {
    struct json_tree *t;
    char *at, *end, *line_start;
    unsigned line, depth;
};

static bool fault(struct reader *r, const char *what)
{
    if (!r->t->fault) {
        r->t->fault = what;
        r->t->line = r->line;
        r->t->column = (unsigned)(r->at - r->line_start) + 1;
    }
    return false;
}

static struct json_node *new_node(struct reader *r, enum json_kind kind)
{
    struct json_block *b = r->t->blocks;
    if (!b || b->used == BLOCK) {
        b = malloc(sizeof *b);
        if (!b) {
            fault(r, "there is no memory for it");
            return NULL;
        }
        b->next = r->t->blocks;
        b->used = 0;
        r->t->blocks = b;
    }
    struct json_node *n = &b->node[b->used++];
    *n = (struct json_node){.kind = kind, .line = r->line};
    return n;
}

static void skip_space(struct reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        }
}

/* ---- texts ------------------------------------------------------------------------------ */

/* The length of the character of UTF-8 that begins there; 0: none does. */
static size_t utf8_length(const unsigned char *c, size_t room)
{
    size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (!n || n > room || c[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0; /* too long, a surrogate, or too large */
    return n;
}

/* The four hexadecimal digits at `at`; -1: they are not there. */
static long hex4(const struct reader *r, const char *at)
{
    long value = 0;
    if (r->end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef",
                   *d = at[i] ? strchr(digits, at[i] | 0x20) : NULL;
        if (!d || (d < digits + 10 && *d != at[i]))
            return -1;
        value = value * 16 + (d - digits);
    }
    return value;
}

static char *put_utf8(char *to, long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* \uXXXX, or two of them for one character; r->at is behind the u. */
static bool read_number_of_character(struct reader *r, char **to)
{
    long c = hex4(r, r->at);
    if (c <= 0)
        return fault(r, c ? "four hexadecimal digits are missing"
                          : "the character 0 stands in a text");
    r->at += 4;
    if (c >= 0xd800 && c < 0xe000) {
        long low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u'
                       ? hex4(r, r->at + 2)
                       : -1;
        if (c >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
            return fault(r, "half of a pair of surrogates");
        r->at += 6;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    *to = put_utf8(*to, c);
    return true;
}

static bool read_escape(struct reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        *(*to)++ = into[known - from];
    else if (c != 'u')
        return fault(r, "no such escape in a text");
    r->at++;
    return known || read_number_of_character(r, to);
}

/* r->at is on the quote. */
static bool read_text(struct reader *r, const char **out)
{
    char *to = ++r->at;
    *out = to;
    for (;;) {
        if (r->at == r->end)
            return fault(r, "it ends in the middle of a text");
        unsigned char c = (unsigned char)*r->at;
        if (c == '"')
            break;
        if (c < 0x20)
            return fault(r, "a control character stands in a text");
        if (c == '\\') {
            r->at++;
            if (!read_escape(r, &to))
                return false;
            continue;
        }
        size_t n = utf8_length((unsigned char *)r->at, (size_t)(r->end - r->at));
        if (!n)
            return fault(r, "a text that is no UTF-8");
        memmove(to, r->at, n);
        to += n;
        r->at += n;
    }
    r->at++;
    *to = 0; /* where the quote was, or before it */
    return true;
}

/* ---- values ----------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A whole number without a sign, as far as 64 bits go. */
static void find_count(struct json_node *n, const char *text, size_t len)
{
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return;
        value = value * 10 + digit;
    }
    n->count = value;
    n->is_count = len > 0;
}

static bool read_number(struct reader *r, struct json_node *n)
{
    char *from = r->at, *c = r->at;
    c += *c == '-';
    if (!is_digit(*c))
        return fault(r, "no value begins like this");
    c += *c == '0' ? 1 : strspn(c, "0123456789");
    if (*c == '.') {
        size_t digits = strspn(++c, "0123456789");
        r->at = c;
        if (!digits)
            return fault(r, "a digit is missing behind the point");
        c += digits;
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '+' || *c == '-';
        size_t digits = strspn(c, "0123456789");
        r->at = c;
        if (!digits)
            return fault(r, "a digit is missing in an exponent");
        c += digits;
    }
    r->at = c;
    if (is_digit(*c))
        return fault(r, "a number begins with 0");
    n->real = strtod(from, NULL);
    find_count(n, from, (size_t)(c - from));
    return true;
}

static struct json_node *read_word(struct reader *r)
{
    static const struct {
        const char *word;
        enum json_kind kind;
        bool true_;
    } words[] = {{"null", JSON_NULL, false},
                 {"true", JSON_TRUTH, true},
                 {"false", JSON_TRUTH, false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < len || memcmp(r->at, words[i].word, len))
            continue;
        struct json_node *n = new_node(r, words[i].kind);
        if (n)
            n->true_ = words[i].true_;
        r->at += len;
        return n;
    }
    struct json_node *n = new_node(r, JSON_NUMBER);
    return n && read_number(r, n) ? n : NULL;
}

static struct json_node *read_value(struct reader *r);

static bool read_name(struct reader *r, const struct json_node *of, const char **name)
{
    if (r->at == r->end || *r->at != '"')
        return fault(r, "a name in quotes is missing");
    struct reader before = *r;
    if (!read_text(r, name))
        return false;
    if (json_tree_member(of, *name))
        return fault(&before, "the name stood there before");
    skip_space(r);
    if (r->at == r->end || *r->at != ':')
        return fault(r, "a colon is missing behind a name");
    r->at++;
    skip_space(r);
    return true;
}

/* The values between brackets; r->at is on the first one. */
static bool read_inside(struct reader *r, struct json_node *of)
{
    char close = of->kind == JSON_LIST ? ']' : '}';
    struct json_node **to = &of->first;
    r->at++;
    skip_space(r);
    if (r->at < r->end && *r->at == close) {
        r->at++;
        return true;
    }
    for (;;) {
        const char *name = NULL;
        if (of->kind == JSON_OBJECT && !read_name(r, of, &name))
            return false;
        if (!(*to = read_value(r)))
            return false;
        (*to)->name = name;
        to = &(*to)->next;
        of->n++;
        skip_space(r);
        char c = r->at < r->end ? *r->at : 0;
        if (c != ',' && c != close)
            return fault(r, r->at == r->end ? "it ends too early"
                                            : "a comma or a bracket is missing");
        r->at++;
        if (c == close)
            return true;
        skip_space(r);
    }
}

static struct json_node *read_value(struct reader *r)
{
    if (r->at == r->end) {
        fault(r, "it ends too early");
        return NULL;
    }
    if (*r->at == '"') {
        struct json_node *n = new_node(r, JSON_TEXT);
        if (!n || !read_text(r, &n->text))
            return NULL;
        find_count(n, n->text, strlen(n->text));
        return n;
    }
    if (*r->at != '[' && *r->at != '{')
        return read_word(r);
    struct json_node *n = new_node(r, *r->at == '[' ? JSON_LIST : JSON_OBJECT);
    if (++r->depth > JSON_TREE_DEPTH)
        fault(r, "too many brackets are open");
    if (!n || r->t->fault || !read_inside(r, n))
        return NULL;
    r->depth--;
    return n;
}

bool json_tree_read(struct json_tree *t, char *text, size_t n)
{
    struct reader r = {
        .t = t, .at = text, .end = text + n, .line_start = text, .line = 1};
    *t = (struct json_tree){0};
    skip_space(&r);
    t->root = read_value(&r);
    if (!t->root)
        return false;
    skip_space(&r);
    return r.at == r.end || fault(&r, "something stands behind its end");
}

void json_tree_free(struct json_tree *t)
{
    for (struct json_block *b = t->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *t = (struct json_tree){0};
}

const struct json_node *json_tree_member(const struct json_node *of, const char *name)
{
    if (of->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_node *n = of->first; n; n = n->next)
        if (!strcmp(n->name, name))
            return n;
    return NULL;
}

const char *json_tree_kind(enum json_kind kind)
{
    static const char *const name[] = {
        [JSON_NULL] = "null",       [JSON_TRUTH] = "true or false",
        [JSON_NUMBER] = "a number", [JSON_TEXT] = "a text",
        [JSON_LIST] = "a list",     [JSON_OBJECT] = "an object"};
    return name[kind];
}
