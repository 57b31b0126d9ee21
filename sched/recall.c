/*
 * recall.c - which rank ran which task last time, and a phase that begins with that.
 *
 * Role: see recall.h.
 * Invariants: I1 to I3 of recall.h.
 * Order: [pair: lock].
 * See: recall.h, which has the states; doc/steallog.md.
 */
#include "sched/recall.h"

#include "sched/stealfile.h"
#include "sched/traces.h"

#include <stdlib.h>

enum {
    TRUST_LEAST_NS = 1000000, /* a rank waits longer than last time by so much, */
    TRUST_PART = 8,           /* or this part of the time that the phase has taken */
    RUSH_NS = 10000000,       /* in which no task of the collection has ended */
    FORETOLD_MOST = 1 << 24,  /* tasks of a log; what more it has is stolen again */
    SEND_BYTES = 1 << 20      /* of packed tasks in a message, about */
};

static JD_NORETURN void no_memory_for_log(const jd_coll *c)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for the steal log of %s",
            c->name);
}

/* ---- making ------------------------------------------------------------------------- */

bool jdi_recall_wanted(const struct jdi_rank *r, bool again)
{
    return again || r->stealfile;
}

/* The next turn of the collection sends what lies there. */
static void run_post(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_recall *k = jdi_container_of(call, struct jdi_recall, call);
    jdi_lock(&k->lock);
    k->posted = false;
    jdi_unlock(&k->lock);
    jdi_rank_news(r);
}

int jdi_recall_new(jd_coll *c, bool again)
{
    struct jdi_recall *k = jdi_zalloc(&c->rank->am->fault, sizeof *k);
    if (!k)
        return JD_ENOMEM;
    k->coll = c;
    k->again = again;
    k->call.run = run_post;
    jdi_lock_init(&k->lock);
    c->recall = k;
    return 0;
}

void jdi_recall_free(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    if (!k)
        return;
    jdi_guests_free(&k->room);
    jdi_free(k->fate);
    jdi_record_free(&k->out);
    jdi_record_free(&k->sending);
    jdi_steallog_free(&k->log);
    jdi_steallog_free(&k->before);
    jdi_free(k);
    c->recall = NULL;
}

void jdi_recall_check(const jd_coll *c)
{
    const struct jdi_recall *k = c->recall;
    if (!k)
        return;
    bool open = jdi_coll_state(c) == JDI_COLL_OPEN;
    JD_CHECK(open || (!k->room.n && !k->mask && !k->sending.count));
    JD_CHECK(k->came <= k->expected);
    jdi_guests_check(&k->room);
}

/* ---- the table ---------------------------------------------------------------------- */

static struct jdi_fate *find_fate(const struct jdi_recall *k, uint64_t name)
{
    uint64_t i = name & k->mask;
    while (k->fate[i].rank != JDI_FATE_NONE && k->fate[i].name != name)
        i = (i + 1) & k->mask;
    return &k->fate[i];
}

/*
 * One entry of the log: of what a task did here the last counts.  What is given back to the rank that has
 * made it was never away.
 */
static void foretell(struct jdi_recall *k, uint64_t name, uint32_t way, uint32_t batch,
                     uint32_t place)
{
    struct jdi_fate *f = find_fate(k, name);
    bool got = way & JDI_STEALLOG_GOT;
    if (f->rank == JDI_FATE_NONE)
        *f = (struct jdi_fate){.name = name, .batch = got};
    if (f->batch && got) {
        f->batch = batch;
        f->place = place;
    }
    f->rank = got ? JDI_FATE_STAYS : way & JDI_STEALLOG_RANK;
}

/* How many of the first entries have FORETOLD_MOST tasks or fewer; *tasks: so many. */
static uint64_t fit_entries(const struct jdi_steallog_run *run, uint64_t n,
                            uint64_t *tasks)
{
    uint64_t i = 0;
    *tasks = 0;
    while (i < n && *tasks + run[i].count <= FORETOLD_MOST)
        *tasks += run[i++].count;
    return i;
}

static void make_table(jd_coll *c, const struct jdi_steallog_run *run, uint64_t n)
{
    struct jdi_recall *k = c->recall;
    uint64_t tasks, slots = 16;
    n = fit_entries(run, n, &tasks);
    if (!tasks)
        return;
    while (slots < 2 * tasks)
        slots *= 2;
    k->fate = jdi_alloc(&c->rank->am->fault, slots * sizeof *k->fate);
    if (!k->fate)
        no_memory_for_log(c);
    for (uint64_t i = 0; i < slots; i++)
        k->fate[i] = (struct jdi_fate){.rank = JDI_FATE_NONE};
    k->mask = slots - 1;
    uint32_t batch = 1, place = 0;
    for (uint64_t i = 0; i < n; i++) {
        batch += (run[i].way & JDI_STEALLOG_BATCH) != 0;
        for (uint32_t t = 0; t < run[i].count; t++)
            foretell(k, run[i].first + t, run[i].way, batch, place++);
    }
    for (uint64_t i = 0; i < slots; i++)
        k->expected += k->fate[i].rank == JDI_FATE_STAYS && k->fate[i].batch;
}

/* ---- a phase ------------------------------------------------------------------------ */

void jdi_recall_begin(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    struct jdi_steallog_part part;
    if (!k)
        return;
    JD_ASSERT(jdi_rank_is_comm(c->rank) && !k->mask);
    k->since = k->waited = k->foretold = k->expected = k->came = 0;
    k->last_batch = k->last_place = 0;
    k->rushed_at = jdi_rank_now(c->rank);
    if (c->sharing != JD_STEAL_ALL)
        return;
    if (!jdi_stealfile_find(c->rank, k->serial, c->phase, &part))
        part = (struct jdi_steallog_part){.waited = k->before.waited,
                                          .n = k->again ? k->before.n : 0,
                                          .run = k->before.run};
    k->foretold = part.waited;
    make_table(c, part.run, part.n);
}

void jdi_recall_end(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    if (!k)
        return;
    JD_ASSERT(jdi_rank_is_comm(c->rank) && !k->room.n);
    c->rank->stats->missed += k->expected - k->came;
    jdi_free(k->fate);
    k->fate = NULL;
    k->mask = k->expected = k->came = 0;
    jdi_recall_fed(c, jdi_rank_now(c->rank));
    k->log.waited = k->waited;
    if (jdi_stealfile_keep(c->rank, &k->log, k->serial, c->phase))
        no_memory_for_log(c);
    struct jdi_steallog old = k->before;
    k->before = k->log;
    k->log = old;
    jdi_steallog_clear(&k->log);
}

/* ---- what leaves -------------------------------------------------------------------- */

static void note_way(jd_coll *c, uint64_t name, uint32_t way)
{
    if (jdi_steallog_note(&c->recall->log, name, way, &c->rank->am->fault))
        no_memory_for_log(c);
}

void jdi_recall_gave(jd_coll *c, uint32_t to, const struct jdi_claim *claim)
{
    if (!c->recall)
        return;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    for (uint64_t i = 0; i < claim->n; i++) {
        const struct jdi_task *t = jdi_claim_slot(claim, i);
        uint64_t name = c->kind->names ? t->id : jdi_task_label(t).name;
        if (name)
            note_way(c, name, to | (i ? 0 : JDI_STEALLOG_BATCH));
        else
            c->recall->unnamed++;
    }
}

/* Into the outbox; any thread.  The communication thread is called if the outbox was empty. */
static void post_task(jd_coll *c, const struct jdi_task *t)
{
    struct jdi_recall *k = c->recall;
    jdi_lock(&k->lock);
    int error = jdi_record_add(&k->out, t, &c->rank->am->fault);
    bool first = !k->posted;
    k->posted = true;
    jdi_unlock(&k->lock);
    if (error)
        no_memory_for_log(c);
    if (first)
        jdi_rank_post(c->rank, &k->call);
}

void jdi_recall_divert(jd_coll *c, struct jdi_seat *seat)
{
    uint64_t name = seat->promised;
    seat->promised = 0;
    /* A promise can be of a phase that has ended, because its maker has waited and gone on on another worker. */
    if (!jdi_store_private(&seat->shelf) ||
        jdi_recall_fate(c->recall, name) >= c->rank->am->nranks)
        return;
    /* Looked at when it is off the shelf, because who pries may open it at any time before. */
    const struct jdi_task *t = jdi_store_pop(&seat->shelf);
    if (!t)
        return;
    if (t->id != name) {
        jdi_store_unpop(&seat->shelf);
        return;
    }
    post_task(c, t);
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
}

static void put_back(jd_coll *c, struct jdi_shelf *s, const struct jdi_task *seed)
{
    struct jdi_task *t = jdi_store_push(s);
    if (!t)
        no_memory_for_log(c);
    jdi_task_copy((void *)t, (const void *)seed, c->slot_size);
    jdi_store_put(s);
}

/* Post the seed, or keep a copy of its slot. */
static uint64_t sort_seed(jd_coll *c, const struct jdi_task *t, unsigned char *kept)
{
    if (jdi_recall_fate(c->recall, t->id) >= c->rank->am->nranks) {
        jdi_task_copy(kept, (const void *)t, c->slot_size);
        return 1;
    }
    post_task(c, t);
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
    return 0;
}

/*
 * Seeds are pushed before their phase begins, so those that shall go lie between those that stay.  Others may open
 * and run all of them meanwhile, and the phase may end: so what is foretold is looked at only while a seed that
 * was taken off the shelf has not gone.
 */
void jdi_recall_seeds(jd_coll *c, struct jdi_seat *seat)
{
    uint64_t n = jdi_store_private(&seat->shelf), stay = 0;
    const struct jdi_task *t = n ? jdi_store_pop(&seat->shelf) : NULL;
    if (!t)
        return;
    if (!c->recall->mask) {
        jdi_store_unpop(&seat->shelf);
        return;
    }
    unsigned char *kept = jdi_alloc(&c->rank->am->fault, n * c->slot_size);
    if (!kept)
        no_memory_for_log(c);
    for (uint64_t i = 0; i < n && t; i++) {
        stay += sort_seed(c, t, kept + stay * c->slot_size);
        t = i + 1 < n ? jdi_store_pop(&seat->shelf) : NULL;
    }
    while (stay)
        put_back(c, &seat->shelf, (const void *)(kept + --stay * c->slot_size));
    jdi_free(kept);
}

bool jdi_recall_holds(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    if (!k)
        return false;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    jdi_lock(&k->lock);
    bool leaves = k->posted || k->out.count;
    jdi_unlock(&k->lock);
    return leaves || k->sending.count || k->room.n;
}

/* ---- sending ------------------------------------------------------------------------ */

struct parcel {
    uint32_t to;
    const struct jdi_task *task;
};

static int by_rank(const void *a, const void *b)
{
    const struct parcel *p = a, *q = b;
    if (p->to != q->to)
        return p->to < q->to ? -1 : 1;
    return p->task < q->task ? -1 : p->task > q->task; /* as they were posted */
}

/* Send n tasks to a rank, in one message. */
static void send_parcels(jd_coll *c, const struct parcel *p, uint64_t n, size_t bytes)
{
    struct jdi_rank *r = c->rank;
    unsigned char *block = jdi_alloc(&r->am->fault, bytes), *to = block;
    if (!block)
        no_memory_for_log(c);
    for (uint64_t i = 0; i < n; i++) {
        size_t size = jdi_task_packed(p[i].task);
        memcpy(to, p[i].task, size);
        to += size;
        note_way(c, p[i].task->id, p->to | (i ? 0 : JDI_STEALLOG_BATCH));
    }
    jdi_account_out(jdi_coll_network(c), n);
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS, .nargs = 4, .data = block};
    m.len = (uint32_t)bytes;
    m.arg[0] = jdi_coll_word(c);
    m.arg[1] = r->detector->exported(c->td).wave | n << 32;
    m.arg[2] = JDI_TASKS_PACKED;
    r->stats->sent_ahead += n;
    jdi_traces_comm(r, JDI_TRACE_GIVE, c->id, p->to, n);
    if (jdi_am_post(r->am, p->to, &m))
        no_memory_for_log(c);
    jdi_free(block);
}

/* Where the task goes; it goes there once (I2). */
static uint32_t fate_of_parcel(jd_coll *c, const struct jdi_task *t)
{
    struct jdi_fate *f = find_fate(c->recall, t->id);
    JD_ASSERT(f->rank < c->rank->am->nranks);
    f->used = true;
    return f->rank;
}

static void send_all(jd_coll *c, const struct jdi_record *out)
{
    struct parcel *p = jdi_alloc(&c->rank->am->fault, out->count * sizeof *p);
    uint64_t n = 0;
    if (!p)
        no_memory_for_log(c);
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(out, t));)
        p[n++] = (struct parcel){fate_of_parcel(c, t), t};
    qsort(p, n, sizeof *p, by_rank);
    for (uint64_t i = 0, k; i < n; i = k) {
        size_t bytes = 0;
        for (k = i; k < n && p[k].to == p[i].to && (k == i || bytes < SEND_BYTES); k++)
            bytes += jdi_task_packed(p[k].task);
        send_parcels(c, p + i, k - i, bytes);
    }
    jdi_free(p);
}

void jdi_recall_turn(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    jdi_lock(&k->lock);
    struct jdi_record out = k->out;
    k->out = k->sending;
    k->sending = out;
    jdi_unlock(&k->lock);
    if (!k->sending.count)
        return;
    send_all(c, &k->sending);
    jdi_record_clear(&k->sending);
}

/* ---- what comes --------------------------------------------------------------------- */

/*
 * A batch came as it lay on a shelf, and its owner ran the youngest first.  A task that should have run before
 * one that has left the room is late: it runs at once.
 */
static bool is_late_guest(const struct jdi_recall *k, const struct jdi_fate *f)
{
    return f->batch < k->last_batch ||
           (f->batch == k->last_batch && f->place > k->last_place);
}

/* Onto the shelf where tasks of other ranks land. */
static void land_guest(jd_coll *c, const struct jdi_task *g)
{
    struct jdi_task *t = jdi_store_land(jdi_coll_landing(c));
    void *spill = g->len > c->room ? jdi_alloc(&c->rank->am->fault, g->len) : NULL;
    if (!t || (g->len > c->room && !spill))
        no_memory_for_log(c);
    *t = (struct jdi_task){.id = g->id, .fn = g->fn, .flags = g->flags, .len = g->len};
    if (spill)
        jdi_task_set_spill(t, spill);
    memcpy(jdi_task_arg(t), g->arg, g->len);
}

/* The first batch goes onto the shelf; its first task lies oldest, as when it came. */
static uint64_t land_batch(jd_coll *c)
{
    struct jdi_recall *k = c->recall;
    uint32_t batch = k->room.at[0].batch;
    uint64_t n = 0;
    if (batch > k->last_batch || k->room.at[0].place < k->last_place)
        k->last_place = k->room.at[0].place;
    k->last_batch = batch;
    for (; k->room.n && k->room.at[0].batch == batch; n++) {
        struct jdi_task *g = jdi_guests_take(&k->room);
        land_guest(c, g);
        jdi_free(g);
    }
    jdi_store_arrived(jdi_coll_landing(c), n);
    return n;
}

bool jdi_recall_feed(jd_coll *c, uint64_t now)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    if (!c->recall->room.n)
        return false;
    jdi_recall_fed(c, now);
    (void)land_batch(c);
    jdi_rank_news(c->rank);
    return true;
}

void jdi_recall_rush(jd_coll *c, uint64_t now)
{
    struct jdi_recall *k = c->recall;
    uint64_t ran = 0;
    if (!k->room.n || now - k->rushed_at < RUSH_NS)
        return;
    for (unsigned i = 0; i < c->rank->nworkers; i++)
        ran += atomic_load_explicit(&c->seat[i].account.out, memory_order_relaxed);
    if (ran == k->rushed_ran)
        (void)land_batch(c);
    k->rushed_ran = ran;
    k->rushed_at = now;
}

void jdi_recall_open(jd_coll *c)
{
    if (c->recall && c->recall->room.n)
        (void)land_batch(c);
}

/* A packed copy of a task, on the heap. */
static struct jdi_task *copy_of(jd_coll *c, const struct jdi_task *head, const void *arg)
{
    struct jdi_task *t = jdi_alloc_small(&c->rank->am->fault, jdi_task_packed(head));
    if (!t)
        no_memory_for_log(c);
    *t = *head;
    memcpy(t->arg, arg, head->len);
    return t;
}

/* Note that a task comes from a rank.  What the log says of it; NULL: nothing that still counts. */
static struct jdi_fate *fate_of_guest(jd_coll *c, uint32_t from, bool first,
                                      uint64_t name)
{
    const struct jdi_recall *k = c->recall;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    note_way(c, name, from | JDI_STEALLOG_GOT | (first ? JDI_STEALLOG_BATCH : 0));
    struct jdi_fate *f = k->mask ? find_fate(k, name) : NULL;
    return f && f->rank != JDI_FATE_NONE && !f->used ? f : NULL;
}

/* A task is here that shall run here.  True: it waits in the room. */
static bool waits_in_room(jd_coll *c, struct jdi_fate *f, const struct jdi_task *head,
                          const void *arg)
{
    struct jdi_recall *k = c->recall;
    f->used = true;
    k->came += f->batch != 0;
    if (is_late_guest(k, f))
        return false;
    if (jdi_guests_put(&k->room, f->batch, f->place, copy_of(c, head, arg),
                       &c->rank->am->fault))
        no_memory_for_log(c);
    return true;
}

bool jdi_recall_took(jd_coll *c, uint32_t from, bool first, const struct jdi_task *head,
                     const void *arg)
{
    struct jdi_fate *f = fate_of_guest(c, from, first, head->id);
    if (!f)
        return false;
    if (f->rank == JDI_FATE_STAYS)
        return waits_in_room(c, f, head, arg);
    struct jdi_task *t = copy_of(c, head, arg);
    post_task(c, t);
    jdi_free(t);
    return true;
}

/* ---- tasks of finishes --------------------------------------------------------------- */

void jdi_recall_goes(jd_coll *c, uint32_t to, uint64_t name)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    note_way(c, name, to | JDI_STEALLOG_BATCH);
    find_fate(c->recall, name)->used = true; /* I2 */
    c->rank->stats->sent_ahead++;
}

uint32_t jdi_recall_comes(jd_coll *c, uint32_t from, bool first,
                          const struct jdi_task *head, const void *arg)
{
    struct jdi_label label;
    memcpy(&label, arg, sizeof label);
    struct jdi_fate *f = fate_of_guest(c, from, first, label.name);
    if (!f)
        return JDI_FATE_NONE;
    if (f->rank == JDI_FATE_STAYS)
        return waits_in_room(c, f, head, arg) ? JDI_FATE_STAYS : JDI_FATE_NONE;
    f->used = true;
    return f->rank;
}

/* ---- trust -------------------------------------------------------------------------- */

bool jdi_recall_trusts(jd_coll *c, uint64_t now)
{
    struct jdi_recall *k = c->recall;
    if (!k->since)
        k->since = now;
    if (!k->mask)
        return false;
    uint64_t more = (now - c->began) / TRUST_PART;
    uint64_t most = k->foretold + (more < TRUST_LEAST_NS ? TRUST_LEAST_NS : more);
    uint64_t spent = k->waited + (now - k->since);
    if (spent >= most)
        return false;
    jdi_rank_again(c->rank, now + (most - spent));
    return true;
}

void jdi_recall_fed(jd_coll *c, uint64_t now)
{
    struct jdi_recall *k = c->recall;
    if (k->since)
        k->waited += now - k->since;
    k->since = 0;
}
