/*
 * bind.c - what JACKDAW_BIND asks for.
 *
 * Role: of bind.h.
 * Owner: nobody; holds no state.
 * Invariants: I1 every unit of a list is below MOST_UNITS.
 *             I2 all of a file is checked, also the lines of other ranks.
 * Order: none.
 * See: core/bind.h, test/unit/core_bind_*.
 */
#include "core/bind.h"
#include "core/fault.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 1024, LINE = 4096 };

static const char *const names[] = {"auto", "none",  "core", "pu",
                                    "numa", "list:", "file:"};

const char *jdi_bind_name(enum jdi_bind kind)
{
    return names[kind];
}

/* A unit at *text, which moves behind it; MOST_UNITS: there is none. */
static unsigned unit_at(const char **text)
{
    unsigned unit = 0, digits = 0;

    for (; isdigit((unsigned char)**text) && unit < MOST_UNITS; ++*text, digits++)
        unit = unit * 10 + (unsigned)(**text - '0');
    return digits > 0 && unit < MOST_UNITS ? unit : MOST_UNITS;
}

int jdi_bind_list(const char *list, uint16_t *units, unsigned most)
{
    unsigned n = 0;

    for (;; list++) {
        unsigned first = unit_at(&list), last = first;
        if (*list == '-') {
            list++;
            last = unit_at(&list);
        }
        /* I1. */
        if (first >= MOST_UNITS || last >= MOST_UNITS || last < first ||
            n + (last - first) >= most)
            return JD_EINVAL;
        for (unsigned unit = first; unit <= last; unit++)
            units[n++] = (uint16_t)unit;
        if (!*list)
            return (int)n;
        if (*list != ',')
            return JD_EINVAL;
    }
}

static bool is_list(const char *text)
{
    uint16_t units[MOST_UNITS];
    return jdi_bind_list(text, units, MOST_UNITS) > 0;
}

int jdi_bind_parse(const char *text, enum jdi_bind *kind, const char **rest)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) != 0)
            continue;
        *rest = text + n;
        *kind = (enum jdi_bind)i;
        if (i < JDI_BIND_LIST)
            return **rest ? JD_EINVAL : 0;
        return i == JDI_BIND_FILE ? (**rest ? 0 : JD_EINVAL)
               : is_list(*rest)   ? 0
                                  : JD_EINVAL;
    }
    return JD_EINVAL;
}

/* ---- the file ------------------------------------------------------------------------- */

/* "RANK: LIST" without blanks and comments; true if the line is empty, or right. */
static bool read_line(char *line, uint32_t *rank, const char **list)
{
    char *to = line, *end;

    line[strcspn(line, "#\n")] = 0;
    for (const char *c = line; *c; c++)
        if (!isspace((unsigned char)*c))
            *to++ = *c;
    *to = 0;
    *list = NULL;
    if (!*line)
        return true;
    *rank = (uint32_t)strtoul(line, &end, 10);
    *list = end + 1;
    return isdigit((unsigned char)*line) && *end == ':' && is_list(*list);
}

int jdi_bind_read(const char *name, uint32_t rank, char **list, char *err, size_t errlen)
{
    char line[LINE];
    const char *text;
    uint32_t whose = 0;
    FILE *f = fopen(name, "r");
    int error = 0;

    *list = NULL;
    if (!f) {
        snprintf(err, errlen, "%s: %s", name, strerror(errno));
        return JD_EINVAL;
    }
    for (unsigned number = 1; !error && fgets(line, sizeof line, f); number++) {
        if (!read_line(line, &whose, &text)) { /* I2 */
            snprintf(err, errlen, "%s:%u: not RANK: LIST, as 3: 0,4-7", name, number);
            error = JD_EINVAL;
        } else if (text && whose == rank && !*list) {
            *list = jdi_zalloc(NULL, strlen(text) + 1);
            if (*list)
                strcpy(*list, text);
            else
                error = JD_ENOMEM;
        }
    }
    fclose(f);
    if (!error && !*list) {
        snprintf(err, errlen, "%s has no line for rank %u", name, rank);
        error = JD_EINVAL;
    }
    if (error && *list) {
        jdi_free(*list);
        *list = NULL;
    }
    return error;
}
