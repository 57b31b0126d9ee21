/*
 * cause.h - what a stopped ULT waits for.
 *
 * Role: the description that each wait gives of itself, for dumps and for the proof of a hang.
 * Owner: the ULT, on whose stack it lies, constant while the ULT is stopped; or a constant.
 * See: doc/waiting.md "What a task waits for"; sched/inspect.h, which reads it; sched/wait/causes.h.
 */
#ifndef JDI_SCHED_CAUSE_H
#define JDI_SCHED_CAUSE_H

#include "jackdaw.h"

enum jdi_cause_kind {
    JDI_CAUSE_NONE, /* no wait has it */
#define JDI_CAUSE(name, text, object, wakers) JDI_CAUSE_##name,
#include "sched/cause.def"
#undef JDI_CAUSE
    JDI_CAUSE_KINDS
};

/* What `number`, `home` and `what` of a cause say. */
enum jdi_cause_object {
    JDI_OBJECT_NONE = 1, /* nothing */
    JDI_OBJECT_CALL,     /* what: enum jdi_collective_what */
    JDI_OBJECT_NAME,     /* number: of an object of this rank */
    JDI_OBJECT_FAR,      /* number and home */
    JDI_OBJECT_ADDRESS,  /* number: an address of this process */
    JDI_OBJECT_FD,       /* number; what: JD_IN, JD_OUT */
    JDI_OBJECT_CASES     /* number: the address of `home` cases */
};

/* Who can end a wait, in bits. */
enum jdi_cause_waker {
    JDI_WAKER_TIMER = 1,    /* its deadline comes */
    JDI_WAKER_KERNEL = 2,   /* what is ready at a descriptor */
    JDI_WAKER_COMM = 4,     /* the communication thread, which has it in hand */
    JDI_WAKER_TASK = 8,     /* a task or the body of this rank */
    JDI_WAKER_RANK = 16,    /* another rank, by a message */
    JDI_WAKER_FOREIGN = 32, /* a thread that is no ULT, by a key */
    JDI_WAKER_HANDLE = 64,  /* whoever has the handle that jd_suspend has published */
    JDI_WAKERS = 7          /* bits */
};

struct jdi_cause {
    uint8_t kind; /* enum jdi_cause_kind */
    uint8_t what; /* see enum jdi_cause_object, as the next two */
    uint32_t home;
    uint64_t number;
    jd_time deadline; /* JD_FOREVER: none */
};

struct jdi_cause_row {
    const char *name, *text;
    enum jdi_cause_object object;
    unsigned wakers;
};
/* The row of a kind, but for JDI_CAUSE_NONE. */
const struct jdi_cause_row *jdi_cause_row(unsigned kind);
/* A bit of enum jdi_cause_waker, in words. */
const char *jdi_cause_waker_name(unsigned waker);

#endif
