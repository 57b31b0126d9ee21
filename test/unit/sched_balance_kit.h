/*
 * sched_balance_kit.h - a session of a balancer by hand: a few ranks, and a bag of messages.
 *
 * Role: makes the tasks of a seed, runs a session while chance decides which message comes next, and
 *       looks at what became of the tasks.
 * Owner: the test.
 * See: sched/balance/balance.h; test/unit/sched_balance_*.
 */
#ifndef JDI_TEST_UNIT_SCHED_BALANCE_KIT_H
#define JDI_TEST_UNIT_SCHED_BALANCE_KIT_H

#include "conform/dice.h"
#include "sched/balance/balance.h"
#include "sched/balance/machine.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

enum { FAIR_RANKS = 32, FAIR_TASKS = 64, FAIR_MAILS = 20000 };

static const struct jdi_balance_ops *const balancers[] = {
    &jdi_balance_central, &jdi_balance_tree, &jdi_balance_tree, &jdi_balance_gossip};
static const char *const balancer_names[] = {"central", "tree", "printed", "gossip"};
enum { PRINTED = 2, BALANCERS = 4 };

struct fair_mail {
    uint32_t src, dst;
    size_t len;
    void *bytes;
};

/* Some ranks with tasks, and the messages between them. */
struct fair {
    struct stand {
        struct fair *fair;
        struct jdi_balance *b;
        struct jdi_balance_task task[FAIR_TASKS];
        uint32_t n;
        bool started;
    } stand[FAIR_RANKS];
    uint32_t ranks;
    uint64_t dice; /* of the messages */
    uint32_t mails;
    uint64_t delivered;
    struct fair_mail mail[FAIR_MAILS];
    bool (*spoils)(struct fair *f,
                   const struct fair_mail *m); /* or NULL: true: not delivered */
};

static inline void fair_send(void *ctx, uint32_t dst, const void *bytes, size_t len)
{
    struct stand *s = ctx;
    struct fair *f = s->fair;
    JD_CHECK(f->mails < FAIR_MAILS && dst < f->ranks && len <= JDI_BALANCE_BYTES);
    struct fair_mail m = {(uint32_t)(s - f->stand), dst, len, malloc(len)};
    memcpy(m.bytes, bytes, len);
    f->mail[f->mails++] = m;
}

static inline int compare_times(const void *a, const void *b)
{
    const struct jdi_balance_task *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Ranks without tasks, equal tasks, tasks of no time and a few giants are among them. */
static inline void fair_deal(struct fair *f, uint64_t seed)
{
    uint64_t dice = seed * 0x9e3779b97f4a7c15u;
    uint32_t most = 1 + jdi_dice_below(&dice, FAIR_TASKS),
             shape = jdi_dice_below(&dice, 4);
    for (uint32_t r = 0; r < f->ranks; r++) {
        struct stand *s = &f->stand[r];
        s->n = jdi_dice_below(&dice, 3) ? jdi_dice_below(&dice, most) : 0;
        s->n = shape == 3 && r > 0 ? 0 : s->n;
        for (uint32_t i = 0; i < s->n; i++) {
            uint64_t time = shape == 0 ? 1000 : jdi_dice_below(&dice, 100000);
            if (shape == 2 && jdi_dice_below(&dice, 16) == 0)
                time *= 50;
            s->task[i] = (struct jdi_balance_task){r, i, time, jdi_dice_below(&dice, 99)};
        }
        qsort(s->task, s->n, sizeof s->task[0], compare_times);
    }
}

static inline void fair_open(struct fair *f, unsigned balancer, uint32_t ranks,
                             uint64_t seed)
{
    struct jdi_balance_config c = {.ops = balancers[balancer], .nranks = ranks};
    memset(f, 0, sizeof *f);
    f->ranks = ranks;
    f->dice = seed;
    c.seed = seed;
    c.arity = 2 + (uint32_t)(seed % 3);
    c.holes = balancer == PRINTED ? JDI_BALANCE_AS_PRINTED : 0;
    for (uint32_t r = 0; r < ranks; r++) {
        const struct jdi_balance_env env = {.ctx = &f->stand[r], .send = fair_send};
        c.rank = r;
        f->stand[r].fair = f;
        f->stand[r].b = jdi_balance_new(&c, &env);
        JD_CHECK(f->stand[r].b != NULL);
    }
}

static inline void fair_close(struct fair *f)
{
    for (uint32_t i = 0; i < f->mails; i++)
        free(f->mail[i].bytes);
    for (uint32_t r = 0; r < f->ranks; r++)
        jdi_balance_free(f->stand[r].b);
}

/* One of the messages, or of the ranks that have not started: chance says which.  False if there is
 * none; *rc: what the machine says. */
static inline bool fair_step(struct fair *f, int *rc)
{
    uint32_t asleep = 0, first = 0;
    for (uint32_t r = f->ranks; r-- > 0;)
        if (!f->stand[r].started) {
            first = r;
            asleep++;
        }
    *rc = 0;
    if (asleep + f->mails == 0)
        return false;
    if (asleep > 0 && jdi_dice_below(&f->dice, 1 + f->mails) == 0) {
        struct stand *s = &f->stand[first];
        s->started = true;
        *rc = jdi_balance_start(s->b, s->task, s->n);
        return true;
    }
    if (f->mails == 0)
        return true;
    uint32_t i = jdi_dice_below(&f->dice, f->mails);
    struct fair_mail m = f->mail[i];
    f->mail[i] = f->mail[--f->mails];
    f->delivered++;
    if (!f->spoils || !f->spoils(f, &m))
        *rc = jdi_balance_message(f->stand[m.dst].b, m.src, m.bytes, m.len);
    free(m.bytes);
    return true;
}

/* A whole session.  Returns NULL, or what went wrong. */
static inline const char *fair_session(struct fair *f)
{
    int rc;
    for (uint32_t r = 0; r < f->ranks; r++)
        f->stand[r].started = false;
    while (fair_step(f, &rc))
        if (rc) {
            for (uint32_t r = 0, src; r < f->ranks; r++)
                if (jdi_balance_lie(f->stand[r].b, &src))
                    return jdi_balance_lie(f->stand[r].b, &src);
            return jd_strerror(rc);
        }
    for (uint32_t r = 0; r < f->ranks; r++) {
        jdi_balance_check(f->stand[r].b);
        if (!jdi_balance_done(f->stand[r].b))
            return "a rank is not done";
    }
    return NULL;
}

struct fair_result {
    uint64_t before, after, least; /* largest loads; what no plan is below */
    uint64_t moved, moved_bytes;
    const char
        *wrong; /* a task that is nowhere or twice somewhere, figures that are not so */
};

static inline struct fair_result fair_judge(const struct fair *f)
{
    struct fair_result out = {0};
    uint64_t load[FAIR_RANKS] = {0}, sum = 0, largest = 0;
    uint32_t arrivals[FAIR_RANKS] = {0};
    struct jdi_balance_figures g = jdi_balance_plan(f->stand[0].b).figures;
    for (uint32_t r = 0; r < f->ranks; r++) {
        const struct stand *s = &f->stand[r];
        struct jdi_balance_plan p = jdi_balance_plan(s->b);
        uint64_t before = 0;
        uint32_t at = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t to = at < p.moves && p.move[at].place == i ? p.move[at++].rank : r;
            if (to >= f->ranks || (at > 0 && p.move[at - 1].rank == r)) {
                out.wrong = "a task moves to its own rank, or to none";
                return out;
            }
            before += s->task[i].time;
            largest = largest > s->task[i].time ? largest : s->task[i].time;
            load[to] += s->task[i].time;
            arrivals[to] += to != r;
            out.moved += to != r;
            out.moved_bytes += to != r ? s->task[i].bytes : 0;
        }
        if (at != p.moves)
            out.wrong = "moves that do not ascend, or of tasks that do not exist";
        if (memcmp(&p.figures, &g, sizeof g) != 0)
            out.wrong = "figures that differ";
        out.before = out.before > before ? out.before : before;
        sum += before;
    }
    for (uint32_t r = 0; r < f->ranks; r++) {
        out.after = out.after > load[r] ? out.after : load[r];
        if (arrivals[r] != jdi_balance_plan(f->stand[r].b).arriving)
            out.wrong = "another number of tasks arrives";
    }
    out.least = (sum + f->ranks - 1) / f->ranks;
    out.least = out.least > largest ? out.least : largest;
    if (g.most_before != out.before || g.most_after != out.after || g.sum != sum ||
        (g.kept && (g.moved != out.moved || g.moved_bytes != out.moved_bytes)))
        out.wrong = "figures that are not so";
    return out;
}

#endif
