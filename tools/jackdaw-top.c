/*
 * jackdaw-top.c - look at a job while it runs.
 *
 * Role: the command line, the terminal and its keys; the rest is in top_*.c.
 * Owner: one thread.
 * Invariants: I1 an option is a row of the table: parser and help read nothing else.
 *             I2 the terminal is as it was, however this ends but by SIGKILL.
 * Order: none.
 * See: doc/jackdaw-top.1.md, tools/top.h, test/dist/tools_top_*.
 */
#include "tools/top.h"

#include "core/nearest.h"
#include "core/time.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

enum {
    EVERY_MS = 1000,
    FIRST = 4,
    FIRST_MS = 150,
    ONCE_MS = 500,    /* between the two readings of --once */
    ANSWER_MS = 3000, /* how long a rank may take to write for the first time */
    START_MS = 2000,  /* between the first rank that makes its page and the last one */
    LOOK_MS = 20
};
static const uint64_t ns_of_ms = 1000000;

enum option { OPTION_ONCE, OPTION_JSON, OPTION_HELP, OPTION_VERSION, OPTIONS };
static const struct row {
    const char *name, *text;
} options[OPTIONS] = {
    [OPTION_ONCE] = {"--once", "print the table once, for scripts"},
    [OPTION_JSON] = {"--json", "with --once: as JSON"},
    [OPTION_HELP] = {"--help", "this text"},
    [OPTION_VERSION] = {"--version", "the version alone"},
};

static const struct key {
    char key;
    const char *text;
} keys[TOP_ORDERS] = {
    [TOP_BY_RANK] = {'n', "rank"},    [TOP_BY_TASKS] = {'t', "tasks"},
    [TOP_BY_RATE] = {'r', "rate"},    [TOP_BY_IDLE] = {'i', "idle share"},
    [TOP_BY_FOR] = {'f', "how long"}, [TOP_BY_QUEUE] = {'u', "queue"},
};

static void refuse(int status, const char *text, const char *word) JD_NORETURN;
static void refuse(int status, const char *text, const char *word)
{
    fprintf(stderr, "jackdaw-top: %s%s\n", word, text);
    exit(status);
}

static int end_output(int status)
{
    if (fflush(stdout) || ferror(stdout)) {
        perror("jackdaw-top: standard output");
        return TOP_NO_JOB;
    }
    return status;
}

/* ---- what is printed ---------------------------------------------------------------------- */

static void print_help(void)
{
    puts("usage: jackdaw-top [--once [--json]] [JOB]\n"
         "Look at a Jackdaw job of this user on this host: a line for each worker.\n"
         "JOB is the process of a rank, or of what has started the job, or the job's "
         "name.\n"
         "Without it: the only job there is.\n");
    for (size_t i = 0; i < OPTIONS; i++)
        printf("  %-22s %s\n", options[i].name, options[i].text);
    printf("\nKeys: q quit, the job goes on; sort by");
    for (size_t i = 0; i < TOP_ORDERS; i++)
        printf("%s %c %s", i ? "," : "", keys[i].key, keys[i].text);
    puts("\nExit status: 0; 1 if there is no such job; 2 for a wrong option.");
}

/* ---- reading what there is ------------------------------------------------------------------ */

/* Wait until all ranks have written, or for that long.  Ranks that are simulated, or in their last moments, may not. */
static void read_for(struct top_job *job, uint64_t ms)
{
    uint64_t end = jdi_time_ns() + ms * ns_of_ms;
    while (!top_read(job) && jdi_time_ns() < end && top_lives(job))
        (void)poll(NULL, 0, LOOK_MS);
}

/* A job that has just started gets time for the pages of all ranks. */
static bool find_all(struct top_job *job, const char *what, char *why, size_t room)
{
    uint64_t end = jdi_time_ns() + START_MS * ns_of_ms;
    bool found = top_find(job, what, why, room);
    while (found && job->n < job->here && !job->is_virtual && jdi_time_ns() < end) {
        top_free(job);
        (void)poll(NULL, 0, LOOK_MS);
        found = top_find(job, what, why, room);
    }
    return found;
}

static int show_once(struct top_job *job, bool json)
{
    top_want(job, (ANSWER_MS + 2 * ONCE_MS) * ns_of_ms);
    read_for(job, ANSWER_MS);
    (void)poll(NULL, 0, ONCE_MS);
    read_for(job, ONCE_MS);
    if (json)
        top_json(job, stdout);
    else
        top_show(job, TOP_BY_RANK, 0, 0, false);
    return end_output(0);
}

/* ---- the terminal ------------------------------------------------------------------------- */

static void leave(const struct termios *before)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, before);
}

static bool enter(struct termios *before)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, before))
        return false;
    raw = *before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs("\033[?1049h\033[?25l", stdout);
    return true;
}

static int watch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct watching {
    enum top_order order;
    bool help, quit, stop;
    int signals;
};

static void draw(const struct watching *w, const struct top_job *job)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    if (w->help) {
        fputs("\033[H\033[J", stdout);
        printf("Keys\r\n  q  quit; the job goes on\r\n  h  the table again\r\n");
        for (size_t i = 0; i < TOP_ORDERS; i++)
            printf("  %c  sort by %s\r\n", keys[i].key, keys[i].text);
    } else {
        top_show(job, w->order, size.ws_row, size.ws_col, true);
    }
    fflush(stdout);
}

static void take_key(struct watching *w, char c)
{
    if (c == 'q' || c == 'Q')
        w->quit = true;
    if (c == 'h' || c == '?')
        w->help = !w->help;
    for (size_t i = 0; i < TOP_ORDERS; i++)
        if (c == keys[i].key) {
            w->order = (enum top_order)i;
            w->help = false;
        }
}

/* Until something comes that changes the picture, or for that long. */
static void wait_for_keys(struct watching *w, int ms)
{
    struct pollfd from[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = w->signals, .events = POLLIN}};
    struct signalfd_siginfo s;
    char c[16];
    if (poll(from, 2, ms) <= 0)
        return;
    ssize_t n = from[0].revents ? read(STDIN_FILENO, c, sizeof c) : 0;
    if (from[0].revents && n <= 0) /* the terminal has gone */
        w->quit = true;
    for (ssize_t i = 0; i < n; i++)
        take_key(w, c[i]);
    while (read(w->signals, &s, sizeof s) == (ssize_t)sizeof s)
        if (s.ssi_signo == SIGTSTP)
            w->stop = true;
        else
            w->quit = w->quit || s.ssi_signo != SIGWINCH;
}

/* The shell gets its terminal as it was. */
static void stop_here(struct watching *w, struct termios *before)
{
    w->stop = false;
    leave(before);
    raise(SIGSTOP);
    w->quit = !enter(before);
}

static int watch(struct top_job *job)
{
    struct termios before;
    struct watching w = {.order = TOP_BY_RANK, .signals = watch_signals()};
    uint64_t next = 0;
    unsigned pictures = 0;
    bool lives = true;
    if (w.signals < 0 || !enter(&before))
        refuse(TOP_NO_JOB, "the terminal does not answer", "");
    while (!w.quit && (lives = top_lives(job))) {
        uint64_t now = jdi_time_ns();
        if (now >= next) {
            top_want(job, 3 * EVERY_MS * ns_of_ms);
            (void)top_read(job);
            /* The first pictures come sooner, because a rate needs two readings. */
            next = now + (pictures++ < FIRST ? FIRST_MS : EVERY_MS) * ns_of_ms;
        }
        draw(&w, job);
        wait_for_keys(&w, (int)((next - now) / ns_of_ms) + 1);
        if (w.stop)
            stop_here(&w, &before);
    }
    leave(&before);
    if (!lives)
        puts("jackdaw-top: the job has ended");
    close(w.signals);
    return end_output(0);
}

/* ---- the command line ---------------------------------------------------------------------- */

static enum option option_called(const char *word)
{
    const char *names[OPTIONS];
    size_t n = strcspn(word, "=");
    char name[64], text[96];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    for (size_t i = 0; i < OPTIONS; i++) {
        names[i] = options[i].name;
        if (strcmp(name, names[i]))
            continue;
        if (word[n])
            refuse(TOP_USAGE, " has no value", name);
        return (enum option)i;
    }
    int near = !strcmp(name, "-h") ? OPTION_HELP : jdi_nearest(name, names, OPTIONS);
    if (!strcmp(name, "-h"))
        return OPTION_HELP;
    snprintf(text, sizeof text,
             near >= 0 ? ": no such option; did you mean %s?"
                       : ": no such option; try --help%s",
             near >= 0 ? names[near] : "");
    refuse(TOP_USAGE, text, name);
}

int main(int argc, char **argv)
{
    struct top_job job;
    const char *what = NULL;
    char why[1024];
    bool once = false, json = false;
    for (int i = 1; i < argc; i++) {
        if (*argv[i] != '-') {
            if (what)
                refuse(TOP_USAGE, ": one job at a time", argv[i]);
            what = argv[i];
            continue;
        }
        enum option o = option_called(argv[i]);
        once = once || o == OPTION_ONCE;
        json = json || o == OPTION_JSON;
        if (o == OPTION_HELP)
            print_help();
        if (o == OPTION_VERSION)
            puts("jackdaw " JD_VERSION);
        if (o != OPTION_ONCE && o != OPTION_JSON)
            return end_output(0);
    }
    if (json && !once)
        refuse(TOP_USAGE, ": only with --once", "--json");
    if (!once && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        refuse(TOP_USAGE, "standard input and output are no terminal: take --once", "");
    if (!find_all(&job, what, why, sizeof why))
        refuse(TOP_NO_JOB, why, "");
    int status = once ? show_once(&job, json) : watch(&job);
    top_free(&job);
    return status;
}
