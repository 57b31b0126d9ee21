/*
 * fault.c - memory and the injection of failures.
 *
 * Role: count the requests of each armed site and refuse the request that the knob names.
 * Owner: `armed` is constant after jdi_fault_parse; `count` is any thread's.
 * Invariants: I1 of fault.h: a site that is not armed is not counted either.
 *             I2 an armed site refuses exactly one request, whichever thread makes it.
 * Order: relaxed, because fetch_add alone makes the numbers unique and orders no other data.
 * See: core/fault.h, test/unit/core_fault_*.
 */
#include "core/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const site_names[JDI_FAULT_SITES] = {
#define JDI_FAULT(name, text) [JDI_FAULT_##name] = #name,
#include "core/fault.def"
#undef JDI_FAULT
};

/* The list of sites for messages; the leading separator is skipped by its user. */
static const char site_list[] = ""
#define JDI_FAULT(name, text) ", " #name
#include "core/fault.def"
#undef JDI_FAULT
    ;

static int find_site(const char *name, size_t n)
{
    for (int s = 0; s < JDI_FAULT_SITES; s++)
        if (strlen(site_names[s]) == n && !memcmp(site_names[s], name, n))
            return s;
    return -1;
}

/* A number from 1 up, digits only; 0 if the text is no such number or too large. */
static uint64_t parse_count(const char *digits, size_t n)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(unsigned char)digits[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return 0;
    }
    return value;
}

/* One "site:N" of n bytes.  Returns NULL, or what is wrong. */
static const char *parse_item(const char *item, size_t n, uint64_t armed[JDI_FAULT_SITES])
{
    const char *colon = memchr(item, ':', n);
    size_t name = colon ? (size_t)(colon - item) : n;
    int site = find_site(item, name);

    if (site < 0)
        return "no such site";
    if (armed[site])
        return "site given twice";
    if (colon)
        armed[site] = parse_count(colon + 1, n - name - 1);
    return armed[site] ? NULL : "no number from 1 up";
}

int jdi_fault_parse(struct jdi_fault *f, const char *text, char *err, size_t errlen)
{
    uint64_t armed[JDI_FAULT_SITES] = {0};

    for (const char *item = text; *text;) {
        size_t n = strcspn(item, ",");
        const char *wrong = parse_item(item, n, armed);
        if (wrong) {
            snprintf(err, errlen,
                     "'%.*s': %s; allowed: SITE:N,... with N from 1 and a "
                     "SITE of %s",
                     (int)(n < 64 ? n : 64), item, wrong, site_list + 2);
            return JD_EINVAL;
        }
        if (!item[n])
            break;
        item += n + 1;
    }
    memcpy(f->armed, armed, sizeof f->armed);
    for (int s = 0; s < JDI_FAULT_SITES; s++)
        atomic_store_explicit(&f->count[s], 0, memory_order_relaxed);
    return 0;
}

bool jdi_fault_hit(struct jdi_fault *f, enum jdi_fault_site site)
{
    if (JDI_LIKELY(!f || !f->armed[site]))
        return false;
    return atomic_fetch_add_explicit(&f->count[site], 1, memory_order_relaxed) + 1 ==
           f->armed[site];
}

void *jdi_alloc(struct jdi_fault *f, size_t bytes)
{
    /* Whole cache lines, at least one: what follows in memory is never shared, and an
     * empty request still gets an address of its own. */
    size_t whole = jdi_round_up(bytes ? bytes : 1, JDI_CACHE_LINE);

    if (whole < bytes || jdi_fault_hit(f, JDI_FAULT_alloc))
        return NULL;
    return aligned_alloc(JDI_CACHE_LINE, whole);
}

void *jdi_zalloc(struct jdi_fault *f, size_t bytes)
{
    void *p = jdi_alloc(f, bytes);

    if (p)
        memset(p, 0, bytes);
    return p;
}

void *jdi_alloc_small(struct jdi_fault *f, size_t bytes)
{
    return jdi_fault_hit(f, JDI_FAULT_alloc) ? NULL : malloc(bytes ? bytes : 1);
}

void jdi_free(void *p)
{
    free(p);
}
