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

#include "am/gasnet/keeper.h"
#include "am/gasnet/room.h"
#include "am/note.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
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
    {"GASNET_CATCH_EXIT", "0"},           /* exit.c does that */
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

/* udp: a process that the first one has executed. */
static bool is_worker(void)
{
    return JDI_GAS_UDP && getenv("AMUDP_WORKER_ARGS");
}

/* The first process of a job whose ranks it starts itself, on this machine. */
static bool is_local(void)
{
    const char *spawner = getenv("GASNET_SPAWNFN");
    return is_forking() || (JDI_GAS_UDP && !is_worker() && spawner &&
                            (*spawner == 'L' || *spawner == 'l'));
}

/* A batch script of SLURM has SLURM_NTASKS, too, and may well start one job there. */
static bool is_copy(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") ||
           getenv("MV2_COMM_WORLD_SIZE") || getenv("SLURM_STEP_NUM_TASKS");
}

/* `first`: this process is to start the ranks of its job, so each copy would. */
static void check_copies(const struct jdi_conduit_start *s, uint32_t nranks, bool first)
{
    uint32_t copies = launched();
    if (copies > 1 && (nranks == 1 || (first && is_copy())) && !s->allow_singleton)
        jdi_die(&start_log, JDI_EXIT_START,
                "the launcher started %u processes, but this one is a job of its own: "
                "start it %s, or allow it with JACKDAW_SINGLETON=yes",
                copies,
                JDI_GAS_SMP   ? "once, with GASNET_PSHM_NODES=N, or with "
                                "GASNET_SMP_SPAWNER=mpi mpirun -n N"
                : JDI_GAS_UDP ? "once, with the number of ranks as first argument"
                              : "with the mpirun of the MPI it was linked with");
}

/* What GASNet can start in one job: ranks that share memory; on udp the first process waits for three
 * sockets of each rank by select, beside a few others. */
enum { SMP_MOST = GASNETI_PSHM_MAX_NODES, UDP_MOST = (FD_SETSIZE - 16) / 3 };

static void check_limit(uint32_t ranks)
{
    uint32_t most = JDI_GAS_SMP ? SMP_MOST : UDP_MOST;
    if (ranks > most)
        jdi_die(&start_log, JDI_EXIT_START, "%u ranks: GASNet starts at most %u on %s%s",
                ranks, most, jdi_conduit.name,
                JDI_GAS_SMP ? "; the mpi network has more" : "");
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
    check_limit(ranks_in(text));
    check_copies(s, ranks_in(text), true);
}

static void check_udp(const struct jdi_conduit_start *s)
{
    if (is_worker())
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
    check_limit(ranks_in(text));
    check_copies(s, ranks_in(text), true);
}

/* With GASNET_SUPERNODE_MAXSIZE fewer ranks share memory; of these groups all but the last are full,
 * and together they need as much, unless each has one rank. */
static void check_room(const struct jdi_conduit_start *s)
{
    const char *most = getenv("GASNET_SUPERNODE_MAXSIZE");
    uint32_t ranks = 0;
    if (is_forking())
        ranks = ranks_in(getenv("GASNET_PSHM_NODES"));
    else if (is_local())
        ranks = ranks_in(s->argv[1]);
    else if (!JDI_GAS_UDP)
        ranks = jdi_room_ranks_here();
    if (JDI_GAS_SMP || ranks_in(most) != 1)
        jdi_room_check(&start_log, ranks);
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
        check_copies(s, g->am.nranks, false);
}

/* What watches over the start of this process. */
struct start_watch {
    struct jdi_page *page; /* NULL: nothing does */
    bool alone; /* no guardian does: this process has the limit and the keeper */
    pid_t keeper;
};

/* 70 says that this end follows from another one.  By SIGKILL it would look like the cause: the
 * guardian might see both at once. */
static void on_orphaned(int signal_number)
{
    (void)signal_number;
    _exit(JDI_EXIT_PEER_DIED);
}

/* Runs in every process of a guarded job before GASNet does: a rank that is starting would not
 * notice that the rest of its job is gone. */
static void on_birth(void)
{
    struct jdi_page *p = jdi_page_find();
    int starter = p ? atomic_load_explicit(&p->starter, memory_order_relaxed) : 0;
    if (starter) {
        jdi_page_join(p, getpid());
        signal(SIGRTMAX - 1,
               on_orphaned); /* nobody else uses it, and unhandled it kills, too */
        prctl(PR_SET_PDEATHSIG, SIGRTMAX - 1);
        if (getppid() != starter) /* it was gone before we asked */
            _exit(JDI_EXIT_PEER_DIED);
    }
    if (p)
        jdi_page_drop(p);
}

static void on_late(int signal_number)
{
    static const char text[] =
        "jackdaw: a rank has not started in time: see JACKDAW_START_TIMEOUT\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(JDI_EXIT_START);
    _exit(JDI_EXIT_START);
}

/* A rank whose launcher is not ours has a keeper for its segments, and an alarm. */
static struct start_watch watch_alone(int limit_s)
{
    struct start_watch w = {.page = jdi_page_new(), .alone = true};
    if (w.page) {
        jdi_page_join(w.page, getpid());
        w.keeper = jdi_keeper_start(w.page);
    }
    signal(SIGALRM, on_late);
    alarm((unsigned)limit_s);
    return w;
}

static struct start_watch watch_start(const struct jdi_conduit_start *s)
{
    struct start_watch w = {.page = NULL};
    if (is_worker() && (w.page = jdi_page_find())) {
        on_birth();
    } else if (is_local()) {
        w.page = jdi_guard_job(s->limit_s);
        if (JDI_GAS_SMP) {
            jdi_page_join(w.page, getpid());
            pthread_atfork(NULL, NULL, on_birth); /* rank 0 forks the others */
        }
    } else if (!JDI_GAS_UDP || is_worker()) {
        w = watch_alone(s->limit_s);
    }
    return w;
}

static void started(struct jdi_gas *g, const struct start_watch *w)
{
    if (w->alone) {
        alarm(0);
        signal(SIGALRM, SIG_DFL);
        jdi_keeper_stop(w->keeper);
    }
    if (g->page)
        jdi_page_up(g->page, g->am.rank, g->am.nranks);
    jdi_page_hide();
}

/* The first process of udp is no rank, so the program's handlers are not for it.  But what the ranks
 * print goes through it. */
static void on_launcher_exit(int status, void *arg)
{
    const struct jdi_log log = {.level = JDI_LOG_WARN};
    (void)arg;
    _exit(jdi_log_flush(&log, status & 0xff));
}

static struct jdi_gas *open_job(const struct jdi_conduit_start *s, int *argc,
                                char ***argv)
{
    struct start_watch w = watch_start(s);
    struct jdi_gas *g = jdi_zalloc(NULL, sizeof *g);
    if (!g)
        jdi_die(&start_log, JDI_EXIT_START, "out of memory at the start");
    if (JDI_GAS_UDP && !is_worker())
        on_exit(on_launcher_exit, NULL);
    if (JDI_GAS_UDP)
        jdi_watch_find(&g->foreign);
    int rc = gex_Client_Init(&g->client, &g->ep, &g->tm, "jackdaw", argc, argv, 0);
    if (rc != GASNET_OK)
        jdi_die(&start_log, JDI_EXIT_START, "GASNet cannot start: %s",
                gasnet_ErrorDesc(rc));
    g->page = w.page;
    g->am.rank = gex_TM_QueryRank(g->tm);
    g->am.nranks = gex_TM_QuerySize(g->tm);
    jdi_gasnet_exit_watch(g);
    rc = jdi_gasnet_open(g);
    if (rc)
        jdi_die(&start_log, JDI_EXIT_START, "GASNet cannot be used: %s", jd_strerror(rc));
    started(g, &w);
    return g;
}

/* The one way to status 0. */
static void close_job(struct jdi_gas *g, int status)
{
    uint64_t worst = status > 0 && status < 126 ? (uint64_t)status : status != 0;
    if (jdi_am_reduce_all(&g->am, &worst, 1, JDI_AM_U64, JD_MAX))
        jdi_die(&g->am.log, JDI_EXIT_MEMORY, "out of memory at the end");
    jdi_gasnet_exit_clean(g, (int)worst);
}

static int gas_run(const struct jdi_conduit_start *s)
{
    int argc = s->argc;
    char **argv = s->argv;
    if (jdi_gasnet_exit_has_job())
        return JD_ESTATE;
    open_standard_streams();
    set_environment();
    if (is_forking())
        check_smp(s);
    else if (JDI_GAS_UDP)
        check_udp(s);
    check_room(s);
    struct jdi_gas *g = open_job(s, &argc, &argv);
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

JDI_NOTE(NAME, JDI_GAS_SMP ? SMP_MOST : JDI_GAS_UDP ? UDP_MOST : 0);

const struct jdi_conduit jdi_conduit = {
    .name = NAME,
    .run = gas_run,
    .lookup = gas_lookup,
    .version = gas_version,
};
