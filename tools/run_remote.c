/*
 * run_remote.c - in place of ssh, as GASNet calls it for the ranks on other machines.
 *
 * Role: gives the ranks there their variables, says what to do where ssh fails, and ends a rank whose job is gone.
 * Owner: one thread of a process for each rank.
 * Invariants: I1 the rank's end of the standard input of ssh is open as long as the rank is wanted: where it
 *                closes, also because a process or a machine is gone, the rank is ended.
 * Order: none.
 * See: doc/jackdaw-run.1.md, test/stress/tools_run_reaches_hosts_by_ssh.sh.
 */
#include "tools/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, SSH_FAILED = 255 };

/* The first argument of ssh that is no option and no value of one; NULL: there is none. */
static char **host_of(char **arguments)
{
    static const char with_value[] = "BbcDEeFIiJLlmOopQRSWw";

    for (; *arguments && **arguments == '-'; arguments++)
        if ((*arguments)[1] && strchr(with_value, (*arguments)[1]) && !(*arguments)[2] &&
            arguments[1])
            arguments++;
    return *arguments ? arguments : NULL;
}

/* ---- the command there ----------------------------------------------------------------- */

static char *exports_of(const char *names)
{
    char *all = run_words_more(NULL, "%s", "");

    while (*names) {
        size_t n = strcspn(names, ",");
        char *name = run_words_more(NULL, "%.*s", (int)n, names), *quoted;
        if (n && getenv(name)) {
            quoted = run_words_quote(getenv(name));
            all = run_words_more(all, "export %s=%s ; ", name, quoted);
            free(quoted);
        }
        free(name);
        names += n + (names[n] == ',');
    }
    return all;
}

/*
 * By a POSIX shell, whatever the user's shell is.  The rank has a session of its own, which is ended where the
 * standard input closes (I1).  255 is what ssh says of itself, so a command that ends with it becomes 254.
 */
static char *command_there(const char *names, const char *command)
{
    char *rank = run_words_quote(command), *exports = exports_of(names);
    char *all = run_words_more(
        NULL,
        "%ssetsid sh -c %s </dev/null & rank=$! ; exec 3<&0 ; "
        "{ cat <&3 ; kill -TERM -$rank ; sleep 2 ; kill -KILL -$rank ; } >/dev/null 2>&1 "
        "& "
        "guard=$! ; exec 3<&- </dev/null ; wait $rank ; s=$? ; kill $guard ; "
        "[ $s -ne 255 ] || s=254 ; exit $s",
        exports, rank);
    char *quoted = run_words_quote(all);
    char *line = run_words_more(NULL, "sh -c %s", quoted);

    free(quoted);
    free(all);
    free(exports);
    free(rank);
    return line;
}

/* ---- here ------------------------------------------------------------------------------ */

/* GASNet's first process starts a process for each rank, which starts a shell, which starts this one. */
static pid_t first_process(void)
{
    enum { GENERATIONS = 2 };
    pid_t pid = getppid();

    for (int i = 0; i < GENERATIONS && pid > 1; i++) {
        char path[64];
        int parent;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%*d %*[^)]) %*c %d", &parent) != 1)
            parent = 0;
        if (f)
            fclose(f);
        pid = parent;
    }
    return pid > 1 ? pid : 0;
}

static void explain(const char *host, int status)
{
    if (status == SSH_FAILED)
        fprintf(
            stderr,
            "jackdaw-run: ssh to %s has failed: \"ssh %s true\" must work without a "
            "password (ssh-keygen, ssh-copy-id %s); correct the name of the host, or use "
            "--localhost\n",
            host, host, host);
    else if (status == NOT_FOUND)
        fprintf(
            stderr,
            "jackdaw-run: %s does not find the program: it must have the same path on "
            "every machine, as on a shared file system\n",
            host);
    else if (status == NOT_EXECUTABLE)
        fprintf(
            stderr,
            "jackdaw-run: %s may not execute the program: it must be executable on every "
            "machine\n",
            host);
}

static void close_input(void *input)
{
    close(*(int *)input);
}

int run_remote_shell(const char *names, char **arguments)
{
    char **host = host_of(arguments), **last = arguments;
    int input[2];

    arguments[-1] = (char *)"ssh"; /* in place of the option's value */
    if (!host || !host[1]) {       /* "ssh -V" */
        execvp("ssh", arguments - 1);
        run_refuse(RUN_CANNOT, "ssh cannot be started: %s", strerror(errno));
    }
    while (last[1])
        last++;
    *last = command_there(names, *last);
    if (pipe2(input, O_CLOEXEC))
        run_refuse(RUN_CANNOT, "no pipe for ssh: %s", strerror(errno));
    struct run_child ssh = {.command = arguments - 1,
                            .input = input[0],
                            .depends_on = first_process(),
                            .alone = true};
    run_child_finish(&ssh, close_input, &input[1]);
    free(*last);
    int status = run_child_status(&ssh);
    if (!ssh.asked)
        explain(*host, status);
    return status;
}
