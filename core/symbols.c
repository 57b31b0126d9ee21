/*
 * symbols.c - see symbols.h.
 *
 * Role: reads the table of symbols of the file that runs, which names static functions too; libraries say by
 *       dladdr what they export.
 * Invariants: I1 of symbols.h.
 * See: symbols.h; elf(5).
 */
#include "core/symbols.h"

#include "core/fault.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct jdi_symbols {
    uintptr_t low, high; /* where the program's code lies */
    uintptr_t bias;      /* what its addresses are more than in the file */
    ElfW(Sym) * sym;
    size_t nsyms;
    char *names; /* the last byte is 0 */
    size_t names_size;
};

unsigned jdi_symbols_walk(void *at[JDI_SYMBOLS_DEPTH])
{
    int n = backtrace(at, JDI_SYMBOLS_DEPTH);
    return n > 0 ? (unsigned)n : 0;
}

/* ---- the file that runs ----------------------------------------------------------------- */

/* NULL: the file does not have that much there, or there is no memory. */
static void *read_part(int fd, uint64_t start, uint64_t size, uint64_t file_size)
{
    if (!size || start > file_size || size > file_size - start)
        return NULL;
    char *at = jdi_alloc(NULL, size);
    if (at && pread(fd, at, size, (off_t)start) != (ssize_t)size) {
        jdi_free(at);
        at = NULL;
    }
    return at;
}

/* The section with all symbols, or the one with those that are exported; NULL: neither. */
static const ElfW(Shdr) * find_table(const ElfW(Shdr) * section, size_t n)
{
    const ElfW(Shdr) *found = NULL;
    for (size_t i = 0; i < n; i++)
        if (section[i].sh_type == SHT_SYMTAB ||
            (section[i].sh_type == SHT_DYNSYM && !found))
            found = &section[i];
    return found;
}

static void read_table(struct jdi_symbols *s, int fd, uint64_t size,
                       const ElfW(Shdr) * section, size_t n)
{
    const ElfW(Shdr) *table = find_table(section, n);
    if (!table || table->sh_link >= n)
        return;
    const ElfW(Shdr) *names = &section[table->sh_link];
    s->sym = read_part(fd, table->sh_offset, table->sh_size, size);
    s->names = read_part(fd, names->sh_offset, names->sh_size, size);
    if (!s->sym || !s->names)
        return;
    s->nsyms = table->sh_size / sizeof *s->sym;
    s->names_size = names->sh_size;
    s->names[s->names_size - 1] = '\0';
}

static void read_program(struct jdi_symbols *s)
{
    struct stat st;
    ElfW(Ehdr) head;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!fstat(fd, &st) && pread(fd, &head, sizeof head, 0) == sizeof head &&
        !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
        head.e_shentsize == sizeof(ElfW(Shdr))) {
        uint64_t size = (uint64_t)st.st_size;
        ElfW(Shdr) *section =
            read_part(fd, head.e_shoff, head.e_shnum * sizeof *section, size);
        if (section)
            read_table(s, fd, size, section, head.e_shnum);
        jdi_free(section);
    }
    close(fd);
}

/* The program is the first object that is told of. */
static int note_program(struct dl_phdr_info *info, size_t size, void *symbols)
{
    struct jdi_symbols *s = symbols;
    (void)size;
    s->bias = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        uintptr_t low = s->bias + p->p_vaddr, high = low + p->p_memsz;
        s->low = !s->high || low < s->low ? low : s->low;
        s->high = high > s->high ? high : s->high;
    }
    return 1;
}

struct jdi_symbols *jdi_symbols_open(void)
{
    struct jdi_symbols *s = jdi_zalloc(NULL, sizeof *s);
    if (!s)
        return NULL;
    dl_iterate_phdr(note_program, s);
    read_program(s);
    return s;
}

void jdi_symbols_close(struct jdi_symbols *s)
{
    if (!s)
        return;
    jdi_free(s->sym);
    jdi_free(s->names);
    jdi_free(s);
}

/* ---- names ------------------------------------------------------------------------------ */

/* NULL: none is known. */
static const char *name_in_program(const struct jdi_symbols *s, uintptr_t at)
{
    uintptr_t place = at - s->bias;
    for (size_t i = 0; i < s->nsyms; i++) {
        const ElfW(Sym) *y = &s->sym[i];
        if ((y->st_info & 0xf) == STT_FUNC && y->st_shndx != SHN_UNDEF &&
            place >= y->st_value && place - y->st_value < y->st_size &&
            y->st_name < s->names_size)
            return s->names + y->st_name;
    }
    return NULL;
}

static bool is_in_program(const struct jdi_symbols *s, uintptr_t at)
{
    return at >= s->low && at < s->high;
}

/* A return address lies behind the call, which may be the last instruction of its function. */
static uintptr_t call_of(const void *back)
{
    return (uintptr_t)back - 1;
}

const char *jdi_symbols_name(const struct jdi_symbols *s, const void *back)
{
    uintptr_t at = call_of(back);
    Dl_info info;
    if (is_in_program(s, at))
        return name_in_program(s, at);
    return dladdr((const void *)at, &info) ? info.dli_sname : NULL;
}

void jdi_symbols_say(const struct jdi_symbols *s, const void *back, struct jdi_text *t)
{
    uintptr_t at = call_of(back);
    const char *name = jdi_symbols_name(s, back), *slash = NULL;
    Dl_info info;
    if (name) {
        jdi_text_add(t, "%s", name);
    } else if (!is_in_program(s, at) && dladdr((const void *)at, &info)) {
        slash = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
        jdi_text_add(t, "%s+0x%" PRIxPTR, slash ? slash + 1 : "?",
                     at - (uintptr_t)info.dli_fbase);
    } else {
        jdi_text_add(t, "0x%" PRIxPTR, is_in_program(s, at) ? at - s->bias : at);
    }
}
