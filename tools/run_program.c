/*
 * run_program.c - which network a program has.
 *
 * Role: finds the program as a shell would, and reads the note that the network has left in it.
 * Owner: as run.h says.
 * Invariants: I1 nothing outside of the file is read, whatever its headers say.
 *             I2 the program is not run.
 * Order: none.
 * See: am/note.h, doc/jackdaw-run.1.md.
 */
#include "tools/run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where it is --------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

bool run_program_in_path(const char *name, char *where)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return snprintf(where, PATH_MAX, "%s", name) < PATH_MAX && is_program(where);
    for (path = path ? path : "/usr/bin:/bin";; path++) {
        size_t n = strcspn(path, ":");
        int length =
            snprintf(where, PATH_MAX, "%.*s%s%s", (int)n, n ? path : ".", "/", name);
        if (!n)
            length = snprintf(where, PATH_MAX, "./%s", name);
        if (length < PATH_MAX && is_program(where))
            return true;
        path += n;
        if (!*path)
            return false;
    }
}

static void find_file(struct run_program *p, const char *name)
{
    struct stat s;
    bool here = !stat(name, &s);

    if (run_program_in_path(name, p->path))
        return;
    if (here && S_ISDIR(s.st_mode))
        run_refuse(RUN_CANNOT, "%s is a directory: name the program in it", name);
    if (here && !strchr(name, '/'))
        run_refuse(RUN_CANNOT, "%s is not in PATH, but it is here: jackdaw-run ./%s",
                   name, name);
    if (here)
        run_refuse(RUN_CANNOT, "%s may not be executed: chmod +x %s", name, name);
    if (strchr(name, '/'))
        run_refuse(RUN_CANNOT, "%s: %s: build it first, or correct the path", name,
                   strerror(errno));
    run_refuse(RUN_CANNOT, "%s is not in PATH: give its path, as ./%s", name, name);
}

/* ---- its note ------------------------------------------------------------------------ */

struct image {
    const char *at;
    size_t size;
};

/* I1.  The bytes of the file from `from` on, NULL if they are not all there. */
static const void *bytes_at(const struct image *i, uint64_t from, uint64_t n)
{
    return from <= i->size && n <= i->size - from ? i->at + from : NULL;
}

/* How many notes of ours there are in a segment of them; the last one's text goes to *out. */
static unsigned notes_in(const struct image *i, uint64_t from, uint64_t size,
                         struct jdi_note_text *out)
{
    unsigned found = 0;
    uint64_t end = from + size;

    while (from < end) {
        const ElfW(Nhdr) *note = bytes_at(i, from, sizeof *note);
        if (!note)
            return found;
        uint64_t name = from + sizeof *note;
        uint64_t text = name + jdi_round_up(note->n_namesz, 4);
        const char *called = bytes_at(i, name, note->n_namesz);
        if (called && note->n_namesz == sizeof JDI_NOTE_NAME &&
            note->n_type == JDI_NOTE_TYPE && note->n_descsz >= sizeof *out &&
            !memcmp(called, JDI_NOTE_NAME, sizeof JDI_NOTE_NAME) &&
            bytes_at(i, text, sizeof *out)) {
            memcpy(out, bytes_at(i, text, sizeof *out), sizeof *out);
            out->network[sizeof out->network - 1] =
                out->version[sizeof out->version - 1] = 0;
            found++;
        }
        from = text + jdi_round_up(note->n_descsz, 4);
    }
    return found;
}

static unsigned notes_of(const struct image *i, struct jdi_note_text *out)
{
    const ElfW(Ehdr) *head = bytes_at(i, 0, sizeof *head);
    unsigned found = 0;

    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return 0;
    for (unsigned k = 0; k < head->e_phnum; k++) {
        ElfW(Phdr) segment;
        const void *at = bytes_at(i, head->e_phoff + k * sizeof segment, sizeof segment);
        if (!at)
            break;
        memcpy(&segment, at, sizeof segment);
        if (segment.p_type == PT_NOTE)
            found += notes_in(i, segment.p_offset, segment.p_filesz, out);
    }
    return found;
}

static unsigned read_notes(struct run_program *p)
{
    struct image i = {NULL, 0};
    struct stat s;
    int fd = open(p->path, O_RDONLY | O_CLOEXEC);
    void *map = MAP_FAILED;

    if (fd < 0)
        run_refuse(RUN_CANNOT, "%s cannot be read: %s; --network=NAME says what it has",
                   p->path, strerror(errno));
    if (!fstat(fd, &s) && s.st_size > 0) {
        i.size = (size_t)s.st_size;
        map = mmap(NULL, i.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED)
        return 0;
    i.at = map;
    unsigned found = notes_of(&i, &p->note);
    munmap(map, i.size);
    return found;
}

void run_program_find(struct run_program *p, const char *name, const char *network)
{
    unsigned found;

    find_file(p, name);
    found = read_notes(p);
    if (found > 1)
        run_refuse(RUN_CANNOT,
                   "%s has several networks: link it with one of libjackdaw-*.a",
                   p->path);
    if (found && network && strcmp(network, p->note.network) != 0)
        run_refuse(RUN_USAGE,
                   "--network=%s, but %s is linked with %s: leave --network out", network,
                   p->path, p->note.network);
    if (!found && !network)
        run_refuse(
            RUN_CANNOT,
            "%s is not a Jackdaw program: link it with pkg-config --libs jackdaw-smp "
            "(or -udp, -mpi, -ucx), or, for a script that starts one, say "
            "--network=NAME",
            p->path);
    if (!found)
        snprintf(p->note.network, sizeof p->note.network, "%s", network);
}
