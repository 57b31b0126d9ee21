/*
 * files.c - what a checkpoint needs of a file system: the calls of POSIX.
 *
 * Role: implements files.h; goes on where the kernel did a part only, or was interrupted.
 * Invariants: I1 of files.h.
 * See: files.h.
 */
#include "sched/checkpoint/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int file_open(const struct jdi_files *f, const char *path, enum jdi_files_how how)
{
    static const int flags[] = {[JDI_FILES_READ] = O_RDONLY,
                                [JDI_FILES_NEW] = O_WRONLY | O_CREAT | O_EXCL,
                                [JDI_FILES_MAKE] = O_WRONLY | O_CREAT | O_TRUNC,
                                [JDI_FILES_FOLDER] = O_RDONLY | O_DIRECTORY};
    int fd;
    (void)f;
    do
        fd = open(path, flags[how] | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

static int64_t file_read(const struct jdi_files *f, int file, void *to, size_t n)
{
    size_t got = 0;
    (void)f;
    while (got < n) {
        ssize_t more = read(file, (char *)to + got, n - got);
        if (more < 0 && errno != EINTR)
            return -errno;
        if (!more)
            break;
        got += more > 0 ? (size_t)more : 0;
    }
    return (int64_t)got;
}

static int file_write(const struct jdi_files *f, int file, const void *from, size_t n)
{
    (void)f;
    for (size_t put = 0; put < n;) {
        ssize_t more = write(file, (const char *)from + put, n - put);
        if (more < 0 && errno != EINTR)
            return -errno;
        put += more > 0 ? (size_t)more : 0;
    }
    return 0;
}

/* Not again after an error: the kernel may have dropped what it could not write, and say 0 then. */
static int file_sync(const struct jdi_files *f, int file)
{
    (void)f;
    return fsync(file) ? -errno : 0;
}

static int file_close(const struct jdi_files *f, int file)
{
    (void)f;
    return close(file) && errno != EINTR ? -errno : 0;
}

static int file_rename(const struct jdi_files *f, const char *from, const char *to)
{
    (void)f;
    return rename(from, to) ? -errno : 0;
}

static int file_unlink(const struct jdi_files *f, const char *path)
{
    (void)f;
    return unlink(path) ? -errno : 0;
}

static int file_list(const struct jdi_files *f, const char *folder,
                     void (*each)(void *arg, const char *name), void *arg)
{
    DIR *d = opendir(folder);
    (void)f;
    if (!d)
        return -errno;
    errno = 0;
    for (const struct dirent *e; (e = readdir(d));)
        each(arg, e->d_name);
    int failed = errno;
    closedir(d);
    return -failed;
}

const struct jdi_files jdi_files_posix = {.open = file_open,
                                          .read = file_read,
                                          .write = file_write,
                                          .sync = file_sync,
                                          .close = file_close,
                                          .rename = file_rename,
                                          .unlink = file_unlink,
                                          .list = file_list};

/* ---- names ---------------------------------------------------------------------------- */

enum { LONGEST_END = sizeof ".18446744073709551615.4294967295" };

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool jdi_files_fits(const char *path)
{
    return path && *last_part(path) && strlen(path) + LONGEST_END <= JDI_FILES_PATH;
}

void jdi_files_share(const char *path, uint64_t generation, uint32_t rank,
                     char name[JDI_FILES_PATH])
{
    JD_ASSERT(jdi_files_fits(path));
    snprintf(name, JDI_FILES_PATH, "%s.%llu.%u", path, (unsigned long long)generation,
             rank);
}

void jdi_files_temporary(const char *path, char name[JDI_FILES_PATH])
{
    JD_ASSERT(jdi_files_fits(path));
    snprintf(name, JDI_FILES_PATH, "%s.tmp", path);
}

/* A point and a number in decimal digits; where it ends, or NULL. */
static const char *pass_number(const char *at, uint64_t *number)
{
    uint64_t n = 0;
    if (*at++ != '.' || *at < '0' || *at > '9')
        return NULL;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (n > (UINT64_MAX - 9) / 10)
            return NULL;
        n = 10 * n + (uint64_t)(*at - '0');
    }
    *number = n;
    return at;
}

bool jdi_files_is_share(const char *path, const char *name, uint64_t *generation)
{
    const char *base = last_part(path);
    size_t n = strlen(base);
    uint64_t rank, found;
    const char *at = strncmp(name, base, n) ? NULL : pass_number(name + n, &found);
    at = at ? pass_number(at, &rank) : NULL;
    if (!at || *at)
        return false;
    *generation = found;
    return true;
}

bool jdi_files_beside(const char *path, const char *name, char beside[JDI_FILES_PATH])
{
    int n = snprintf(beside, JDI_FILES_PATH, "%.*s%s", (int)(last_part(path) - path),
                     path, name);
    return n < JDI_FILES_PATH;
}

void jdi_files_folder(const char *path, char folder[JDI_FILES_PATH])
{
    size_t n = (size_t)(last_part(path) - path);
    JD_ASSERT(n < JDI_FILES_PATH);
    snprintf(folder, JDI_FILES_PATH, "%.*s", n ? (int)n : 1, n ? path : ".");
}

int jdi_files_sync_folder(const struct jdi_files *f, const char *path)
{
    char folder[JDI_FILES_PATH];
    jdi_files_folder(path, folder);
    int file = f->open(f, folder, JDI_FILES_FOLDER);
    if (file < 0)
        return file;
    int failed = f->sync(f, file);
    int last = f->close(f, file);
    return failed ? failed : last;
}
