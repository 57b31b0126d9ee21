/*
 * sanitizer.h - tells the checkers that a stack has been switched.
 *
 * Role: names each ULT's stack and each switch, because AddressSanitizer, ThreadSanitizer and
 *       Valgrind follow a thread by its stack.  Empty in builds without a checker.  Valgrind
 *       watches any build, so its part is there if its header was there when configure ran: a few
 *       instructions for a new stack, none for a switch.
 * Owner: whoever owns the ULT that holds the record.
 * Invariants: I1 every switch is leave (or finish) on the old stack, then arrive on the new one.
 *             I2 the bounds of a native stack become known when the stack is first left; nobody
 *                switches to it before that.
 * See: sanitizer/common_interface_defs.h, sanitizer/tsan_interface.h of the compiler.
 */
#ifndef JDI_CORE_ULT_SANITIZER_H
#define JDI_CORE_ULT_SANITIZER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JDI_SAN_ADDRESS
#endif
#if __has_feature(thread_sanitizer)
#define JDI_SAN_THREAD
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define JDI_SAN_ADDRESS
#endif
#if defined(__SANITIZE_THREAD__)
#define JDI_SAN_THREAD
#endif

#if defined(JDI_SAN_ADDRESS)

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>

struct jdi_san {
    void *fake; /* owned by the checker while the ULT is stopped */
    const void *low;
    size_t size;
};

/* A stack that was taken or mapped: clean what an earlier ULT, or the native stack of a thread that lay
 * there, has left poisoned. */
static inline void jdi_san_clean(void *low, size_t size)
{
    __asan_unpoison_memory_region(low, size);
}
/* A new ULT on [low, low + size). */
static inline void jdi_san_make(struct jdi_san *s, void *low, size_t size)
{
    *s = (struct jdi_san){NULL, low, size};
    __lsan_register_root_region(low, size);
}
static inline void jdi_san_free(struct jdi_san *s)
{
    __lsan_unregister_root_region(s->low, s->size);
}
/* The context that runs the caller, on a stack that the checker knows. */
static inline void jdi_san_adopt(struct jdi_san *s)
{
    *s = (struct jdi_san){NULL, NULL, 0};
}
static inline void jdi_san_leave(struct jdi_san *from, struct jdi_san *to)
{
    __sanitizer_start_switch_fiber(&from->fake, to->low, to->size);
}
/* As leave, for good. */
static inline void jdi_san_finish(struct jdi_san *from, struct jdi_san *to)
{
    (void)from;
    __sanitizer_start_switch_fiber(NULL, to->low, to->size);
}
static inline void jdi_san_arrive(struct jdi_san *self, struct jdi_san *from)
{
    __sanitizer_finish_switch_fiber(self->fake, &from->low, &from->size);
}

#elif defined(JDI_SAN_THREAD)

#include <sanitizer/tsan_interface.h>

struct jdi_san {
    void *fiber;
};

static inline void jdi_san_clean(void *low, size_t size)
{
    (void)low, (void)size;
}
static inline void jdi_san_make(struct jdi_san *s, void *low, size_t size)
{
    (void)low, (void)size;
    s->fiber = __tsan_create_fiber(0);
}
static inline void jdi_san_free(struct jdi_san *s)
{
    __tsan_destroy_fiber(s->fiber);
}
static inline void jdi_san_adopt(struct jdi_san *s)
{
    s->fiber = __tsan_get_current_fiber();
}
/* Inlined into the caller of the jump, because a frame of its own would end on another fiber. */
static inline __attribute__((always_inline)) void jdi_san_leave(struct jdi_san *from,
                                                                struct jdi_san *to)
{
    (void)from;
    __tsan_switch_to_fiber(to->fiber, 0);
}
static inline __attribute__((always_inline)) void jdi_san_finish(struct jdi_san *from,
                                                                 struct jdi_san *to)
{
    (void)from;
    __tsan_switch_to_fiber(to->fiber, 0);
}
static inline void jdi_san_arrive(struct jdi_san *self, struct jdi_san *from)
{
    (void)self, (void)from;
}

#elif defined(HAVE_VALGRIND_VALGRIND_H)

#include <valgrind/valgrind.h>

struct jdi_san {
    unsigned id;
};

static inline void jdi_san_clean(void *low, size_t size)
{
    (void)low, (void)size;
}
static inline void jdi_san_make(struct jdi_san *s, void *low, size_t size)
{
    s->id = VALGRIND_STACK_REGISTER(low, (char *)low + size);
}
static inline void jdi_san_free(struct jdi_san *s)
{
    VALGRIND_STACK_DEREGISTER(s->id);
}
static inline void jdi_san_adopt(struct jdi_san *s)
{
    s->id = 0;
}
static inline void jdi_san_leave(struct jdi_san *from, struct jdi_san *to)
{
    (void)from, (void)to;
}
static inline void jdi_san_finish(struct jdi_san *from, struct jdi_san *to)
{
    (void)from, (void)to;
}
static inline void jdi_san_arrive(struct jdi_san *self, struct jdi_san *from)
{
    (void)self, (void)from;
}

#else

struct jdi_san {
    char unused;
};

static inline void jdi_san_clean(void *low, size_t size)
{
    (void)low, (void)size;
}
static inline void jdi_san_make(struct jdi_san *s, void *low, size_t size)
{
    (void)s, (void)low, (void)size;
}
static inline void jdi_san_free(struct jdi_san *s)
{
    (void)s;
}
static inline void jdi_san_adopt(struct jdi_san *s)
{
    (void)s;
}
static inline void jdi_san_leave(struct jdi_san *from, struct jdi_san *to)
{
    (void)from, (void)to;
}
static inline void jdi_san_finish(struct jdi_san *from, struct jdi_san *to)
{
    (void)from, (void)to;
}
static inline void jdi_san_arrive(struct jdi_san *self, struct jdi_san *from)
{
    (void)self, (void)from;
}

#endif
#endif
