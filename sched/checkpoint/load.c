/*
 * load.c - reading a checkpoint.
 *
 * Role: the steps of jd_coll_load, in their order.
 * Owner: the body.
 * Invariants: I1 every rank takes part in every reduction, whatever has failed there.
 *             I2 nothing changes before all ranks know that each of them has all.
 * See: doc/checkpoint.md "Loading".
 */
#include "sched/checkpoint/load.h"

#include "sched/checkpoint/meet.h"
#include "sched/checkpoint/read.h"
#include "sched/checkpoint/stage.h"
#include "sched/data/mem.h"

struct loader {
    struct jdi_meet meet;
    const jd_checkpoint *what;
    struct jdi_read read;
    unsigned char *bytes; /* of the manifest */
    struct jdi_manifest m;
    uint64_t *here; /* by rank of this job: its workers, and the sizes of its memories */
    struct jdi_stage stage;
};

static const struct jdi_rank *rank_of_loader(const struct loader *l)
{
    return l->meet.me->rank;
}

/* Say what is wrong with a file.  Returns the code. */
static int tell_end(const struct loader *l, const char *path,
                    const struct jdi_read_end *end)
{
    if (end->error == JD_ESYS)
        return jdi_meet_refused(&l->meet, path, end->failed);
    if (end->error == JD_EFILE)
        jdi_log(&rank_of_loader(l)->am->log, JDI_LOG_ERROR, "%s: %s", path, end->fault);
    return end->error;
}

/* The same for what each rank finds alike. */
static int tell_misfit(const struct loader *l, const char *fault)
{
    jdi_log_once(&rank_of_loader(l)->am->log, JDI_LOG_ERROR, "%s: %s", l->what->path,
                 fault);
    return JD_EFILE;
}

/* ---- step READ ------------------------------------------------------------------------ */

/* Rank 0 reads the manifest, and gives it to all. */
static int read_manifest(struct loader *l)
{
    struct jdi_read_end end = {0};
    uint64_t size = 0;
    bool first = rank_of_loader(l)->am->rank == 0;
    if (first) {
        end = jdi_read_manifest(&l->read, l->what->path, &l->bytes, &l->m);
        size = end.error ? 0 : jdi_manifest_size(&l->m);
    }
    int error = jdi_meet_result(&l->meet, tell_end(l, l->what->path, &end));
    if (error)
        return error;
    jdi_meet_reduce(&l->meet, &size, 1, JD_MAX);
    if (!first)
        l->bytes = jdi_zalloc(l->read.fault, size);
    error = jdi_meet_result(&l->meet, l->bytes ? 0 : JD_ENOMEM);
    if (error)
        return error;
    jdi_meet_reduce(&l->meet, (uint64_t *)(void *)l->bytes, size / sizeof(uint64_t),
                    JD_SUM);
    const char *fault = jdi_manifest_get(l->bytes, size, &l->m);
    JD_CHECK(!fault); /* rank 0 has found none in the same bytes */
    return 0;
}

/* Is it a checkpoint of this collection? */
static const char *fault_for_coll(const struct loader *l)
{
    const jd_coll *c = l->meet.coll;
    if (strcmp(l->m.name, c->name) != 0)
        return "it is of a collection with another name";
    if (l->m.origin != c->origin)
        return c->origin ? "it is of a collection that is not timed"
                         : "it is of a collection that is timed";
    if (l->m.nmems != l->what->mems)
        return "it has another number of memories";
    if (l->m.state_size != l->what->state_size)
        return "its state has another size";
    return NULL;
}

/* ---- step GATHER ---------------------------------------------------------------------- */

static uint64_t words_of_loader(const struct loader *l)
{
    return 1 + l->what->mems;
}

static int gather_ranks(struct loader *l)
{
    const struct jdi_rank *r = rank_of_loader(l);
    uint64_t words = words_of_loader(l), all = r->am->nranks * words;
    l->here = jdi_zalloc(l->read.fault, all * sizeof *l->here);
    int error = jdi_meet_result(&l->meet, l->here ? 0 : JD_ENOMEM);
    if (error)
        return error;
    uint64_t *row = l->here + r->am->rank * words;
    row[0] = r->nworkers;
    for (size_t i = 0; i < l->what->mems; i++) {
        size_t size = 0;
        (void)jd_mem_local(l->meet.me, l->what->mem[i], &size);
        row[1 + i] = size;
    }
    jdi_meet_reduce(&l->meet, l->here, all, JD_SUM);
    return 0;
}

/* Of a word of all ranks of this job: the sum, and that of the ranks before this one. */
static uint64_t sum_here(const struct loader *l, uint64_t word, uint64_t *before)
{
    const struct jdi_am *am = rank_of_loader(l)->am;
    uint64_t sum = 0;
    for (uint32_t r = 0; r < am->nranks; r++) {
        if (r == am->rank)
            *before = sum;
        sum += l->here[r * words_of_loader(l) + word];
    }
    return sum;
}

static uint64_t sum_there(const struct loader *l, uint32_t mem)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < l->m.nranks; r++)
        sum += jdi_manifest_mem(&l->m, r, mem);
    return sum;
}

static const char *place_mems(struct loader *l)
{
    for (uint32_t i = 0; i < l->m.nmems; i++) {
        struct jdi_stage_mem *p = &l->stage.mem[i];
        size_t size = 0;
        (void)jd_mem_local(l->meet.me, l->what->mem[i], &size);
        p->size = size;
        if (sum_here(l, 1 + i, &p->first) != sum_there(l, i))
            return "a memory has another size, over all ranks";
    }
    return NULL;
}

/* ---- step STAGE ----------------------------------------------------------------------- */

static int stage_rank(struct loader *l, uint32_t rank)
{
    char path[JDI_FILES_PATH];
    unsigned char *front = NULL;
    struct jdi_share share = {.rank = rank};
    jdi_files_share(l->what->path, l->m.generation, rank, path);
    struct jdi_read_end end = jdi_read_share(&l->read, path, &l->m, &front, &share);
    if (end.error == JD_ENOENT)
        end = (struct jdi_read_end){.error = JD_EFILE,
                                    .fault = "it is missing, but the manifest names it"};
    if (!end.error)
        end.error = jdi_stage_share(&l->stage, &share, &end.fault);
    jdi_free(front);
    return tell_end(l, path, &end);
}

static int stage_all(struct loader *l)
{
    uint64_t first = 0, all = sum_here(l, 0, &first);
    int error = jdi_stage_init(&l->stage, l->meet.coll, &l->m, first, all);
    if (!error && l->stage.indices > UINT32_MAX)
        error = tell_misfit(l, "it has too many seeds for so few ranks");
    for (uint32_t rank = 0; rank < l->m.nranks && !error; rank++) {
        if (jdi_stage_wants(&l->stage, rank))
            error = stage_rank(l, rank);
        jdi_stage_next(&l->stage, rank);
    }
    return error;
}

/* ---- step TAKE ------------------------------------------------------------------------ */

/* Is each rank there again, with as many workers? */
static bool is_same_shape(const struct loader *l)
{
    const struct jdi_am *am = rank_of_loader(l)->am;
    bool same = l->m.nranks == am->nranks;
    for (uint32_t r = 0; r < am->nranks && same; r++)
        same = l->here[r * words_of_loader(l)] ==
               jdi_manifest_row(&l->m, r)[JDI_MANIFEST_WORKERS];
    return same;
}

/* Dealt to other workers, the loads say nothing of what AUTO has foreseen, nor of what a plan takes. */
static void take_learned(struct loader *l)
{
    jd_coll *c = l->meet.coll;
    const uint64_t *word = l->m.learned;
    if (!c->history)
        return;
    c->model = (struct jdi_model){(enum jd_load_model)word[JDI_LEARNED_MODEL],
                                  (unsigned)word[JDI_LEARNED_PHASES]};
    c->worth = (struct jdi_worth){.workers = c->worth.workers,
                                  .nranks = c->worth.nranks,
                                  .since = word[JDI_LEARNED_SINCE]};
    if (!is_same_shape(l))
        return;
    c->worth.rests = (uint32_t)word[JDI_LEARNED_RESTS];
    c->worth.pause = (uint32_t)word[JDI_LEARNED_PAUSE];
    c->worth.wrong = (uint32_t)word[JDI_LEARNED_WRONG];
    c->worth.backoff = (uint32_t)word[JDI_LEARNED_BACKOFF];
    c->worth.was = word[JDI_LEARNED_WAS];
    c->worth.foreseen = word[JDI_LEARNED_FORESEEN];
    c->worth.plan_ns = word[JDI_LEARNED_PLAN_NS];
}

static void put_in_place(struct loader *l)
{
    for (size_t i = 0; i < l->what->mems; i++)
        if (l->stage.mem[i].size)
            memcpy(jd_mem_local(l->meet.me, l->what->mem[i], NULL), l->stage.mem[i].bytes,
                   l->stage.mem[i].size);
    if (l->what->state_size)
        memcpy(l->what->state, l->m.state, l->what->state_size);
    jdi_stage_take(&l->stage);
    take_learned(l);
    if (jdi_coll_state(l->meet.coll) == JDI_COLL_SEEDING)
        jdi_coll_set_state(l->meet.coll, JDI_COLL_SEEDING, JDI_COLL_DONE);
}

/* ---- all of it ------------------------------------------------------------------------ */

static int load_all(struct loader *l)
{
    int error = jdi_meet_agree(&l->meet, l->what);
    error = error ? error : read_manifest(l);
    if (error)
        return error;
    const char *fault = fault_for_coll(l);
    if (fault)
        return tell_misfit(l, fault);
    error = gather_ranks(l);
    if (error)
        return error;
    fault = place_mems(l);
    if (fault)
        return tell_misfit(l, fault);
    error = jdi_meet_result(&l->meet, stage_all(l));
    if (error)
        return error;
    put_in_place(l);
    return jdi_meet_result(&l->meet, 0); /* now all ranks have taken it */
}

/* What ranks have cached of such a memory outlasts the load. */
static bool any_frozen(const jd_self *me, const jd_checkpoint *what)
{
    for (size_t i = 0; i < what->mems; i++)
        if (jdi_mem_is_frozen(me->rank, what->mem[i].number))
            return true;
    return false;
}

int jdi_load(jd_self *me, jd_coll *c, const jd_checkpoint *what,
             const struct jdi_files *files)
{
    if (!c || !jdi_meet_fits(me, what))
        return JD_EINVAL;
    enum jdi_coll_state state = jdi_coll_state(c);
    if (!me->is_body || !c->restorable ||
        (state != JDI_COLL_DONE && state != JDI_COLL_SEEDING) || any_frozen(me, what))
        return JD_ESTATE;
    struct jdi_fault *fault = &me->rank->am->fault;
    struct loader *l = jdi_zalloc(fault, sizeof *l); /* too large for a ULT's stack */
    struct jdi_meet meet = {me, c, JDI_COLLECTIVE_COLL_LOAD};
    int error = jdi_meet_result(&meet, l ? 0 : JD_ENOMEM);
    if (!error) {
        l->meet = meet;
        l->what = what;
        l->read = (struct jdi_read){files, fault, jdi_stage_mem, &l->stage};
        error = load_all(l);
    }
    if (l) {
        l->stage.coll = c;
        jdi_stage_fini(&l->stage);
        jdi_free(l->here);
        jdi_free(l->bytes);
        jdi_free(l);
    }
    return error;
}

int jd_coll_load(jd_self *me, jd_coll *coll, const jd_checkpoint *what)
{
    return jdi_load(me, coll, what, &jdi_files_posix);
}
