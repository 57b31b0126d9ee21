/*
 * top_find.c - the pages of a job.
 *
 * Role: looks through /proc for processes of this user that hold the page of a rank.
 * Owner: as top.h says.
 * Invariants: I1 of top.h. I2 a page counts once, also if a child of the rank has inherited it.
 * Order: none.
 * See: top.h; core/view.h.
 */
#include "tools/top.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_ROOM = 64, ANCESTORS = 64 };

/* All pages that were found, of any job. */
struct found {
    struct top_rank *at;
    size_t n;
};

static void *more_room(void *at, size_t n, size_t size)
{
    void *room = realloc(at, n * size);
    if (!room) {
        fputs("jackdaw-top: out of memory\n", stderr);
        exit(TOP_NO_JOB);
    }
    return room;
}

/* ---- processes --------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    return *text && strlen(text) < 10;
}

/* 0: there is none. */
static pid_t parent_of(pid_t pid)
{
    char path[PATH_ROOM], text[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    /* The name in parentheses may hold anything. */
    const char *end = strrchr(text, ')');
    return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool descends_from(pid_t pid, pid_t ancestor)
{
    for (int i = 0; pid > 1 && i < ANCESTORS; i++, pid = parent_of(pid))
        if (pid == ancestor)
            return true;
    return false;
}

/* ---- pages ------------------------------------------------------------------------------- */

static bool is_known(const struct found *f, uint64_t inode)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i].inode == inode)
            return true;
    return false;
}

static void add_page(struct found *f, pid_t pid, struct jdi_view *v, uint64_t inode)
{
    struct top_rank t = {.view = v,
                         .pid = pid,
                         .ends = (int)syscall(SYS_pidfd_open, pid, 0),
                         .inode = inode,
                         .rank = v->rank,
                         .nranks = v->nranks,
                         .rows = v->rows};
    f->at = more_room(f->at, f->n + 1, sizeof *f->at);
    f->at[f->n++] = t;
}

/* Descriptor `path` of the process is a page: map it. */
static void take_page(struct found *f, pid_t pid, const char *path)
{
    struct stat s;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *at = MAP_FAILED;
    int seals = fcntl(fd, F_GET_SEALS);
    size_t most = jdi_view_bytes(JDI_VIEW_THREADS);
    /* Unsealed, it could shrink while it is mapped. */
    if (!fstat(fd, &s) && s.st_size >= JDI_VIEW_HEAD && (size_t)s.st_size <= most &&
        seals >= 0 && (seals & F_SEAL_SHRINK) && !is_known(f, s.st_ino))
        at = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return;
    if (jdi_view_fits(at, (size_t)s.st_size))
        add_page(f, pid, at, s.st_ino);
    else
        munmap(at, (size_t)s.st_size);
}

static void look_at_process(struct found *f, pid_t pid)
{
    static const char page[] = "/memfd:" JDI_VIEW_NAME;
    char dir[PATH_ROOM], path[2 * PATH_ROOM], target[PATH_ROOM];
    snprintf(dir, sizeof dir, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_number(e->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%d", dir, atoi(e->d_name));
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        if (!strncmp(target, page, sizeof page - 1))
            take_page(f, pid, path);
    }
    if (d)
        closedir(d);
}

static void look_everywhere(struct found *f)
{
    char path[PATH_ROOM];
    struct stat s;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_number(e->d_name))
            continue;
        pid_t pid = (pid_t)atoi(e->d_name);
        snprintf(path, sizeof path, "/proc/%d", (int)pid);
        if (!stat(path, &s) && s.st_uid == geteuid())
            look_at_process(f, pid);
    }
    if (d)
        closedir(d);
}

/* ---- one job ----------------------------------------------------------------------------- */

static bool is_same_job(const struct top_rank *a, const struct top_rank *b)
{
    return a->view->run == b->view->run && a->nranks == b->nranks &&
           !strcmp(a->view->job, b->view->job) &&
           !strcmp(a->view->program, b->view->program);
}

/* Is the page named? */
static bool is_named(const struct top_rank *t, const char *what, bool process)
{
    if (!what || !strcmp(t->view->job, what))
        return true;
    return process && descends_from(t->pid, (pid_t)atoi(what));
}

static void list_jobs(const struct found *f, const char *what, char *why, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n && n < room; i++) {
        bool seen = !is_named(&f->at[i], what, true);
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_same_job(&f->at[i], &f->at[k]);
        if (!seen)
            n += (size_t)snprintf(why + n, room - n, "%s%s (%s, process %d)",
                                  n ? ", " : "", f->at[i].view->job,
                                  f->at[i].view->program, (int)f->at[i].pid);
    }
}

/* Why is there no page for `what`? */
static void explain_none(const char *what, char *why, size_t room)
{
    char path[PATH_ROOM];
    struct stat s;
    if (!what) {
        snprintf(why, room, "no Jackdaw job of this user runs on this host");
        return;
    }
    snprintf(path, sizeof path, "/proc/%s", what);
    if (!is_number(what)) {
        snprintf(why, room, "no job of this user on this host is called %s", what);
    } else if (stat(path, &s)) {
        snprintf(why, room,
                 "there is no process %s, and no job of that name: it has ended", what);
    } else if (s.st_uid != geteuid()) {
        const struct passwd *p = getpwuid(s.st_uid);
        snprintf(why, room, "process %s belongs to %s: only that user can look at it",
                 what, p ? p->pw_name : "another user");
    } else {
        snprintf(
            why, room,
            "process %s is no rank of a Jackdaw job on this host, and has started none: "
            "it is another program, or the job is just starting or ending",
            what);
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct top_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void unmap(const struct top_rank *t)
{
    if (t->ends >= 0)
        close(t->ends);
    munmap(t->view, jdi_view_bytes(t->rows));
}

static void keep_job(struct top_job *job, struct found *f, const struct top_rank one)
{
    *job = (struct top_job){
        .rank = f->at, .nranks = one.nranks, .here = one.view->host_size};
    snprintf(job->name, sizeof job->name, "%s", one.view->job);
    snprintf(job->host, sizeof job->host, "%s", one.view->host);
    snprintf(job->program, sizeof job->program, "%s", one.view->program);
    snprintf(job->network, sizeof job->network, "%s", one.view->network);
    job->started_ns = one.view->started_ns;
    job->is_virtual = one.view->is_virtual;
    for (size_t i = 0; i < f->n; i++) {
        struct top_rank *t = &f->at[i];
        if (!is_same_job(t, &one)) {
            unmap(t);
            continue;
        }
        t->now = more_room(NULL, t->rows, sizeof *t->now);
        t->before = more_room(NULL, t->rows, sizeof *t->before);
        job->rank[job->n++] = *t;
    }
    qsort(job->rank, job->n, sizeof *job->rank, by_rank);
}

bool top_find(struct top_job *job, const char *what, char *why, size_t room)
{
    struct found f = {NULL, 0};
    bool process = what && is_number(what);
    size_t one = SIZE_MAX;
    bool several = false;
    look_everywhere(&f);
    for (size_t i = 0; i < f.n; i++) {
        if (!is_named(&f.at[i], what, process))
            continue;
        several = several || (one != SIZE_MAX && !is_same_job(&f.at[i], &f.at[one]));
        one = i;
    }
    if (one == SIZE_MAX)
        explain_none(what, why, room);
    if (several) {
        int n = snprintf(why, room, "several jobs run here; name one of them: ");
        list_jobs(&f, what, why + n, room - (size_t)n);
    }
    if (one != SIZE_MAX && !several) {
        keep_job(job, &f, f.at[one]);
        return true;
    }
    for (size_t i = 0; i < f.n; i++)
        unmap(&f.at[i]);
    free(f.at);
    return false;
}

void top_free(struct top_job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        unmap(&job->rank[i]);
        free(job->rank[i].now);
        free(job->rank[i].before);
    }
    free(job->rank);
}
