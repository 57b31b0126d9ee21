/*
 * sim_queue_takes_in_order.c
 *
 * Role: whatever is put, events come out by time, and of one time in the order in which they were
 *       put; cleaning takes away what is void and nothing else.
 * Owner: one thread.
 * See: am/sim/queue.h.
 */
#include "am/sim/queue.h"
#include "core/random.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { EVENTS = 3000, VOID_STREAM = 3, STREAMS = 5 };

/* The queue's contract, in the simplest way. */
struct model {
    uint64_t time[EVENTS];
    uint32_t stream[EVENTS];
    bool there[EVENTS];
    uint32_t n;
};

static uint32_t first_of(const struct model *m)
{
    uint32_t best = EVENTS;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->there[i] && (best == EVENTS || m->time[i] < m->time[best]))
            best = i;
    return best;
}

/* Many at one time, and some on both sides of the place where the lists end. */
static uint64_t delay(uint64_t *rng)
{
    static const uint64_t some[] = {0,
                                    0,
                                    1,
                                    63,
                                    64,
                                    JDI_SIM_NEAR - 1,
                                    JDI_SIM_NEAR,
                                    JDI_SIM_NEAR + 1,
                                    5 * JDI_SIM_NEAR};
    uint64_t r = jdi_random(rng);
    return r % 3 ? some[r / 3 % JDI_ARRAY_LEN(some)] : r / 3 % (3 * JDI_SIM_NEAR);
}

static void put(struct jdi_sim_queue *q, struct model *m, uint64_t time, uint64_t *rng)
{
    if (q->n == q->room && jdi_sim_queue_grow(q))
        bail_out("out of memory");
    uint32_t i = m->n++;
    m->time[i] = time;
    m->stream[i] = (uint32_t)(jdi_random(rng) % STREAMS);
    m->there[i] = true;
    jdi_sim_queue_put(
        q, (struct jdi_sim_event){.time = time, .stream = m->stream[i], .turn = i});
}

static bool take(struct jdi_sim_queue *q, struct model *m, uint64_t *now)
{
    uint32_t want = first_of(m);
    uint64_t first = jdi_sim_queue_first(q);
    struct jdi_sim_event e = jdi_sim_queue_take(q);
    m->there[want] = false;
    *now = e.time;
    return e.turn == want && first == e.time;
}

static bool is_void(const void *ctx, const struct jdi_sim_event *e)
{
    (void)ctx;
    return e->stream == VOID_STREAM;
}

static uint32_t clean(struct jdi_sim_queue *q, struct model *m)
{
    uint32_t n = 0;
    jdi_sim_queue_clean(q, is_void, NULL);
    for (uint32_t i = 0; i < m->n; i++) {
        m->there[i] = m->there[i] && m->stream[i] != VOID_STREAM;
        n += m->there[i];
    }
    return n;
}

/* Of every hundred steps so many put an event. */
static void run(uint64_t seed, unsigned puts)
{
    struct model *m = calloc(1, sizeof *m);
    struct jdi_sim_queue q = {0};
    uint64_t rng = seed, now = 0;
    uint32_t wrong = 0, lost = 0;
    if (!m)
        bail_out("out of memory");
    for (uint32_t step = 0; m->n < EVENTS; step++) {
        if (!q.n || jdi_random(&rng) % 100 < puts)
            put(&q, m, now + delay(&rng), &rng);
        else
            wrong += !take(&q, m, &now);
        if (step % 500 == 499)
            lost += clean(&q, m) != q.n;
    }
    while (q.n)
        wrong += !take(&q, m, &now);
    is_u64(wrong, 0, "%u%% puts: all come out in their order", puts);
    ok(!lost && first_of(m) == EVENTS, "cleaning takes the void ones only");
    jdi_sim_queue_fini(&q);
    free(m);
}

int main(void)
{
    run(1, 51);
    run(2, 70);
    run(3, 100);
    return done_testing();
}
