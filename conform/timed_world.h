/*
 * timed_world.h - the state of a run in virtual time.
 *
 * Role: what timed.c (events, detector), load.c (tasks) and toll.c (cost) have in common.
 * Owner: one run, in one process.
 * Invariants: I1 left[p] is the number of tasks of phase p that exist; quiet[p] is set when all
 *                ranks have entered p and it is 0.
 * See: timed.h.
 */
#ifndef JDI_CONFORM_TIMED_WORLD_H
#define JDI_CONFORM_TIMED_WORLD_H

#include "conform/dice.h"
#include "conform/heap.h"
#include "conform/timed.h"

enum { JDI_TIMED_PHASES = 64, JDI_TIMED_FEW = 4 };

enum jdi_timed_kind {
    JDI_TIMED_TASK_ARRIVES = 1,
    JDI_TIMED_TASK_ENDS,
    JDI_TIMED_CONTROL_ARRIVES,
    JDI_TIMED_CONTROL_READ,
    JDI_TIMED_ENTERS,
    JDI_TIMED_ALARM
};

struct jdi_timed_item {
    uint8_t kind;
    bool back; /* a task message that is taken back by its sender */
    uint32_t src, dst, fuel, phase;
    uint32_t depth;   /* messages in a row since quiescence, with this one */
    uint32_t follows; /* of the tasks that a rank keeps: the next one, plus 1 */
    struct jdi_td_stamp stamp;
    struct jdi_td_msg msg;
};

struct jdi_timed_rank {
    struct jdi_timed *t;
    uint32_t phase, ended; /* entered, announced */
    uint32_t live;
    uint32_t kept;  /* the first task for the next phase, plus 1 */
    uint32_t below; /* ranks with a live task in the tree from here */
    uint64_t alarm;
    uint64_t reads, writes; /* occupied until then */
    uint64_t created, executed, ids;
    uint64_t numbered;    /* tasks that it has made in all */
    uint32_t depth, sent; /* of this phase, after quiescence */
    uint32_t again, early;
};

/* Messages from a rank to another after quiescence. */
struct jdi_timed_edge {
    uint64_t ends;
    uint32_t phase, count;
};

struct jdi_timed {
    const struct jdi_td_ops *ops;
    const struct jd_conform_load *c;
    const struct jdi_timed_bounds *bounds;
    struct jd_conform_timing *r;
    struct jdi_timed_trace *trace; /* or NULL */
    uint32_t arity, phases;
    uint64_t now, dice, last;
    uint64_t after; /* events since quiescence */
    uint32_t busy;
    bool importing, over;
    /* By phase. */
    uint32_t entered[JDI_TIMED_PHASES], announced[JDI_TIMED_PHASES];
    uint64_t left[JDI_TIMED_PHASES], created[JDI_TIMED_PHASES], ids[JDI_TIMED_PHASES];
    uint64_t quiet_at[JDI_TIMED_PHASES];
    bool quiet[JDI_TIMED_PHASES];
    uint32_t open; /* the first phase that is not announced everywhere */
    /* Cost. */
    uint64_t waited;
    uint32_t under_way; /* control messages that have not been read */
    struct jdi_timed_edge *edge;
    uint32_t edge_mask, edges;
    uint8_t said, ends; /* in this event */

    struct jdi_heap heap;
    struct jdi_timed_item *item; /* those under way, by number */
    uint32_t room, free_count;
    uint32_t *free;
    struct jdi_timed_rank *rank;
    uint32_t few[JDI_TIMED_FEW]; /* ranks among which JD_CONFORM_CHASE stays */
    uint32_t budget;             /* its messages in this phase */
    unsigned char *td;
    size_t td_size;
    struct jdi_td_figures at_quiescence;
};

/* ---- timed.c -------------------------------------------------------------------------- */

/* The first text wins. */
void jdi_timed_wrong(struct jdi_timed *t, const char *format, ...) JDI_PRINTF(2, 3);
void jdi_timed_put(struct jdi_timed *t, uint64_t delay, const struct jdi_timed_item *e);
void jdi_timed_note(struct jdi_timed *t, unsigned kind, uint32_t rank, uint32_t peer);
static inline void *jdi_timed_td(struct jdi_timed *t, uint32_t rank)
{
    return t->td + rank * t->td_size;
}
/* The phase of its rank is open and quiescent. */
static inline bool jdi_timed_is_late(const struct jdi_timed_rank *r)
{
    return r->phase > r->ended && r->t->quiet[r->phase];
}
uint64_t jdi_timed_hop(struct jdi_timed *t);

/* ---- load.c --------------------------------------------------------------------------- */

/* JD_CONFORM_CHASE: the ranks among which it stays, half of them high up in the tree. */
void jdi_load_choose_few(struct jdi_timed *t);
bool jdi_load_is_few(const struct jdi_timed *t, uint32_t rank);
/* From a twentieth of a hop to fifty hops, each power of two as often. */
uint64_t jdi_load_any_time(struct jdi_timed *t);
/* The tasks with which a rank begins a phase. */
void jdi_load_seed(struct jdi_timed *t, uint32_t rank);
void jdi_load_start(struct jdi_timed *t, uint32_t rank, uint32_t fuel);
void jdi_load_end(struct jdi_timed *t, uint32_t rank, uint32_t fuel);

/* ---- toll.c --------------------------------------------------------------------------- */

/* A rank has sent a control message; returns its depth. */
uint32_t jdi_toll_sent(struct jdi_timed *t, uint32_t src, uint32_t dst);
void jdi_toll_read(struct jdi_timed *t, const struct jdi_timed_item *e);
/* It has stepped, has said something or not, and wants to be called again at `wake`. */
void jdi_toll_stepped(struct jdi_timed *t, uint32_t rank, bool spoke, uint64_t wake);
void jdi_toll_announced(struct jdi_timed *t, uint32_t rank);
/* The clock is about to move. */
void jdi_toll_time(struct jdi_timed *t, uint64_t to);

#endif
