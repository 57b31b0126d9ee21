/*
 * run.h - the parts of jackdaw-run.
 *
 * Role: what was asked for, what the program is, which machines there are, and the line that follows from these.
 * Owner: one thread.
 * Invariants: I1 whatever is wrong ends in run_refuse, with a text that says what to do.
 * Order: none.
 * See: doc/jackdaw-run.1.md, test/unit/tools_run_*.
 */
#ifndef JDI_TOOLS_RUN_H
#define JDI_TOOLS_RUN_H

#include "am/note.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/* Statuses of jackdaw-run itself; any other one is the job's. */
enum { RUN_USAGE = 2, RUN_CANNOT = 78 };

/* Print "jackdaw-run: text" and exit. */
void run_refuse(int status, const char *format, ...) JD_NORETURN JDI_PRINTF(2, 3);

/* ---- words ------------------------------------------------------------------------- */

/* Ends with a NULL, as exec wants it. */
struct run_words {
    char **at;
    size_t n;
};

void run_words_add(struct run_words *w, const char *format, ...) JDI_PRINTF(2, 3);
void run_words_free(struct run_words *w);
/* `text` (NULL: none yet) with more behind it; the caller frees it. */
char *run_words_more(char *text, const char *format, ...) JDI_PRINTF(2, 3);
/* As a shell has to be given it: in quotes where it needs them.  The caller frees it. */
char *run_words_quote(const char *text);
/* The whole number in `text` from `least` up to a million, or -1. */
long run_words_number(const char *text, long least);

/* ---- what was asked for -------------------------------------------------------------- */

struct run_wish {
    long ranks, nodes, cpus;    /* 0: nothing was said */
    const char *hosts;          /* NULL: nothing was said */
    struct run_words variables; /* of -E, NAME or NAME=VALUE */
    const char *network;
    const char *trace, *stats, *progress, *report; /* "": without a value */
    bool localhost, show, verbose;
    char **program; /* and its arguments, up to a NULL */
};

/* ---- the program --------------------------------------------------------------------- */

struct run_program {
    char path[PATH_MAX];
    struct jdi_note_text note;
};

/* Find the program and read its note, or refuse.  `network`: taken for granted, if not NULL. */
void run_program_find(struct run_program *p, const char *name, const char *network);
/* Is there such a command in PATH?  Its place is copied to where[0..PATH_MAX). */
bool run_program_in_path(const char *name, char *where);

/* ---- the machines -------------------------------------------------------------------- */

struct run_host {
    char *name;
    unsigned slots; /* ranks that it should get */
};

struct run_hosts {
    struct run_host *at;
    size_t named;     /* all that were named, of whom the first n are kept */
    size_t n;         /* 0: this machine */
    unsigned all;     /* slots of all of them */
    bool slurm;       /* from an allocation of Slurm */
    const char *from; /* who named them, for messages */
};

/* From --hosts, or else from what Slurm or PBS say; --localhost: none. */
void run_hosts_find(struct run_hosts *h, const struct run_wish *wish);
/* "n[1-3,07],m" as Slurm writes it, one slot each; false if it cannot be. */
bool run_hosts_expand(struct run_hosts *h, const char *text);
void run_hosts_free(struct run_hosts *h);
/* Keep the first n. */
void run_hosts_keep(struct run_hosts *h, size_t n);
/* Is every one of them this machine? */
bool run_hosts_are_here(const struct run_hosts *h);

/* ---- the line ------------------------------------------------------------------------ */

struct run_line {
    struct run_words settings; /* NAME=VALUE, of the environment */
    struct run_words command;
    struct run_words after; /* runs when the job has ended with status 0; may be empty */
    bool remote;            /* ranks of udp on other machines, by ssh */
};

/* All that a line is made of. */
struct run_parts {
    struct run_wish wish;
    struct run_program program;
    struct run_hosts hosts;
    long ranks;       /* run_ranks_choose sets it */
    const char *from; /* who said how many, for messages */
};

/* How many ranks, and how many of them on which host; refuses what contradicts itself. */
void run_ranks_choose(struct run_parts *p);
/* Refuse parts of which no line can be made. */
void run_line_make(struct run_line *l, const struct run_parts *p);
/* The settings that do not depend on the network, and what runs after the job. */
void run_settings_make(struct run_line *l, const struct run_parts *p);
void run_line_free(struct run_line *l);
void run_line_print(const struct run_line *l, FILE *to);

/* ---- the job ------------------------------------------------------------------------- */

/* A process that is run to its end. */
struct run_child {
    char *const *command;
    int input;        /* its standard input; -1: that of jackdaw-run */
    pid_t depends_on; /* 0, or a process after whose end this one is given up */
    bool alone;       /* false: what it leaves behind is ended, too */
    /* what it came to: */
    int status;
    bool asked; /* a signal that ends jobs has come */
};

/* Run it; signals that come meanwhile are passed on.  `give_up` is called once, GRACE_S after the end of what it
 * depends on. */
void run_child_finish(struct run_child *c, void (*give_up)(void *ctx), void *ctx);
/* As a shell has it: 128 + signal. */
int run_child_status(const struct run_child *c);
/* Run the line; the status of jackdaw-run. */
int run_job(const struct run_line *l);
/* "jackdaw-run --remote-shell=NAMES ssh's arguments": ssh, and what to do where it fails. */
int run_remote_shell(const char *names, char **arguments);

#endif
