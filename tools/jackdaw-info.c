/*
 * jackdaw-info.c - what this build is and what it would do here.
 *
 * Role: versions, networks, engines, every knob with its origin, the placement that would be chosen,
 *       shared memory, and warnings; for people or as one JSON object.  With a file: what is in that checkpoint.
 * Owner: one thread; the network is never started.
 * Invariants: I1 both forms print the same struct info.
 *             I2 status 0 only if a job could start with these knobs; 2 for usage.
 * Order: none.
 * See: doc/jackdaw-info.1.md, core/knobs.h, core/topo.h, test/unit/tools_info_*.
 */
#include "am/am.h"
#include "core/json.h"
#include "core/knobs.h"
#include "core/nearest.h"
#include "core/topo.h"
#include "core/ult/stack.h"
#include "core/ult/ult.h"
#include "tools/info.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef JDI_CONDUITS
#define JDI_CONDUITS ""
#endif

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MOST_NOTES = 64, NOTE_BYTES = 256, MOST_RANKS = 1024, USAGE = 2 };
/* Docker's default is 64M, too little for the segments of a few ranks. */
#define SMALL_SHM (UINT64_C(128) << 20)

struct notes {
    unsigned count;
    char text[MOST_NOTES][NOTE_BYTES];
};

struct info {
    struct jdi_knobs knobs;
    uint64_t refused; /* bit i: the value of row i was bad, the default is shown */
    struct notes errors, warnings;
    const char *engine;    /* in force; NULL if it is not built in */
    unsigned ranks;        /* assumed on this host */
    struct jdi_topo *topo; /* NULL if the machine could not be read */
    struct jdi_placement place;
    char *bind_list; /* of a file */
    bool has_shm;
    uint64_t shm_size, shm_free;
    char ucx[64]; /* its version, as a job would find it; empty: ucx was not built */
};

/* Apart by blanks. */
static const char networks[] = JDI_CONDUITS;

/* Without "auto", in the order of enum jdi_engine_kind. */
static const char *const engine_names[] = {"argobots", "boost"};

/* What does not fit is dropped: nobody reads the 65th warning. */
static void note(struct notes *to, const char *format, ...) JDI_PRINTF(2, 3);
static void note(struct notes *to, const char *format, ...)
{
    va_list args;

    if (to->count == MOST_NOTES)
        return;
    va_start(args, format);
    vsnprintf(to->text[to->count++], NOTE_BYTES, format, args);
    va_end(args);
}

/* ---- finding out ----------------------------------------------------------------- */

/* The environment with one variable only. */
static const char *lookup_one(void *ctx, const char *name)
{
    return strcmp(ctx, name) ? NULL : getenv(name);
}

/* The environment without the variables that were refused. */
static const char *lookup_good(void *ctx, const char *name)
{
    const struct info *info = ctx;

    for (size_t i = 0; jdi_knobs_row(i); i++)
        if (info->refused >> i & 1 && !strcmp(jdi_knobs_row(i)->name, name))
            return NULL;
    return getenv(name);
}

static void warn_unknown(void *ctx, const char *name, const char *nearest)
{
    note(ctx, "%s: no such knob%s%s%s", name, nearest ? "; did you mean " : "",
         nearest ? nearest : "", nearest ? "?" : "");
}

/* A job stops at the first bad value; here each is tried alone, so that all are named. */
static void read_knobs(struct info *info)
{
    char err[NOTE_BYTES];

    for (size_t i = 0; jdi_knobs_row(i); i++)
        if (jdi_knobs_read(&info->knobs, lookup_one, (void *)jdi_knobs_row(i)->name, err,
                           sizeof err)) {
            note(&info->errors, "%s", err);
            info->refused |= (uint64_t)1 << i;
        }
    if (jdi_knobs_read(&info->knobs, lookup_good, info, err, sizeof err))
        note(&info->errors, "%s", err);
    jdi_knobs_unknown(environ, warn_unknown, &info->warnings);
}

static const char *origin(const struct info *info, size_t row)
{
    return info->refused >> row & 1 ? "refused" : jdi_knobs_origin(&info->knobs, row);
}

static void find_engine(struct info *info)
{
    int kind = info->knobs.ult;
    const char *name = kind == JDI_ENGINE_AUTO ? NULL : engine_names[kind - 1];
    const struct jdi_ult_ops *found = jdi_ult_find(name);

    info->engine = found ? found->name : NULL;
    if (!found)
        note(&info->errors, "JACKDAW_ULT=%s: not built into this library", name);
}

/* As if all ranks of the job ran on this host with the same cores. */
static void choose_placement(struct info *info)
{
    struct jdi_topo_peer *peers;

    info->ranks = info->knobs.ranks > 1 ? (unsigned)info->knobs.ranks : 1;
    if (info->ranks > MOST_RANKS)
        info->ranks = MOST_RANKS;
    peers = calloc(info->ranks, sizeof *peers);
    if (!peers || jdi_topo_new(&info->topo)) {
        note(&info->errors, "the topology of this machine cannot be read");
        free(peers);
        return;
    }
    for (unsigned i = 0; i < info->ranks; i++)
        jdi_topo_self(info->topo, &peers[i]);
    jdi_topo_place(info->topo, &info->knobs, peers, info->ranks, 0, info->ranks,
                   &info->place);
    free(peers);
    char text[NOTE_BYTES];
    if (jdi_topo_place_file(&info->place, 0, &info->bind_list, text, sizeof text) ||
        jdi_topo_place_check(info->topo, &info->place, text, sizeof text)) {
        note(&info->errors, "%s", text);
        info->place.bind = JDI_BIND_NONE;
    }
}

static void look_at_shm(struct info *info)
{
    struct statvfs fs;

    info->has_shm = !statvfs("/dev/shm", &fs);
    if (!info->has_shm) {
        note(&info->warnings, "/dev/shm cannot be read: ranks of one host share it");
        return;
    }
    info->shm_size = (uint64_t)fs.f_blocks * fs.f_frsize;
    info->shm_free = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (info->shm_free < SMALL_SHM)
        note(&info->warnings,
             "/dev/shm has %" PRIu64 "M free: a job of several ranks may not start; set "
             "GASNET_MAX_SEGSIZE=%" PRIu64 "M/P or enlarge it",
             info->shm_free >> 20, (info->shm_free >> 20) / 2);
}

/*
 * The version of UCX that a job would find, which is another one than that of the headers if GASNet
 * was built elsewhere.
 */
static void look_at_ucx(struct info *info)
{
    void *library;
    const char *(*version)(void);

    if (!strstr(" " JDI_CONDUITS " ", " ucx "))
        return;
    library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL);
    *(void **)&version = library ? dlsym(library, "ucp_get_version_string") : NULL;
    if (!version)
        note(&info->warnings, "ucx was built, but UCX is not found here: %s", dlerror());
    /* The library stays: it would leave memory behind. */
    snprintf(info->ucx, sizeof info->ucx, "%s", version ? version() : "not found");
}

/* ---- for people ------------------------------------------------------------------ */

static void print_knobs(const struct info *info)
{
    printf("\n%-26s %-12s %-12s %-10s %s\n", "knob", "value", "origin", "default",
           "meaning");
    for (size_t i = 0; jdi_knobs_row(i); i++) {
        const struct jdi_knob_row *row = jdi_knobs_row(i);
        char value[256];
        jdi_knobs_show(&info->knobs, i, value, sizeof value);
        printf("%-26s %-12s %-12s %-10s %s\n", row->name, *value ? value : "-",
               origin(info, i), *row->def ? row->def : "-", row->text);
    }
}

/* An inline communication thread may be where worker 0 is. */
static unsigned slot_of_place(const struct jdi_placement *p, unsigned slot)
{
    return slot == p->workers ? jdi_topo_place_comm(p) : slot;
}

static void print_placement(const struct info *info)
{
    const struct jdi_placement *p = &info->place;
    char where[512];

    printf("\nplacement of rank 0 of %u here: %u worker%s, communication %s%s\n",
           info->ranks, p->workers, p->workers == 1 ? "" : "s",
           p->dedicated ? "dedicated" : "inline",
           p->oversubscribed ? ", oversubscribed" : "");
    printf("  %u cores, %u PUs may be used; %u threads of all ranks on %u PUs\n",
           jdi_topo_ncores(info->topo), jdi_topo_npus(info->topo), p->host_threads,
           p->host_cores);
    for (unsigned slot = 0; slot < p->workers + p->apart; slot++) {
        jdi_topo_place_describe(info->topo, p, slot_of_place(p, slot), where,
                                sizeof where);
        if (slot < p->workers)
            printf("  worker %-3u      %s\n", slot, where);
        else
            printf("  communication   %s%s\n", where,
                   jdi_topo_place_comm(p) ? "" : ", beside worker 0");
    }
}

static void print_notes(const struct notes *notes, const char *kind)
{
    for (unsigned i = 0; i < notes->count; i++)
        printf("%s%s: %s\n", i ? "" : "\n", kind, notes->text[i]);
}

static void print_guards(void)
{
    uint64_t most;
    printf("guards    ");
    if (jdi_stack_guards_here(&most) == JDI_STACK_INSTALL)
        printf("of stacks: in page tables (MADV_GUARD_INSTALL), for all\n");
    else
        printf("of stacks: mappings (mprotect), for the first %" PRIu64
               " because of vm.max_map_count\n",
               most);
}

static void print_text(const struct info *info)
{
    printf("jackdaw   %s\n", JD_VERSION);
    printf("conduit   %s, %s\n", jdi_conduit.name, jdi_conduit.version());
    printf("networks  %s\n", *networks ? networks : "none");
    if (*info->ucx)
        printf("ucx       UCX %s: each start warns if this is older than GASNet was "
               "built with,\n"
               "          and that GASNet's ucx network is experimental\n",
               info->ucx);
    printf("engines  ");
    for (size_t i = 0; i < JDI_ARRAY_LEN(engine_names); i++)
        if (jdi_ult_find(engine_names[i]))
            printf(" %s", engine_names[i]);
    printf(", default %s\n", jdi_ult_find(NULL)->name);
    print_guards();
    if (info->has_shm)
        printf("/dev/shm  %" PRIu64 "M, %" PRIu64 "M free\n", info->shm_size >> 20,
               info->shm_free >> 20);
    print_knobs(info);
    if (info->topo)
        print_placement(info);
    print_notes(&info->errors, "error");
    print_notes(&info->warnings, "warning");
}

/* ---- for machines ---------------------------------------------------------------- */

/* "key": "value", after what the caller puts in front. */
static void json_pair(const char *before, const char *key, const char *value)
{
    printf("%s\"%s\": ", before, key);
    jdi_json_quote(stdout, value);
}

static void json_networks(const struct info *info)
{
    printf(",\n  \"networks\": [");
    for (const char *at = networks; *at; at += strspn(at, " ")) {
        int length = (int)strcspn(at, " ");
        printf("%s\"%.*s\"", at == networks ? "" : ", ", length, at);
        at += length;
    }
    putchar(']');
    if (*info->ucx)
        json_pair(",\n  ", "ucx", info->ucx);
}

static void json_engines(const struct info *info)
{
    const char *separator = "";

    printf(",\n  \"engines\": {\"built_in\": [");
    for (size_t i = 0; i < JDI_ARRAY_LEN(engine_names); i++)
        if (jdi_ult_find(engine_names[i])) {
            printf("%s\"%s\"", separator, engine_names[i]);
            separator = ", ";
        }
    json_pair("], ", "default", jdi_ult_find(NULL)->name);
    if (info->engine)
        json_pair(", ", "chosen", info->engine);
    putchar('}');
}

static void json_guards(void)
{
    uint64_t most;
    bool install = jdi_stack_guards_here(&most) == JDI_STACK_INSTALL;
    json_pair(",\n  \"guards\": {", "made_by",
              install ? "MADV_GUARD_INSTALL" : "mprotect");
    if (!install)
        printf(", \"stacks\": %" PRIu64, most);
    putchar('}');
}

static void json_knobs(const struct info *info)
{
    printf(",\n  \"knobs\": [");
    for (size_t i = 0; jdi_knobs_row(i); i++) {
        const struct jdi_knob_row *row = jdi_knobs_row(i);
        char value[256];
        jdi_knobs_show(&info->knobs, i, value, sizeof value);
        json_pair(i ? ",\n    {" : "\n    {", "name", row->name);
        json_pair(", ", "value", value);
        json_pair(", ", "origin", origin(info, i));
        json_pair(", ", "default", row->def);
        json_pair(", ", "allowed", row->range);
        json_pair(", ", "text", row->text);
        putchar('}');
    }
    printf("\n  ]");
}

static void json_placement(const struct info *info)
{
    const struct jdi_placement *p = &info->place;
    char where[512];

    printf(",\n  \"placement\": {\"ranks\": %u, \"cores\": %u, \"pus\": %u, "
           "\"workers\": %u, \"communication\": \"%s\", \"bind\": \"%s\", "
           "\"oversubscribed\": %s, \"host_threads\": %u, \"host_pus\": %u,\n"
           "    \"threads\": [",
           info->ranks, jdi_topo_ncores(info->topo), jdi_topo_npus(info->topo),
           p->workers, p->dedicated ? "dedicated" : "inline", jdi_bind_name(p->bind),
           p->oversubscribed ? "true" : "false", p->host_threads, p->host_cores);
    for (unsigned slot = 0; slot < p->workers + p->apart; slot++) {
        jdi_topo_place_describe(info->topo, p, slot_of_place(p, slot), where,
                                sizeof where);
        json_pair(slot ? ", {" : "{", "role",
                  slot < p->workers ? "worker" : "communication");
        json_pair(", ", "where", where);
        putchar('}');
    }
    printf("]}");
}

static void json_notes(const char *key, const struct notes *notes)
{
    printf(",\n  \"%s\": [", key);
    for (unsigned i = 0; i < notes->count; i++) {
        printf("%s", i ? ", " : "");
        jdi_json_quote(stdout, notes->text[i]);
    }
    putchar(']');
}

static void print_json(const struct info *info)
{
    json_pair("{\n  ", "version", JD_VERSION);
    json_pair(",\n  \"conduit\": {", "name", jdi_conduit.name);
    json_pair(", ", "version", jdi_conduit.version());
    putchar('}');
    json_networks(info);
    json_engines(info);
    json_guards();
    json_knobs(info);
    if (info->topo)
        json_placement(info);
    if (info->has_shm)
        printf(",\n  \"shm\": {\"size\": %" PRIu64 ", \"free\": %" PRIu64 "}",
               info->shm_size, info->shm_free);
    json_notes("errors", &info->errors);
    json_notes("warnings", &info->warnings);
    printf("\n}\n");
}

/* ---- the command line ------------------------------------------------------------ */

enum { OPTION_HELP, OPTION_VERSION, OPTION_JSON, OPTIONS };
static const char *const option_names[OPTIONS] = {
    [OPTION_HELP] = "--help", [OPTION_VERSION] = "--version", [OPTION_JSON] = "--json"};

static const char help[] =
    "usage: jackdaw-info [--json] [FILE]\n"
    "Print what this build of Jackdaw is and what it would do on this machine; with "
    "FILE,\n"
    "what is in the checkpoint whose manifest FILE is, and whether it is whole.\n"
    "\n"
    "  --json     the same as one JSON object\n"
    "  --help     this text\n"
    "  --version  the version alone\n"
    "\n"
    "Exit status: 0; 1 if a knob has a bad value, the machine cannot be read, or the\n"
    "checkpoint is not whole; 2 for a wrong option.  The knobs are described in "
    "jackdaw-env(7).\n";

/* Sets wanted[option] for each word, and *file; 0, or USAGE after a message. */
static int parse_options(char **words, bool wanted[OPTIONS], const char **file)
{
    for (; *words; words++) {
        if (**words != '-' && **words && !*file) {
            *file = *words;
            continue;
        }
        int near = jdi_nearest(*words, option_names, OPTIONS);
        if (near >= 0 && !strcmp(*words, option_names[near])) {
            wanted[near] = true;
            continue;
        }
        fprintf(stderr, "jackdaw-info: %s: no such option; ", *words);
        if (near >= 0)
            fprintf(stderr, "did you mean %s?\n", option_names[near]);
        else
            fprintf(stderr, "try --help\n");
        return USAGE;
    }
    return 0;
}

/* The status, unless what was printed did not arrive. */
static int end_output(int status)
{
    if (fflush(stdout) || ferror(stdout)) {
        perror("jackdaw-info: standard output");
        return 1;
    }
    return status;
}

int main(int argc, char **argv)
{
    bool wanted[OPTIONS] = {false};
    struct info *info;
    const char *file = NULL;
    int status = parse_options(argc > 0 ? argv + 1 : argv, wanted, &file);

    if (status)
        return status;
    if (wanted[OPTION_HELP] || wanted[OPTION_VERSION]) {
        fputs(wanted[OPTION_HELP] ? help : "jackdaw " JD_VERSION "\n", stdout);
        return end_output(0);
    }
    if (file)
        return end_output(info_is_steallog(file)
                              ? info_steallog(file, wanted[OPTION_JSON])
                              : info_checkpoint(file, wanted[OPTION_JSON]));
    info = calloc(1, sizeof *info);
    if (!info) {
        fprintf(stderr, "jackdaw-info: %s\n", jd_strerror(JD_ENOMEM));
        return 1;
    }
    read_knobs(info);
    find_engine(info);
    choose_placement(info);
    look_at_shm(info);
    look_at_ucx(info);
    if (wanted[OPTION_JSON])
        print_json(info);
    else
        print_text(info);
    status = info->errors.count > 0;
    jdi_topo_free(info->topo);
    jdi_free(info->bind_list);
    free(info);
    return end_output(status);
}
