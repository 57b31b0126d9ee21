/*
 * boost.c - the engine over Boost.Context: stacks of our own on plain kernel threads.
 *
 * Role: implements ult.h with make_fcontext and ontop_fcontext; the one file that sees them.
 * Owner: as ult.h says.  The record of a ULT lies at the top of that ULT's stack.
 * Invariants: I1 `ctx` is valid while the ULT is stopped.  The successor writes `ctx` on arrival,
 *                so a stopped ULT may be published as soon as the successor's jump returns.
 *             I2 `guard` and `from` are written by whoever jumps to the ULT.
 *             I3 a finished ULT is not touched after the jump out of it has returned.
 * Order: jdi_stack_cache.lock is the only lock.
 * See: ult.h; boost/libs/context/src/asm/ for what a jump saves.
 */
#include "core/ult/guard.h"
#include "core/ult/sanitizer.h"
#include "core/ult/ult.h"

#include <errno.h>
#include <string.h>

/*
 * Boost.Context's C interface, which no header of Boost declares for C.  jump_fcontext is not used,
 * because a static Argobots has another function of that name.  A program with both engines would
 * call the wrong one.
 */
typedef void *fcontext_t;
typedef struct {
    fcontext_t fctx; /* the context that jumped here, now stopped */
    void *data;
} transfer_t;
fcontext_t make_fcontext(void *top, size_t size, void (*fn)(transfer_t));
/* Switch to `to` and call fn there.  The call by which `to` stopped returns what fn returns. */
transfer_t ontop_fcontext(fcontext_t to, void *data, transfer_t (*fn)(transfer_t));

enum ult_state { ULT_NEW = 1, ULT_STARTED, ULT_FINISHED };

/*
 *   state          event                          to             who
 *   NEW            the first jump to it           STARTED        the ULT
 *   STARTED        its function has returned      FINISHED       the ULT
 *   NEW, FINISHED  destroy                        (free)         any stream
 * The base context of a stream is STARTED throughout.
 */
struct jdi_ult {
    fcontext_t ctx;
    transfer_t (*land)(transfer_t); /* runs first on arrival */
    struct jdi_ult *from;           /* who jumped here last */
    void *data;                     /* the data of that jump */
    struct jdi_guard *guard;
    struct jdi_stack stack;
    enum ult_state state;
    JDI_ALIGNED jdi_ult_fn *fn;
    void *arg;
    struct jdi_engine *engine;
    struct jdi_san san;
};

/* One kernel thread.  Constant after start, but for base. */
struct stream {
    JDI_ALIGNED struct jdi_ult base;
    struct jdi_engine *engine;
    unsigned index;
    jdi_stream_fn *fn;
    void *arg;
    pthread_t thread;
    struct jdi_guard *guard;
};

struct jdi_engine {
    struct jdi_stack_cache stacks;
    struct jdi_guard *guard; /* the opener's guard */
    struct jdi_log *log;
    struct jdi_fault *fault;
    jdi_ult_what_fn *what;
    void *what_arg;
    unsigned nstreams;
    struct stream *streams;
};

/* The smallest native stack of a stream; the system's default is usually larger. */
enum { BASE_STACK = 1 << 20 };

/* ---- switching ------------------------------------------------------------------- */

static void boost_set_state(struct jdi_ult *u, enum ult_state from, enum ult_state to)
{
    JD_CHECK_EQ(u->state, from);
    u->state = to;
}

/* Set everything that `to` must know before it goes on. */
static inline void boost_hand_over(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    to->from = self;
    to->data = data;
    to->guard = self->guard;
    jdi_guard_note(to->guard, &to->stack);
}

/* Runs first on every arrival: make the context that we came from resumable (I1). */
static transfer_t land(transfer_t t)
{
    struct jdi_ult *self = t.data;
    jdi_san_arrive(&self->san, &self->from->san);
    self->from->ctx = t.fctx;
    return t;
}

static void *boost_jump(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    JD_ASSERT(self != to && to->state != ULT_FINISHED);
    struct jdi_own own = jdi_own_keep(&self->guard->own);
    boost_hand_over(self, to, data);
    jdi_san_leave(&self->san, &to->san);
    ontop_fcontext(to->ctx, to, to->land);
    jdi_own_bring(&self->guard->own, &own);
    return self->data;
}

/* The first arrival of a ULT: runs its function.  Never returns. */
static transfer_t live(transfer_t t)
{
    struct jdi_ult *self = land(t).data;
    self->land = land;
    jdi_own_bring(&self->guard->own, &(struct jdi_own){0});
    boost_set_state(self, ULT_NEW, ULT_STARTED);
    struct jdi_ult *next = self->fn(self->arg, self->data);
    JD_CHECK(next && next != self);
    boost_set_state(self, ULT_STARTED, ULT_FINISHED);
    boost_hand_over(self, next, NULL);
    jdi_san_finish(&self->san, &next->san);
    ontop_fcontext(next->ctx, next, next->land);
    jdi_panic(__FILE__, __LINE__, "a finished ULT was resumed");
}

/* make_fcontext needs an entry function; `live` runs in its place and never returns to it. */
static void never(transfer_t t)
{
    (void)t;
    jdi_panic(__FILE__, __LINE__, "a ULT fell off its stack");
}

static struct jdi_ult *boost_create(struct jdi_engine *e, jdi_ult_fn *fn, void *arg,
                                    struct jdi_ult_room *room)
{
    struct jdi_stack stack;
    if (jdi_stack_cache_take(&e->stacks, room ? room->stack : 0, &stack))
        return NULL;
    char *low = jdi_stack_low(&stack);
    struct jdi_ult *u = jdi_stack_furnish(&stack, sizeof *u, room);
    size_t below = (size_t)((char *)u - low);
    jdi_san_clean(low, stack.size);
    *u = (struct jdi_ult){.land = live,
                          .stack = stack,
                          .fn = fn,
                          .arg = room ? room->at : arg,
                          .engine = e,
                          .state = ULT_NEW};
    jdi_san_make(&u->san, low, below);
    u->ctx = make_fcontext(u, below, never);
    return u;
}

static void boost_destroy(struct jdi_ult *u)
{
    JD_CHECK(u->state == ULT_NEW || u->state == ULT_FINISHED);
    jdi_san_free(&u->san);
    jdi_stack_cache_give(&u->engine->stacks, &u->stack);
}

/* ---- streams --------------------------------------------------------------------- */

/* Run a stream's function on the calling thread, which has entered s->guard. */
static void boost_run_stream(struct stream *s)
{
    s->base = (struct jdi_ult){.land = land, .guard = s->guard, .state = ULT_STARTED};
    jdi_san_adopt(&s->base.san);
    jdi_guard_note(s->guard, &s->base.stack);
    s->fn(s->arg, s->index, &s->base);
    jdi_guard_note(s->guard, NULL);
}

static void *thread_main(void *arg)
{
    struct stream *s = arg;
    jdi_guard_enter(s->guard);
    boost_run_stream(s);
    jdi_guard_leave(s->guard);
    return NULL;
}

static struct stream *boost_prepare(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn,
                                    void *arg)
{
    JD_CHECK(i < e->nstreams);
    struct stream *s = &e->streams[i];
    s->engine = e;
    s->index = i;
    s->fn = fn;
    s->arg = arg;
    return s;
}

/* Returns 0 or an errno of pthread_create. */
static int make_thread(struct stream *s)
{
    if (jdi_fault_hit(s->engine->fault, JDI_FAULT_thread))
        return EAGAIN;
    pthread_attr_t attr;
    size_t size = 0;
    int rc = pthread_attr_init(&attr);
    if (rc)
        return rc;
    pthread_attr_getstacksize(&attr, &size);
    if (size < BASE_STACK)
        pthread_attr_setstacksize(&attr, BASE_STACK);
    /* The thread inherits the mask, so no signal reaches the thread before its mask is set. */
    sigset_t old;
    jdi_guard_signals_block(&old);
    rc = pthread_create(&s->thread, &attr, thread_main, s);
    jdi_guard_signals_restore(&old);
    pthread_attr_destroy(&attr);
    return rc;
}

static int boost_start(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    struct stream *s = boost_prepare(e, i, fn, arg);
    s->guard = jdi_guard_new(e->guard, e->log, e->fault);
    if (!s->guard)
        return JD_ENOMEM;
    jdi_guard_name(s->guard, i, e->what, e->what_arg);
    int rc = make_thread(s);
    if (rc == 0)
        return 0;
    jdi_log(e->log, JDI_LOG_ERROR, "cannot start worker thread %u: %s", i, strerror(rc));
    jdi_guard_free(s->guard);
    return JD_ESYS;
}

static void boost_enter(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    struct stream *s = boost_prepare(e, i, fn, arg);
    s->guard = e->guard;
    jdi_guard_name(s->guard, i, e->what, e->what_arg);
    boost_run_stream(s);
}

static void boost_join(struct jdi_engine *e, unsigned i)
{
    struct stream *s = &e->streams[i];
    JD_CHECK_EQ(pthread_join(s->thread, NULL), 0);
    jdi_guard_free(s->guard);
}

/* ---- the engine ------------------------------------------------------------------ */

static int boost_open(struct jdi_engine **out, const struct jdi_ult_config *c)
{
    struct jdi_engine *e = jdi_zalloc(c->fault, sizeof *e);
    if (!e)
        return JD_ENOMEM;
    e->log = c->log;
    e->fault = c->fault;
    e->what = c->what;
    e->what_arg = c->what_arg;
    e->nstreams = c->streams;
    e->streams = jdi_zalloc(c->fault, c->streams * sizeof *e->streams);
    if (!e->streams)
        goto free_engine;
    e->guard = jdi_guard_new(NULL, c->log, c->fault);
    if (!e->guard)
        goto free_streams;
    jdi_guard_enter(e->guard);
    jdi_stack_cache_init(&e->stacks, c->stack_size, c->fault, c->log);
    *out = e;
    return 0;

free_streams:
    jdi_free(e->streams);
free_engine:
    jdi_free(e);
    return JD_ENOMEM;
}

static void boost_close(struct jdi_engine *e)
{
    jdi_stack_cache_fini(&e->stacks);
    jdi_guard_leave(e->guard);
    jdi_guard_free(e->guard);
    jdi_free(e->streams);
    jdi_free(e);
}

const struct jdi_ult_ops jdi_ult_boost = {
    .name = "boost",
    .open = boost_open,
    .start = boost_start,
    .enter = boost_enter,
    .join = boost_join,
    .create = boost_create,
    .jump = boost_jump,
    .destroy = boost_destroy,
    .close = boost_close,
};
