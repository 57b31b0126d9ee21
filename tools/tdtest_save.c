/*
 * tdtest_save.c - see tools/tdtest.h.
 *
 * Role: how far a long run of walks has come, in a file, so that it can be interrupted.
 * Owner: the parent.
 * Invariants: I1 all walks before the number in the file have been walked and have passed.
 *             I2 the file is whole at any time: it is written beside its place and renamed.
 * See: tools/tdtest_walks.c; doc/jackdaw-tdtest.1.md.
 */
#include "tools/tdtest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char format[] = "jackdaw-tdtest walks: detector %63s seed %" SCNu64
                             " walks %" SCNu64 " done %" SCNu64;

static bool refuse(const char *file, const char *why)
{
    fprintf(stderr, "jackdaw-tdtest: --save=%s: %s\n", file, why);
    return false;
}

bool tdtest_resume(const struct tdtest *t, uint64_t *done)
{
    char name[64];
    uint64_t seed = 0, walks = 0, before = 0;
    *done = 0;
    if (!t->save)
        return true;
    FILE *f = fopen(t->save, "r");
    if (!f)
        return errno == ENOENT || refuse(t->save, strerror(errno));
    int fields = fscanf(f, format, name, &seed, &walks, &before);
    fclose(f);
    if (fields != 4 || before > walks)
        return refuse(t->save, "not a file that this option has made");
    if (strcmp(name, t->name) != 0 || seed != t->seed || walks != t->walks)
        return refuse(t->save, "of another detector, seed or number of walks");
    *done = before;
    return true;
}

void tdtest_save(const struct tdtest *t, uint64_t done)
{
    char beside[4096];
    if (!t->save)
        return;
    snprintf(beside, sizeof beside, "%s.new", t->save);
    FILE *f = fopen(beside, "w");
    bool good = f != NULL;
    if (f) {
        good = fprintf(f,
                       "jackdaw-tdtest walks: detector %s seed %" PRIu64 " walks %" PRIu64
                       " done %" PRIu64 "\n",
                       t->name, t->seed, t->walks, done) > 0;
        good &= fclose(f) == 0;
    }
    if (!good || rename(beside, t->save))
        fprintf(stderr, "jackdaw-tdtest: --save=%s: %s\n", t->save, strerror(errno));
}

void tdtest_save_end(const struct tdtest *t)
{
    if (t->save)
        (void)remove(t->save);
}
