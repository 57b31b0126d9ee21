/*
 * shm.c - the names of a job's segments: noted before the segments exist, removed in the end.
 *
 * Role: GASNet names its segments by chance and removes the names when all ranks have them.  Until
 *       then nobody but the rank knows the name, and a rank that is killed cannot remove it.  So
 *       this shm_open stands in front of the C library's and writes the name into the job's page.
 * Owner: any thread; after the start no page is named, and it is a plain shm_open.
 * Invariants: I1 weak, so a program that has its own shm_open keeps that.
 *             I2 linked because guard.c and keeper.c call jdi_shm_remove; libraries that
 *                come later find this shm_open and not that of the C library.
 * See: am/gasnet/page.h, I2; shm_open(3).
 */
#include "am/gasnet/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void note_name(const char *name)
{
    if (strncmp(name, JDI_PAGE_PREFIX, strlen(JDI_PAGE_PREFIX)) != 0)
        return;
    struct jdi_page *p = jdi_page_find();
    if (p) {
        jdi_page_note_name(p, name + strlen(JDI_PAGE_PREFIX));
        jdi_page_drop(p);
    }
}

__attribute__((weak)) int shm_open(const char *name, int flags, mode_t mode)
{
    char path[NAME_MAX + sizeof "/dev/shm/"];
    while (*name == '/')
        name++;
    size_t n = strlen(name);
    if (!n || n > NAME_MAX || strchr(name, '/')) {
        errno = n > NAME_MAX ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    note_name(name);
    snprintf(path, sizeof path, "/dev/shm/%s", name);
    return open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* GASNet numbers a host's segments in three digits to base 36: those of its ranks, and one more. */
static void remove_numbered(const char *tag, unsigned most)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char path[64];
    snprintf(path, sizeof path, "/tmp/" JDI_PAGE_PREFIX "%s", tag);
    unlink(path);
    for (unsigned i = 0; i <= most; i++) {
        snprintf(path, sizeof path, "/dev/shm/" JDI_PAGE_PREFIX "%s%c%c%c", tag,
                 digits[i / 1296 % 36], digits[i / 36 % 36], digits[i % 36]);
        unlink(path);
    }
}

void jdi_shm_remove(const struct jdi_page *p)
{
    for (unsigned i = 0; i < JDI_PAGE_MOST; i++) {
        char tag[JDI_PAGE_TAG + 1] = "";
        /* Acquire [pair: page-entry]. */
        uint64_t word = atomic_load_explicit(&p->tag[i], memory_order_acquire);
        if (!word)
            return;
        memcpy(tag, &word, JDI_PAGE_TAG);
        remove_numbered(tag, JDI_PAGE_MOST);
    }
}
