/*
 * job.c - see job.h.
 *
 * Role: asks the batch system, the kernel, and rank 0.
 * See: job.h.
 */
#include "sched/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Rank 0's choice.  Without the kernel's random numbers, the time and the process. */
static uint64_t choose_id(void)
{
    uint64_t id;
    if (getrandom(&id, sizeof id, 0) == sizeof id && id)
        return id;
    return (uint64_t)time(NULL) << 24 ^ (uint64_t)getpid();
}

void jdi_job_names(struct jdi_rank *r, struct jdi_job *out)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                        "JOB_ID"};
    uint64_t word[2] = {0}; /* the process and the id, from rank 0 */
    const char *given = NULL;
    *out = (struct jdi_job){0};
    if (r->am->rank == 0) {
        word[0] = (uint64_t)getpid();
        word[1] = r->run_id ? r->run_id : choose_id();
    }
    if (gethostname(out->host, sizeof out->host - 1))
        snprintf(out->host, sizeof out->host, "unknown");
    for (size_t i = 0; i < JDI_ARRAY_LEN(names) && !given; i++)
        given = jdi_conduit.lookup(NULL, names[i]);
    int error = jdi_am_reduce_all(r->am, word, 2, JDI_AM_U64, JD_MAX);
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_START, "naming the job: %s", jd_strerror(error));
    r->run_id = word[1];
    snprintf(out->run, sizeof out->run, "%016" PRIx64, r->run_id);
    if (given && *given)
        snprintf(out->name, sizeof out->name, "%s", given);
    else
        snprintf(out->name, sizeof out->name, "%llu", (unsigned long long)word[0]);
}

int jdi_job_file(const struct jdi_rank *r, const struct jdi_job *job, const char *pattern,
                 char *name, size_t room)
{
    const struct jdi_outfile_names names = {r->am->rank, job->host, job->name};
    return jdi_outfile_name(pattern, &names, name, room);
}
