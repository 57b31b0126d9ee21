/*
 * sched_time_kit.h - the parts of time of a job, read from the table that JACKDAW_STATS=1 prints.
 *
 * Role: runs a job inside the test's process, with standard error in a file, and reads the rows of time.
 * Owner: the body of the test.
 * See: core/clock.h; doc/jackdaw-stats.7.md.
 */
#ifndef JDI_TEST_DIST_SCHED_TIME_KIT_H
#define JDI_TEST_DIST_SCHED_TIME_KIT_H

#include "test/dist/sched_kit.h"

#include <unistd.h>

struct parts {
    uint64_t work, steal, idle, progress, detect;
    uint64_t life, cpu;
    uint64_t all; /* the five parts */
};

static inline uint64_t row_of(const char *table, const char *text)
{
    const char *at = strstr(table, text);
    return at ? strtoull(at + strlen(text), NULL, 10) : UINT64_MAX;
}

/* False if the job has failed; what it has printed is on standard error then. */
static inline bool run_job(const char *ranks, const char *workers, jd_body body,
                           const jd_task_def *tasks, struct parts *p)
{
    static char word[] = "job", *argv[] = {word, NULL}, table[16384];
    FILE *to = tmpfile();
    int before = dup(STDERR_FILENO);
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    dup2(fileno(to), STDERR_FILENO);
    int status = jd_launch(1, argv, body, tasks);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(to);
    table[fread(table, 1, sizeof table - 1, to)] = '\0';
    fclose(to);
    if (status)
        fputs(table, stderr);
    *p = (struct parts){.work = row_of(table, "ns running tasks"),
                        .steal = row_of(table, "ns looking for work"),
                        .idle = row_of(table, "ns asleep or waiting"),
                        .progress = row_of(table, "ns in the network"),
                        .detect = row_of(table, "ns in the detector"),
                        .life = row_of(table, "ns of the life of threads"),
                        .cpu = row_of(table, "ns of processor time")};
    p->all = p->work + p->steal + p->idle + p->progress + p->detect;
    return status == 0;
}

static inline void say(const struct parts *p)
{
    diag("work %llu, steal %llu, idle %llu, progress %llu, detection %llu",
         (unsigned long long)p->work, (unsigned long long)p->steal,
         (unsigned long long)p->idle, (unsigned long long)p->progress,
         (unsigned long long)p->detect);
}

#endif
