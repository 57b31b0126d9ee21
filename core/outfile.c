/*
 * outfile.c - files that a job leaves behind.
 *
 * Role: see outfile.h.
 * Owner: one thread.
 * Invariants: I1 and I2 of outfile.h.
 * Order: none.
 * See: outfile.h.
 */
#include "core/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool jdi_outfile_fits(const char *pattern, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pattern[i] == '%' && (++i == n || !strchr("rhj%", pattern[i])))
            return false;
    return n > 0;
}

static bool has_letter(const char *pattern, char letter)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && *++pattern == letter)
            return true;
    return false;
}

bool jdi_outfile_of_rank(const char *pattern)
{
    return has_letter(pattern, 'r');
}

bool jdi_outfile_of_host(const char *pattern)
{
    return has_letter(pattern, 'h');
}

int jdi_outfile_name(const char *pattern, const struct jdi_outfile_names *names,
                     char *name, size_t room)
{
    size_t n = 0;
    for (; *pattern && n + 1 < room; pattern++) {
        size_t left = room - n;
        int more = 1;
        if (*pattern != '%' || *++pattern == '%')
            name[n] = *pattern;
        else if (*pattern == 'r')
            more = snprintf(name + n, left, "%u", names->rank);
        else
            more = snprintf(name + n, left, "%s",
                            *pattern == 'h' ? names->host : names->job);
        n += (size_t)more;
    }
    if (n + 1 > room)
        return JD_EINVAL;
    name[n] = '\0';
    return *pattern ? JD_EINVAL : 0;
}

int jdi_outfile_open(struct jdi_outfile *f)
{
    f->to = fopen(*f->part ? f->part : f->name, "we");
    return f->to ? 0 : errno;
}

/* What is no regular file stays as it is until it is written: to open and close a pipe would end it for who reads
 * it. */
int jdi_outfile_try(struct jdi_outfile *f, const char *name)
{
    struct stat is;
    bool regular = stat(name, &is) || S_ISREG(is.st_mode);
    *f = (struct jdi_outfile){0};
    snprintf(f->name, sizeof f->name, "%s", name);
    if (!regular)
        return access(name, W_OK) ? errno : 0;
    snprintf(f->part, sizeof f->part, "%s.part", name);
    int error = jdi_outfile_open(f);
    if (error)
        return error;
    fclose(f->to);
    f->to = NULL;
    return unlink(f->part) ? errno : 0;
}

int jdi_outfile_done(struct jdi_outfile *f)
{
    errno = 0;
    int error = ferror(f->to) ? EIO : 0;
    if (fclose(f->to))
        error = errno;
    f->to = NULL;
    if (!error && *f->part && rename(f->part, f->name))
        error = errno;
    return error;
}
