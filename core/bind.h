/*
 * bind.h - what JACKDAW_BIND asks for.
 *
 * Role: the word, the list of processing units, and the file with a list for each rank.
 * Owner: the caller.
 * See: core/topo.h, doc/jackdaw-env.7.md, test/unit/core_bind_*.
 */
#ifndef JDI_CORE_BIND_H
#define JDI_CORE_BIND_H

#include "core/base.h"

enum jdi_bind {
    JDI_BIND_AUTO,
    JDI_BIND_NONE,
    JDI_BIND_CORE,
    JDI_BIND_PU,
    JDI_BIND_NUMA,
    JDI_BIND_LIST,
    JDI_BIND_FILE
};

/* The words, in that order, for jackdaw-info. */
const char *jdi_bind_name(enum jdi_bind kind);
/* *rest is what follows "list:" or "file:", "" for the words; it points into `text`.  0, or JD_EINVAL. */
int jdi_bind_parse(const char *text, enum jdi_bind *kind,
                   const char **rest) JD_MUST_CHECK;
/* The units of a list such as "0,4-7,2", in that order: how many, at most `most`; or JD_EINVAL. */
int jdi_bind_list(const char *list, uint16_t *units, unsigned most) JD_MUST_CHECK;
/*
 * The list in the line "RANK: LIST" of a file; the caller frees *list.  0, JD_ENOMEM, or JD_EINVAL with a
 * line about the file in err[0..errlen).
 */
int jdi_bind_read(const char *name, uint32_t rank, char **list, char *err,
                  size_t errlen) JD_MUST_CHECK;

#endif
