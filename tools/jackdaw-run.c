/*
 * jackdaw-run.c - start a Jackdaw program, whatever its network is.
 *
 * Role: the command line: options, help, completion for shells; the rest is in run_*.c.
 * Owner: one thread.
 * Invariants: I1 an option is a row of the table: parser, help and completion read nothing else.
 *             I2 the status is the job's, or RUN_USAGE or RUN_CANNOT after a message.
 * Order: none.
 * See: doc/jackdaw-run.1.md, tools/run.h, test/unit/tools_run_*.
 */
#include "tools/run.h"

#include "core/knobs.h"
#include "core/nearest.h"

#include <stdlib.h>
#include <string.h>

enum option {
    OPTION_RANKS,
    OPTION_NODES,
    OPTION_CPUS,
    OPTION_VARIABLES,
    OPTION_HOSTS,
    OPTION_LOCALHOST,
    OPTION_NETWORK,
    OPTION_TRACE,
    OPTION_STATS,
    OPTION_PROGRESS,
    OPTION_REPORT,
    OPTION_SHOW,
    OPTION_VERBOSE,
    OPTION_COMPLETION,
    OPTION_REMOTE_SHELL,
    OPTION_HELP,
    OPTION_VERSION,
    OPTIONS
};

/* May an option have a value? */
enum value { VALUE_NO, VALUE_MAY, VALUE_MUST };

static const struct row {
    char letter; /* 0: none */
    const char *name;
    enum value has;
    const char *value, *text; /* text NULL: not shown */
} rows[OPTIONS] = {
    [OPTION_RANKS] = {'n', "--ranks", VALUE_MUST, "RANKS", "ranks of the job"},
    [OPTION_NODES] = {'N', "--nodes", VALUE_MUST, "NODES",
                      "machines that they are spread over"},
    [OPTION_CPUS] = {'c', "--cpus", VALUE_MUST, "CPUS", "workers of each rank"},
    [OPTION_VARIABLES] = {'E', "--env", VALUE_MUST, "VARS",
                          "NAME or NAME=VALUE,...: variables for all ranks"},
    [OPTION_HOSTS] = {0, "--hosts", VALUE_MUST, "LIST",
                      "a,b:4 (4 ranks on b), or the path of a file"},
    [OPTION_LOCALHOST] = {0, "--localhost", VALUE_NO, NULL, "all ranks on this machine"},
    [OPTION_NETWORK] = {0, "--network", VALUE_MUST, "NAME",
                        "the program's network, for scripts that start it"},
    [OPTION_TRACE] = {0, "--trace", VALUE_MAY, "FILE",
                      "JACKDAW_TRACE, see jackdaw-trace(1)"},
    [OPTION_STATS] = {0, "--stats", VALUE_MAY, "WHAT",
                      "JACKDAW_STATS, see jackdaw-stats(7)"},
    [OPTION_PROGRESS] = {0, "--progress", VALUE_MAY, "SECONDS",
                         "a line now and then: JACKDAW_PROGRESS, jackdaw-env(7)"},
    [OPTION_REPORT] = {0, "--report", VALUE_MAY, "FILE",
                       "run jackdaw-report after the job"},
    [OPTION_SHOW] = {0, "--show", VALUE_NO, NULL,
                     "print the line that starts the job, no more"},
    [OPTION_VERBOSE] = {'v', "--verbose", VALUE_NO, NULL, "print the line, then run it"},
    [OPTION_COMPLETION] = {0, "--completion", VALUE_MUST, "SHELL",
                           "print the completion for bash or zsh"},
    [OPTION_REMOTE_SHELL] = {0, "--remote-shell", VALUE_MUST, "NAMES", NULL},
    [OPTION_HELP] = {'h', "--help", VALUE_NO, NULL, "this text"},
    [OPTION_VERSION] = {0, "--version", VALUE_NO, NULL, "the version alone"},
};

/* ---- what is printed ------------------------------------------------------------------ */

/* "  -n, --ranks=RANKS" */
static void print_option(const struct row *row)
{
    char left[40];
    const char *open = row->has == VALUE_MAY ? "[=" : "=";
    int n = row->letter ? snprintf(left, sizeof left, "-%c, %s", row->letter, row->name)
                        : snprintf(left, sizeof left, "    %s", row->name);

    if (row->value)
        snprintf(left + n, sizeof left - (size_t)n, "%s%s%s", open, row->value,
                 row->has == VALUE_MAY ? "]" : "");
    printf("  %-24s %s\n", left, row->text);
}

static void print_help(void)
{
    puts("usage: jackdaw-run [-n RANKS] [-N NODES] [-c CPUS] [-E VARS] [--hosts "
         "LIST|--localhost]\n"
         "                   [--show] [-v] PROGRAM ARGUMENT...\n"
         "Start a Jackdaw program on the network with which it is linked: directly (smp, "
         "udp,\n"
         "sim), by mpirun or srun (mpi, ucx).\n");
    for (size_t i = 0; i < OPTIONS; i++)
        if (rows[i].text)
            print_option(&rows[i]);
    puts(
        "\nWithout -n: JACKDAW_RANKS, or what Slurm, PBS or --hosts say, or 1.\n"
        "Exit status: the job's; 2 for a wrong option; 78 if the job cannot be started.");
}

/* I1.  Knobs complete the names of -E. */
static void print_knobs(void)
{
    for (size_t i = 0; jdi_knobs_row(i); i++)
        printf("%s%s=", i ? " " : "", jdi_knobs_row(i)->name);
}

/* The words of a range such as "auto, no or 0", each of which ends with a comma, "or" or the range. */
static bool print_words(const char *range, const char *before)
{
    bool any = false;

    for (; *range; range += strspn(range, ", ")) {
        size_t n = strcspn(range, ", "),
               word = strspn(range, "abcdefghijklmnopqrstuvwxyz-");
        bool last = !range[n] || range[n] == ',' || !strncmp(range + n, " or ", 4);
        if (n && n == word && last) {
            printf("%s%.*s", any ? " " : before, (int)n, range);
            any = true;
        }
        range += n;
    }
    return any;
}

/* A case for each knob that has words: -E JACKDAW_STEAL=r and the TAB key. */
static void print_knob_cases(void)
{
    for (size_t i = 0; jdi_knobs_row(i); i++) {
        char before[96];
        snprintf(before, sizeof before, "    %s) words='", jdi_knobs_row(i)->name);
        if (print_words(jdi_knobs_row(i)->range, before))
            puts("' ;;");
    }
}

static void print_bash(void)
{
    printf(
        "# Completion of jackdaw-run for bash; made by: jackdaw-run --completion=bash\n"
        "_jackdaw_run()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
        "words= name=\n"
        "    compopt +o nospace\n"
        "    # NAME=VALUE is three words to bash.\n"
        "    [[ $word != = ]] || { name=$before word=; }\n"
        "    [[ $before != = ]] || name=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    case $name in\n"
        "    --network) words='smp udp mpi ucx sim' ;;\n"
        "    --completion) words='bash zsh' ;;\n");
    print_knob_cases();
    printf("    ?*) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\")); return "
           ";;\n"
           "    esac\n"
           "    [[ ! $name ]] || { COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); "
           "return; "
           "}\n"
           "    case $before in\n"
           "    -E | --env) compopt -o nospace; COMPREPLY=($(compgen -W '");
    print_knobs();
    printf("' -- \"$word\")); return ;;\n    -[");
    for (size_t i = 0; i < OPTIONS; i++)
        if (rows[i].letter && rows[i].has == VALUE_MUST)
            putchar(rows[i].letter);
    printf("] | --hosts) COMPREPLY=(); return ;;\n    esac\n"
           "    case $word in\n"
           "    -*) COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < OPTIONS; i++)
        if (rows[i].text)
            printf("%s%s%s", i ? " " : "", rows[i].name,
                   rows[i].has == VALUE_MUST ? "=" : "");
    printf("' -- \"$word\"))\n"
           "        [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace ;;\n"
           "    *) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\") $(compgen "
           "-c -- "
           "\"$word\")) ;;\n"
           "    esac\n}\ncomplete -F _jackdaw_run jackdaw-run\n");
}

static void print_zsh(void)
{
    printf("#compdef jackdaw-run\n"
           "# Completion of jackdaw-run for zsh; made by: jackdaw-run --completion=zsh\n"
           "_arguments -S \\\n");
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct row *row = &rows[i];
        if (!row->text)
            continue;
        printf("  '%s%s[", row->name,
               row->has == VALUE_MUST ? "="
               : row->has             ? "=-"
                                      : "");
        for (const char *c = row->text; *c; c++)
            printf(*c == '\'' ? "'\\%c'" : strchr("[]:", *c) ? "\\%c" : "%c", *c);
        printf("]%s%s%s' \\\n", row->value ? row->has == VALUE_MAY ? "::" : ":" : "",
               row->value ? row->value : "", row->value ? ":" : "");
    }
    printf("  '*-E[variables for all ranks]:VARS:(");
    print_knobs();
    printf(")' \\\n  '1:program:_command_names -e' '*::argument:_normal'\n");
}

static void print_completion(const char *shell)
{
    if (!strcmp(shell, "bash"))
        print_bash();
    else if (!strcmp(shell, "zsh"))
        print_zsh();
    else
        run_refuse(RUN_USAGE, "--completion=%s: only bash and zsh are known", shell);
}

static int end_output(void)
{
    if (fflush(stdout) || ferror(stdout)) {
        perror("jackdaw-run: standard output");
        return RUN_CANNOT;
    }
    return 0;
}

/* ---- reading the options --------------------------------------------------------------- */

static JD_NORETURN void refuse_option(const char *word, size_t n)
{
    const char *names[OPTIONS];
    char name[64];
    int near;

    for (size_t i = 0; i < OPTIONS; i++)
        names[i] = rows[i].name;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    near = jdi_nearest(name, names, OPTIONS);
    if (near >= 0 && rows[near].text && n > 2)
        run_refuse(RUN_USAGE, "%s: no such option; did you mean %s?", name, names[near]);
    run_refuse(RUN_USAGE, "%s: no such option; try --help", name);
}

static enum option option_called(const char *word, size_t n)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (word[1] == '-' ? strlen(rows[i].name) == n && !memcmp(word, rows[i].name, n)
                           : rows[i].letter && word[1] == rows[i].letter)
            return (enum option)i;
    refuse_option(word, word[1] == '-' ? n : 2);
}

static long number_of(const char *word, const char *value)
{
    long n = run_words_number(value, 1);

    if (n < 0)
        run_refuse(RUN_USAGE, "%s: '%s' is not a number from 1 to 1048576: write %s 4",
                   word, value, word);
    return n;
}

/* The same option twice with two values says two things. */
static void take_number(long *to, const char *word, const char *value)
{
    long n = number_of(word, value);

    if (*to && *to != n)
        run_refuse(RUN_USAGE, "%s %ld and %s %ld: leave one of them out", word, *to, word,
                   n);
    *to = n;
}

static void take_variables(struct run_words *to, const char *value)
{
    for (;; value++) {
        size_t n = strcspn(value, ",");
        run_words_add(to, "%.*s", (int)n, value);
        value += n;
        if (!*value)
            return;
    }
}

static void take(struct run_wish *wish, enum option o, const char *value)
{
    switch (o) {
    case OPTION_RANKS:
        take_number(&wish->ranks, "-n", value);
        break;
    case OPTION_NODES:
        take_number(&wish->nodes, "-N", value);
        break;
    case OPTION_CPUS:
        take_number(&wish->cpus, "-c", value);
        break;
    case OPTION_VARIABLES:
        take_variables(&wish->variables, value);
        break;
    case OPTION_HOSTS:
        wish->hosts = value;
        break;
    case OPTION_LOCALHOST:
        wish->localhost = true;
        break;
    case OPTION_NETWORK:
        wish->network = value;
        break;
    case OPTION_TRACE:
        wish->trace = value;
        break;
    case OPTION_STATS:
        wish->stats = value;
        break;
    case OPTION_PROGRESS:
        wish->progress = value;
        break;
    case OPTION_REPORT:
        wish->report = value;
        break;
    case OPTION_SHOW:
        wish->show = true;
        break;
    case OPTION_VERBOSE:
        wish->verbose = true;
        break;
    case OPTION_HELP:
        print_help();
        exit(end_output());
    case OPTION_VERSION:
        puts("jackdaw " JD_VERSION);
        exit(end_output());
    case OPTION_COMPLETION:
        print_completion(value);
        exit(end_output());
    case OPTION_REMOTE_SHELL:
    case OPTIONS:
        break;
    }
}

/* One option; returns the last word of it. */
static char **take_option(struct run_wish *wish, char **word)
{
    bool is_long = (*word)[1] == '-';
    size_t n = strcspn(*word, "=");
    enum option o = option_called(*word, n);
    const struct row *row = &rows[o];
    const char *value = is_long ? (*word)[n] ? *word + n + 1 : NULL : *word + 2;

    if (!is_long && !*value)
        value = NULL;
    if (value && row->has == VALUE_NO)
        run_refuse(RUN_USAGE, "%s: %s has no value: write %s", *word, row->name,
                   row->name);
    if (!value && row->has == VALUE_MUST) {
        value = *++word;
        if (!value)
            run_refuse(RUN_USAGE, "%s needs a value: write %s=%s", row->name, row->name,
                       row->value);
    }
    if (o == OPTION_REMOTE_SHELL)
        exit(run_remote_shell(value, word + 1));
    take(wish, o, value ? value : "");
    return word;
}

static void read_options(struct run_wish *wish, char **word)
{
    for (; *word && **word == '-' && (*word)[1]; word++) {
        if (!strcmp(*word, "--")) {
            word++;
            break;
        }
        word = take_option(wish, word);
    }
    wish->program = word;
    if (!*word)
        run_refuse(RUN_USAGE, "no program: jackdaw-run -n 4 ./program ARGUMENT...");
}

int main(int argc, char **argv)
{
    struct run_parts parts = {.ranks = 0};
    struct run_line line;
    int status;

    if (argc < 1)
        return RUN_USAGE;
    read_options(&parts.wish, argv + 1);
    run_program_find(&parts.program, parts.wish.program[0], parts.wish.network);
    run_ranks_choose(&parts);
    run_line_make(&line, &parts);
    if (parts.wish.show || parts.wish.verbose)
        run_line_print(&line, parts.wish.show ? stdout : stderr);
    status = parts.wish.show ? end_output() : run_job(&line);
    run_line_free(&line);
    run_hosts_free(&parts.hosts);
    run_words_free(&parts.wish.variables);
    return status;
}
