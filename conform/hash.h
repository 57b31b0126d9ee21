/*
 * hash.h - a number out of bytes.
 *
 * Role: for tables of states and of pieces, which are millions and differ in a few bits.
 * See: explore.c, pieces.c.
 */
#ifndef JDI_CONFORM_HASH_H
#define JDI_CONFORM_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t jdi_hash_of(const void *bytes, size_t n);

#endif
