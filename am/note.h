/*
 * note.h - what a linked program says of its network without being run.
 *
 * Role: an ELF note of type 1 and name "Jackdaw", in the section .note.jackdaw of the network's object; so a
 *       program has one for each Jackdaw that was linked into it.
 * Owner: nobody; constant.
 * Invariants: I1 fields are added at the end only: a reader takes what descsz covers.
 * See: doc/jackdaw-run.1.md, tools/run_program.c, test/unit/tools_run_*.
 */
#ifndef JDI_AM_NOTE_H
#define JDI_AM_NOTE_H

#include "core/base.h"

#define JDI_NOTE_NAME "Jackdaw"

enum { JDI_NOTE_TYPE = 1 };

/* Of this machine's byte order, like the rest of the file. */
struct jdi_note_text {
    uint32_t most_ranks; /* that one job can have; 0: no limit is known */
    char network[12];    /* "smp" */
    char version[16];    /* of Jackdaw */
};

struct jdi_note {
    uint32_t namesz, descsz, type;
    char name[sizeof JDI_NOTE_NAME];
    struct jdi_note_text text;
};

_Static_assert(sizeof JDI_NOTE_NAME % 4 == 0, "the text is aligned as notes are");

/* The note of a network, at file scope.  Linkers keep notes, also those that nobody names. */
#define JDI_NOTE(network_name, most)                                                     \
    static const struct jdi_note note                                                    \
        __attribute__((section(".note.jackdaw"), used, aligned(4))) = {                  \
            .namesz = sizeof JDI_NOTE_NAME,                                              \
            .descsz = sizeof(struct jdi_note_text),                                      \
            .type = JDI_NOTE_TYPE,                                                       \
            .name = JDI_NOTE_NAME,                                                       \
            .text = {most, network_name, JD_VERSION}}

#endif
