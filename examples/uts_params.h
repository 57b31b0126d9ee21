/*
 * uts_params.h - the command line of uts.
 *
 * Role: read the reference's flags and our long options, strictly; describe a tree in the
 *       reference's words.
 * Owner: the caller; no state.
 * Invariants: I1 an error text names the option, the value and what is allowed, or the
 *             nearest option; I2 nothing is printed here.
 * See: doc/jackdaw-uts.1.md, test/unit/uts_params_*.c.
 */
#ifndef EXAMPLES_UTS_PARAMS_H
#define EXAMPLES_UTS_PARAMS_H

#include "examples/uts_tree.h"

struct uts_params {
    struct uts_shape_params is;
    int verbose;  /* -v */
    int debug;    /* -x */
    int chunk;    /* -c, 0: not given */
    int interval; /* -i, accepted for scripts: there is no such barrier here */
    int steal;    /* -s, 0: the whole tree is one task */
    int workers;  /* -T, 0: not given */
    int serial;   /* --serial */
    int check;    /* --check */
    int stats;    /* --stats */
    int parents;  /* --parents */
    int async;    /* --style=async */
    int repeat;   /* --repeat */
    const struct uts_sample *expected; /* what --check compares with, or NULL */
};

enum uts_parsed { UTS_RUN, UTS_HELP, UTS_VERSION, UTS_BAD };

/* UTS_BAD: `error` has one line without the program's name. */
enum uts_parsed uts_params_parse(struct uts_params *p, int argc, char **argv, char *error,
                                 size_t size);
/*
 * -c, -T and --stats are the runtime's to know before it starts.  Calls `set` for each
 * one that is found well-formed anywhere on a command line which may still hold the
 * network's own arguments; what is wrong is left to uts_params_parse.
 */
void uts_params_export(int argc, char **argv,
                       void (*set)(const char *variable, const char *value));

/* The reference's description of the tree, several lines. */
void uts_params_describe(const struct uts_params *p, char *out, size_t size);
const char *uts_help(void);

#endif
