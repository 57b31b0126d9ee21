/*
 * ownstack.c - tasks that run on a stack of their own, because their row asks for one.
 *
 * Role: tasks run on the stack of a loop, whose size is JACKDAW_STACK_SIZE.  In the rank's copy of the
 *       task table the function of a row with `stack` is run_row, which jumps to a ULT with such a
 *       stack, runs the task there, and jumps back.  Other rows do not notice.
 * Owner: the worker that runs the task.
 * Invariants: I1 me->task is the row of the function that is called, so one function serves all rows.
 *             I2 while the task runs, me->ult is the ULT with the large stack, where the task stops and
 *                goes on; that of the loop is stopped in run_row.  Only me->ult is ever jumped to.
 *             I3 both belong to one jd_self: they move together to another worker.
 * See: sched/self.h; core/ult/stack.h, which keeps such stacks for the next task;
 *      test/dist/sched_waiting_on_a_stack_of_its_own.c.
 */
#include "sched/ownstack.h"

#include "core/ult/stack.h"
#include "sched/worker.h"

_Static_assert((int)JDI_REGISTRY_STACK_LEAST >= (int)JDI_STACK_LEAST &&
                   (int)JDI_REGISTRY_STACK_MOST <= (int)JDI_STACK_MOST,
               "what a row may ask for can be had");

/* What a loop and the record of its ULT use of a stack before the task. */
enum { LOOP_USE = 4096 };

/* In the room of the ULT. */
struct visit {
    jd_self *me;
    jd_task_fn fn;
    void *arg;
    struct jdi_ult *home;
};

static struct jdi_ult *visit_own(void *room, void *data)
{
    struct visit *v = room;
    (void)data;
    v->me->stack = (uintptr_t)__builtin_frame_address(0);
    v->fn(v->me, v->arg);
    return v->home;
}

/* Is there as much left of this stack as the row asks for? */
static bool fits_here(const jd_self *me, size_t bytes)
{
    uintptr_t used = me->stack - (uintptr_t)__builtin_frame_address(0);
    return used + bytes <= me->stack_size + LOOP_USE;
}

static JD_NORETURN void no_memory_for_row(const jd_self *me, const jd_task_def *row)
{
    jdi_die(&me->rank->am->log, JDI_EXIT_MEMORY,
            "out of memory for the stack of task %s (%zu bytes)", row->name, row->stack);
}

/* The function of each row with `stack`. */
static void run_row(jd_self *me, void *arg)
{
    struct jdi_rank *r = me->rank;
    const jd_task_def *row = &r->registry.given[me->task];
    if (fits_here(me, row->stack)) {
        row->fn(me, arg);
        return;
    }
    struct jdi_ult_room room = {.stack = row->stack, .bytes = sizeof(struct visit)};
    struct jdi_ult *own = r->ult->create(r->engine, visit_own, NULL, &room);
    if (!own)
        no_memory_for_row(me, row);
    struct jdi_ult *home = me->ult;
    uintptr_t stack = me->stack;
    size_t size = me->stack_size;
    *(struct visit *)room.at =
        (struct visit){.me = me, .fn = row->fn, .arg = arg, .home = home};
    me->ult = own;
    me->stack_size = row->stack;
    r->ult->jump(home, own, NULL);
    me->ult = home;
    me->stack = stack;
    me->stack_size = size;
    r->ult->destroy(own);
}

int jdi_ownstack_init(struct jdi_rank *r)
{
    struct jdi_registry *g = &r->registry;
    bool any = false;
    for (uint32_t i = 0; i < g->count; i++)
        any = any || g->given[i].stack;
    if (!any)
        return 0;
    jd_task_def *rows = jdi_alloc(&r->am->fault, g->count * sizeof *rows);
    if (!rows)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < g->count; i++) {
        rows[i] = g->given[i];
        if (rows[i].stack)
            rows[i].fn = run_row;
    }
    g->row = rows;
    return 0;
}

void jdi_ownstack_fini(struct jdi_rank *r)
{
    if (r->registry.row != r->registry.given)
        jdi_free((void *)(uintptr_t)r->registry.row);
    r->registry.row = r->registry.given;
}
