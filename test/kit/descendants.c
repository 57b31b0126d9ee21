/*
 * descendants.c - which processes come from this one, read from /proc.
 *
 * Owner: one thread.
 * See: descendants.h; test/kit/leash.c, test/kit/stutter.c.
 */
#include "test/kit/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line of /proc: false for zombies, which only wait to be reaped. */
static bool read_process(const char *pid, struct process *p)
{
    char path[64], line[512], state = 'Z';
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    /* The name is in brackets and may contain anything, so look for the last bracket. */
    char *open = strchr(line, '('), *close = strrchr(line, ')');
    if (!open || !close || sscanf(close + 1, " %c %d", &state, &p->parent) != 2)
        return false;
    *close = '\0';
    snprintf(p->name, sizeof p->name, "%.31s", open + 1);
    p->pid = atoi(pid);
    p->mine = false;
    return state != 'Z' && state != 'X';
}

size_t kit_descendants(struct process *all, size_t most)
{
    size_t seen = 0, count = 0;
    DIR *d = opendir("/proc");
    if (!d)
        return 0;
    for (struct dirent *e; seen < most && (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0]) && read_process(e->d_name, &all[seen]))
            seen++;
    closedir(d);
    pid_t self = getpid();
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < seen; i++) {
            bool child = all[i].parent == self;
            for (size_t j = 0; !child && j < seen; j++)
                child = all[j].mine && all[j].pid == all[i].parent;
            if (child && !all[i].mine)
                grew = all[i].mine = true;
        }
    }
    for (size_t i = 0; i < seen; i++)
        if (all[i].mine)
            all[count++] = all[i];
    return count;
}
