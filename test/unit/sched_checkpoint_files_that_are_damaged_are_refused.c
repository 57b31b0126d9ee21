/*
 * sched_checkpoint_files_that_are_damaged_are_refused.c - what is read of files that are not what they were.
 *
 * Role: the files of a small checkpoint, with each bit turned, cut at each byte, made longer, exchanged: each is refused,
 *       with a text.  The same with checksums that fit: refused or read, but never followed out of the file.
 * Owner: the bodies make the files; then one thread.
 * Invariants: I1 a share is read together with its manifest, as jd_coll_load does.
 * See: sched/checkpoint/read.h; doc/checkpoint.md "Files".
 */
#include "core/checksum.h"
#include "sched/checkpoint/read.h"
#include "sched/checkpoint/save.h"
#include "test/dist/sched_kit.h"
#include "test/kit/instrumented.h"
#include "test/unit/sched_checkpoint_kit.h"

#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RANKS = 2, SEEDS = 3, CELLS = 5, CHANCES = 20000 };

static struct disk disk;
static uint64_t rng = 20261119;

static void work(jd_self *me, void *arg)
{
    if (*(uint64_t *)arg == 1)
        must(me, jd_task_null(me));
}

static int body(jd_self *me, int argc, char **argv)
{
    static uint64_t cell[RANKS][CELLS];
    jd_coll_props props = {.name = "small", .timed = 1};
    uint64_t state = 3;
    jd_mem mem;
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_mem_create(me, cell[jd_rank(me)], sizeof cell[0] - 3, &mem));
    must(me, jd_coll_create(me, &props, &c));
    for (uint64_t i = 0; i < SEEDS; i++)
        must(me, jd_coll_add(me, c, 0, &i, sizeof i));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN)); /* some are pruned */
    must(me, jd_coll_process(me, c));
    jd_checkpoint what = {"d/s", &mem, 1, &state, sizeof state};
    must(me, jdi_save(me, c, &what, &disk.files));
    must(me, jd_coll_destroy(me, c));
    return jd_mem_destroy(me, mem);
}

static struct disk_file *file_of(const char *name)
{
    return &disk.file[disk.name[disk_find(&disk, name)].file];
}

/* Read all of the checkpoint, as a load would; what is wrong. */
static struct jdi_read_end read_all(void)
{
    static struct jdi_fault none;
    const struct jdi_read r = {.files = &disk.files, .fault = &none};
    struct jdi_manifest m = {0};
    unsigned char *bytes = NULL, *front = NULL;
    struct jdi_read_end end = jdi_read_manifest(&r, "d/s", &bytes, &m);
    for (uint32_t rank = 0; !end.error && rank < m.nranks; rank++) {
        char path[JDI_FILES_PATH];
        struct jdi_share s = {.rank = rank};
        jdi_files_share("d/s", m.generation, rank, path);
        end = jdi_read_share(&r, path, &m, &front, &s);
        jdi_free(front);
    }
    jdi_free(bytes);
    return end;
}

static bool is_refused(void)
{
    struct jdi_read_end end = read_all();
    return end.error == JD_EFILE && end.fault && strlen(end.fault) > 10;
}

static void test_bits(const char *name)
{
    struct disk_file *f = file_of(name);
    uint64_t refused = 0, cut = 0, n = f->n;
    for (uint64_t bit = 0; bit < 8 * n; bit++) {
        f->bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        refused += is_refused();
        f->bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    is_u64(refused, 8 * n, "%s: each bit that is turned is seen", name);
    for (f->n = 0; f->n < n; f->n++)
        cut += is_refused();
    is_u64(cut, n, "%s: each cut is seen", name);
    for (unsigned more = 1; more <= 9; more += 4) {
        disk_write_at(f, n, "12345678", more < 8 ? more : 8);
        ok(is_refused(), "%s: bytes behind the end are seen", name);
        f->n = n;
    }
    ok(!read_all().error, "%s: as it was it is read", name);
}

/* Turn a few bits or overwrite a word, and make the checksum fit. */
static void spoil(struct disk_file *f)
{
    static const uint64_t words[] = {0, 1, UINT32_MAX, INT64_MAX, UINT64_MAX};
    size_t units = f->n / 8 - 1;
    for (unsigned i = jdi_random_below(&rng, 3) + 1; i > 0; i--) {
        size_t at = 8 + 8 * jdi_random_below(&rng, (uint32_t)units - 1);
        uint64_t word;
        memcpy(&word, f->bytes + at, sizeof word);
        word = jdi_random_below(&rng, 4)
                   ? word ^ UINT64_C(1) << jdi_random_below(&rng, 64)
                   : words[jdi_random_below(&rng, 5)];
        memcpy(f->bytes + at, &word, sizeof word);
    }
    jdi_head_seal(f->bytes, f->n - 8);
}

/* The manifest's checksum of a share, made to fit. */
static void adopt(const struct disk_file *share, uint32_t rank)
{
    struct disk_file *f = file_of("d/s");
    struct jdi_manifest m;
    if (jdi_manifest_get(f->bytes, f->n, &m))
        bail_out("the manifest is not read");
    uint64_t *row = (uint64_t *)(uintptr_t)jdi_manifest_row(&m, rank);
    memcpy(&row[JDI_MANIFEST_SUM], share->bytes + share->n - 8, 8);
    jdi_head_seal(f->bytes, f->n - 8);
}

static void test_chances(const char *name, int rank)
{
    struct disk_file *f = file_of(name), *manifest = file_of("d/s");
    unsigned char was[2][4096];
    unsigned ends = 0, refused = 0;
    if (f->n > sizeof was[0] || manifest->n > sizeof was[1])
        bail_out("the files are not small");
    memcpy(was[0], f->bytes, f->n);
    memcpy(was[1], manifest->bytes, manifest->n);
    for (unsigned i = 0; i < CHANCES; i++) {
        spoil(f);
        if (rank >= 0)
            adopt(f, (uint32_t)rank);
        struct jdi_read_end end = read_all();
        refused += end.error == JD_EFILE;
        ends += !end.error || end.error == JD_EFILE || end.error == JD_ENOENT;
        memcpy(manifest->bytes, was[1], manifest->n);
        memcpy(f->bytes, was[0], f->n);
    }
    is_u64(ends, CHANCES, "%s, with a checksum that fits: read or refused", name);
    ok(refused > CHANCES / 4, "%s: much of it is refused (%u)", name, refused);
    ok(!read_all().error, "%s: as it was it is read", name);
}

/* Two files of the same size in the wrong places. */
static void test_exchange(void)
{
    struct disk_file *a = file_of("d/s.1.0"), *b = file_of("d/s.1.1"), was = *a;
    *a = *b;
    ok(is_refused(), "the share of another rank is seen");
    *a = was;
    was = *file_of("d/s");
    *file_of("d/s") = *a;
    ok(is_refused(), "a share in place of the manifest is seen");
    *file_of("d/s") = was;
    ok(!read_all().error, "as they were they are read");
}

/* From now on the process may have 200 MB more than it has. */
static void bound_memory(void)
{
    struct rlimit most;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &most))
        bail_out("the memory of the process is not known");
    fclose(f);
    most.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (UINT64_C(200) << 20);
    if (setrlimit(RLIMIT_AS, &most))
        bail_out("the memory of the process is not bounded");
}

/* A small file that says it is a large one takes no memory for what is not there. */
static void test_claims(void)
{
    struct disk_file *f = file_of("d/s");
    struct jdi_manifest m;
    uint64_t was, more = UINT64_C(1) << 33;
    if (INSTRUMENTED) /* it needs more memory than a process can be bounded to */
        return;
    bound_memory();
    memcpy(&was, f->bytes + offsetof(struct jdi_head, length), sizeof was);
    memcpy(f->bytes + offsetof(struct jdi_head, length), &(uint64_t){JDI_MANIFEST_MOST},
           sizeof was);
    ok(is_refused(), "a manifest that says it has 1 GB is refused, and not for memory");
    memcpy(f->bytes + offsetof(struct jdi_head, length), &was, sizeof was);
    if (jdi_manifest_get(f->bytes, f->n, &m))
        bail_out("the manifest is not read");
    uint64_t *row = (uint64_t *)(uintptr_t)jdi_manifest_row(&m, 0);
    row[JDI_MANIFEST_LENGTH] += more;
    row[JDI_MANIFEST_FRONT] += more;
    jdi_head_seal(f->bytes, f->n - 8);
    ok(is_refused(), "so is a share of which the manifest says it has 8 GB");
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "2", 1), setenv("JACKDAW_WORKERS", "1", 1);
    disk_init(&disk);
    ok(!jd_launch(argc, argv, body, tasks), "the job has ended well");
    test_bits("d/s");
    test_bits("d/s.1.0");
    test_bits("d/s.1.1");
    test_chances("d/s", -1);
    test_chances("d/s.1.0", 0);
    test_exchange();
    test_claims();
    disk_fini(&disk);
    return done_testing();
}
