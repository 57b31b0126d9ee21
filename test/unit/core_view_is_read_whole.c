/*
 * core_view_is_read_whole.c
 *
 * Role: while one thread writes rows, others read rows of one moment; a head that is not as it has to be is refused; of
 *       two viewers the one counts that looks for longer.
 * Owner: the writer writes, two readers read.
 * See: core/view.h.
 */
#include "core/view.h"
#include "test/kit/tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 9, READS = 2000 };

static struct jdi_view *view;
static _Atomic bool ended;
static _Atomic int torn;

static struct jdi_view *new_view(void)
{
    size_t bytes = jdi_view_bytes(ROWS);
    struct jdi_view *v = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!v)
        bail_out("no memory");
    memset(v, 0, bytes);
    v->version = JDI_VIEW_VERSION;
    v->head_bytes = JDI_VIEW_HEAD;
    v->row_bytes = sizeof(struct jdi_view_row);
    v->rows = ROWS;
    v->nranks = 1;
    atomic_store(&v->magic, jdi_view_magic);
    return v;
}

static void *write_rows(void *arg)
{
    (void)arg;
    for (uint64_t n = 1; !atomic_load(&ended); n++) {
        struct jdi_view_row row = {.executed = n, .queued = n};
        jdi_view_open(view);
        for (uint32_t i = 0; i < ROWS; i++)
            jdi_view_put(view, i, &row);
        jdi_view_close(view, n);
        tap_breathe();
    }
    return NULL;
}

static void *read_rows(void *arg)
{
    uint64_t last = 0;
    for (int i = 0; i < READS; i++) {
        struct jdi_view_row row[ROWS];
        uint64_t at;
        if (!jdi_view_read(view, row, ROWS, &at))
            continue;
        bool same = at >= last;
        for (uint32_t k = 0; k < ROWS; k++)
            same = same && row[k].executed == at && row[k].queued == at;
        last = at;
        if (!same)
            atomic_fetch_add(&torn, 1);
        ++*(int *)arg;
    }
    return NULL;
}

static void damaged(void)
{
    size_t bytes = jdi_view_bytes(ROWS);
    struct jdi_view *v = new_view();
    ok(jdi_view_fits(v, bytes), "a head as it has to be");
    ok(!jdi_view_fits(v, bytes - 1), "too few bytes");
    ok(!jdi_view_fits(v, 10), "less than a head");
    struct jdi_view good = *v;
#define refused(change, name)                                                            \
    do {                                                                                 \
        v->change;                                                                       \
        ok(!jdi_view_fits(v, bytes), name);                                              \
        memcpy((void *)v, &good, sizeof good);                                           \
    } while (0)
    refused(magic++, "another magic number");
    refused(version++, "another version");
    refused(head_bytes++, "another head");
    refused(row_bytes--, "other rows");
    refused(rows = 1, "too few rows");
    refused(rows = 100000, "too many rows");
    refused(rank = 1, "a rank that is not in the job");
    memset(v->job, 'x', sizeof v->job);
    ok(!jdi_view_fits(v, bytes), "a name without an end");
    free(v);
}

int main(void)
{
    pthread_t thread[3];
    int seen[2] = {0, 0};
    struct jdi_view_row row[ROWS];
    uint64_t at;
    view = new_view();
    ok(!jdi_view_read(view, row, ROWS, &at), "before it is written nothing is read");
    pthread_create(&thread[0], NULL, write_rows, NULL);
    ok(tap_wait_for(jdi_view_read(view, row, ROWS, &at), 20), "then it is read");
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[1 + i], NULL, read_rows, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[1 + i], NULL);
    atomic_store(&ended, true);
    pthread_join(thread[0], NULL);
    ok(seen[0] > 0 && seen[1] > 0, "%d and %d readings", seen[0], seen[1]);
    is_u64((uint64_t)torn, 0, "all of them of one moment");
    jdi_view_want(view, 10);
    jdi_view_want(view, 5);
    is_u64(view->wanted, 10, "who looks for longer counts");
    free(view);
    damaged();
    return done_testing();
}
