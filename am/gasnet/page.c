/*
 * page.c - what the processes of a job on one machine tell each other: pids, names, the status.
 *
 * Role: a page of shared memory, and how a process finds it: by a descriptor whose number stands in
 *       the environment, so that it reaches processes that are forked and those that are executed.
 * Owner: the first process makes it; ranks write, the guardian and the keeper read.
 * Invariants: I1 an entry is taken once, by a counter, and then belongs to who took it.
 *             I2 a name is in the page before a segment of that name exists.
 *             I3 once a rank is up, its environment does not name the page any more.
 * Order: [pair: page-entry] release by who fills an entry, acquire by who reads it.
 *        [pair: guard-end] release by the rank, acquire by the guardian.
 * See: doc/am.md section 6; am/gasnet/guard.c, am/gasnet/keeper.c, am/gasnet/shm.c.
 */
#include "am/gasnet/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIABLE "JDI_START_PAGE"
#define CONTENT  "jackdaw-start"

static const uint64_t page_magic = 0x6a61636b64617770;

static struct jdi_page *map_page(int fd)
{
    void *at =
        mmap(NULL, sizeof(struct jdi_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

struct jdi_page *jdi_page_new(void)
{
    char number[16];
    struct jdi_page *p = NULL;
    int fd = memfd_create(CONTENT, 0); /* it has to survive an exec */
    if (fd < 0)
        return NULL;
    if (!ftruncate(fd, sizeof *p))
        p = map_page(fd);
    snprintf(number, sizeof number, "%d", fd);
    if (!p || setenv(VARIABLE, number, 1)) {
        int error = errno;
        if (p)
            munmap(p, sizeof *p);
        close(fd);
        errno = error;
        return NULL;
    }
    p->magic = page_magic;
    atomic_init(&p->end, JDI_PAGE_RUNNING);
    return p;
}

/* The environment may have come from another machine, where the number meant something. */
static int find_descriptor(void)
{
    const char *text = getenv(VARIABLE);
    char path[64], content[64];
    if (!text)
        return -1;
    int fd = atoi(text);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, content, sizeof content - 1);
    content[n < 0 ? 0 : n] = '\0';
    return strstr(content, "memfd:" CONTENT) ? fd : -1;
}

struct jdi_page *jdi_page_find(void)
{
    int fd = find_descriptor();
    struct jdi_page *p = fd < 0 ? NULL : map_page(fd);
    if (p && p->magic != page_magic) {
        jdi_page_drop(p);
        return NULL;
    }
    return p;
}

void jdi_page_drop(struct jdi_page *p)
{
    munmap(p, sizeof *p);
}

void jdi_page_hide(void)
{
    int fd = find_descriptor();
    if (fd >= 0)
        close(fd);
    unsetenv(VARIABLE);
}

void jdi_page_join(struct jdi_page *p, pid_t pid)
{
    unsigned i = atomic_fetch_add_explicit(&p->njoined, 1, memory_order_relaxed);
    /* Release [pair: page-entry]: nothing but the number itself. */
    if (i < JDI_PAGE_MOST)
        atomic_store_explicit(&p->proc[i].pid, pid, memory_order_release);
}

void jdi_page_up(struct jdi_page *p, uint32_t rank, uint32_t nranks)
{
    for (unsigned i = 0; i < JDI_PAGE_MOST; i++)
        if (jdi_page_pid(p, i) == getpid())
            atomic_store_explicit(&p->proc[i].rank, (int)rank + 1, memory_order_relaxed);
    atomic_store_explicit(&p->nranks, nranks, memory_order_relaxed);
    /* Release [pair: page-entry]: the rank's number. */
    atomic_fetch_add_explicit(&p->nup, 1, memory_order_release);
}

bool jdi_page_is_up(const struct jdi_page *p)
{
    /* Acquire [pair: page-entry]. */
    uint32_t up = atomic_load_explicit(&p->nup, memory_order_acquire);
    return up && up >= atomic_load_explicit(&p->nranks, memory_order_relaxed);
}

void jdi_page_note_name(struct jdi_page *p, const char *name)
{
    uint64_t tag = 0;
    memcpy(&tag, name, strnlen(name, JDI_PAGE_TAG));
    for (unsigned i = 0; i < JDI_PAGE_MOST; i++) {
        uint64_t had = 0;
        /* Release [pair: page-entry]: nothing but the name itself. */
        if (atomic_compare_exchange_strong_explicit(
                &p->tag[i], &had, tag, memory_order_release, memory_order_relaxed) ||
            had == tag)
            return;
    }
}

void jdi_page_end(struct jdi_page *p, int status)
{
    int running = JDI_PAGE_RUNNING;
    /* Release [pair: guard-end]. */
    if (p)
        atomic_compare_exchange_strong_explicit(
            &p->end, &running, status, memory_order_release, memory_order_relaxed);
}
