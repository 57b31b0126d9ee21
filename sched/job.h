/*
 * job.h - what a job and its hosts are called, in names of files.
 *
 * Role: fills in %r, %h and %j of a pattern.
 * Owner: the communication thread, at the start.
 * See: core/outfile.h; sched/traces.c and sched/launch/gather.c, which leave files.
 */
#ifndef JDI_SCHED_JOB_H
#define JDI_SCHED_JOB_H

#include "core/figures.h"
#include "core/outfile.h"
#include "sched/rank.h"

struct jdi_job {
    char host[JDI_AM_HOST_BYTES];
    char name[64];
    char run
        [JDI_FIGURES_RUN]; /* an id that no other run has: of figures and traces that belong together */
};

/* This rank's host and the job: the batch system's number of it, or the process of rank 0.  The id of the run is the
 * same in each call.  Collective; ends the
 * job if the ranks do not come together. */
void jdi_job_names(struct jdi_rank *r, struct jdi_job *out);
/* The name of a file of this rank.  0, or JD_EINVAL: it is too long. */
int jdi_job_file(const struct jdi_rank *r, const struct jdi_job *job, const char *pattern,
                 char *name, size_t room) JD_MUST_CHECK;

#endif
