/*
 * script.c - the words of a script.
 *
 * Role: the parser, and finding the action that a command means.
 * See: script.h.
 */
#include "conform/script.h"

#include "conform/oracle.h"

#include <string.h>

enum { MAX_RUN_OUT = 20000 };

static bool is_delivery(unsigned kind)
{
    return kind >= JDI_WORLD_TASK && kind <= JDI_WORLD_ACK;
}

/* How the packet is named: by the rank at its other end. */
static unsigned other_end(const struct jdi_world_packet *p, unsigned kind)
{
    return kind == JDI_WORLD_BACK ? p->dst : p->src;
}

static bool matches(const struct jdi_world_packet *p, unsigned kind, unsigned rank)
{
    if (kind == JDI_WORLD_BACK)
        return p->kind == JDI_WORLD_TASK && p->src == rank;
    return p->kind == kind && p->dst == rank;
}

struct jdi_script_item jdi_script_item_of(const struct jdi_world *w,
                                          enum jdi_world_kind kind, unsigned rank,
                                          unsigned variant)
{
    struct jdi_script_item item = {.kind = (uint8_t)kind, .rank = (uint8_t)rank};
    unsigned seen[JDI_WORLD_RANKS] = {0};
    if (kind == JDI_WORLD_SEND || kind == JDI_WORLD_MOVE)
        item.peer = (uint8_t)jdi_world_target(w, rank, variant);
    else if (kind == JDI_WORLD_ENTER)
        item.peer = (uint8_t)variant;
    for (uint32_t i = 0; is_delivery(kind) && i < w->nbag; i++) {
        if (!matches(&w->bag[i], kind, rank))
            continue;
        unsigned peer = other_end(&w->bag[i], kind);
        if (variant-- == 0) {
            item.peer = (uint8_t)peer;
            item.nth = (uint8_t)seen[peer];
            break;
        }
        seen[peer]++;
    }
    return item;
}

void jdi_script_add(struct jdi_script *s, struct jdi_script_item item)
{
    if (s->count < JDI_SCRIPT_ITEMS)
        s->item[s->count] = item;
    s->count++;
}

static bool try_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank,
                   unsigned variant)
{
    if (variant >= jdi_world_enabled(w, kind, rank))
        return false;
    jdi_world_do(w, kind, rank, variant);
    return true;
}

static bool take_packet(struct jdi_world *w, const struct jdi_script_item *item)
{
    unsigned variant = 0, nth = 0;
    for (uint32_t i = 0; i < w->nbag; i++) {
        if (!matches(&w->bag[i], item->kind, item->rank))
            continue;
        if (other_end(&w->bag[i], item->kind) == item->peer && nth++ == item->nth)
            return try_do(w, (enum jdi_world_kind)item->kind, item->rank, variant);
        variant++;
    }
    return false;
}

static bool repeat(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank)
{
    bool any = false;
    while (!w->fault[0] && try_do(w, kind, rank, 0))
        any = true;
    return any;
}

bool jdi_script_do(struct jdi_world *w, struct jdi_script_item item)
{
    unsigned a = item.rank, n = jdi_world_ranks(w);
    switch (item.kind) {
    case JDI_WORLD_ENTER:
        return try_do(w, JDI_WORLD_ENTER, a, item.peer);
    case JDI_WORLD_SEND:
    case JDI_WORLD_MOVE:
        return jdi_world_coll(w, a) == jdi_world_coll(w, item.peer) &&
               try_do(w, (enum jdi_world_kind)item.kind, a,
                      (item.peer + n - a % n + n - 1) % n);
    case JDI_WORLD_STEP:
        jdi_world_do(w, JDI_WORLD_STEP, a, 0); /* also if nothing has changed */
        return true;
    case JDI_SCRIPT_IDLE:
        return repeat(w, JDI_WORLD_FINISH, a);
    case JDI_SCRIPT_REPORTS:
        return repeat(w, JDI_WORLD_UP, a);
    default:
        return is_delivery(item.kind) ? take_packet(w, &item)
                                      : try_do(w, (enum jdi_world_kind)item.kind, a, 0);
    }
}

/* ---- text -------------------------------------------------------------------------- */

static const char *kind_name(unsigned kind)
{
    return kind == JDI_SCRIPT_IDLE      ? "idle"
           : kind == JDI_SCRIPT_REPORTS ? "reports"
                                        : jdi_world_kind_name((enum jdi_world_kind)kind);
}

static unsigned kind_of(const char *verb)
{
    for (unsigned k = 1; k < JDI_SCRIPT_KINDS; k++)
        if (strcmp(kind_name(k), verb) == 0)
            return k;
    return 0;
}

static bool parse_one(const char *at, unsigned ranks, struct jdi_script_item *item)
{
    char verb[16];
    unsigned a = 0, b = 0, i = 0;
    int n = sscanf(at, " %15[a-z] %u %u %u", verb, &a, &b, &i);
    unsigned kind = n < 2 ? 0 : kind_of(verb);
    if (kind == 0 || a >= ranks || i > UINT8_MAX || b > UINT8_MAX)
        return false;
    if ((is_delivery(kind) || kind == JDI_WORLD_SEND || kind == JDI_WORLD_MOVE) &&
        (n < 3 || b >= ranks))
        return false;
    *item = (struct jdi_script_item){(uint8_t)kind, (uint8_t)a, (uint8_t)b, (uint8_t)i};
    return true;
}

bool jdi_script_parse(struct jdi_script *s, const char *text, unsigned ranks, char *error,
                      size_t errorlen)
{
    s->count = 0;
    for (const char *at = text; at[strspn(at, "; \n")];) {
        struct jdi_script_item item;
        at += strspn(at, "; \n");
        if (!parse_one(at, ranks, &item) || s->count == JDI_SCRIPT_ITEMS) {
            snprintf(error, errorlen, "not a command for %u ranks: \"%.*s\"", ranks,
                     (int)(strcspn(at, ";") < 32 ? strcspn(at, ";") : 32), at);
            return false;
        }
        jdi_script_add(s, item);
        at += strcspn(at, ";");
    }
    return true;
}

void jdi_script_write(const struct jdi_script *s, FILE *out)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct jdi_script_item *item = &s->item[i];
        fprintf(out, "%s%s %u", i ? "; " : "", kind_name(item->kind), item->rank);
        if (is_delivery(item->kind) || item->peer)
            fprintf(out, " %u", item->peer);
        else if (item->kind == JDI_WORLD_SEND || item->kind == JDI_WORLD_MOVE ||
                 item->kind == JDI_WORLD_ENTER)
            fprintf(out, " 0");
        if (item->nth)
            fprintf(out, " %u", item->nth);
    }
}

unsigned jdi_script_play(struct jdi_world *w, const char *text)
{
    struct jdi_script s;
    char error[64];
    unsigned skipped = 0;
    if (!jdi_script_parse(&s, text, w->c.ranks, error, sizeof error))
        jdi_panic(__FILE__, __LINE__, "%s", error);
    for (uint32_t i = 0; i < s.count && !w->fault[0]; i++)
        skipped += !jdi_script_do(w, s.item[i]);
    return skipped;
}

/* Nothing that makes new work: the ranks that are missing enter without seeds. */
static bool makes_no_work(unsigned kind)
{
    return kind != JDI_WORLD_SEND && kind != JDI_WORLD_MOVE && kind != JDI_WORLD_BACK &&
           kind != JDI_WORLD_HOLD && kind != JDI_WORLD_FEED;
}

void jdi_script_run_out(struct jdi_world *w)
{
    unsigned rounds = 0;
    for (bool any = true; any && !w->fault[0];) {
        any = false;
        for (unsigned k = JDI_WORLD_ENTER; k < JDI_WORLD_KINDS; k++)
            for (unsigned r = 0; r < w->c.ranks && !w->fault[0]; r++)
                if (makes_no_work(k) && try_do(w, (enum jdi_world_kind)k, r, 0))
                    any = true;
        if (any && ++rounds > MAX_RUN_OUT)
            jdi_oracle_fail(w, "O4: livelock: no end after %d rounds", MAX_RUN_OUT);
    }
    jdi_oracle_end(w);
}
