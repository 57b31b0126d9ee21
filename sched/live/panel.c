/*
 * panel.c - see panel.h.
 *
 * Role: see panel.h.
 * Owner: the communication thread.
 * Invariants: those of panel.h.
 * Order: those of core/view.h.
 * See: panel.h.
 */
#include "sched/live/panel.h"

#include "core/view.h"
#include "sched/coll.h"
#include "sched/inspect.h"
#include "sched/job.h"
#include "sched/live/count.h"
#include "sched/runq.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    EVERY_NS = 200000000, /* between two fillings */
    RANKS_SEEN = 64 /* of those that share a process: each page takes a descriptor */
};

struct jdi_panel {
    struct jdi_view *view;
    size_t bytes;
    int fd;
    uint64_t filled;         /* when it was, by the clock of the machine */
    struct jdi_idle *before; /* where the rank slept without the page, or NULL */
};

/* ---- a row ----------------------------------------------------------------------------- */

/*
 * What a stream writes for itself, without an order: each is one aligned word that is read whole, and may be old by a
 * moment.  A worker's `running` is no ULT that was removed, under the lock of the list: it is changed on the stream
 * before its ULT is published, or removed.
 */
static JDI_UNORDERED void see_running(struct jdi_worker *w, struct jdi_view_row *row)
{
    struct jdi_rank *r = w->rank;
    jdi_lock(&r->inspect.lock);
    const jd_self *me = *(jd_self *const volatile *)&w->running;
    const jd_coll *coll = me ? *(jd_coll *const volatile *)&me->coll : NULL;
    jd_task task = me ? *(const volatile jd_task *)&me->task : 0;
    bool body = me && me->is_body;
    jdi_unlock(&r->inspect.lock);
    if (coll && task < r->registry.count) {
        row->doing = JDI_VIEW_TASK;
        snprintf(row->task, sizeof row->task, "%s", r->registry.row[task].name);
    } else if (body) {
        row->doing = JDI_VIEW_BODY;
    }
    uint64_t stopped = *(const volatile uint64_t *)&w->stopped;
    uint64_t left = atomic_load_explicit(&w->left, memory_order_relaxed);
    row->suspended = stopped > left ? stopped - left : 0;
}

static uint64_t queued_at(const struct jdi_rank *r, unsigned owner)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < r->ncolls; i++) {
        const jd_coll *c = r->colls[i];
        if (!c || owner >= c->nowners)
            continue;
        const struct jdi_deque *d = &c->seat[owner].shelf.deque;
        uint64_t tail = atomic_load_explicit(&d->stail, memory_order_relaxed);
        uint64_t head = jdi_deque_head(d);
        n += head > tail ? head - tail : 0;
    }
    return n;
}

static void describe_worker(struct jdi_worker *w, uint64_t now, struct jdi_view_row *row)
{
    bool asleep = atomic_load_explicit(&w->asleep, memory_order_relaxed);
    uint64_t since = jdi_stats_get(&w->clock.since);
    see_running(w, row);
    if (asleep) {
        row->doing = JDI_VIEW_ASLEEP;
        *row->task = 0;
    }
    row->for_ns = since && since < now ? now - since : 0;
    if (!asleep && row->doing != JDI_VIEW_NOTHING)
        row->work_ns += row->for_ns;
    row->ready = jdi_runq_size(&w->ready);
}

static void describe_thread(struct jdi_rank *r, unsigned i, uint64_t now,
                            struct jdi_view_row *row)
{
    struct jdi_stats s;
    bool comm = i == r->nworkers;
    jdi_count_thread(r, i, false, &s);
    *row = (struct jdi_view_row){.doing = comm ? JDI_VIEW_NETWORK : JDI_VIEW_NOTHING,
                                 .executed = s.executed,
                                 .work_ns = s.ns_work,
                                 .stolen_in = comm ? s.stolen_in : s.stolen_local,
                                 .stolen_out = s.stolen_out,
                                 .queued = queued_at(r, i)};
    if (!comm)
        describe_worker(&r->workers[i], now, row);
}

/* ---- now and then ----------------------------------------------------------------------- */

static void fill_panel(struct jdi_rank *r)
{
    struct jdi_view *v = r->panel->view;
    uint64_t now = jdi_rank_now(r);
    struct jdi_view_row row;
    jdi_view_open(v);
    for (unsigned i = 0; i <= r->nworkers; i++) {
        describe_thread(r, i, now, &row);
        jdi_view_put(v, i, &row);
    }
    uint64_t of = atomic_load_explicit(&r->said.of, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&r->said.done, memory_order_relaxed);
    atomic_store_explicit(&v->of, of, memory_order_relaxed);
    atomic_store_explicit(&v->done, done < of ? done : of, memory_order_relaxed);
    jdi_view_close(v, jdi_time_ns());
}

static JDI_NOINLINE void turn_while_wanted(struct jdi_rank *r, uint64_t until)
{
    struct jdi_panel *p = r->panel;
    uint64_t now =
        jdi_time_ns(); /* the machine's, also in virtual time: viewers live there */
    if (now >= until) {
        atomic_compare_exchange_strong_explicit(
            &p->view->wanted, &until, 0, memory_order_relaxed, memory_order_relaxed);
        return;
    }
    if (now - p->filled >= EVERY_NS) {
        p->filled = now;
        fill_panel(r);
    }
    /* In virtual time a look must not change what happens. */
    if (!r->am->time)
        jdi_rank_again(r, p->filled + EVERY_NS);
}

static void turn_panel(struct jdi_rank *r)
{
    uint64_t until = atomic_load_explicit(&r->panel->view->wanted, memory_order_relaxed);
    if (JDI_UNLIKELY(until != 0))
        turn_while_wanted(r, until);
}

/* ---- begin and end ----------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* All ranks, because the name of the job is a reduction.  Ranks that share a process know it without one. */
static void name_job(struct jdi_rank *r, struct jdi_view *v)
{
    struct jdi_job job = {.host = "", .name = ""};
    uint64_t run;
    if (r->am->time || r->am->shared) {
        if (gethostname(job.host, sizeof job.host - 1))
            snprintf(job.host, sizeof job.host, "unknown");
        snprintf(job.name, sizeof job.name, "%d", (int)getpid());
        run = (uint64_t)getpid();
    } else {
        jdi_job_names(r, &job);
        run = r->run_id;
    }
    if (!v)
        return;
    v->run = run;
    snprintf(v->job, sizeof v->job, "%s", job.name);
    snprintf(v->host, sizeof v->host, "%s", job.host);
}

/* I2: NULL if the kernel does not give one. */
static struct jdi_view *make_view(struct jdi_panel *p, uint32_t rows)
{
    p->bytes = jdi_view_bytes(rows);
    p->fd = memfd_create(JDI_VIEW_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (p->fd < 0)
        return NULL;
    void *at = MAP_FAILED;
    /* Who maps it relies on its size. */
    if (!ftruncate(p->fd, (off_t)p->bytes) &&
        !fcntl(p->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL))
        at = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
    if (at != MAP_FAILED)
        return at;
    close(p->fd);
    return NULL;
}

static void write_head(struct jdi_rank *r, struct jdi_view *v)
{
    v->version = JDI_VIEW_VERSION;
    v->head_bytes = JDI_VIEW_HEAD;
    v->row_bytes = sizeof(struct jdi_view_row);
    v->rows = r->nworkers + 1;
    v->rank = r->am->rank;
    v->nranks = r->am->nranks;
    v->host_size = r->am->host_size;
    v->is_virtual = r->am->time != NULL;
    v->started_ns = jdi_time_ns();
    snprintf(v->program, sizeof v->program, "%s", r->argc ? base_name(r->argv[0]) : "");
    snprintf(v->network, sizeof v->network, "%s", jdi_conduit.name);
    /* [pair: view-head] release: all of the above. */
    atomic_store_explicit(&v->magic, jdi_view_magic, memory_order_release);
}

/* A rank alone may sleep until somebody wakes it: then the viewer does. */
static void sleep_in_page(struct jdi_rank *r, struct jdi_panel *p)
{
    if (r->am->nranks > 1 || r->am->time || r->am->idle != &r->am->own_idle)
        return;
    jdi_idle_init_shared(&p->view->idle);
    p->before = r->am->idle;
    r->am->idle = &p->view->idle;
    p->view->wakes = true;
}

void jdi_panel_begin(struct jdi_rank *r)
{
    bool together = r->am->time || r->am->shared;
    struct jdi_panel *p = NULL;
    if (!together || r->am->rank < RANKS_SEEN)
        p = jdi_zalloc(NULL, sizeof *p);
    if (p)
        p->view = make_view(p, r->nworkers + 1);
    /* Without a page there is nothing to write a name to; but ranks that are processes choose it together. */
    if (p || !together)
        name_job(r, p ? p->view : NULL);
    if (!p || !p->view) {
        if (p)
            jdi_free(p);
        return;
    }
    r->panel = p;
    sleep_in_page(r, p);
    write_head(r, p->view);
    jdi_rank_on_turn(r, turn_panel);
}

void jdi_panel_end(struct jdi_rank *r)
{
    struct jdi_panel *p = r->panel;
    if (!p)
        return;
    r->panel = NULL;
    if (p->before)
        r->am->idle = p->before;
    munmap(p->view, p->bytes);
    close(p->fd);
    jdi_free(p);
}
