/*
 * fault.h - memory and the injection of failures.
 *
 * Role: the runtime asks here before every allocation, thread and stack, so that a test can
 *       let the k-th request of a site fail (JACKDAW_FAULT=alloc:7).
 * Owner: one struct jdi_fault per rank; any thread (the counters are atomic).
 * Invariants: I1 with no fault armed a request costs one load and one branch.
 * See: core/fault.def for the sites; test/dist/sched_faults.sh.
 */
#ifndef JDI_CORE_FAULT_H
#define JDI_CORE_FAULT_H

#include "core/base.h"

#include <stdatomic.h>

enum jdi_fault_site {
#define JDI_FAULT(name, text) JDI_FAULT_##name,
#include "core/fault.def"
#undef JDI_FAULT
    JDI_FAULT_SITES
};

struct jdi_fault {
    uint64_t armed[JDI_FAULT_SITES]; /* fail this request, counted from 1; 0: none */
    _Atomic uint64_t count[JDI_FAULT_SITES]; /* relaxed: only the number matters */
};

/* Parse "alloc:7,thread:1" (see fault.def); 0, or JD_EINVAL with a text in err. */
int jdi_fault_parse(struct jdi_fault *f, const char *text, char *err, size_t errlen);
/* True if this request has to fail.  f may be NULL: never. */
bool jdi_fault_hit(struct jdi_fault *f, enum jdi_fault_site site);

/* Zeroed memory, cache-line aligned, or NULL.  Free with jdi_free. */
void *jdi_zalloc(struct jdi_fault *f, size_t bytes);
/* As jdi_zalloc without the zeroing. */
void *jdi_alloc(struct jdi_fault *f, size_t bytes);
/* As jdi_alloc, aligned to 16 only: for very many small blocks. */
void *jdi_alloc_small(struct jdi_fault *f, size_t bytes);
void jdi_free(void *p);

#endif
