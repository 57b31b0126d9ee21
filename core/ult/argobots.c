/*
 * argobots.c - the engine over Argobots (1.2 or newer).
 *
 * Role: implements ult.h with ABT_self_*suspend_to and *exit_to; the one file that sees
 *       Argobots.
 * Owner: as ult.h says.  The record of a ULT lies at the top of that ULT's stack.
 * Invariants: I1 Argobots never schedules our ULTs: each one is READY (never ran, popped), BLOCKED
 *                or running, and is in no pool.
 *             I2 all our ULTs belong to one pool that no scheduler serves, so a jump between two
 *                of them changes no counter of Argobots, and no scheduler waits for them.
 *             I3 `from` and `stream` are written by whoever jumps to the ULT.
 *             I4 the opener is Argobots' primary ULT; one engine per process.
 * Order: engine.birth and jdi_stack_cache.lock are leaves, never held together.
 * See: ult.h; Argobots' src/self.c and src/include/abti_ythread.h.
 */
#include "core/ult/guard.h"
#include "core/ult/sanitizer.h"
#include "core/ult/ult.h"

#include <abt.h>
#include <semaphore.h>
#include <stdlib.h>

enum ult_state { ULT_NEW = 1, ULT_STARTED, ULT_UNWANTED, ULT_FINISHED };

/*
 *   state          event                          to             who
 *   NEW            the first jump to it           STARTED        who jumps
 *   NEW            destroy                        UNWANTED       who destroys
 *   UNWANTED       it ran, to end at once         FINISHED       the ULT
 *   STARTED        its function has returned      FINISHED       the ULT
 *   FINISHED       destroy                        (free)         any stream
 * The base context of a stream is STARTED throughout.
 */
struct jdi_ult {
    ABT_thread thread;
    struct jdi_ult *from; /* who jumped here last */
    void *data;           /* the data of that jump */
    struct jdi_guard *guard;
    struct jdi_stack stack;
    enum ult_state state;
    struct jdi_san san;
    JDI_ALIGNED jdi_ult_fn *fn;
    void *arg;
    struct jdi_engine *engine;
};

/* One execution stream.  Constant after start, but for base. */
struct stream {
    JDI_ALIGNED struct jdi_ult base;
    struct jdi_engine *engine;
    unsigned index;
    jdi_stream_fn *fn;
    void *arg;
    ABT_xstream xstream;
    struct jdi_stack stack;
    struct jdi_guard *guard;
    sem_t ended;
};

struct jdi_engine {
    struct jdi_stack_cache stacks;
    pthread_mutex_t birth; /* orders create and pop in `limbo`, and the use of `attr` */
    ABT_pool limbo;        /* the pool of all ULTs (I2); empty unless `birth` is held */
    ABT_thread_attr attr;
    struct jdi_guard *guard; /* the opener's guard */
    struct jdi_log *log;
    struct jdi_fault *fault;
    jdi_ult_what_fn *what;
    void *what_arg;
    unsigned nstreams;
    struct stream *streams;
};

/* Size of the stack of a started stream's base context. */
enum { BASE_STACK = 1 << 20 };

/* ---- switching ------------------------------------------------------------------- */

static void argobots_set_state(struct jdi_ult *u, enum ult_state from, enum ult_state to)
{
    JD_CHECK_EQ(u->state, from);
    u->state = to;
}

/* Set everything that `to` must know before it goes on. */
static inline void argobots_hand_over(struct jdi_ult *self, struct jdi_ult *to,
                                      void *data)
{
    to->from = self;
    to->data = data;
    to->guard = self->guard;
    jdi_guard_note(to->guard, &to->stack);
}

/* Argobots has different calls for a ULT that never ran and for a stopped one. */
static inline int suspend_to(struct jdi_ult *to)
{
    if (JDI_LIKELY(to->state == ULT_STARTED))
        return ABT_self_resume_suspend_to(to->thread);
    if (to->state == ULT_NEW)
        argobots_set_state(to, ULT_NEW, ULT_STARTED);
    return ABT_self_suspend_to(to->thread);
}

static inline void exit_to(struct jdi_ult *to)
{
    if (to->state == ULT_STARTED) {
        ABT_self_resume_exit_to(to->thread);
    } else {
        argobots_set_state(to, ULT_NEW, ULT_STARTED);
        ABT_self_exit_to(to->thread);
    }
}

static void *argobots_jump(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    JD_ASSERT(self != to && to->state != ULT_FINISHED);
    struct jdi_own own = jdi_own_keep(&self->guard->own);
    argobots_hand_over(self, to, data);
    jdi_san_leave(&self->san, &to->san);
    int rc = suspend_to(to);
    jdi_san_arrive(&self->san, &self->from->san);
    JD_CHECK_EQ(rc, ABT_SUCCESS);
    jdi_own_bring(&self->guard->own, &own);
    return self->data;
}

/* The first function on a ULT's stack.  Never returns, because Argobots would then jump to its
 * scheduler. */
static void argobots_run(void *arg)
{
    struct jdi_ult *self = arg, *next = self->from;
    jdi_san_arrive(&self->san, &self->from->san);
    jdi_own_bring(&self->guard->own, &(struct jdi_own){0});
    enum ult_state state = self->state;
    if (state == ULT_STARTED)
        next = self->fn(self->arg, self->data);
    JD_CHECK(next && next != self);
    argobots_set_state(self, state, ULT_FINISHED);
    argobots_hand_over(self, next, NULL);
    jdi_san_finish(&self->san, &next->san);
    exit_to(next);
    jdi_panic(__FILE__, __LINE__, "a finished ULT was resumed");
}

/* Make a ULT and pop it from limbo at once (I1).  The lock ensures that this ULT is popped and no
 * other.  Returns an ABT_* code. */
static int bear(struct jdi_engine *e, struct jdi_ult *u, size_t below)
{
    ABT_thread popped = ABT_THREAD_NULL;
    pthread_mutex_lock(&e->birth);
    int rc = ABT_thread_attr_set_stack(e->attr, jdi_stack_low(&u->stack), below);
    if (rc == ABT_SUCCESS)
        rc = ABT_thread_create(e->limbo, argobots_run, u, e->attr, &u->thread);
    if (rc == ABT_SUCCESS)
        rc = ABT_pool_pop_thread(e->limbo, &popped);
    pthread_mutex_unlock(&e->birth);
    JD_CHECK(rc != ABT_SUCCESS || popped == u->thread);
    return rc;
}

static struct jdi_ult *argobots_create(struct jdi_engine *e, jdi_ult_fn *fn, void *arg,
                                       struct jdi_ult_room *room)
{
    struct jdi_stack stack;
    if (jdi_stack_cache_take(&e->stacks, room ? room->stack : 0, &stack))
        return NULL;
    char *low = jdi_stack_low(&stack);
    struct jdi_ult *u = jdi_stack_furnish(&stack, sizeof *u, room);
    size_t below = (size_t)((char *)u - low);
    jdi_san_clean(low, stack.size);
    *u = (struct jdi_ult){.stack = stack,
                          .fn = fn,
                          .arg = room ? room->at : arg,
                          .engine = e,
                          .state = ULT_NEW};
    if (bear(e, u, below) != ABT_SUCCESS) {
        jdi_stack_cache_give(&e->stacks, &stack);
        return NULL;
    }
    jdi_san_make(&u->san, low, below);
    return u;
}

/*
 * Argobots frees only ULTs that have run to their end.  So a ULT that never ran is run here and
 * ends at once.  The caller, any context of any stream, takes part as a temporary ULT.
 */
static void run_out(struct jdi_ult *u)
{
    struct jdi_guard unguarded = {.own = {.error = NULL}};
    jdi_own_find(&unguarded.own);
    struct jdi_ult here = {.state = ULT_STARTED, .guard = &unguarded};
    JD_CHECK_EQ(ABT_self_get_thread(&here.thread), ABT_SUCCESS);
    jdi_san_adopt(&here.san);
    argobots_set_state(u, ULT_NEW, ULT_UNWANTED);
    argobots_jump(&here, u, NULL);
}

static void argobots_destroy(struct jdi_ult *u)
{
    if (u->state == ULT_NEW)
        run_out(u);
    JD_CHECK_EQ(u->state, ULT_FINISHED);
    jdi_san_free(&u->san);
    JD_CHECK_EQ(ABT_thread_free(&u->thread), ABT_SUCCESS);
    jdi_stack_cache_give(&u->engine->stacks, &u->stack);
}

/* ---- streams --------------------------------------------------------------------- */

/* Run a stream's function on the calling ULT.  Its kernel thread has entered s->guard. */
static void argobots_run_stream(struct stream *s)
{
    s->base = (struct jdi_ult){
        .guard = s->guard, .stack = s->stack, .engine = s->engine, .state = ULT_STARTED};
    JD_CHECK_EQ(ABT_self_get_thread(&s->base.thread), ABT_SUCCESS);
    jdi_san_adopt(&s->base.san);
    jdi_guard_note(s->guard, &s->base.stack);
    s->fn(s->arg, s->index, &s->base);
    jdi_guard_note(s->guard, NULL);
}

/*
 * The base ULT of a started stream; when the ULT ends, the stream ends.  Argobots does not tell the
 * checkers about its own switches.  So this function reports the switch that led here late, and the
 * switch that leads away in advance.
 */
static void base_main(void *arg)
{
    struct stream *s = arg;
    struct jdi_san scheduler, here;
    jdi_san_adopt(&scheduler);
    jdi_san_make(&here, jdi_stack_low(&s->stack), s->stack.size);
    jdi_san_leave(&scheduler, &here);
    jdi_san_arrive(&here, &scheduler);
    jdi_guard_enter(s->guard);
    argobots_run_stream(s);
    jdi_guard_leave(s->guard);
    jdi_san_finish(&here, &scheduler);
    jdi_san_arrive(&scheduler, &here);
    jdi_san_free(&here);
    sem_post(&s->ended);
    ABT_xstream_exit();
}

static struct stream *argobots_prepare(struct jdi_engine *e, unsigned i,
                                       jdi_stream_fn *fn, void *arg)
{
    JD_CHECK(i < e->nstreams);
    struct stream *s = &e->streams[i];
    s->engine = e;
    s->index = i;
    s->fn = fn;
    s->arg = arg;
    return s;
}

/* Returns an ABT_* code.  The kernel thread inherits the signal mask of the caller. */
static int make_xstream(struct stream *s)
{
    sigset_t old;
    if (jdi_fault_hit(s->engine->fault, JDI_FAULT_thread))
        return ABT_ERR_SYS;
    jdi_guard_signals_block(&old);
    int rc = ABT_xstream_create_basic(ABT_SCHED_BASIC, 0, NULL, ABT_SCHED_CONFIG_NULL,
                                      &s->xstream);
    jdi_guard_signals_restore(&old);
    return rc;
}

/* Returns an ABT_* code.  The base ULT passes through the stream's own scheduler once. */
static int make_base(struct stream *s)
{
    ABT_pool pool;
    ABT_thread_attr attr;
    int rc = ABT_xstream_get_main_pools(s->xstream, 1, &pool);
    if (rc == ABT_SUCCESS)
        rc = ABT_thread_attr_create(&attr);
    if (rc != ABT_SUCCESS)
        return rc;
    rc = ABT_thread_attr_set_stack(attr, jdi_stack_low(&s->stack), s->stack.size);
    if (rc == ABT_SUCCESS)
        rc = ABT_thread_create(pool, base_main, s, attr, NULL);
    ABT_thread_attr_free(&attr);
    return rc;
}

static int argobots_start(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    struct stream *s = argobots_prepare(e, i, fn, arg);
    int rc = ABT_SUCCESS;
    s->guard = jdi_guard_new(e->guard, e->log, e->fault);
    if (!s->guard)
        return JD_ENOMEM;
    jdi_guard_name(s->guard, i, e->what, e->what_arg);
    if (jdi_stack_map(&s->stack, BASE_STACK, e->fault))
        goto free_guard;
    jdi_san_clean(jdi_stack_low(&s->stack), s->stack.size);
    sem_init(&s->ended, 0, 0);
    rc = make_xstream(s);
    if (rc != ABT_SUCCESS)
        goto unmap_stack;
    rc = make_base(s);
    if (rc == ABT_SUCCESS)
        return 0;

    ABT_xstream_free(&s->xstream);
unmap_stack:
    jdi_log(e->log, JDI_LOG_ERROR, "cannot start worker thread %u: Argobots error %d", i,
            rc);
    sem_destroy(&s->ended);
    jdi_stack_unmap(&s->stack);
free_guard:
    jdi_guard_free(s->guard);
    return rc == ABT_SUCCESS ? JD_ENOMEM : JD_ESYS;
}

static void argobots_enter(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    struct stream *s = argobots_prepare(e, i, fn, arg);
    s->guard = e->guard;
    jdi_guard_name(s->guard, i, e->what, e->what_arg);
    s->stack = (struct jdi_stack){NULL, 0, false};
    argobots_run_stream(s);
}

/* Sleep until the stream has ended, because Argobots itself would spin. */
static void argobots_join(struct jdi_engine *e, unsigned i)
{
    struct stream *s = &e->streams[i];
    while (sem_wait(&s->ended))
        continue;
    JD_CHECK_EQ(ABT_xstream_free(&s->xstream), ABT_SUCCESS);
    sem_destroy(&s->ended);
    jdi_stack_unmap(&s->stack);
    jdi_guard_free(s->guard);
}

/* ---- the engine ------------------------------------------------------------------ */

/* Make the caller Argobots' primary ULT.  0, or JD_ESYS if there is a primary ULT already. */
static int become_primary(const struct jdi_ult_config *c)
{
    ABT_unit_type type = ABT_UNIT_TYPE_EXT;
    if (ABT_initialized() == ABT_SUCCESS)
        goto taken;
    /* The scheduler binds workers; Argobots would bind every rank to the same cores. */
    setenv("ABT_SET_AFFINITY", "0", 0);
    int rc = ABT_init(0, NULL);
    if (rc != ABT_SUCCESS) {
        jdi_log(c->log, JDI_LOG_ERROR, "cannot start Argobots: error %d", rc);
        return JD_ESYS;
    }
    /* If another thread was faster, Argobots only counts this initialisation. */
    ABT_self_get_type(&type);
    if (type == ABT_UNIT_TYPE_THREAD)
        return 0;
    ABT_finalize();
taken:
    jdi_log(c->log, JDI_LOG_ERROR,
            "Argobots runs in this process already and has room for one rank: use "
            "JACKDAW_ULT=boost");
    return JD_ESYS;
}

/* The larger of our size and the size that the user set for Argobots itself. */
static size_t stack_size(const struct jdi_ult_config *c)
{
    size_t theirs = 0;
    if (getenv("ABT_THREAD_STACKSIZE") || getenv("ABT_ENV_THREAD_STACKSIZE"))
        ABT_info_query_config(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, &theirs);
    return theirs > c->stack_size ? theirs : c->stack_size;
}

/* 0, or JD_ENOMEM; then nothing is left behind. */
static int make_limbo(struct jdi_engine *e)
{
    /* `birth` admits one user at a time, so the pool needs no lock. */
    if (ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_FALSE,
                              &e->limbo) != ABT_SUCCESS)
        return JD_ENOMEM;
    if (ABT_thread_attr_create(&e->attr) != ABT_SUCCESS) {
        ABT_pool_free(&e->limbo);
        return JD_ENOMEM;
    }
    return 0;
}

static int argobots_open(struct jdi_engine **out, const struct jdi_ult_config *c)
{
    int rc = JD_ENOMEM;
    struct jdi_engine *e = jdi_zalloc(c->fault, sizeof *e);
    if (!e)
        return rc;
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
    rc = become_primary(c);
    if (rc)
        goto free_guard;
    rc = make_limbo(e);
    if (rc)
        goto finalize;
    pthread_mutex_init(&e->birth, NULL);
    jdi_stack_cache_init(&e->stacks, stack_size(c), c->fault, c->log);
    jdi_guard_enter(e->guard);
    *out = e;
    return 0;

finalize:
    ABT_finalize();
free_guard:
    jdi_guard_free(e->guard);
free_streams:
    jdi_free(e->streams);
free_engine:
    jdi_free(e);
    return rc;
}

static void argobots_close(struct jdi_engine *e)
{
    jdi_stack_cache_fini(&e->stacks);
    ABT_thread_attr_free(&e->attr);
    ABT_pool_free(&e->limbo);
    ABT_finalize();
    pthread_mutex_destroy(&e->birth);
    jdi_guard_leave(e->guard);
    jdi_guard_free(e->guard);
    jdi_free(e->streams);
    jdi_free(e);
}

const struct jdi_ult_ops jdi_ult_argobots = {
    .name = "argobots",
    .open = argobots_open,
    .start = argobots_start,
    .enter = argobots_enter,
    .join = argobots_join,
    .create = argobots_create,
    .jump = argobots_jump,
    .destroy = argobots_destroy,
    .close = argobots_close,
};
