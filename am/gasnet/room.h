/*
 * room.h - whether /dev/shm has room for the ranks that start on this machine.
 *
 * Role: the check, and what it compares.
 * Owner: the main thread, before GASNet.
 * See: am/gasnet/room.c.
 */
#ifndef JDI_AM_GASNET_ROOM_H
#define JDI_AM_GASNET_ROOM_H

#include "core/log.h"

/* Bytes of /dev/shm for so many ranks that share memory. */
uint64_t jdi_room_need(uint32_t ranks);
/* Dies, with both figures, if there is less than that. */
void jdi_room_check(const struct jdi_log *log, uint32_t ranks);
/* How many ranks another launcher starts on this machine, if this is the first of them; else 0. */
uint32_t jdi_room_ranks_here(void);

#endif
