/*
 * files.h - what a checkpoint needs of a file system.
 *
 * Role: the layer below saving and loading, which a test replaces by one that records what is written.
 * Owner: any thread; a handle belongs to who has opened it.
 * Invariants: I1 what write has taken is on the disk when sync of the file has returned 0, and names are when
 *                sync of their folder has.
 * See: doc/checkpoint.md; sched/checkpoint/files.c is the POSIX one.
 */
#ifndef JDI_SCHED_CHECKPOINT_FILES_H
#define JDI_SCHED_CHECKPOINT_FILES_H

#include "core/base.h"

enum { JDI_FILES_PATH = 1024 }; /* bytes of a path, with its end */

enum jdi_files_how {
    JDI_FILES_READ = 1,
    JDI_FILES_NEW,   /* made, to be written; -EEXIST if it is there */
    JDI_FILES_MAKE,  /* made, or emptied, to be written */
    JDI_FILES_FOLDER /* to be synced */
};

/* Any thread; may block.  All return 0 or more, or -errno. */
struct jdi_files {
    /* A handle. */
    int (*open)(const struct jdi_files *f, const char *path, enum jdi_files_how how);
    /* n bytes, or fewer at the end: how many. */
    int64_t (*read)(const struct jdi_files *f, int file, void *to, size_t n);
    /* All n bytes, or an error. */
    int (*write)(const struct jdi_files *f, int file, const void *from, size_t n);
    int (*sync)(const struct jdi_files *f, int file);
    int (*close)(const struct jdi_files *f,
                 int file); /* the handle is gone in any case */
    int (*rename)(const struct jdi_files *f, const char *from, const char *to);
    int (*unlink)(const struct jdi_files *f, const char *path);
    /* Call each(arg, name) for each name in the folder. */
    int (*list)(const struct jdi_files *f, const char *folder,
                void (*each)(void *arg, const char *name), void *arg);
};

extern const struct jdi_files jdi_files_posix;

/* Is it not empty, does it name a file, and have the names that are made of it room? */
bool jdi_files_fits(const char *path);
/* The names of the share of a rank, and of a manifest that is not whole. */
void jdi_files_share(const char *path, uint64_t generation, uint32_t rank,
                     char name[JDI_FILES_PATH]);
void jdi_files_temporary(const char *path, char name[JDI_FILES_PATH]);
/* Is `name`, without its folder, that of a share of `path`?  Of which generation? */
bool jdi_files_is_share(const char *path, const char *name, uint64_t *generation);
/* The path of the file `name` in the folder of `path`.  False: it is too long. */
bool jdi_files_beside(const char *path, const char *name, char beside[JDI_FILES_PATH]);
/* The folder in which `path` lies, "." if it names none.  The path is shorter than JDI_FILES_PATH. */
void jdi_files_folder(const char *path, char folder[JDI_FILES_PATH]);
/* Sync the folder in which `path` lies. */
int jdi_files_sync_folder(const struct jdi_files *f, const char *path);

#endif
