/*
 * container.h - from a member to the struct that it lies in.
 *
 * Role: the one place for this cast.
 * See: liburcu's caa_container_of; conform/codec_bytes.c.
 */
#ifndef JDI_CORE_CONTAINER_H
#define JDI_CORE_CONTAINER_H

#include <stddef.h>

/* The `type` whose `member` ptr points to.  A pointer to something else than the member's type is
 * a warning; a const one loses it. */
#define jdi_container_of(ptr, type, member)                                              \
    ((type *)(void *)((char *)(1 ? (ptr) : &((type *)NULL)->member) -                    \
                      offsetof(type, member)))

#endif
