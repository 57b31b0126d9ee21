/*
 * meet.c - what the ranks say to each other while they save or load.
 *
 * Role: see meet.h.
 * Invariants: I1 of meet.h.
 * See: meet.h.
 */
#include "sched/checkpoint/meet.h"

#include "sched/checkpoint/files.h"
#include "sched/checkpoint/manifest.h"
#include "sched/data/data.h"

struct look {
    struct jdi_collective all;
    bool quiet;
};

/* Collections of the program, not the pools: tasks of finishes are told by the body's finish. */
static bool any_open(const struct jdi_rank *r)
{
    for (unsigned id = JDI_COLLS_OWN; id < r->ncolls; id++)
        if (r->colls[id] && jdi_coll_state(r->colls[id]) == JDI_COLL_OPEN)
            return true;
    return false;
}

static void run_look(struct jdi_rank *r, struct jdi_call *call)
{
    struct look *l = jdi_container_of(call, struct look, all.call);
    l->quiet = !any_open(r) && !r->data->requests.n && jdi_coll_idle(l->all.coll);
    jdi_collective_done(&l->all, 0);
}

static bool is_all_quiet(const struct jdi_meet *m)
{
    struct look l = {.all.coll = m->coll};
    if (m->me->part || m->me->frames)
        return false;
    (void)jdi_collective(m->me, &l.all, run_look);
    return l.quiet;
}

struct reduction {
    struct jdi_collective all;
    uint64_t *word;
    uint32_t n;
    enum jd_op op;
};

static void run_reduction(struct jdi_rank *r, struct jdi_call *call)
{
    struct reduction *c = jdi_container_of(call, struct reduction, all.call);
    JD_ASSERT(jdi_rank_is_comm(r));
    jdi_collective_reduce(&c->all, c->word, c->n, JDI_AM_U64, c->op);
}

void jdi_meet_reduce(const struct jdi_meet *m, uint64_t *word, uint64_t n, enum jd_op op)
{
    for (uint64_t at = 0; at < n; at += JDI_AM_REDUCE_MOST) {
        uint64_t some = n - at < JDI_AM_REDUCE_MOST ? n - at : JDI_AM_REDUCE_MOST;
        struct reduction c = {.all = {.what = m->what, .coll = m->coll},
                              .word = word + at,
                              .n = (uint32_t)some,
                              .op = op};
        (void)jdi_collective(m->me, &c.all, run_reduction);
    }
}

int jdi_meet_result(const struct jdi_meet *m, int error)
{
    uint64_t worst = (uint64_t)-error;
    JD_ASSERT(error <= 0);
    jdi_meet_reduce(m, &worst, 1, JD_MAX);
    return -(int)worst;
}

/* ---- the first step ------------------------------------------------------------------- */

bool jdi_meet_fits(const jd_self *me, const jd_checkpoint *what)
{
    if (!what || !jdi_files_fits(what->path) || what->mems > JDI_MANIFEST_MEMS ||
        what->state_size > JDI_MANIFEST_STATE || (what->mems && !what->mem) ||
        (what->state_size && !what->state))
        return false;
    for (size_t i = 0; i < what->mems; i++)
        if (!jd_mem_local(me, what->mem[i], NULL))
            return false;
    return true;
}

static uint64_t hash_call(const struct jdi_meet *m, const jd_checkpoint *what)
{
    const uint64_t numbers[] = {m->coll->id, what->mems, what->state_size};
    uint64_t hash = jdi_registry_hash(0, numbers, sizeof numbers);
    for (size_t i = 0; i < what->mems; i++)
        hash = jdi_registry_hash(hash, &what->mem[i].number, sizeof what->mem[i].number);
    return jdi_registry_hash(hash, what->path, strlen(what->path));
}

int jdi_meet_agree(const struct jdi_meet *m, const jd_checkpoint *what)
{
    uint64_t hash = hash_call(m, what), ends[2] = {hash, ~hash};
    int error = jdi_meet_result(m, is_all_quiet(m) ? 0 : JD_ESTATE);
    if (error)
        return error;
    jdi_meet_reduce(m, ends, 2, JD_MIN);
    return ends[0] == ~ends[1] ? 0 : JD_EMISMATCH;
}

int jdi_meet_refused(const struct jdi_meet *m, const char *path, int failed)
{
    jdi_log(&m->me->rank->am->log, JDI_LOG_ERROR, "%s: %s", path, strerror(-failed));
    return JD_ESYS;
}
