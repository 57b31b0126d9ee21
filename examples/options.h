/*
 * options.h - what the examples share that are told by options.
 *
 * Role: reads a number, or options that are all numbers, and ends with the text that says how to call the program.
 * See: examples/kpn.c.
 */
#ifndef JDI_EXAMPLES_OPTIONS_H
#define JDI_EXAMPLES_OPTIONS_H

#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 if the text is a whole number within these bounds; then it is in *out. */
static inline int read_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && *out >= least && *out <= most;
}

/* An option with a number from 1 on. */
struct number_option {
    const char *name;
    int64_t most, *out;
};

/* 0, or the argument that is wrong; -1: the user wants the text. */
static inline int read_numbers(int argc, char **argv, const struct number_option *option,
                               size_t n)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int right = 0;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        for (size_t k = 0; k < n; k++)
            if (!strcmp(argv[i], option[k].name))
                right = read_number(value, 1, option[k].most, option[k].out);
        if (!right)
            return i;
    }
    return 0;
}

/* Options that are a letter and a value each; read(o, letter, value) is 0 if one is wrong.  0, or the argument
 * that is wrong; -1: the user wants the text. */
static inline int read_options_by(int argc, char **argv, void *o,
                                  int (*read)(void *o, char letter, const char *value))
{
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return -1;
        if (argv[i][0] != '-' || strlen(argv[i]) != 2 || i + 1 == argc ||
            !read(o, argv[i][1], argv[i + 1]))
            return i;
    }
    return 0;
}

/* 1 if the value is that word; then its meaning is in *out. */
static inline int read_choice(const char *value, const char *word, int meaning, int *out)
{
    if (strcmp(value, word))
        return 0;
    *out = meaning;
    return 1;
}

/* 1 if the value is a way to seed a collection again. */
static inline int read_restore(const char *value, int *out)
{
    return read_choice(value, "seed", JD_RESTORE_SEED, out) ||
           read_choice(value, "retain", JD_RESTORE_RETAIN, out) ||
           read_choice(value, "central", JD_RESTORE_CENTRAL, out) ||
           read_choice(value, "tree", JD_RESTORE_TREE, out) ||
           read_choice(value, "gossip", JD_RESTORE_GOSSIP, out) ||
           read_choice(value, "auto", JD_RESTORE_AUTO, out);
}

/* Does it need times of tasks? */
static inline int is_balancer(int restore)
{
    return restore != JD_RESTORE_SEED && restore != JD_RESTORE_RETAIN;
}

/* The status of a body that was called with the option argv[bad], which is wrong; bad < 0: the user wants the
 * text. */
static inline int end_with_usage(const jd_self *me, const char *program, char **argv,
                                 int bad, const char *usage)
{
    if (jd_rank(me) == 0 && bad > 0)
        fprintf(stderr, "%s: bad option '%s'\n%s", program, argv[bad], usage);
    else if (jd_rank(me) == 0)
        fputs(usage, stdout);
    return bad > 0 ? 2 : 0;
}

#endif
