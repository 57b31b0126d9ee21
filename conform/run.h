/*
 * run.h - a run as a caller of conform.h holds it.
 *
 * Role: shared by conform.c, for small worlds, and scale.c, for virtual time.
 * Owner: the caller; in memory of jdi_child_alloc, into which children write.
 * See: conform.h, failure.h.
 */
#ifndef JDI_CONFORM_RUN_H
#define JDI_CONFORM_RUN_H

#include "conform/conform.h"
#include "conform/failure.h"

struct jd_conform_run {
    struct jdi_failure failure;
    struct jdi_world_lens lens; /* which the failure's config points to */
    bool is_told;               /* its schedule is all of it */
    bool is_timed; /* then the failure has text and trace only, and there is */
    struct jd_conform_load load;
    uint32_t column[JDI_WORLD_RANKS]; /* the ranks that the chart shows */
};

/* scale.c: the schedule of a load, which begins with "timed". */
bool jdi_scale_is_schedule(const char *text);
/* False: error says why. */
bool jdi_scale_read(struct jd_conform_load *load, const char *text, char *error,
                    size_t errorlen);
void jdi_scale_write(const struct jd_conform_load *load, FILE *out);
/* Run it; text, trace and columns are those of the run. */
void jdi_scale_play(const struct jd_conform_subject *s, struct jd_conform_run *run);

#endif
