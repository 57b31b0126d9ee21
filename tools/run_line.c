/*
 * run_line.c - the command line that starts a job.
 *
 * Role: one function for each way to start: the program itself, ssh, srun, mpirun.
 * Owner: as run.h says.
 * Invariants: I1 what run_line_print shows does the same in a shell as run_job.
 * Order: none.
 * See: doc/jackdaw-run.1.md, am/gasnet/start.c, test/unit/tools_run_*.
 */
#include "tools/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void add_program(struct run_line *l, const struct run_parts *p, bool with_ranks)
{
    run_words_add(&l->command, "%s", p->program.path);
    if (with_ranks)
        run_words_add(&l->command, "%ld", p->ranks);
    for (char **word = p->wish.program + 1; *word; word++)
        run_words_add(&l->command, "%s", *word);
}

static bool have(const char *command)
{
    char where[PATH_MAX];
    return run_program_in_path(command, where);
}

/* ---- programs that start their ranks themselves --------------------------------------- */

static void make_smp(struct run_line *l, const struct run_parts *p)
{
    const char *tasks = getenv("SLURM_NTASKS");

    run_words_add(&l->settings, "JACKDAW_RANKS=%ld", p->ranks);
    if (p->ranks == 1 && tasks && run_words_number(tasks, 2) > 0)
        run_words_add(&l->settings,
                      "JACKDAW_SINGLETON=yes"); /* one is what was asked for */
    add_program(l, p, false);
}

static void make_inside(struct run_line *l, const struct run_parts *p)
{
    run_words_add(&l->settings, "JACKDAW_RANKS=%ld", p->ranks);
    add_program(l, p, false);
}

static void make_udp_slurm(struct run_line *l, const struct run_parts *p)
{
    char cpus[48] = "";

    if (p->wish.cpus)
        snprintf(cpus, sizeof cpus, " --cpus-per-task=%ld", p->wish.cpus);
    run_words_add(&l->settings, "GASNET_SPAWNFN=C");
    run_words_add(&l->settings, "GASNET_CSPAWN_CMD=srun -N %zu -n %%N%s %%C", p->hosts.n,
                  cpus);
    run_words_add(&l->settings, "GASNET_WORKER_RANK=SLURM_PROCID");
}

/* A host for each rank; and this program as their ssh, which says what to do where ssh fails. */
static void make_udp_ssh(struct run_line *l, const struct run_parts *p)
{
    char self[PATH_MAX] = "jackdaw-run";
    char *servers = NULL, *names = NULL, *quoted;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (!have("ssh"))
        run_refuse(RUN_CANNOT,
                   "ssh is not in PATH, and %s names other machines: install it "
                   "(Debian: openssh-client), or say --localhost",
                   p->hosts.from);
    if (n > 0)
        self[n] = 0;
    for (size_t i = 0; i < p->hosts.n; i++)
        for (unsigned k = 0; k < p->hosts.at[i].slots; k++)
            servers =
                run_words_more(servers, "%s%s", servers ? " " : "", p->hosts.at[i].name);
    names = run_words_more(names, "%s", "");
    for (size_t i = 0; i < l->settings.n; i++)
        names = run_words_more(names, "%s%.*s", i ? "," : "",
                               (int)strcspn(l->settings.at[i], "="), l->settings.at[i]);
    quoted = run_words_quote(self);
    run_words_add(&l->settings, "GASNET_SPAWNFN=S");
    run_words_add(&l->settings, "GASNET_SSH_SERVERS=%s", servers);
    run_words_add(&l->settings, "GASNET_SSH_CMD=%s --remote-shell=%s", quoted, names);
    l->remote = true;
    free(quoted);
    free(names);
    free(servers);
}

static void make_udp(struct run_line *l, const struct run_parts *p)
{
    bool named = getenv("GASNET_SSH_SERVERS") || getenv("GASNET_SPAWNFN");
    const char *tasks = getenv("SLURM_NTASKS");

    if (p->hosts.slurm && have("srun"))
        make_udp_slurm(l, p);
    else if (p->hosts.n && !run_hosts_are_here(&p->hosts))
        make_udp_ssh(l, p);
    else if (p->wish.localhost || !named)
        run_words_add(&l->settings, "GASNET_SPAWNFN=L");
    if (p->ranks == 1 && tasks && run_words_number(tasks, 2) > 0)
        run_words_add(&l->settings, "JACKDAW_SINGLETON=yes");
    add_program(l, p, true);
}

/* ---- programs that MPI starts ---------------------------------------------------------- */

/* What mpirun says of itself decides on its options. */
static bool is_open_mpi(const char *mpirun)
{
    char text[1024] = "", *command;
    FILE *f;

    if (asprintf(&command, "%s --version 2>/dev/null </dev/null", mpirun) < 0)
        return false;
    f = popen(command, "r");
    if (f) {
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = 0;
        pclose(f);
    }
    free(command);
    return strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE");
}

/* MPIRUN may have options, too. */
static void add_mpirun(struct run_line *l, const char *mpirun)
{
    char *copy = strdup(mpirun), *rest = copy;

    if (!copy)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    for (char *word; (word = strsep(&rest, " "));)
        if (*word)
            run_words_add(&l->command, "%s", word);
    free(copy);
    if (!l->command.n || !have(l->command.at[0]))
        run_refuse(
            RUN_CANNOT,
            "%s is not in PATH: install MPI (Debian: openmpi-bin), load its module, or "
            "name its mpirun by MPIRUN=PATH",
            l->command.n ? l->command.at[0] : "MPIRUN");
}

static void add_host_list(struct run_line *l, const struct run_parts *p,
                          const char *option)
{
    char *list = NULL;

    for (size_t i = 0; i < p->hosts.n; i++)
        list = run_words_more(list, "%s%s:%u", i ? "," : "", p->hosts.at[i].name,
                              p->hosts.at[i].slots);
    run_words_add(&l->command, "%s", option);
    run_words_add(&l->command, "%s", list);
    free(list);
}

/* Open MPI takes only what it is told by name to other machines. */
static void add_exported(struct run_line *l)
{
    for (size_t i = 0; i < l->settings.n; i++) {
        run_words_add(&l->command, "-x");
        run_words_add(&l->command, "%.*s", (int)strcspn(l->settings.at[i], "="),
                      l->settings.at[i]);
    }
    for (char **at = environ; *at; at++)
        if (!strncmp(*at, "JACKDAW_", 8) || !strncmp(*at, "GASNET_", 7)) {
            run_words_add(&l->command, "-x");
            run_words_add(&l->command, "%.*s", (int)strcspn(*at, "="), *at);
        }
}

/* Root, and more ranks than cores, have to be allowed; and a rank that is bound to a core would have all of
 * its workers there. */
static void add_open_mpi(struct run_line *l, const struct run_parts *p)
{
    bool other = p->hosts.n && !run_hosts_are_here(&p->hosts);

    if (geteuid() == 0)
        run_words_add(&l->command, "--allow-run-as-root");
    run_words_add(&l->command, "--bind-to");
    run_words_add(&l->command, "none");
    if (!p->hosts.slurm)
        run_words_add(&l->command, "--oversubscribe");
    if (p->hosts.n && !p->hosts.slurm)
        add_host_list(l, p, "--host");
    else if (p->wish.localhost && getenv("SLURM_JOB_ID")) {
        run_words_add(&l->command, "--host");
        run_words_add(&l->command, "localhost:%ld", p->ranks);
    }
    if (other || p->hosts.slurm)
        add_exported(l);
}

static void add_hydra(struct run_line *l, const struct run_parts *p)
{
    run_words_add(&l->command, "-bind-to");
    run_words_add(&l->command, "none");
    if (p->hosts.n && !p->hosts.slurm)
        add_host_list(l, p, "-hosts");
}

static void make_srun(struct run_line *l, const struct run_parts *p)
{
    run_words_add(&l->command, "srun");
    if (!getenv("SLURM_MPI_TYPE"))
        run_words_add(&l->command, "--mpi=pmix");
    run_words_add(&l->command, "--nodes=%zu", p->hosts.n);
    run_words_add(&l->command, "--ntasks=%ld", p->ranks);
    if (p->wish.cpus)
        run_words_add(&l->command, "--cpus-per-task=%ld", p->wish.cpus);
}

static void make_mpi(struct run_line *l, const struct run_parts *p)
{
    const char *mpirun = getenv("MPIRUN");

    if (!strcmp(p->program.note.network, "ucx"))
        run_words_add(&l->settings, "GASNET_UCX_SPAWNER=mpi");
    if (p->hosts.slurm && !mpirun && have("srun")) {
        make_srun(l, p);
    } else {
        add_mpirun(l, mpirun ? mpirun : "mpirun");
        if (is_open_mpi(mpirun ? mpirun : "mpirun"))
            add_open_mpi(l, p);
        else
            add_hydra(l, p);
        run_words_add(&l->command, "-n");
        run_words_add(&l->command, "%ld", p->ranks);
    }
    add_program(l, p, false);
}

/* ---- together -------------------------------------------------------------------------- */

static const struct network {
    const char *name;
    void (*make)(struct run_line *l, const struct run_parts *p);
} networks[] = {{"smp", make_smp}, {"udp", make_udp},    {"mpi", make_mpi},
                {"ucx", make_mpi}, {"sim", make_inside}, {"loop", make_inside}};

void run_line_make(struct run_line *l, const struct run_parts *p)
{
    const char *name = p->program.note.network;

    memset(l, 0, sizeof *l);
    run_settings_make(l, p);
    for (size_t i = 0; i < JDI_ARRAY_LEN(networks); i++)
        if (!strcmp(name, networks[i].name)) {
            networks[i].make(l, p);
            return;
        }
    run_refuse(RUN_USAGE,
               "the network '%s' is none of smp, udp, mpi, ucx, sim: update jackdaw-run, "
               "or correct --network",
               name);
}

void run_line_free(struct run_line *l)
{
    run_words_free(&l->settings);
    run_words_free(&l->command);
    run_words_free(&l->after);
}

static void print_words(const struct run_words *w, FILE *to)
{
    for (size_t i = 0; i < w->n; i++) {
        char *quoted = run_words_quote(w->at[i]);
        fprintf(to, "%s%s", i ? " " : "", quoted);
        free(quoted);
    }
}

void run_line_print(const struct run_line *l, FILE *to)
{
    for (size_t i = 0; i < l->settings.n; i++) {
        const char *setting = l->settings.at[i];
        size_t n = strcspn(setting, "=");
        char *quoted = run_words_quote(setting + n + 1);
        fprintf(to, "%.*s=%s ", (int)n, setting, quoted);
        free(quoted);
    }
    print_words(&l->command, to);
    if (l->after.n) {
        fputs(" && ", to);
        print_words(&l->after, to);
    }
    fputc('\n', to);
}
