/*
 * balance.c - a session: sums, the balancer's plan, its judgement, who takes what.
 *
 * See: balance.h, machine.h; doc/balance.md section 1.
 */
#include "sched/balance/balance.h"
#include "sched/balance/doubt.h"
#include "sched/balance/letter.h"
#include "sched/balance/shape.h"

#include <string.h>

static void set_state(struct jdi_balance *b, enum jdi_balance_state from,
                      enum jdi_balance_state to)
{
    JD_CHECK_EQ(b->state, from);
    b->state = to;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void note_said(struct jdi_balance *b, uint32_t src)
{
    uint32_t child = jdi_shape_child(b, src);
    b->said[child / 64] |= UINT64_C(1) << child % 64;
    b->missing--;
}

/* ---- the end of a session ---------------------------------------------------------------- */

static int end_session(struct jdi_balance *b, enum jdi_balance_state from)
{
    uint32_t moves = 0;
    for (uint32_t i = 0; b->figures.kept && i < b->n; i++)
        moves += b->to[i] != JDI_BALANCE_HERE;
    if (moves > 0) {
        b->move = jdi_alloc_small(b->c.fault, moves * sizeof *b->move);
        if (!b->move)
            return JD_ENOMEM;
        for (uint32_t i = 0; i < b->n; i++)
            if (b->to[i] != JDI_BALANCE_HERE)
                b->move[b->moves++] = (struct jdi_balance_move){i, b->to[i]};
    }
    b->c.ops->end(b);
    set_state(b, from, JDI_BALANCE_DONE);
    return 0;
}

/* Tell each donor which of its tasks are here. */
static int take(struct jdi_balance *b)
{
    const struct jdi_balance_head what = {.type = JDI_BALANCE_TAKEN};
    struct jdi_lots taken = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < b->have.n; i++)
        if (b->have.at[i].rank != b->c.rank)
            rc = jdi_lots_add(
                &taken, (struct jdi_lot){0, b->have.at[i].rank, b->have.at[i].place},
                b->c.fault);
    b->arriving = taken.n;
    b->work += jdi_lots_sort(&taken);
    for (uint32_t i = 0, end; !rc && i < taken.n; i = end) {
        for (end = i; end < taken.n && taken.at[end].rank == taken.at[i].rank;)
            end++;
        rc = jdi_letter_send(b, taken.at[i].rank, &what, taken.at + i, end - i);
    }
    jdi_lots_free(&taken);
    return rc;
}

static int end_if_all_taken(struct jdi_balance *b)
{
    return b->state == JDI_BALANCE_SETTLES && b->untaken == 0
               ? end_session(b, JDI_BALANCE_SETTLES)
               : 0;
}

static int hear_verdict(struct jdi_balance *b, const struct jdi_balance_figures *f)
{
    struct jdi_balance_head what = {.type = JDI_BALANCE_VERDICT};
    b->figures.moved = f->moved;
    b->figures.moved_bytes = f->moved_bytes;
    b->figures.kept = f->kept;
    b->figures.most_after = f->kept ? f->most_after : b->figures.most_before;
    what.word[VERDICT_MOST] = f->most_after;
    what.word[VERDICT_MOVED] = f->moved;
    what.word[VERDICT_BYTES] = f->moved_bytes;
    what.word[VERDICT_KEPT] = f->kept;
    int rc = jdi_shape_tell(b, &what);
    if (rc || !f->kept)
        return rc ? rc : end_session(b, JDI_BALANCE_JUDGES);
    set_state(b, JDI_BALANCE_JUDGES, JDI_BALANCE_SETTLES);
    rc = take(b);
    return rc ? rc : end_if_all_taken(b);
}

static bool asks(struct jdi_balance *b, enum jdi_balance_question q,
                 const struct jdi_balance_figures *f)
{
    return !b->env.go || b->env.go(b->env.ctx, q, f);
}

/* All below have planned: tell the parent, or decide. */
static int judge_plans(struct jdi_balance *b)
{
    struct jdi_balance_figures *f = &b->below;
    if (b->c.rank > 0) {
        const struct jdi_balance_head what = {
            .type = JDI_BALANCE_JUDGE,
            .word = {f->tasks, f->sum, f->most_after, f->moved, f->moved_bytes}};
        return jdi_letter_send(b, jdi_shape_parent(b, b->c.rank), &what, NULL, 0);
    }
    if (f->tasks != b->figures.tasks || f->sum != b->figures.sum) {
        b->lie = "plans that do not have all tasks once";
        b->liar = b->c.rank;
        return JD_EINVAL;
    }
    struct jdi_balance_figures all = b->figures;
    all.most_after = f->most_after;
    all.moved = f->moved;
    all.moved_bytes = f->moved_bytes;
    all.kept = all.most_after < all.most_before && asks(b, JDI_BALANCE_MOVES, &all);
    return hear_verdict(b, &all);
}

int jdi_balance_planned(struct jdi_balance *b)
{
    struct jdi_balance_figures *f = &b->below;
    set_state(b, JDI_BALANCE_PLANS, JDI_BALANCE_JUDGES);
    JD_ASSERT(!b->own_judged);
    b->own_judged = true;
    b->untaken = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->to[i] == JDI_BALANCE_GONE) {
            b->untaken++;
            f->moved++;
            f->moved_bytes += b->task[i].bytes;
        }
    f->tasks += b->have.n;
    f->sum += b->load;
    f->most_after = max_u64(f->most_after, b->load);
    JD_AUDIT(jdi_balance_check(b));
    return b->missing == 0 ? judge_plans(b) : 0;
}

/* ---- the sums ---------------------------------------------------------------------------- */

/* What no plan can be below. */
static uint64_t bound(const struct jdi_balance_figures *f, uint32_t nranks)
{
    return max_u64((f->sum + nranks - 1) / nranks, f->largest);
}

static int hear_average(struct jdi_balance *b, const struct jdi_balance_figures *f)
{
    struct jdi_balance_head what = {.type = JDI_BALANCE_AVERAGE};
    b->figures = *f;
    what.word[SUM_TASKS] = f->tasks;
    what.word[SUM_SUM] = f->sum;
    what.word[SUM_LARGEST] = f->largest;
    what.word[SUM_MOST] = f->most_before;
    what.word[SUM_PLANNED] = f->planned;
    int rc = jdi_shape_tell(b, &what);
    if (rc || !f->planned)
        return rc ? rc : end_session(b, JDI_BALANCE_SUMS);
    b->limit = (uint64_t)(b->c.donate * (double)f->sum / b->c.nranks);
    b->missing = b->children;
    memset(b->said, 0, sizeof b->said);
    b->below = (struct jdi_balance_figures){0};
    set_state(b, JDI_BALANCE_SUMS, JDI_BALANCE_PLANS);
    return b->c.ops->begin(b);
}

/* All below have said their sums: tell the parent, or decide. */
static int add_up(struct jdi_balance *b)
{
    struct jdi_balance_figures f = b->below;
    if (b->c.rank > 0) {
        const struct jdi_balance_head what = {
            .type = JDI_BALANCE_SUM, .word = {f.tasks, f.sum, f.largest, f.most_before}};
        return jdi_letter_send(b, jdi_shape_parent(b, b->c.rank), &what, NULL, 0);
    }
    f.most_after = f.most_before;
    f.planned = (double)f.most_before > b->c.donate * (double)bound(&f, b->c.nranks) &&
                asks(b, JDI_BALANCE_PLAN, &f);
    return hear_average(b, &f);
}

static void add_sums(struct jdi_balance_figures *f, const uint64_t word[])
{
    f->tasks += word[SUM_TASKS];
    f->sum += word[SUM_SUM];
    f->largest = max_u64(f->largest, word[SUM_LARGEST]);
    f->most_before = max_u64(f->most_before, word[SUM_MOST]);
}

/* ---- messages ---------------------------------------------------------------------------- */

static int on_sum(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    add_sums(&b->below, in->head.word);
    note_said(b, in->src);
    return b->missing == 0 ? add_up(b) : 0;
}

static int on_average(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    struct jdi_balance_figures f = {.planned = in->head.word[SUM_PLANNED] != 0};
    add_sums(&f, in->head.word);
    f.most_after = f.most_before;
    return hear_average(b, &f);
}

static int on_judge(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    struct jdi_balance_figures *f = &b->below;
    f->tasks += w[JUDGE_TASKS];
    f->sum += w[JUDGE_SUM];
    f->most_after = max_u64(f->most_after, w[JUDGE_MOST]);
    f->moved += w[JUDGE_MOVED];
    f->moved_bytes += w[JUDGE_BYTES];
    note_said(b, in->src);
    return b->missing == 0 && b->own_judged ? judge_plans(b) : 0;
}

static int on_verdict(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    const struct jdi_balance_figures f = {.most_after = w[VERDICT_MOST],
                                          .moved = w[VERDICT_MOVED],
                                          .moved_bytes = w[VERDICT_BYTES],
                                          .kept = w[VERDICT_KEPT] != 0};
    return hear_verdict(b, &f);
}

static int on_taken(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    for (uint32_t i = 0; i < in->n; i++)
        b->to[in->lot[i].place] = in->src;
    JD_CHECK(b->untaken >= in->n);
    b->untaken -= in->n;
    b->work += in->n;
    return end_if_all_taken(b);
}

static int handle(struct jdi_balance *b, const struct jdi_letter *l)
{
    const struct jdi_balance_in in = {l->src, l->head, l->lot, l->head.total};
    const char *fault = jdi_doubt_fault(b, &in);
    if (fault) {
        b->lie = fault;
        b->liar = l->src;
        return JD_EINVAL;
    }
    switch (in.head.type) {
    case JDI_BALANCE_SUM:
        return on_sum(b, &in);
    case JDI_BALANCE_AVERAGE:
        return on_average(b, &in);
    case JDI_BALANCE_JUDGE:
        return on_judge(b, &in);
    case JDI_BALANCE_VERDICT:
        return on_verdict(b, &in);
    case JDI_BALANCE_TAKEN:
        return on_taken(b, &in);
    default:
        return b->c.ops->message(b, &in);
    }
}

/* ---- what comes too early ----------------------------------------------------------------- */

/* Only sums of the next session can come before its start here: all else answers sums of this
 * rank, too. */
static bool is_early(const struct jdi_balance *b, const struct jdi_letter *l)
{
    const struct jdi_balance_head *h = &l->head;
    if (h->session != b->session)
        return h->session == b->session + 1 && h->type == JDI_BALANCE_SUM &&
               (b->state == JDI_BALANCE_OFF || b->state >= JDI_BALANCE_SETTLES);
    if (h->type <= JDI_BALANCE_TAKEN)
        return false;
    return b->state == JDI_BALANCE_SUMS ||
           (b->state == JDI_BALANCE_PLANS && b->c.ops->early && b->c.ops->early(b, h));
}

static const char *fault_of_keeping(const struct jdi_balance *b,
                                    const struct jdi_letter *new)
{
    for (const struct jdi_letter *l = b->kept; l; l = l->next)
        if (l->src == new->src && l->head.session == new->head.session &&
            l->head.type == new->head.type && l->head.step == new->head.step)
            return "the same message twice";
    return NULL;
}

static int handle_kept(struct jdi_balance *b)
{
    int rc = 0;
    for (struct jdi_letter **at = &b->kept; !rc && *at;) {
        struct jdi_letter *l = *at;
        if (is_early(b, l)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        rc = handle(b, l);
        jdi_letter_free(l);
        at = &b->kept; /* handling may have made others due */
    }
    return rc;
}

int jdi_balance_message(struct jdi_balance *b, uint32_t src, const void *bytes,
                        size_t len)
{
    struct jdi_letter *l;
    b->lie = jdi_letter_fault(b, src, bytes, len);
    b->liar = src;
    if (b->lie)
        return JD_EINVAL;
    int rc = jdi_letter_take(b, src, bytes, len, &l);
    if (rc || !l)
        return rc;
    if (is_early(b, l)) {
        b->lie = fault_of_keeping(b, l);
        if (b->lie) {
            jdi_letter_free(l);
            return JD_EINVAL;
        }
        l->next = b->kept;
        b->kept = l;
        return 0;
    }
    rc = handle(b, l);
    jdi_letter_free(l);
    return rc ? rc : handle_kept(b);
}

/* ---- the life of the object --------------------------------------------------------------- */

static void set_default(double *value, double to)
{
    *value = *value > 0 ? *value : to;
}

static void set_defaults(struct jdi_balance_config *c)
{
    set_default(&c->donate, 1.003);
    set_default(&c->accept, 1.003);
    c->arity = c->arity ? c->arity : 3;
    c->holes = c->holes ? c->holes : 256;
    c->fanout = c->fanout ? c->fanout : 2;
    c->rounds = c->rounds ? c->rounds : 6;
    c->known = c->known ? c->known : 64;
    c->iterations = c->iterations ? c->iterations : c->ops->iterations;
    JD_CHECK(c->arity >= 2 && c->arity <= JDI_BALANCE_ARITY_MOST);
    JD_CHECK(c->holes <= JDI_BALANCE_HOLES_MOST || c->holes == JDI_BALANCE_AS_PRINTED);
    JD_CHECK(c->donate >= 1 && c->accept >= 1 && c->rank < c->nranks);
    JD_CHECK(c->fanout <= JDI_BALANCE_FANOUT_MOST &&
             c->rounds <= JDI_BALANCE_ROUNDS_MOST && c->known <= JDI_BALANCE_KNOWN_MOST &&
             c->iterations <= JDI_BALANCE_ITERATIONS_MOST);
}

struct jdi_balance *jdi_balance_new(const struct jdi_balance_config *c,
                                    const struct jdi_balance_env *env)
{
    size_t size = jdi_round_up(sizeof(struct jdi_balance), 16);
    struct jdi_balance *b = jdi_zalloc(c->fault, size + c->ops->size);
    if (!b)
        return NULL;
    b->c = *c;
    b->env = *env;
    b->own = (char *)b + size;
    b->state = JDI_BALANCE_OFF;
    set_defaults(&b->c);
    b->level = jdi_shape_level(b);
    b->children = jdi_shape_children(b);
    return b;
}

/* What belongs to one session. */
static void forget(struct jdi_balance *b)
{
    jdi_free(b->task);
    jdi_free(b->to);
    jdi_free(b->move);
    jdi_lots_free(&b->have);
    b->task = NULL;
    b->to = NULL;
    b->move = NULL;
    b->moves = b->arriving = b->n = b->untaken = 0;
    b->load = 0;
    b->own_judged = false;
    memset(b->said, 0, sizeof b->said);
    b->figures = b->below = (struct jdi_balance_figures){0};
}

void jdi_balance_free(struct jdi_balance *b)
{
    if (!b)
        return;
    b->c.ops->end(b);
    forget(b);
    jdi_letter_free_all(&b->letters);
    jdi_letter_free_all(&b->kept);
    jdi_free(b);
}

/* Copy the tasks of this rank. */
static int bring(struct jdi_balance *b, const struct jdi_balance_task *tasks, uint32_t n)
{
    b->task = jdi_alloc_small(b->c.fault, n * sizeof *b->task);
    b->to = jdi_alloc_small(b->c.fault, n * sizeof *b->to);
    if (!b->task || !b->to)
        return JD_ENOMEM;
    if (n > 0)
        memcpy(b->task, tasks, n * sizeof *b->task);
    b->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct jdi_lot lot = {tasks[i].time, b->c.rank, i};
        JD_CHECK(tasks[i].time <= JDI_BALANCE_TIME_MOST &&
                 (i == 0 || tasks[i].time >= tasks[i - 1].time));
        b->to[i] = JDI_BALANCE_HERE;
        if (jdi_lots_add(&b->have, lot, b->c.fault))
            return JD_ENOMEM;
        b->load += lot.time;
    }
    return 0;
}

int jdi_balance_start(struct jdi_balance *b, const struct jdi_balance_task *tasks,
                      uint32_t n)
{
    JD_CHECK(b->state == JDI_BALANCE_OFF || b->state == JDI_BALANCE_DONE);
    forget(b);
    int rc = bring(b, tasks, n);
    if (rc)
        return rc;
    b->work += n;
    b->session++;
    b->missing = b->children;
    b->below = (struct jdi_balance_figures){.tasks = n,
                                            .sum = b->load,
                                            .largest = n ? tasks[n - 1].time : 0,
                                            .most_before = b->load};
    set_state(b, b->state, JDI_BALANCE_SUMS);
    rc = b->missing == 0 ? add_up(b) : 0;
    return rc ? rc : handle_kept(b);
}

const char *jdi_balance_lie(const struct jdi_balance *b, uint32_t *src)
{
    *src = b->liar;
    return b->lie;
}

bool jdi_balance_done(const struct jdi_balance *b)
{
    return b->state == JDI_BALANCE_DONE;
}

struct jdi_balance_plan jdi_balance_plan(const struct jdi_balance *b)
{
    JD_CHECK_EQ(b->state, JDI_BALANCE_DONE);
    return (struct jdi_balance_plan){b->move, b->moves, b->arriving, b->figures};
}

uint64_t jdi_balance_work(const struct jdi_balance *b)
{
    return b->work;
}

void jdi_balance_check(const struct jdi_balance *b)
{
    uint64_t load = 0;
    uint32_t own = 0, here = 0;
    for (uint32_t i = 0; i < b->have.n; i++) {
        const struct jdi_lot *lot = &b->have.at[i];
        JD_CHECK(i == 0 || jdi_lots_before(lot - 1, lot));
        JD_CHECK(lot->rank != b->c.rank || b->to[lot->place] == JDI_BALANCE_HERE);
        load += lot->time;
        own += lot->rank == b->c.rank;
    }
    for (uint32_t i = 0; i < b->n; i++)
        here += b->to[i] == JDI_BALANCE_HERE;
    JD_CHECK_EQ(load, b->load);
    JD_CHECK(own <= here);
    JD_CHECK(b->missing <= b->children);
    if (b->c.ops->check && b->state == JDI_BALANCE_PLANS)
        b->c.ops->check(b);
}
