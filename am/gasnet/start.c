/*
 * start.c - bringing a GASNet job up, and its clean end.
 *
 * Role: sets GASNet's environment where the user has not, refuses jobs of the wrong size
 *       with a text that says what to do, runs rank_main, ends the job.
 * Owner: the main thread, before any other thread exists; it is the communication thread.
 * Invariants: I1 a variable that the user has set is left alone.
 *             I2 `run` does not return once GASNet is up.
 * See: doc/am.md section 6, test/dist/am_start.sh.
 */
#include "am/gasnet/gasnet.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct jdi_log start_log = {.nranks = 1, .level = JDI_LOG_WARN};

/* ---- before GASNet ------------------------------------------------------------------- */

/* A whole number from 1 up to a million, and nothing else; or 0. */
static uint32_t ranks_in(const char *text)
{
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return 0;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    return errno || *end || n > 1048576 ? 0 : (uint32_t)n;
}

/*
 * A job may be started with standard streams closed.  The next socket or pipe would get the
 * number of such a stream, and code that takes it for the stream would close it or read from
 * it.  GASNet's own processes do so.
 */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) != fd)
            jdi_die(&start_log, JDI_EXIT_START, "stream %d is closed, and no /dev/null",
                    fd);
}

static const struct {
    const char *name, *value;
} settings[] = {
    {"GASNET_QUIET", "1"},
    {"GASNET_HOST_DETECT", "hostname"},   /* gethostid is the same in all containers */
    {"GASNET_MAX_SEGSIZE", "1MB/P"},      /* the segment holds a few words only */
    {"GASNET_MPI_THREAD", "FUNNELED"},    /* this thread calls, workers do not */
    {"GASNET_NETWORKDEPTH", "16"},        /* mpi: 4 would block before our credits do */
    {"GASNET_COLL_SCRATCH_SIZE", "64KB"}, /* our reductions are messages */
};

static void set_environment(void)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(settings); i++)
        setenv(settings[i].name, settings[i].value, 0);
    if (JDI_GAS_UDP && !getenv("GASNET_SSH_SERVERS") && !getenv("SSH_SERVERS"))
        setenv("GASNET_SPAWNFN", "L", 0);
}

/* How many processes the launcher says it started; 0: no launcher. */
static uint32_t launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"};
    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++)
        if (ranks_in(getenv(names[i])))
            return ranks_in(getenv(names[i]));
    return 0;
}

/* smp only: this process makes its own ranks, by fork. */
static bool is_forking(void)
{
    const char *spawner = getenv("GASNET_SMP_SPAWNER");
    return JDI_GAS_SMP && (!spawner || !strcasecmp(spawner, "fork"));
}

static void check_copies(const struct jdi_conduit_start *s, uint32_t nranks)
{
    uint32_t copies = launched();
    if (copies > 1 && nranks == 1 && !s->allow_singleton)
        jdi_die(&start_log, JDI_EXIT_START,
                "the launcher started %u processes, but this one is a job of its own: "
                "start it %s, or allow it with JACKDAW_SINGLETON=yes",
                copies,
                JDI_GAS_SMP   ? "once, with GASNET_PSHM_NODES=N, or with "
                                "GASNET_SMP_SPAWNER=mpi mpirun -n N"
                : JDI_GAS_UDP ? "once, with the number of ranks as first argument"
                              : "with the mpirun of the MPI it was linked with");
}

static void check_smp(const struct jdi_conduit_start *s)
{
    const char *text = getenv("GASNET_PSHM_NODES");
    char number[16];
    if (!text) { /* GASNet would warn of a single rank that nobody asked for by name */
        snprintf(number, sizeof number, "%u", s->want_ranks ? s->want_ranks : 1);
        setenv("GASNET_PSHM_NODES", number, 1);
        text = number;
    }
    if (!ranks_in(text))
        jdi_die(&start_log, JDI_EXIT_START,
                "GASNET_PSHM_NODES=%s is not a number of ranks from 1 up", text);
    if (s->want_ranks && ranks_in(text) != s->want_ranks)
        jdi_die(&start_log, JDI_EXIT_START, "JACKDAW_RANKS=%u, but GASNET_PSHM_NODES=%s",
                s->want_ranks, text);
    check_copies(s, ranks_in(text));
}

static void check_udp(const struct jdi_conduit_start *s)
{
    if (getenv("AMUDP_WORKER_ARGS"))
        return; /* started by the first process, which has checked */
    const char *text = s->argc > 1 ? s->argv[1] : NULL;
    if (!ranks_in(text))
        jdi_die(&start_log, JDI_EXIT_START,
                "the first argument must be the number of ranks: "
                "%s N arguments (on this machine; GASNET_SSH_SERVERS names others)",
                s->argc > 0 ? s->argv[0] : "program");
    if (s->want_ranks && ranks_in(text) != s->want_ranks)
        jdi_die(&start_log, JDI_EXIT_START,
                "JACKDAW_RANKS=%u, but the first argument asks for %s ranks",
                s->want_ranks, text);
}

/* ---- after GASNet -------------------------------------------------------------------- */

/* Checks that need the started job.  Rank 0 speaks for all. */
static void check_job(struct jdi_gas *g, const struct jdi_conduit_start *s)
{
    if (g->am.rank != 0)
        return;
    if (s->want_ranks && s->want_ranks != g->am.nranks)
        jdi_die(&g->am.log, JDI_EXIT_START, "JACKDAW_RANKS=%u, but the job has %u",
                s->want_ranks, g->am.nranks);
    if (!JDI_GAS_SMP)
        check_copies(s, g->am.nranks);
}

static struct jdi_gas *open_job(int *argc, char ***argv, bool fork_first)
{
    struct jdi_guard_word *guard = fork_first ? jdi_guard_job() : NULL;
    pid_t me = getpid(), parent = getppid();
    struct jdi_gas *g = jdi_zalloc(NULL, sizeof *g);
    if (!g)
        jdi_die(&start_log, JDI_EXIT_START, "out of memory at the start");
    int rc = gex_Client_Init(&g->client, &g->ep, &g->tm, "jackdaw", argc, argv, 0);
    if (rc != GASNET_OK)
        jdi_die(&start_log, JDI_EXIT_START, "GASNet cannot start: %s",
                gasnet_ErrorDesc(rc));
    g->guard = guard;
    g->first_pid = me;
    g->first_parent = parent;
    g->am.rank = gex_TM_QueryRank(g->tm);
    g->am.nranks = gex_TM_QuerySize(g->tm);
    jdi_gasnet_exit_watch(g);
    rc = jdi_gasnet_open(g);
    if (rc)
        jdi_die(&start_log, JDI_EXIT_START, "GASNet cannot be used: %s", jd_strerror(rc));
    return g;
}

/* The one way to status 0. */
static void close_job(struct jdi_gas *g, int status)
{
    uint64_t worst = status > 0 && status < 126 ? (uint64_t)status : status != 0;
    if (jdi_am_reduce_all(&g->am, &worst, 1, JDI_AM_U64, JD_MAX))
        jdi_die(&g->am.log, JDI_EXIT_MEMORY, "out of memory at the end");
    fflush(NULL);
    jdi_gasnet_exit_unwatch(g);
    if (jdi_am_reduce_barrier(&g->am))
        jdi_die(&g->am.log, JDI_EXIT_MEMORY, "out of memory at the end");
    jdi_am_flush(&g->am);
    jdi_gasnet_barrier(g);
    jdi_gasnet_exit(g, (int)worst);
}

static int gas_run(const struct jdi_conduit_start *s)
{
    int argc = s->argc;
    char **argv = s->argv;
    open_standard_streams();
    set_environment();
    if (is_forking())
        check_smp(s);
    else if (JDI_GAS_UDP)
        check_udp(s);
    struct jdi_gas *g = open_job(&argc, &argv, is_forking());
    check_job(g, s);
    close_job(g, s->rank_main(s->ctx, &g->am, argc, argv));
    return JDI_EXIT_EARLY; /* not reached */
}

static const char *gas_lookup(void *ctx, const char *name)
{
    (void)ctx;
    return gasnet_getenv(name);
}

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define RELEASE                                                                          \
    TEXT(GASNET_RELEASE_VERSION_MAJOR)                                                   \
    "." TEXT(GASNET_RELEASE_VERSION_MINOR) "." TEXT(GASNET_RELEASE_VERSION_PATCH)
#ifdef GASNET_SEQ
#define MODE "seq"
#else
#define MODE "par"
#endif

static const char *gas_version(void)
{
    return "GASNet-EX " RELEASE " (" MODE ")";
}

#ifdef GASNET_CONDUIT_SMP
#define NAME "smp"
#elif defined GASNET_CONDUIT_UDP
#define NAME "udp"
#elif defined GASNET_CONDUIT_MPI
#define NAME "mpi"
#elif defined GASNET_CONDUIT_UCX
#define NAME "ucx"
#else
#error "which conduit is this?"
#endif

const struct jdi_conduit jdi_conduit = {
    .name = NAME,
    .run = gas_run,
    .lookup = gas_lookup,
    .version = gas_version,
};
