/*
 * Of a trace whose times were written down by hand: which task was spawned where, also tasks of finishes; which task of a steal ran
 * first; and how long the critical path of each finish is, also where its opener is a body that stops, or a task that waits
 * for it.
 */
#include "test/kit/tap.h"
#include "tools/trace.h"

#include <stdlib.h>
#include <string.h>

const char trace_tool[] = "test";

enum { A, B, C, D, E, X, Y, ROWS, MOST = 32, BODY = 7, TASK_E = 9, F = 1, G, H, K };
enum { WORKER_0, COMM_0, WORKER_1, COMM_1, THREADS };

static struct jdi_trace_event event[THREADS][MOST];
static uint32_t count[THREADS];

static uint64_t number_of(unsigned task)
{
    return UINT64_C(1) << 63 | task;
}
static uint64_t finish_number(unsigned finish)
{
    return UINT64_C(1) << 63 | finish;
}

static void put(unsigned thread, uint64_t ns, enum jdi_trace_kind kind, uint64_t a,
                uint64_t b)
{
    event[thread][count[thread]++] =
        (struct jdi_trace_event){ns, b, (uint64_t)kind | a << 24};
}
static void spawn(unsigned thread, uint64_t ns, unsigned finish, unsigned task)
{
    put(thread, ns, JDI_TRACE_ASYNC, finish, number_of(task));
}
static void ran(unsigned thread, uint64_t from, uint64_t to, unsigned task)
{
    put(thread, from, JDI_TRACE_TASK, to - from, number_of(task));
    event[thread][count[thread] - 1].word |= (uint64_t)task << 8;
}

/* The body opens F, and spawns A after 50 ns.  A spawns B after 300, which is stolen, and C after 500; in between it
 * waits for G, whose D runs on the stack of A. */
static void write_first(void)
{
    put(WORKER_0, 100, JDI_TRACE_OPEN, 0, finish_number(F));
    spawn(WORKER_0, 150, F, A);
    put(WORKER_0, 160, JDI_TRACE_STOP, 1, BODY);
    spawn(WORKER_0, 500, F, B);
    spawn(WORKER_0, 700, F, C);
    put(WORKER_0, 800, JDI_TRACE_OPEN, 0, finish_number(G));
    spawn(WORKER_0, 850, G, D);
    ran(WORKER_0, 900, 1000, D);
    put(WORKER_0, 1100, JDI_TRACE_CLOSE, 0, finish_number(G));
    ran(WORKER_0, 200, 1200, A);
    ran(WORKER_0, 1300, 1400, C);
    put(WORKER_0, 4990, JDI_TRACE_GO, 0, BODY);
    put(WORKER_0, 5000, JDI_TRACE_CLOSE, 0, finish_number(F));
    put(COMM_1, 1500, JDI_TRACE_ASK, 0, 1);
    put(COMM_1, 1500, JDI_TRACE_ASK, 0, 0);
    put(COMM_1, 1550, JDI_TRACE_REFUSED, 0, 0);
    put(COMM_1, 1600, JDI_TRACE_GIVEN, 0, 2);
    put(COMM_1, 1600, JDI_TRACE_CAME, 0, number_of(ROWS)); /* stolen back */
    put(COMM_1, 1600, JDI_TRACE_CAME, 0, number_of(B));
    event[COMM_1][0].word = JDI_TRACE_ASK | UINT64_C(5) << 8; /* of another collection */
    event[COMM_1][2].word = JDI_TRACE_REFUSED | UINT64_C(5) << 8;
    ran(WORKER_1, 2000, 3000, B);
}

/* The body opens K, and spawns E after 50 ns.  E waits for H, whose X takes 1400 ns elsewhere; then it spawns Y. */
static void write_second(void)
{
    put(WORKER_0, 5900, JDI_TRACE_OPEN, 0, finish_number(K));
    spawn(WORKER_0, 5950, K, E);
    put(WORKER_0, 5960, JDI_TRACE_STOP, 1, BODY);
    put(WORKER_0, 5990, JDI_TRACE_GO, 0, TASK_E);
    put(WORKER_0, 6100, JDI_TRACE_OPEN, 0, finish_number(H));
    spawn(WORKER_0, 6200, H, X);
    put(WORKER_0, 6300, JDI_TRACE_STOP, 1, TASK_E);
    put(WORKER_0, 7990, JDI_TRACE_GO, 0, TASK_E);
    put(WORKER_0, 8000, JDI_TRACE_CLOSE, 0, finish_number(H));
    spawn(WORKER_0, 8100, K, Y);
    ran(WORKER_0, 6000, 8150, E);
    put(WORKER_0, 8160, JDI_TRACE_STOP, 0, TASK_E);
    ran(WORKER_0, 9500, 9600, Y);
    put(WORKER_0, 9700, JDI_TRACE_GO, 0, BODY);
    put(WORKER_0, 9800, JDI_TRACE_CLOSE, 0, finish_number(K));
    ran(WORKER_1, 6500, 7900, X);
}

/* Where the first piece of a task is; NULL: nowhere. */
static const struct trace_piece *piece_of(const struct trace *t, unsigned thread,
                                          unsigned task)
{
    for (size_t i = 0; i < t->thread[thread].npieces; i++)
        if (t->thread[thread].piece[i].id == number_of(task) &&
            t->thread[thread].piece[i].first)
            return &t->thread[thread].piece[i];
    return NULL;
}

/* Whose piece an arrow to that task comes from; ROWS: there is none. */
static unsigned parent_of(const struct trace *t, unsigned thread, unsigned task)
{
    const struct trace_piece *p = piece_of(t, thread, task);
    if (!p || !p->parent)
        return ROWS;
    uint64_t at = (p->parent & ((UINT64_C(1) << 40) - 1)) - 1;
    return (unsigned)t->thread[p->parent >> 40].piece[at].row;
}

static void test_arrows(const struct trace *t)
{
    is_u64(parent_of(t, WORKER_1, B), A, "B was spawned by A, on another thread");
    is_u64(parent_of(t, WORKER_1, X), E, "X by E");
    is_u64(parent_of(t, WORKER_0, C), ROWS, "C on its own thread: it has no arrow");
    is_u64(parent_of(t, WORKER_0, A), ROWS, "A by the body, which is no slice");
}

static void test_steals(const struct trace *t)
{
    const struct trace_piece *b = piece_of(t, WORKER_1, B);
    is_u64(t->nsteals, 1, "one steal has brought tasks");
    is_u64(t->nrefused, 1, "one was refused");
    is_u64(t->steal[0].asked, 1500, "it was asked for");
    is_u64(t->steal[0].came, 1600, "came");
    is_u64(t->steal[0].ran, 2000, "and ran, the first of its tasks");
    is_u64(b ? b->steal : 0, 1, "which was B");
}

static void test_paths(const struct trace *t)
{
    struct trace_finish f[] = {
        {.number = F}, {.number = G}, {.number = H}, {.number = K}};
    struct trace_path *p = trace_path_find(t, f, JDI_ARRAY_LEN(f));
    char text[512] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    is_u64(f[0].path, 50 + 300 + 1000, "the path of F: the body, A until it spawns B, B");
    is_u64(f[1].path, 50 + 100, "of G: A from its opening to the spawn of D, D");
    is_u64(f[2].path, 100 + 1400, "of H: E until it spawns X, X");
    is_u64(f[3].path, 50 + 200 + 1400 + 100 + 100,
           "of K: the body, E, X for which E waits, E until it spawns Y, Y");
    trace_path_show(t, p, &f[3], to);
    fclose(to);
    ok(strstr(text, ": 1 x 1.40 us, 2 e 300 ns, 1 y 100 ns, 1 the opener 50.0 ns\n") !=
           NULL,
       "and who is on it: %s", text);
    trace_path_free(p);
}

int main(void)
{
    static char names[ROWS][2] = {"a", "b", "c", "d", "e", "x", "y"};
    char *row[ROWS];
    struct trace_rank rank[2] = {{.known = true, .workers = 1},
                                 {.known = true, .workers = 1, .rank = 1}};
    struct trace_thread thread[THREADS];
    const struct jdi_trace_event *run[THREADS];
    struct trace t = {.thread = thread, .nthreads = THREADS, .rank = rank, .nranks = 2};
    write_first();
    write_second();
    for (unsigned i = 0; i < ROWS; i++)
        row[i] = names[i];
    t.row = row;
    t.nrows = ROWS;
    for (unsigned i = 0; i < THREADS; i++) {
        run[i] = event[i];
        thread[i] = (struct trace_thread){.rank = i / 2,
                                          .owner = (uint16_t)(i % 2),
                                          .of = &rank[i / 2],
                                          .run = &run[i],
                                          .count = &count[i],
                                          .nruns = 1};
    }
    trace_find_pieces(&t);
    test_arrows(&t);
    test_steals(&t);
    test_paths(&t);
    for (unsigned i = 0; i < THREADS; i++) {
        free(thread[i].piece);
        free(thread[i].sleep);
    }
    free(t.born);
    free(t.steal);
    return done_testing();
}
