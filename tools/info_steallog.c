/*
 * info_steallog.c - what is in a steal log.
 *
 * Role: reads the file of a rank, checks it whole, and prints its phases; for people or as one JSON object.
 * Owner: one thread.
 * Invariants: I1 nothing is printed of a file that has a fault.
 * See: doc/jackdaw-info.1.md; doc/steallog.md; sched/steallog.h.
 */
#include "tools/info.h"

#include "core/json.h"
#include "sched/steallog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a phase: tasks and messages that came, and that went. */
struct sums {
    uint64_t got, given, batches_got, batches_given;
};

static struct sums sums_of(const struct jdi_steallog_part *p)
{
    struct sums s = {0};
    for (uint64_t i = 0; i < p->n; i++) {
        bool got = p->run[i].way & JDI_STEALLOG_GOT;
        bool first = p->run[i].way & JDI_STEALLOG_BATCH;
        *(got ? &s.got : &s.given) += p->run[i].count;
        *(got ? &s.batches_got : &s.batches_given) += first;
    }
    return s;
}

static void print_text_log(const char *path, const unsigned char *file,
                           const struct jdi_steallog_head *h)
{
    struct jdi_steallog_part p;
    size_t at = 0;
    printf("steal log   %s, version %d\n", path, JDI_STEALLOG_VERSION);
    printf("rank        %" PRIu32 " of %" PRIu32 ", workers %" PRIu32 "\n", h->rank,
           h->nranks, h->nworkers);
    printf("bytes       %" PRIu64 "\n", h->bytes + JDI_STEALLOG_HEAD);
    printf("\n%-10s %-6s %10s %10s %10s %10s %10s %12s\n", "collection", "phase",
           "entries", "got", "in", "given", "in", "waited, us");
    while (jdi_steallog_next(file, h, &at, &p)) {
        struct sums s = sums_of(&p);
        char coll[16];
        snprintf(coll, sizeof coll, "%" PRIu32, p.coll);
        printf("%-10s %-6" PRIu32 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
               " %10" PRIu64 " %12" PRIu64 "%s\n",
               p.coll == JDI_STEALLOG_FINISHES ? "finishes" : coll, p.phase, p.n, s.got,
               s.batches_got, s.given, s.batches_given, p.waited / 1000,
               p.cut ? "  cut" : "");
    }
}

static void print_json_log(const char *path, const unsigned char *file,
                           const struct jdi_steallog_head *h)
{
    struct jdi_steallog_part p;
    size_t at = 0;
    printf("{\n  \"steal_log\": ");
    jdi_json_quote(stdout, path);
    printf(",\n  \"version\": %d, \"rank\": %" PRIu32 ", \"nranks\": %" PRIu32
           ", \"workers\": %" PRIu32 ", \"bytes\": %" PRIu64 ",\n  \"phases\": [",
           JDI_STEALLOG_VERSION, h->rank, h->nranks, h->nworkers,
           h->bytes + JDI_STEALLOG_HEAD);
    for (bool first = true; jdi_steallog_next(file, h, &at, &p); first = false) {
        struct sums s = sums_of(&p);
        printf("%s\n    {\"collection\": %" PRIu32 ", \"phase\": %" PRIu32
               ", \"entries\": %" PRIu64 ", \"got\": %" PRIu64
               ", \"messages_got\": %" PRIu64 ", \"given\": %" PRIu64
               ", \"messages_given\": %" PRIu64 ", \"waited_ns\": %" PRIu64
               ", \"cut\": %s}",
               first ? "" : ",", p.coll, p.phase, p.n, s.got, s.batches_got, s.given,
               s.batches_given, p.waited, p.cut ? "true" : "false");
    }
    printf("\n  ]\n}\n");
}

/* All of a file, or NULL after a message. */
static unsigned char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "re");
    long end = -1;
    unsigned char *bytes = NULL;
    if (f && !fseek(f, 0, SEEK_END) && (end = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
        bytes = jdi_alloc(NULL, (size_t)end + 1);
    if (bytes && fread(bytes, 1, (size_t)end, f) != (size_t)end) {
        jdi_free(bytes);
        bytes = NULL;
    }
    if (!bytes)
        fprintf(stderr, "jackdaw-info: %s: %s\n", path,
                errno ? strerror(errno) : "it cannot be read");
    if (f)
        fclose(f);
    *len = (size_t)end;
    return bytes;
}

bool info_is_steallog(const char *path)
{
    unsigned char first[8];
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(first, 1, sizeof first, f) : 0;
    if (f)
        fclose(f);
    return jdi_steallog_is_one(first, n);
}

int info_steallog(const char *path, bool json)
{
    struct jdi_steallog_head h;
    size_t len;
    unsigned char *file = read_file(path, &len);
    if (!file)
        return 1;
    const char *fault = jdi_steallog_fault(file, len, &h);
    if (fault)
        fprintf(stderr, "jackdaw-info: %s: %s\n", path, fault);
    else if (json)
        print_json_log(path, file, &h);
    else
        print_text_log(path, file, &h);
    jdi_free(file);
    return fault != NULL;
}
