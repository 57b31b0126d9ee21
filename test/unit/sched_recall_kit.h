/*
 * sched_recall_kit.h - steal logs that no job has left.
 *
 * Role: writes the files of all ranks into a folder of its own, for JACKDAW_REPLAY.
 * Owner: the thread that launches jobs; `program` is written by a body before.
 * See: sched/steallog.h.
 */
#ifndef JDI_TEST_UNIT_SCHED_RECALL_KIT_H
#define JDI_TEST_UNIT_SCHED_RECALL_KIT_H

#include "sched/name.h"
#include "sched/self.h"
#include "sched/steallog.h"
#include "test/dist/sched_kit.h"

#include <unistd.h>

struct recall_logs {
    uint64_t program; /* hash of the task table: me->rank->registry.hash */
    uint32_t nranks;
    char folder[64];
};

static inline void recall_path(const struct recall_logs *k, uint32_t rank, char path[128])
{
    snprintf(path, 128, "%s/%u", k->folder, rank);
}

static inline void recall_init(struct recall_logs *k, uint32_t nranks)
{
    char path[128];
    *k = (struct recall_logs){.nranks = nranks, .folder = "/tmp/jackdaw-recall-XXXXXX"};
    if (!mkdtemp(k->folder))
        bail_out("no folder");
    snprintf(path, sizeof path, "%u", nranks);
    setenv("JACKDAW_RANKS", path, 1);
    setenv("JACKDAW_ULT", "boost", 1);
}

/* Jobs begin with these logs from here on. */
static inline void recall_use(const struct recall_logs *k)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%%r", k->folder);
    setenv("JACKDAW_REPLAY", path, 1);
}

/* The file of a rank: logs of the first phases of these collections. */
static inline void recall_write(const struct recall_logs *k, uint32_t rank,
                                const struct jdi_steallog *log, const uint32_t *coll,
                                uint32_t n)
{
    struct jdi_steallog_bytes b = {0};
    struct jdi_steallog_head h = {k->program, k->nranks, rank, 1, .nparts = n};
    unsigned char head[JDI_STEALLOG_HEAD];
    char path[128];
    for (uint32_t i = 0; i < n; i++)
        if (jdi_steallog_write(&b, &log[i], coll[i], 1, NULL))
            bail_out("no memory");
    h.bytes = b.used;
    jdi_steallog_seal(&h, b.at, head);
    recall_path(k, rank, path);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(head, sizeof head, 1, f) != 1 || fwrite(b.at, b.used, 1, f) != 1 ||
        fclose(f))
        bail_out("no log");
    jdi_free(b.at);
}

static inline void recall_fini(const struct recall_logs *k)
{
    char path[128];
    for (uint32_t rank = 0; rank < k->nranks; rank++) {
        recall_path(k, rank, path);
        unlink(path);
    }
    rmdir(k->folder);
}

#endif
