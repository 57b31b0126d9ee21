/*
 * run_hosts.c - on which machines a job runs.
 *
 * Role: reads lists of hosts: of --hosts, a file, Slurm, PBS.
 * Owner: as run.h says.
 * Invariants: I1 hosts stand in the order in which they were named, each once.
 * Order: none.
 * See: doc/jackdaw-run.1.md, test/unit/tools_run_*.
 */
#include "tools/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_HOST = 255, MOST_HOSTS = 65536 };

static bool is_host(const char *name, size_t n)
{
    if (n == 0 || n > LONGEST_HOST || *name == '-')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-._@", name[i]))
            return false;
    return true;
}

static bool add_host(struct run_hosts *h, const char *name, size_t n, unsigned slots)
{
    if (!is_host(name, n) || h->n == MOST_HOSTS)
        return false;
    h->all += slots;
    for (size_t i = 0; i < h->n; i++)
        if (strlen(h->at[i].name) == n && !memcmp(h->at[i].name, name, n)) {
            h->at[i].slots += slots;
            return true;
        }
    h->at = realloc(h->at, (h->n + 1) * sizeof *h->at);
    char *copy = strndup(name, n);
    if (!h->at || !copy)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    h->at[h->n++] = (struct run_host){copy, slots};
    h->named = h->n;
    return true;
}

/* ---- lists of ours ------------------------------------------------------------------- */

/* "a" or "a:4" */
static bool add_with_slots(struct run_hosts *h, const char *word, size_t n)
{
    char number[16] = "1";
    const char *colon = memchr(word, ':', n);
    long slots;

    if (colon)
        snprintf(number, sizeof number, "%.*s", (int)(word + n - colon - 1), colon + 1);
    slots = run_words_number(number, 1);
    return slots > 0 &&
           add_host(h, word, colon ? (size_t)(colon - word) : n, (unsigned)slots);
}

static void read_list(struct run_hosts *h, const char *text)
{
    for (;; text++) {
        size_t n = strcspn(text, ",");
        if (!add_with_slots(h, text, n))
            run_refuse(
                RUN_USAGE,
                "--hosts: '%.*s' is no host: write a,b:4 (4 ranks on b), or the path "
                "of a file with a host in each line",
                (int)n, text);
        text += n;
        if (!*text)
            return;
    }
}

/* A host in each line, as PBS writes it; also "a:4" and "a slots=4"; after # is a comment. */
static void read_file(struct run_hosts *h, const char *name)
{
    char line[1024], host[512], slots[16];
    FILE *f = fopen(name, "r");

    if (!f)
        run_refuse(RUN_CANNOT, "%s: %s: %s: it should name a host in each line", h->from,
                   name, strerror(errno));
    for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
        line[strcspn(line, "#\n")] = 0;
        int words = sscanf(line, "%511s slots=%15[0-9]", host, slots);
        char *word = words == 2 ? run_words_more(NULL, "%s:%s", host, slots) : host;
        if (words >= 1 && !add_with_slots(h, word, strlen(word)))
            run_refuse(RUN_CANNOT, "%s: %s:%u: '%s' is no host", h->from, name, number,
                       line);
        if (word != host)
            free(word);
    }
    fclose(f);
    if (!h->n)
        run_refuse(RUN_CANNOT, "%s: %s names no host", h->from, name);
}

/* ---- Slurm --------------------------------------------------------------------------- */

/* One "1-3" or "07" of "n[...]m"; leading zeros are kept. */
static bool add_range(struct run_hosts *h, const char *before, int nbefore,
                      const char *range, const char *after, int nafter)
{
    unsigned first, last;
    int width = 0, end = 0;
    char name[LONGEST_HOST + 32];

    if (sscanf(range, "%u%n", &first, &width) != 1 || first > MOST_HOSTS * 16U)
        return false;
    last = first;
    if (range[width] == '-' && (sscanf(range + width, "-%u%n", &last, &end) != 1 ||
                                last < first || last - first >= MOST_HOSTS))
        return false;
    if (!strchr(",]", range[width + end]))
        return false;
    for (unsigned i = first; i <= last; i++) {
        int n = snprintf(name, sizeof name, "%.*s%0*u%.*s", nbefore, before, width, i,
                         nafter, after);
        if (n < 0 || (size_t)n >= sizeof name || !add_host(h, name, (size_t)n, 1))
            return false;
    }
    return true;
}

bool run_hosts_expand(struct run_hosts *h, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, ",["), n = plain;
        if (text[plain] == '[') {
            const char *close = strchr(text, ']');
            if (!close)
                return false;
            size_t after = strcspn(close + 1, ",[");
            if (close[1 + after] == '[')
                return false; /* machines with two indices: nobody here has them */
            for (const char *range = text + plain + 1; range < close;
                 range += strcspn(range, ",]") + 1)
                if (!isdigit((unsigned char)*range) ||
                    !add_range(h, text, (int)plain, range, close + 1, (int)after))
                    return false;
            n = (size_t)(close + 1 + after - text);
        } else if (!add_host(h, text, n, 1)) {
            return false;
        }
        text += n;
        text += *text == ',';
    }
    return h->n > 0;
}

/* SLURM_TASKS_PER_NODE is "2(x3),1": three hosts of two tasks, and one of one. */
static void read_tasks(struct run_hosts *h, const char *text)
{
    size_t i = 0;
    unsigned tasks, times;

    h->all = 0;
    while (text && i < h->n && sscanf(text, "%u", &tasks) == 1 && tasks > 0) {
        const char *end = text + strcspn(text, ",");
        if (sscanf(text, "%*u(x%u)", &times) != 1)
            times = 1;
        for (; times > 0 && i < h->n; times--, i++)
            h->at[i].slots = tasks;
        text = *end ? end + 1 : NULL;
    }
    for (i = 0; i < h->n; i++)
        h->all += h->at[i].slots;
}

/* ---- together ------------------------------------------------------------------------ */

void run_hosts_find(struct run_hosts *h, const struct run_wish *wish)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST"), *file = getenv("PBS_NODEFILE");

    *h = (struct run_hosts){.from = "--hosts"};
    if (wish->localhost)
        return;
    if (wish->hosts) {
        if (strchr(wish->hosts, '/'))
            read_file(h, wish->hosts);
        else
            read_list(h, wish->hosts);
    } else if (nodes && *nodes) {
        h->from = "SLURM_JOB_NODELIST";
        h->slurm = true;
        if (!run_hosts_expand(h, nodes))
            run_refuse(
                RUN_CANNOT,
                "SLURM_JOB_NODELIST=%s cannot be read: name the machines with --hosts, "
                "or say --localhost",
                nodes);
        read_tasks(h, getenv("SLURM_TASKS_PER_NODE"));
    } else if (file && *file) {
        h->from = "PBS_NODEFILE";
        read_file(h, file);
    }
}

void run_hosts_free(struct run_hosts *h)
{
    for (size_t i = 0; i < h->named; i++)
        free(h->at[i].name);
    free(h->at);
}

void run_hosts_keep(struct run_hosts *h, size_t n)
{
    h->n = n;
    h->all = 0;
    for (size_t i = 0; i < n; i++)
        h->all += h->at[i].slots;
}

bool run_hosts_are_here(const struct run_hosts *h)
{
    char here[LONGEST_HOST + 1] = "";

    gethostname(here, sizeof here - 1);
    for (size_t i = 0; i < h->n; i++) {
        const char *name = h->at[i].name;
        size_t n = strcspn(here, ".");
        bool same = !strcmp(name, "localhost") || !strcmp(name, "127.0.0.1") ||
                    !strcmp(name, here) || (strlen(name) == n && !memcmp(name, here, n));
        if (!same)
            return false;
    }
    return true;
}
