/*
 * info_checkpoint.c - what is in a checkpoint.
 *
 * Role: reads a manifest, then every share that it names, and prints both; for people or as one JSON object.
 * Owner: one thread.
 * Invariants: I1 what is printed of a share was checked; a share with a fault is named with it.
 * See: doc/jackdaw-info.1.md; doc/checkpoint.md; sched/checkpoint/read.h.
 */
#include "tools/info.h"

#include "core/json.h"
#include "sched/checkpoint/read.h"

#include <inttypes.h>
#include <stdio.h>

struct checkpoint {
    const char *path;
    struct jdi_read read;
    struct jdi_manifest m;
    uint64_t executed, added, pruned, workers; /* of all ranks */
};

/* Seeds that the workers of a rank have executed. */
static uint64_t executed_by(const struct jdi_manifest *m, uint32_t rank)
{
    uint64_t n = 0;
    for (uint64_t w = 0; w < m->most_workers; w++)
        n += jdi_manifest_kept(m, rank, w);
    return n;
}

static uint64_t bytes_of_mem(const struct jdi_manifest *m, uint32_t mem)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < m->nranks; r++)
        n += jdi_manifest_mem(m, r, mem);
    return n;
}

static void add_up(struct checkpoint *c)
{
    for (uint32_t r = 0; r < c->m.nranks; r++) {
        const uint64_t *row = jdi_manifest_row(&c->m, r);
        c->executed += executed_by(&c->m, r);
        c->added += row[JDI_MANIFEST_ADDED];
        c->pruned += row[JDI_MANIFEST_PRUNED];
        c->workers += row[JDI_MANIFEST_WORKERS];
    }
}

/* What is wrong with the share of a rank; NULL: nothing. */
static const char *fault_of_share_file(const struct checkpoint *c, uint32_t rank)
{
    char path[JDI_FILES_PATH];
    unsigned char *front;
    struct jdi_share s = {.rank = rank};
    jdi_files_share(c->path, c->m.generation, rank, path);
    struct jdi_read_end end = jdi_read_share(&c->read, path, &c->m, &front, &s);
    jdi_free(front);
    if (end.error == JD_EFILE)
        return end.fault;
    return end.error == JD_ESYS ? strerror(-end.failed)
           : end.error          ? jd_strerror(end.error)
                                : NULL;
}

/* ---- for people ------------------------------------------------------------------ */

static void print_text_head(const struct checkpoint *c)
{
    const struct jdi_manifest *m = &c->m;
    printf("checkpoint  %s, version %d, generation %" PRIu64 "\n", c->path,
           JDI_HEAD_VERSION, m->generation);
    printf("collection  %s, %stimed, after phase %" PRIu64 "\n", m->name,
           m->origin ? "" : "not ", m->phases);
    printf("ranks       %" PRIu32 ", workers %" PRIu64 "\n", m->nranks, c->workers);
    printf("seeds       %" PRIu64 " executed, %" PRIu64 " added, %" PRIu64 " pruned\n",
           c->executed, c->added, c->pruned);
    printf("tasks      ");
    for (uint32_t i = 0; i < m->ntasks; i++)
        printf(" %s", jdi_manifest_task(m, i));
    putchar('\n');
    for (uint32_t i = 0; i < m->nmems; i++)
        printf("memory %-4" PRIu32 " %" PRIu64 " bytes\n", i, bytes_of_mem(m, i));
    printf("state       %" PRIu64 " bytes\n", m->state_size);
}

static int print_text_checkpoint(const struct checkpoint *c)
{
    int status = 0;
    print_text_head(c);
    printf("\n%-8s %-8s %10s %10s %14s  %s\n", "rank", "workers", "executed", "added",
           "bytes", "share");
    for (uint32_t r = 0; r < c->m.nranks; r++) {
        const uint64_t *row = jdi_manifest_row(&c->m, r);
        const char *fault = fault_of_share_file(c, r);
        printf(
            "%-8" PRIu32 " %-8" PRIu64 " %10" PRIu64 " %10" PRIu64 " %14" PRIu64 "  %s\n",
            r, row[JDI_MANIFEST_WORKERS], executed_by(&c->m, r), row[JDI_MANIFEST_ADDED],
            row[JDI_MANIFEST_LENGTH], fault ? fault : "whole");
        status |= fault != NULL;
    }
    return status;
}

/* ---- for machines ---------------------------------------------------------------- */

static void print_json_head(const struct checkpoint *c)
{
    const struct jdi_manifest *m = &c->m;
    printf("{\n  \"checkpoint\": ");
    jdi_json_quote(stdout, c->path);
    printf(",\n  \"version\": %d, \"generation\": %" PRIu64 ",\n  \"collection\": ",
           JDI_HEAD_VERSION, m->generation);
    jdi_json_quote(stdout, m->name);
    printf(", \"timed\": %s, \"phases\": %" PRIu64 ",\n  \"tasks\": [",
           m->origin ? "true" : "false", m->phases);
    for (uint32_t i = 0; i < m->ntasks; i++) {
        printf("%s", i ? ", " : "");
        jdi_json_quote(stdout, jdi_manifest_task(m, i));
    }
    printf("],\n  \"memories\": [");
    for (uint32_t i = 0; i < m->nmems; i++)
        printf("%s%" PRIu64, i ? ", " : "", bytes_of_mem(m, i));
    printf("],\n  \"state\": %" PRIu64 ", \"pruned\": %" PRIu64 ",\n  \"ranks\": [",
           m->state_size, c->pruned);
}

static int print_json_checkpoint(const struct checkpoint *c)
{
    int status = 0;
    print_json_head(c);
    for (uint32_t r = 0; r < c->m.nranks; r++) {
        const uint64_t *row = jdi_manifest_row(&c->m, r);
        const char *fault = fault_of_share_file(c, r);
        printf("%s\n    {\"workers\": %" PRIu64 ", \"executed\": %" PRIu64
               ", \"added\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"share\": ",
               r ? "," : "", row[JDI_MANIFEST_WORKERS], executed_by(&c->m, r),
               row[JDI_MANIFEST_ADDED], row[JDI_MANIFEST_LENGTH]);
        jdi_json_quote(stdout, fault ? fault : "whole");
        putchar('}');
        status |= fault != NULL;
    }
    printf("\n  ]\n}\n");
    return status;
}

/* ---- both ------------------------------------------------------------------------ */

int info_checkpoint(const char *path, bool json)
{
    struct checkpoint c = {.path = path, .read = {.files = &jdi_files_posix}};
    unsigned char *bytes;
    if (!jdi_files_fits(path)) {
        fprintf(stderr, "jackdaw-info: %s: not the path of a file\n", path);
        return 1;
    }
    struct jdi_read_end end = jdi_read_manifest(&c.read, path, &bytes, &c.m);
    if (end.error) {
        fprintf(stderr, "jackdaw-info: %s: %s\n", path,
                end.error == JD_EFILE  ? end.fault
                : end.error == JD_ESYS ? strerror(-end.failed)
                                       : jd_strerror(end.error));
        return 1;
    }
    add_up(&c);
    int status = json ? print_json_checkpoint(&c) : print_text_checkpoint(&c);
    jdi_free(bytes);
    return status;
}
