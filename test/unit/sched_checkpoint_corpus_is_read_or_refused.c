/*
 * sched_checkpoint_corpus_is_read_or_refused.c - the readers of checkpoints on files that a fuzzer has kept.
 *
 * Role: replays test/fuzz/checkpoint/: whole-* are read, torn-* are refused even if their checksums are made to fit, and
 *       fit-* are read only then.  The same, cut at each byte and with each byte turned, ends.
 * Owner: one thread.
 * See: test/fuzz/checkpoint.c; test/fuzz/run.sh, which makes and extends the corpus.
 */
#include "test/fuzz/checkpoint.h"
#include "test/kit/tap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, PATH_SIZE = 1024 };

static unsigned char bytes[MOST];

static size_t read_seed(const char *folder, const char *name)
{
    char path[PATH_SIZE + 256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (!f || !n || n == sizeof bytes)
        bail_out("a file of the corpus is not read");
    fclose(f);
    return n;
}

static void replay(const char *name, size_t n)
{
    bool whole = !strncmp(name, "whole-", 6), fits = whole || !strncmp(name, "fit-", 4);
    ok(fuzz_checkpoint_reads(bytes, n, false) == whole, "%s: %s as it is", name,
       whole ? "read" : "refused");
    ok(fuzz_checkpoint_reads(bytes, n, true) == fits, "%s: %s with checksums that fit",
       name, fits ? "read" : "refused");
}

static void spoil_each(const char *name, size_t n)
{
    unsigned long read = 0;
    for (size_t cut = 1; cut < n; cut++)
        read += fuzz_checkpoint_reads(bytes, cut, false);
    for (size_t at = 0; at < n; at++) {
        bytes[at] ^= 0x81;
        read += fuzz_checkpoint_reads(bytes, n, false);
        (void)LLVMFuzzerTestOneInput(bytes, n);
        bytes[at] ^= 0x81;
    }
    ok(read == 0, "%s: no cut and no byte that is turned passes", name);
}

int main(void)
{
    char folder[PATH_SIZE];
    const char *top = getenv("JD_TEST_SRCDIR");
    unsigned seen = 0;
    snprintf(folder, sizeof folder, "%s/test/fuzz/checkpoint", top ? top : ".");
    DIR *d = opendir(folder);
    if (!d)
        bail_out("there is no corpus");
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        size_t n = read_seed(folder, e->d_name);
        replay(e->d_name, n);
        if (n < 2048)
            spoil_each(e->d_name, n);
        seen++;
    }
    closedir(d);
    ok(seen >= 8, "%u files of the corpus were replayed", seen);
    return done_testing();
}
