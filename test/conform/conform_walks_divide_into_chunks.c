/*
 * conform_walks_divide_into_chunks.c
 *
 * Role: walks from a seed on are the same whether one call makes them or one for each chunk, so
 *       that processes can share them.
 * See: conform/conform.h.
 */
#include "conform/conform.h"
#include "test/kit/tap.h"

enum { SEED = 100000, REST = 3000 };

int main(void)
{
    struct jd_conform_walks walks = {.seed = SEED, .walks = JD_CONFORM_CHUNK + REST};
    struct jd_conform_walked all, first, second;
    struct jd_conform_subject s;
    jd_conform_find("francez", &s);
    ok(jd_conform_walk(&s, &walks, &all) == JD_CONFORM_RIGHT, "all pass: %s", all.text);
    is_u64(all.walks, walks.walks, "as many as asked for");
    is_u64(all.chunk, SEED + JD_CONFORM_CHUNK, "the last chunk is told");
    walks.walks = JD_CONFORM_CHUNK;
    jd_conform_walk(&s, &walks, &first);
    walks.seed += JD_CONFORM_CHUNK;
    walks.walks = REST;
    jd_conform_walk(&s, &walks, &second);
    is_u64(first.actions + second.actions, all.actions,
           "in two parts they do the same actions");
    ok(second.actions * first.walks != first.actions * second.walks,
       "and the chunks are of different kinds");
    return done_testing();
}
