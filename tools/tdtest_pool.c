/*
 * tdtest_pool.c - see tools/tdtest.h.
 *
 * Role: the jobs of a layer, on as many processes as --jobs says; their lines in their order.
 * Owner: the parent; a job is a child that writes into a file of its own.
 * Invariants: I1 what is printed does not depend on the number of processes, but for what a job
 *                leaves out after another one has failed.
 *             I2 a job numbers nothing: the parent does.
 * See: tools/tdtest.h.
 */
#include "tools/tdtest.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lines that begin with this are for --data. */
enum { DATA_MARK = 1 };

struct pool {
    struct tdtest *t;
    unsigned jobs, begun, running, told;
    pid_t *pid;
    FILE **out;
};

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static void tell_line(struct tdtest *t, const char *line)
{
    static const char good[] = "ok - ", bad[] = "not ok - ";
    if (line[0] == DATA_MARK) {
        if (t->data_file)
            fputs(line + 1, t->data_file);
    } else if (begins(line, good)) {
        printf("ok %u - %s", ++t->count, line + sizeof good - 1);
    } else if (begins(line, bad)) {
        printf("not ok %u - %s", ++t->count, line + sizeof bad - 1);
    } else {
        fputs(line, stdout);
    }
}

/* What the job said, and how it ended. */
static void tell_job(struct pool *p, unsigned job, int status)
{
    char *line = NULL;
    size_t room = 0;
    FILE *out = p->out[job];
    bool exited = WIFEXITED(status);
    tdtest_progress(p->t, "%s", "");
    rewind(out);
    while (getline(&line, &room, out) > 0)
        tell_line(p->t, line);
    free(line);
    fclose(out);
    if (!exited || WEXITSTATUS(status) > TDTEST_WRONG + TDTEST_OPEN)
        tdtest_ok(p->t, false, "%s: job %u ended badly", p->t->name, job);
    else if (WEXITSTATUS(status) & TDTEST_WRONG)
        p->t->failed++;
    else if (WEXITSTATUS(status) & TDTEST_OPEN)
        p->t->open++;
    fflush(stdout);
}

static void begin_job(struct pool *p, unsigned job,
                      void (*fn)(struct tdtest *t, unsigned job))
{
    struct tdtest *t = p->t;
    p->out[job] = tmpfile();
    JD_CHECK(p->out[job] != NULL);
    fflush(NULL);
    p->pid[job] = fork();
    JD_CHECK(p->pid[job] >= 0);
    if (p->pid[job] > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fileno(p->out[job]), STDOUT_FILENO);
    t->in_job = true;
    t->progress = false;
    t->failed = t->open = 0;
    fn(t, job);
    if (t->failed > 0)
        atomic_store_explicit(t->stop, true, memory_order_relaxed);
    fflush(stdout);
    exit((t->failed > 0) * TDTEST_WRONG + (t->open > 0) * TDTEST_OPEN);
}

bool tdtest_is_stopped(const struct tdtest *t)
{
    return t->in_job && atomic_load_explicit(t->stop, memory_order_relaxed);
}

void tdtest_put_data(const struct tdtest *t, const char *text)
{
    if (t->data_file)
        printf("%c%s %s\n", DATA_MARK, t->name, text);
}

/* The job of a child that has ended. */
static unsigned wait_for_one(const struct pool *p, int *status)
{
    pid_t pid = waitpid(-1, status, 0);
    for (unsigned i = 0; i < p->jobs; i++)
        if (p->pid[i] == pid)
            return i;
    return p->jobs;
}

void tdtest_each(struct tdtest *t, unsigned jobs, bool last_first,
                 void (*fn)(struct tdtest *t, unsigned job))
{
    struct pool p = {.t = t, .jobs = jobs};
    int *status = calloc(jobs, sizeof status[0]);
    bool *ended = calloc(jobs, sizeof ended[0]);
    p.pid = calloc(jobs, sizeof p.pid[0]);
    p.out = calloc(jobs, sizeof p.out[0]);
    t->stop = mmap(NULL, sizeof *t->stop, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    JD_CHECK(status && ended && p.pid && p.out && t->stop != MAP_FAILED);
    while (p.told < jobs) {
        for (; p.running < t->jobs && p.begun < jobs; p.running++, p.begun++)
            begin_job(&p, last_first ? jobs - 1 - p.begun : p.begun, fn);
        int end = 0;
        unsigned job = wait_for_one(&p, &end);
        if (job == jobs)
            continue;
        p.running--;
        status[job] = end;
        ended[job] = true;
        for (; p.told < jobs && ended[p.told]; p.told++)
            tell_job(&p, p.told, status[p.told]);
        tdtest_progress(t, "%u of %u jobs are begun", p.begun, jobs);
    }
    tdtest_progress(t, "%s", "");
    munmap(t->stop, sizeof *t->stop);
    free(status);
    free(ended);
    free(p.pid);
    free(p.out);
}
