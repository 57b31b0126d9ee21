/*
 * head.c - what both kinds of files of a checkpoint begin and end with.
 *
 * Role: see head.h.
 * Invariants: I1 of head.h.
 * See: head.h.
 */
#include "sched/checkpoint/head.h"

#include "core/checksum.h"

#include <string.h>

#define MAGIC "\x89JDSAVE\n"
enum { ORDER = 0x01020304, ORDER_TURNED = 0x04030201 };

struct jdi_head jdi_head_make(enum jdi_head_kind kind, uint32_t rank, uint64_t generation,
                              uint64_t length)
{
    struct jdi_head h = {.order = ORDER,
                         .version = JDI_HEAD_VERSION,
                         .kind = kind,
                         .rank = rank,
                         .generation = generation,
                         .length = length};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return h;
}

const char *jdi_head_fault(const struct jdi_head *h, size_t n, enum jdi_head_kind kind)
{
    size_t magic = n < sizeof h->magic ? n : sizeof h->magic;
    if (!n)
        return "it is empty";
    if (memcmp(h->magic, MAGIC, magic))
        return "it is no checkpoint of Jackdaw";
    if (n < sizeof *h)
        return "it is cut off";
    if (h->order == ORDER_TURNED)
        return "it is of a machine with another byte order";
    if (h->order != ORDER)
        return "it is damaged: no byte order";
    if (h->version < JDI_HEAD_VERSION)
        return "its version is older than this library can read";
    if (h->version > JDI_HEAD_VERSION)
        return "its version is newer than this library can read";
    if (h->kind != (uint32_t)kind)
        return kind == JDI_HEAD_MANIFEST ? "it is not a manifest" : "it is not a share";
    if (h->length < sizeof *h + JDI_HEAD_SUM || h->length % JDI_HEAD_UNIT)
        return "it is damaged: its length";
    return NULL;
}

const char *jdi_head_fault_of_file(const unsigned char *bytes, size_t n,
                                   enum jdi_head_kind kind)
{
    struct jdi_head h = {0};
    uint64_t sum;
    memcpy(&h, bytes, n < sizeof h ? n : sizeof h);
    const char *fault = jdi_head_fault(&h, n, kind);
    if (fault)
        return fault;
    if (n != h.length)
        return n < h.length ? "it is cut off" : "it is longer than it says";
    memcpy(&sum, bytes + n - sizeof sum, sizeof sum);
    return sum == jdi_checksum_of(bytes, n - sizeof sum) ? NULL
                                                         : "it is damaged: its checksum";
}

void jdi_head_seal(unsigned char *bytes, size_t n)
{
    uint64_t sum = jdi_checksum_of(bytes, n);
    memcpy(bytes + n, &sum, sizeof sum);
}
