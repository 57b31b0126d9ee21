/*
 * save.c - writing a checkpoint.
 *
 * Role: the steps of jd_coll_save, in their order.
 * Owner: the body; rank 0's for the manifest.
 * Invariants: I1 every rank takes part in every reduction, whatever has failed there.
 *             I2 before the rename, all that the new manifest names is on the disk; nothing of the old checkpoint
 *                is removed before the folder is synced after it.
 * See: doc/checkpoint.md "Saving".
 */
#include "sched/checkpoint/save.h"

#include "core/checksum.h"
#include "sched/checkpoint/meet.h"
#include "sched/checkpoint/share.h"

struct saver {
    struct jdi_meet meet;
    const jd_checkpoint *what;
    const struct jdi_files *files;
    struct jdi_manifest m;
    uint64_t *table;
    struct jdi_share share;
    struct jdi_share_worker *worker;
    uint64_t mem[JDI_MANIFEST_MEMS];
    uint64_t sum;
    char path[JDI_FILES_PATH]; /* of the share */
    bool made;                 /* the share is there, and is this rank's */
};

/* ---- step COUNT ----------------------------------------------------------------------- */

struct count {
    const char *path;
    uint64_t last;
};

static void count_name(void *arg, const char *name)
{
    struct count *k = arg;
    uint64_t generation;
    if (jdi_files_is_share(k->path, name, &generation) && generation > k->last)
        k->last = generation;
}

/* The generation and the most workers of a rank. */
static int count_generation(struct saver *s)
{
    struct count k = {.path = s->what->path};
    uint64_t word[2] = {0, s->meet.me->rank->nworkers};
    char folder[JDI_FILES_PATH];
    int failed = 0;
    jdi_files_folder(s->what->path, folder);
    if (s->meet.me->rank->am->rank == 0) {
        failed = s->files->list(s->files, folder, count_name, &k);
        word[0] = k.last + 1;
    }
    int error = failed < 0 ? jdi_meet_refused(&s->meet, folder, failed) : 0;
    error = jdi_meet_result(&s->meet, error);
    jdi_meet_reduce(&s->meet, word, 2, JD_MAX);
    s->m.generation = s->share.generation = word[0];
    s->m.most_workers = word[1];
    return error;
}

/* ---- step SHARE ----------------------------------------------------------------------- */

static const struct jdi_record *record_of_worker(const struct saver *s, unsigned worker)
{
    return &s->meet.coll->seat[worker].account.kept;
}

static void describe_workers(struct saver *s)
{
    const struct jdi_history *h = s->meet.coll->history;
    for (unsigned i = 0; i < s->share.nworkers; i++) {
        s->worker[i] = (struct jdi_share_worker){.kept = record_of_worker(s, i)->count};
        if (h) {
            s->worker[i].load = h->sheet[i].load;
            s->worker[i].longest = h->sheet[i].longest;
        }
        s->share.front += jdi_share_bytes(record_of_worker(s, i));
    }
}

static void describe_share(struct saver *s)
{
    const jd_coll *c = s->meet.coll;
    for (size_t i = 0; i < s->what->mems; i++) {
        size_t size = 0;
        (void)jd_mem_local(s->meet.me, s->what->mem[i], &size);
        s->mem[i] = size;
    }
    s->share.rank = c->rank->am->rank;
    s->share.nworkers = c->rank->nworkers;
    s->share.nmems = s->what->mems;
    s->share.indices = c->nseeds;
    s->share.nadded = c->seeds.count;
    s->share.mem = s->mem;
    s->share.worker = s->worker;
    if (c->history) {
        s->share.npruned = c->history->pruned.here.n;
        s->share.pruned = c->history->pruned.here.seed;
    }
    s->share.front = jdi_share_bytes(&c->seeds);
    describe_workers(s);
    s->share.front += jdi_share_begin(&s->share);
}

/* The front in a block; NULL when out of memory. */
static unsigned char *make_front(const struct saver *s)
{
    unsigned char *block =
        jdi_alloc(&s->meet.me->rank->am->fault, (size_t)s->share.front);
    if (!block)
        return NULL;
    unsigned char *at = jdi_share_put(&s->share, block);
    at = jdi_share_put_tasks(&s->meet.coll->seeds, at);
    for (unsigned i = 0; i < s->share.nworkers; i++)
        at = jdi_share_put_tasks(record_of_worker(s, i), at);
    JD_ASSERT(at == block + s->share.front);
    return block;
}

/* Write n bytes and zeros up to a whole unit, and add them to the sum. */
static int write_summed(const struct jdi_files *f, int file, struct jdi_checksum *sum,
                        const void *bytes, uint64_t n)
{
    static const unsigned char zeros[JDI_HEAD_UNIT];
    uint64_t pad = jdi_share_mem_bytes(n) - n;
    jdi_checksum_add(sum, bytes, n);
    jdi_checksum_add(sum, zeros, pad);
    int failed = f->write(f, file, bytes, n);
    return failed || !pad ? failed : f->write(f, file, zeros, pad);
}

/* 0 or -errno. */
static int write_parts(struct saver *s, int file, const unsigned char *front)
{
    const struct jdi_files *f = s->files;
    struct jdi_checksum sum;
    jdi_checksum_init(&sum);
    int failed = write_summed(f, file, &sum, front, s->share.front);
    for (size_t i = 0; i < s->share.nmems && !failed; i++) {
        const void *bytes = jd_mem_local(s->meet.me, s->what->mem[i], NULL);
        failed = write_summed(f, file, &sum, bytes, s->mem[i]);
    }
    s->sum = jdi_checksum_now(&sum);
    return failed ? failed : f->write(f, file, &s->sum, sizeof s->sum);
}

/* What was written to `file` is on the disk, or an error; the file is closed. */
static int finish_file(const struct jdi_files *f, int file, int failed)
{
    failed = failed ? failed : f->sync(f, file);
    int last = f->close(f, file);
    return failed ? failed : last;
}

static int write_share(struct saver *s)
{
    struct jdi_fault *fault = &s->meet.me->rank->am->fault;
    s->worker = jdi_zalloc(fault, s->meet.me->rank->nworkers * sizeof *s->worker);
    if (!s->worker)
        return JD_ENOMEM;
    describe_share(s);
    unsigned char *front = make_front(s);
    if (!front)
        return JD_ENOMEM;
    int file = s->files->open(s->files, s->path, JDI_FILES_NEW), failed = file;
    s->made = file >= 0;
    if (s->made)
        failed = finish_file(s->files, file, write_parts(s, file, front));
    if (!failed)
        failed = jdi_files_sync_folder(s->files, s->path);
    jdi_free(front);
    return failed ? jdi_meet_refused(&s->meet, s->path, failed) : 0;
}

/* ---- step GATHER ---------------------------------------------------------------------- */

static void fill_row(const struct saver *s)
{
    uint64_t *row = s->table + s->share.rank * jdi_manifest_row_words(&s->m);
    row[JDI_MANIFEST_LENGTH] = jdi_share_length(&s->share);
    row[JDI_MANIFEST_FRONT] = s->share.front;
    row[JDI_MANIFEST_SUM] = s->sum;
    row[JDI_MANIFEST_WORKERS] = s->share.nworkers;
    row[JDI_MANIFEST_INDICES] = s->share.indices;
    row[JDI_MANIFEST_ADDED] = s->share.nadded;
    row[JDI_MANIFEST_PRUNED] = s->share.npruned;
    row += JDI_MANIFEST_WORDS;
    for (uint64_t i = 0; i < s->share.nmems; i++)
        *row++ = s->mem[i];
    for (uint64_t i = 0; i < s->share.nworkers; i++)
        *row++ = s->worker[i].kept;
}

/* All shares are written, and every rank has the table; or an error, the same on all ranks. */
static int gather_table(struct saver *s, int error)
{
    uint64_t words = s->m.nranks * jdi_manifest_row_words(&s->m);
    s->table = jdi_zalloc(&s->meet.me->rank->am->fault, words * sizeof *s->table);
    error = jdi_meet_result(&s->meet, error || s->table ? error : JD_ENOMEM);
    if (error)
        return error;
    fill_row(s);
    jdi_meet_reduce(&s->meet, s->table, words, JD_SUM);
    return 0;
}

/* ---- step COMMIT ---------------------------------------------------------------------- */

static char *list_names(struct saver *s)
{
    const struct jdi_registry *g = &s->meet.me->rank->registry;
    s->m.ntasks = g->count;
    for (uint32_t i = 0; i < g->count; i++)
        s->m.names_size += strlen(g->given[i].name) + 1;
    char *names = jdi_alloc(&s->meet.me->rank->am->fault, s->m.names_size), *at = names;
    for (uint32_t i = 0; i < g->count && names; i++)
        at = stpcpy(at, g->given[i].name) + 1;
    return names;
}

/* What rank 0 knows, which is what all ranks know, and how long a plan took. */
static void list_learned(const jd_coll *c, uint64_t word[JDI_LEARNED_WORDS])
{
    const struct jdi_worth *w = &c->worth;
    if (!c->history)
        return;
    word[JDI_LEARNED_MODEL] = c->model.kind;
    word[JDI_LEARNED_PHASES] = c->model.phases;
    word[JDI_LEARNED_SINCE] = w->since;
    word[JDI_LEARNED_RESTS] = w->rests;
    word[JDI_LEARNED_PAUSE] = w->pause;
    word[JDI_LEARNED_WRONG] = w->wrong;
    word[JDI_LEARNED_BACKOFF] = w->backoff;
    word[JDI_LEARNED_WAS] = w->was;
    word[JDI_LEARNED_FORESEEN] = w->foreseen;
    word[JDI_LEARNED_PLAN_NS] = w->plan_ns;
}

/* The bytes of the manifest, or NULL when out of memory. */
static unsigned char *make_manifest(struct saver *s)
{
    const jd_coll *c = s->meet.coll;
    char *names = list_names(s);
    memcpy(s->m.name, c->name, sizeof s->m.name);
    s->m.arg_size = c->arg_size;
    s->m.origin = c->origin;
    s->m.phases = c->phase;
    s->m.state_size = s->what->state_size;
    s->m.state = s->what->state;
    list_learned(c, s->m.learned);
    s->m.table = s->table;
    s->m.names = names;
    unsigned char *bytes =
        names ? jdi_alloc(&c->rank->am->fault, jdi_manifest_size(&s->m)) : NULL;
    if (bytes)
        jdi_manifest_put(&s->m, bytes);
    jdi_free(names);
    return bytes;
}

/* 0 or -errno.  *renamed: nobody may remove the shares any more. */
static int write_manifest(const struct saver *s, const unsigned char *bytes,
                          uint64_t *renamed)
{
    const struct jdi_files *f = s->files;
    char temporary[JDI_FILES_PATH];
    jdi_files_temporary(s->what->path, temporary);
    int file = f->open(f, temporary, JDI_FILES_MAKE);
    if (file < 0)
        return file;
    int failed = f->write(f, file, bytes, jdi_manifest_size(&s->m));
    failed = finish_file(f, file, failed);
    if (!failed)
        failed = f->rename(f, temporary, s->what->path);
    if (failed) {
        (void)f->unlink(f, temporary);
        return failed;
    }
    *renamed = 1;
    return jdi_files_sync_folder(f, s->what->path);
}

/* Rank 0 writes the manifest, and all learn how that went. */
static int commit(struct saver *s, uint64_t *renamed)
{
    int error = 0;
    if (s->share.rank == 0) {
        unsigned char *bytes = make_manifest(s);
        int failed = bytes ? write_manifest(s, bytes, renamed) : 0;
        error = !bytes   ? JD_ENOMEM
                : failed ? jdi_meet_refused(&s->meet, s->what->path, failed)
                         : 0;
        jdi_free(bytes);
    }
    jdi_meet_reduce(&s->meet, renamed, 1, JD_MAX);
    return jdi_meet_result(&s->meet, error);
}

/* ---- step CLEAN ----------------------------------------------------------------------- */

/* Remove a share of another generation.  What cannot be removed now, the next save tries again. */
static void clean_name(void *arg, const char *name)
{
    const struct saver *s = arg;
    char path[JDI_FILES_PATH];
    uint64_t generation;
    if (jdi_files_is_share(s->what->path, name, &generation) &&
        generation != s->m.generation && jdi_files_beside(s->what->path, name, path))
        (void)s->files->unlink(s->files, path);
}

static void clean(struct saver *s)
{
    char folder[JDI_FILES_PATH];
    if (s->share.rank != 0)
        return;
    jdi_files_folder(s->what->path, folder);
    (void)s->files->list(s->files, folder, clean_name, s);
}

/* ---- all of it ------------------------------------------------------------------------ */

static int save_all(struct saver *s)
{
    uint64_t renamed = 0;
    int error = jdi_meet_agree(&s->meet, s->what);
    error = error ? error : count_generation(s);
    if (error)
        return error;
    jdi_files_share(s->what->path, s->m.generation, s->meet.me->rank->am->rank, s->path);
    error = gather_table(s, write_share(s));
    error = error ? error : commit(s, &renamed);
    if (!error)
        clean(s);
    else if (!renamed && s->made)
        (void)s->files->unlink(s->files, s->path);
    return error;
}

int jdi_save(jd_self *me, jd_coll *c, const jd_checkpoint *what,
             const struct jdi_files *files)
{
    if (!c || !jdi_meet_fits(me, what))
        return JD_EINVAL;
    if (!me->is_body || !c->restorable || jdi_coll_state(c) != JDI_COLL_DONE)
        return JD_ESTATE;
    struct saver s = {.meet = {me, c, JDI_COLLECTIVE_COLL_SAVE},
                      .what = what,
                      .files = files,
                      .m.nranks = c->rank->am->nranks,
                      .m.nmems = (uint32_t)what->mems};
    int error = save_all(&s);
    jdi_free(s.table);
    jdi_free(s.worker);
    return error;
}

int jd_coll_save(jd_self *me, jd_coll *coll, const jd_checkpoint *what)
{
    return jdi_save(me, coll, what, &jdi_files_posix);
}
