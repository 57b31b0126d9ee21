/*
 * sched_checkpoint_kit.h - a disk in memory, for tests of checkpoints.
 *
 * Role: implements sched/checkpoint/files.h; writes a journal of all that changes the disk; makes the disk that a
 *       crash after part of the journal could leave; refuses one operation.
 * Owner: any thread, under the disk's lock.
 * Invariants: I1 what a sync has covered is in each disk that a later crash leaves.
 *             I2 of what no sync has covered, each write and each change of a name is there, is not, or, a write, is
 *                there in part: chance decides for each of them alone.
 * See: doc/checkpoint.md "What is tested".
 */
#ifndef JDI_TEST_UNIT_SCHED_CHECKPOINT_KIT_H
#define JDI_TEST_UNIT_SCHED_CHECKPOINT_KIT_H

#include "core/container.h"
#include "core/random.h"
#include "sched/checkpoint/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISK_NAMES = 64,
    DISK_FILES = 256,
    DISK_OPEN = 64,
    DISK_STEPS = 1024,
    DISK_NAME = 64,
    DISK_FOLDER = DISK_FILES
};

enum disk_what { DISK_MADE = 1, DISK_WROTE, DISK_SYNCED, DISK_RENAMED, DISK_UNLINKED };

/* What has changed the disk.  Of a folder, `file` is DISK_FOLDER. */
struct disk_step {
    enum disk_what what;
    unsigned file;
    size_t at, n; /* of a write */
    unsigned char *bytes;
    char name[DISK_NAME], to[DISK_NAME];
};

struct disk_file {
    unsigned char *bytes;
    size_t n;
};

struct disk {
    struct jdi_files files;
    pthread_mutex_t lock;
    struct {
        char name[DISK_NAME]; /* empty: free */
        unsigned file;
    } name[DISK_NAMES];
    struct disk_file file[DISK_FILES];
    unsigned nfiles;
    struct {
        bool used;
        unsigned file;
        size_t at;
    } open[DISK_OPEN];
    struct disk_step step[DISK_STEPS];
    unsigned nsteps;
    unsigned refuse; /* this operation, counted from 1, is refused; 0: none */
    unsigned operations;
};

static inline struct disk *disk_of(const struct jdi_files *f)
{
    return jdi_container_of((struct jdi_files *)(uintptr_t)f, struct disk, files);
}

static inline bool disk_refuses(struct disk *d)
{
    return ++d->operations == d->refuse;
}

static inline int disk_find(const struct disk *d, const char *name)
{
    for (int i = 0; i < DISK_NAMES; i++)
        if (*name && !strcmp(d->name[i].name, name))
            return i;
    return -1;
}

static inline void disk_link(struct disk *d, const char *name, unsigned file)
{
    int i = disk_find(d, name);
    for (int k = 0; i < 0 && k < DISK_NAMES; k++)
        if (!*d->name[k].name)
            i = k;
    if (i < 0)
        abort();
    snprintf(d->name[i].name, DISK_NAME, "%s", name);
    d->name[i].file = file;
}

static inline void disk_write_at(struct disk_file *f, size_t at, const void *bytes,
                                 size_t n)
{
    if (at + n > f->n) {
        f->bytes = realloc(f->bytes, at + n);
        memset(f->bytes + f->n, 0, at + n - f->n);
        f->n = at + n;
    }
    if (n)
        memcpy(f->bytes + at, bytes, n);
}

static inline struct disk_step *disk_note(struct disk *d, enum disk_what what,
                                          unsigned file)
{
    if (d->nsteps == DISK_STEPS)
        abort();
    struct disk_step *s = &d->step[d->nsteps++];
    *s = (struct disk_step){.what = what, .file = file};
    return s;
}

/* ---- the operations ------------------------------------------------------------------- */

/* The file of a path that is opened, or -errno.  A file that is there is made anew, because the saver never writes
 * into one that a manifest names. */
static inline int disk_file_for(struct disk *d, const char *path, enum jdi_files_how how)
{
    int i = disk_find(d, path);
    if (how == JDI_FILES_FOLDER)
        return DISK_FOLDER;
    if (how == JDI_FILES_READ)
        return i < 0 ? -ENOENT : (int)d->name[i].file;
    if (how == JDI_FILES_NEW && i >= 0)
        return -EEXIST;
    if (d->nfiles == DISK_FILES)
        abort();
    disk_link(d, path, d->nfiles);
    snprintf(disk_note(d, DISK_MADE, d->nfiles)->name, DISK_NAME, "%s", path);
    return (int)d->nfiles++;
}

static int disk_open(const struct jdi_files *f, const char *path, enum jdi_files_how how)
{
    struct disk *d = disk_of(f);
    int handle = 0;
    pthread_mutex_lock(&d->lock);
    int file = disk_refuses(d) ? -EIO : disk_file_for(d, path, how);
    while (file >= 0 && d->open[handle].used)
        if (++handle == DISK_OPEN)
            abort();
    if (file >= 0) {
        d->open[handle].used = true;
        d->open[handle].file = (unsigned)file;
        d->open[handle].at = 0;
    }
    pthread_mutex_unlock(&d->lock);
    return file < 0 ? file : handle;
}

static int64_t disk_read(const struct jdi_files *f, int handle, void *to, size_t n)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    bool refused = disk_refuses(d);
    const struct disk_file *file = &d->file[d->open[handle].file];
    size_t at = d->open[handle].at, got = file->n - at < n ? file->n - at : n;
    if (got)
        memcpy(to, file->bytes + at, got);
    d->open[handle].at += got;
    pthread_mutex_unlock(&d->lock);
    return refused ? -EIO : (int64_t)got;
}

static int disk_write(const struct jdi_files *f, int handle, const void *from, size_t n)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    bool refused = disk_refuses(d);
    size_t some = refused ? n / 2 : n; /* a disk that is full has taken some of it */
    unsigned file = d->open[handle].file;
    struct disk_step *s = disk_note(d, DISK_WROTE, file);
    s->at = d->open[handle].at;
    s->n = some;
    s->bytes = malloc(some + 1);
    if (some)
        memcpy(s->bytes, from, some);
    disk_write_at(&d->file[file], s->at, from, some);
    d->open[handle].at += some;
    pthread_mutex_unlock(&d->lock);
    return refused ? -ENOSPC : 0;
}

static int disk_sync(const struct jdi_files *f, int handle)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    bool refused = disk_refuses(d);
    if (!refused)
        disk_note(d, DISK_SYNCED, d->open[handle].file);
    pthread_mutex_unlock(&d->lock);
    return refused ? -EIO : 0;
}

static int disk_close(const struct jdi_files *f, int handle)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    d->open[handle].used = false;
    pthread_mutex_unlock(&d->lock);
    return 0;
}

/* A name is gone, if it is that of the file. */
static inline void disk_unlink_from(struct disk *d, const char *name, unsigned file)
{
    int i = disk_find(d, name);
    if (i >= 0 && d->name[i].file == file)
        d->name[i].name[0] = 0;
}

static int disk_rename(const struct jdi_files *f, const char *from, const char *to)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    int i = disk_find(d, from), failed = disk_refuses(d) ? -EIO : i < 0 ? -ENOENT : 0;
    if (!failed) {
        unsigned file = d->name[i].file;
        struct disk_step *s = disk_note(d, DISK_RENAMED, file);
        snprintf(s->name, DISK_NAME, "%s", from);
        snprintf(s->to, DISK_NAME, "%s", to);
        disk_unlink_from(d, from, file);
        disk_link(d, to, file);
    }
    pthread_mutex_unlock(&d->lock);
    return failed;
}

static int disk_unlink(const struct jdi_files *f, const char *path)
{
    struct disk *d = disk_of(f);
    pthread_mutex_lock(&d->lock);
    int i = disk_find(d, path), failed = disk_refuses(d) ? -EIO : i < 0 ? -ENOENT : 0;
    if (!failed) {
        struct disk_step *s = disk_note(d, DISK_UNLINKED, d->name[i].file);
        snprintf(s->name, DISK_NAME, "%s", path);
        d->name[i].name[0] = 0;
    }
    pthread_mutex_unlock(&d->lock);
    return failed;
}

/* A name without its folder. */
static inline const char *disk_last(const char *name)
{
    return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

static int disk_list(const struct jdi_files *f, const char *folder,
                     void (*each)(void *arg, const char *name), void *arg)
{
    struct disk *d = disk_of(f);
    (void)folder;
    if (disk_refuses(d))
        return -EIO;
    for (int i = 0; i < DISK_NAMES; i++)
        if (*d->name[i].name)
            each(arg, disk_last(d->name[i].name));
    return 0;
}

static inline void disk_init(struct disk *d)
{
    memset(d, 0, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    d->files = (struct jdi_files){.open = disk_open,
                                  .read = disk_read,
                                  .write = disk_write,
                                  .sync = disk_sync,
                                  .close = disk_close,
                                  .rename = disk_rename,
                                  .unlink = disk_unlink,
                                  .list = disk_list};
}

static inline void disk_fini(struct disk *d)
{
    for (unsigned i = 0; i < DISK_FILES; i++)
        free(d->file[i].bytes);
    for (unsigned i = 0; i < d->nsteps; i++)
        free(d->step[i].bytes);
    pthread_mutex_destroy(&d->lock);
}

static inline unsigned disk_count(const struct disk *d)
{
    unsigned n = 0;
    for (int i = 0; i < DISK_NAMES; i++)
        n += *d->name[i].name != 0;
    return n;
}

/* ---- crashes -------------------------------------------------------------------------- */

enum disk_loss { DISK_DROPS, DISK_KEEPS, DISK_TOSSES };

/* Does a sync after step i, among the first n, cover it? */
static inline bool disk_covered(const struct disk *d, unsigned i, unsigned n)
{
    bool name = d->step[i].what != DISK_WROTE;
    for (unsigned k = i + 1; k < n; k++)
        if (d->step[k].what == DISK_SYNCED &&
            d->step[k].file == (name ? (unsigned)DISK_FOLDER : d->step[i].file))
            return true;
    return false;
}

static inline void disk_replay(struct disk *to, const struct disk_step *s, size_t n)
{
    if (s->what == DISK_MADE)
        disk_link(to, s->name, s->file);
    else if (s->what == DISK_WROTE)
        disk_write_at(&to->file[s->file], s->at, s->bytes, n);
    else if (s->what == DISK_UNLINKED)
        disk_unlink_from(to, s->name, s->file);
    else if (s->what == DISK_RENAMED) {
        disk_unlink_from(to, s->name, s->file);
        disk_link(to, s->to, s->file);
    }
}

/* What a crash after n steps leaves. */
static inline void disk_crash(const struct disk *from, unsigned n, enum disk_loss loss,
                              uint64_t *rng, struct disk *to)
{
    disk_init(to);
    to->nfiles = from->nfiles;
    for (unsigned i = 0; i < n; i++) {
        const struct disk_step *s = &from->step[i];
        uint32_t chance = loss == DISK_TOSSES ? jdi_random_below(rng, 3) : (uint32_t)loss;
        bool there = chance != DISK_DROPS || disk_covered(from, i, n);
        bool torn = chance == DISK_TOSSES && !disk_covered(from, i, n);
        if (there)
            disk_replay(to, s, torn ? s->n / 2 : s->n);
    }
}

#endif
