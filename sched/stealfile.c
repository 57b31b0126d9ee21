/*
 * stealfile.c - the files of steal logs: JACKDAW_STEAL_LOG and JACKDAW_REPLAY.
 *
 * Role: see stealfile.h.
 * Invariants: I1 and I2 of stealfile.h.
 * See: stealfile.h; core/outfile.h.
 */
#include "sched/stealfile.h"

#include "sched/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

struct jdi_stealfile {
    struct jdi_outfile out; /* no name: nothing is logged */
    struct jdi_steallog_bytes bytes;
    uint32_t nparts;
    unsigned char *replay; /* the file with which the job begins, or NULL */
    struct jdi_steallog_head head;
};

static JD_NORETURN void die_of_steallog(const struct jdi_rank *r, const char *knob,
                                        const char *name, const char *what)
{
    jdi_die(&r->am->log, JDI_EXIT_START, "JACKDAW_%s=%.300s: %s", knob, name, what);
}

static void name_log(const struct jdi_rank *r, const struct jdi_job *job,
                     const char *knob, const char *pattern, char name[JDI_OUTFILE_NAME])
{
    if (!jdi_outfile_fits(pattern, strlen(pattern)) ||
        jdi_job_file(r, job, pattern, name, JDI_OUTFILE_NAME))
        die_of_steallog(
            r, knob, pattern,
            "allowed: a file name of up to 1023 bytes, in which %r is the rank, "
            "%h the host, %j the number of the job, and %% is %");
    if (r->am->nranks > 1 && !jdi_outfile_of_rank(pattern))
        die_of_steallog(r, knob, pattern,
                        "each rank needs a file of its own: put %r into the name");
}

/* ---- reading ------------------------------------------------------------------------ */

/* All of a file; NULL: errno says why not. */
static unsigned char *read_whole(struct jdi_rank *r, const char *name, size_t *len)
{
    FILE *f = fopen(name, "re");
    unsigned char *bytes = NULL;
    long end = -1;
    if (!f)
        return NULL;
    /* A folder can be opened, and only a read refuses it. */
    bool refused = getc(f) == EOF && ferror(f);
    if (!refused && !fseek(f, 0, SEEK_END) && (end = ftell(f)) >= 0 &&
        !fseek(f, 0, SEEK_SET)) {
        bytes = jdi_alloc(&r->am->fault, (size_t)end + 1);
        if (!bytes)
            errno = ENOMEM;
    }
    if (bytes && fread(bytes, 1, (size_t)end, f) != (size_t)end) {
        jdi_free(bytes);
        bytes = NULL;
        errno = EIO;
    }
    int error = errno;
    fclose(f);
    errno = error;
    *len = (size_t)end;
    return bytes;
}

/* What keeps this job from beginning with the log of that one. */
static const char *foreign(const struct jdi_rank *r, const struct jdi_steallog_head *h,
                           char text[TEXT_BYTES])
{
    if (h->program != r->registry.hash)
        return "it was written by a program with other tasks";
    if (h->nranks != r->am->nranks)
        snprintf(text, TEXT_BYTES,
                 "it was written by a job of %u ranks, and this one has %u", h->nranks,
                 r->am->nranks);
    else if (h->rank != r->am->rank)
        snprintf(text, TEXT_BYTES, "it was written by rank %u, and this is rank %u",
                 h->rank, r->am->rank);
    else
        return NULL;
    return text;
}

static void read_replay(struct jdi_rank *r, struct jdi_stealfile *f, const char *name)
{
    char text[TEXT_BYTES];
    size_t len;
    f->replay = read_whole(r, name, &len);
    if (!f->replay)
        die_of_steallog(r, "REPLAY", name, strerror(errno));
    const char *fault = jdi_steallog_fault(f->replay, len, &f->head);
    if (!fault)
        fault = foreign(r, &f->head, text);
    if (fault)
        die_of_steallog(r, "REPLAY", name, fault);
}

bool jdi_stealfile_find(const struct jdi_rank *r, uint32_t coll, uint32_t phase,
                        struct jdi_steallog_part *out)
{
    const struct jdi_stealfile *f = r->stealfile;
    size_t at = 0;
    while (f && f->replay && jdi_steallog_next(f->replay, &f->head, &at, out))
        if (out->coll == coll && out->phase == phase)
            return true;
    return false;
}

/* ---- the way of a job --------------------------------------------------------------- */

void jdi_stealfile_begin(struct jdi_rank *r)
{
    const char *log = r->knobs->steal_log, *replay = r->knobs->replay;
    char name[JDI_OUTFILE_NAME];
    struct jdi_job job;
    if (!*log && !*replay)
        return;
    jdi_job_names(r, &job);
    struct jdi_stealfile *f = jdi_zalloc(&r->am->fault, sizeof *f);
    if (!f)
        die_of_steallog(r, *log ? "STEAL_LOG" : "REPLAY", *log ? log : replay,
                        "no memory");
    r->stealfile = f;
    if (*replay) {
        name_log(r, &job, "REPLAY", replay, name);
        read_replay(r, f, name);
    }
    if (*log) {
        name_log(r, &job, "STEAL_LOG", log, name);
        int error = jdi_outfile_try(&f->out, name);
        if (error)
            die_of_steallog(r, "STEAL_LOG", name, strerror(error));
    }
}

int jdi_stealfile_keep(struct jdi_rank *r, const struct jdi_steallog *l, uint32_t coll,
                       uint32_t phase)
{
    struct jdi_stealfile *f = r->stealfile;
    if (!f || !*f->out.name)
        return 0;
    f->nparts++;
    return jdi_steallog_write(&f->bytes, l, coll, phase, &r->am->fault);
}

static int write_steallog(const struct jdi_rank *r, struct jdi_stealfile *f)
{
    const struct jdi_steallog_head h = {.program = r->registry.hash,
                                        .nranks = r->am->nranks,
                                        .rank = r->am->rank,
                                        .nworkers = r->nworkers,
                                        .nparts = f->nparts,
                                        .bytes = f->bytes.used};
    unsigned char head[JDI_STEALLOG_HEAD];
    int error = jdi_outfile_open(&f->out);
    if (error)
        return error;
    jdi_steallog_seal(&h, f->bytes.at, head);
    fwrite(head, 1, sizeof head, f->out.to);
    if (h.bytes)
        fwrite(f->bytes.at, 1, h.bytes, f->out.to);
    return jdi_outfile_done(&f->out);
}

void jdi_stealfile_end(struct jdi_rank *r)
{
    struct jdi_stealfile *f = r->stealfile;
    if (!f)
        return;
    int error = *f->out.name ? write_steallog(r, f) : 0;
    if (error)
        die_of_steallog(r, "STEAL_LOG", f->out.name, strerror(error));
    jdi_free(f->bytes.at);
    jdi_free(f->replay);
    jdi_free(f);
    r->stealfile = NULL;
}
