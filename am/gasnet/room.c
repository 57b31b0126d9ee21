/*
 * room.c - whether /dev/shm has room for the ranks that start on this machine.
 *
 * Role: GASNet writes into all of its message buffers at the start.  Where these do not fit, the
 *       kernel kills a rank by SIGBUS in the middle of that, and says nothing.  So the need is
 *       compared with what is free before it is used.
 * Owner: the process that starts the ranks; under another launcher the host's first rank.
 * Invariants: I1 what cannot be known (other launchers, no /dev/shm) is no error.
 * See: doc/am.md section 6; test/dist/am_start_is_guarded.sh.
 */
#include "am/gasnet/room.h"

#include <stdlib.h>
#include <sys/statvfs.h>

/* Of GASNet-EX, gasnet_pshm.c: a rank has DEPTH buffers for requests and as many for replies, of
 * 64 KB each.  Beside these it uses less than EXTRA. */
enum { BUFFER = 65536, DEPTH = 32, DEPTH_LEAST = 4, EXTRA = 16384 };

static uint64_t number_in(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 ? (uint64_t)n : otherwise;
}

uint64_t jdi_room_need(uint32_t ranks)
{
    uint64_t depth = number_in("GASNET_PSHM_NETWORK_DEPTH", DEPTH);
    if (depth < DEPTH_LEAST)
        depth = DEPTH_LEAST;
    return ranks < 2 ? 0 : ranks * (2 * depth * BUFFER + EXTRA);
}

void jdi_room_check(const struct jdi_log *log, uint32_t ranks)
{
    struct statvfs fs;
    uint64_t need = jdi_room_need(ranks);
    if (!need || statvfs("/dev/shm", &fs) || !fs.f_blocks)
        return; /* a tmpfs without a limit has no blocks */
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (room < need)
        jdi_die(log, JDI_EXIT_START,
                "/dev/shm has %.2f MB free, but %u ranks that share memory need %.2f MB: "
                "make it "
                "larger, start fewer ranks, or lower GASNET_PSHM_NETWORK_DEPTH (%d)",
                (double)room / 1e6, ranks, (double)need / 1e6,
                (int)number_in("GASNET_PSHM_NETWORK_DEPTH", DEPTH));
}

uint32_t jdi_room_ranks_here(void)
{
    static const struct {
        const char *rank, *size;
    } names[] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                 {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                 {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"}};
    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++)
        if (getenv(names[i].rank) && !number_in(names[i].rank, 0))
            return (uint32_t)number_in(names[i].size, 0);
    return 0;
}
