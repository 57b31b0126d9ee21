/*
 * wanted.c - what JACKDAW_STATS asks for.
 *
 * Role: see wanted.h.
 * Owner: the caller.
 * Invariants: none.
 * Order: none.
 * See: wanted.h.
 */
#include "core/wanted.h"

#include <string.h>

static bool is_word(const char *at, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(at, word, n);
}

/* "json:FILE": the pattern goes to `to`, once. */
static bool take_file(const char *at, size_t n, const char *key, char *to)
{
    size_t k = strlen(key);
    if (n < k || memcmp(at, key, k) || *to || n - k >= JDI_OUTFILE_NAME ||
        !jdi_outfile_fits(at + k, n - k))
        return false;
    memcpy(to, at + k, n - k);
    to[n - k] = '\0';
    return true;
}

static bool take_part(const char *at, size_t n, struct jdi_wanted *w)
{
    if (is_word(at, n, "1"))
        return w->table = true;
    if (is_word(at, n, "full"))
        return w->table = w->full = w->explain = true;
    if (is_word(at, n, "explain"))
        return w->explain = true;
    return take_file(at, n, "json:", w->json) || take_file(at, n, "csv:", w->csv);
}

int jdi_wanted_parse(const char *text, struct jdi_wanted *out)
{
    struct jdi_wanted w = {0};
    for (const char *at = text; strcmp(text, "0");) {
        size_t n = strcspn(at, ",");
        if (!take_part(at, n, &w))
            return JD_EINVAL;
        w.any = true;
        if (!at[n])
            break;
        at += n + 1;
    }
    *out = w;
    return 0;
}

bool jdi_wanted_gathers(const struct jdi_wanted *w)
{
    return w->full || w->explain || (*w->json && !jdi_outfile_of_rank(w->json)) ||
           (*w->csv && !jdi_outfile_of_rank(w->csv));
}
