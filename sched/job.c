/*
 * job.c - see job.h.
 *
 * Role: asks the batch system, the kernel, and rank 0.
 * See: job.h.
 */
#include "sched/job.h"

#include <stdio.h>
#include <unistd.h>

void jdi_job_names(struct jdi_rank *r, struct jdi_job *out)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                        "JOB_ID"};
    uint64_t pid = r->am->rank == 0 ? (uint64_t)getpid() : 0;
    const char *given = NULL;
    *out = (struct jdi_job){0};
    if (gethostname(out->host, sizeof out->host - 1))
        snprintf(out->host, sizeof out->host, "unknown");
    for (size_t i = 0; i < JDI_ARRAY_LEN(names) && !given; i++)
        given = jdi_conduit.lookup(NULL, names[i]);
    int error = jdi_am_reduce_all(r->am, &pid, 1, JDI_AM_U64, JD_MAX);
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_START, "naming the job: %s", jd_strerror(error));
    if (given && *given)
        snprintf(out->name, sizeof out->name, "%s", given);
    else
        snprintf(out->name, sizeof out->name, "%llu", (unsigned long long)pid);
}

int jdi_job_file(const struct jdi_rank *r, const struct jdi_job *job, const char *pattern,
                 char *name, size_t room)
{
    const struct jdi_outfile_names names = {r->am->rank, job->host, job->name};
    return jdi_outfile_name(pattern, &names, name, room);
}
