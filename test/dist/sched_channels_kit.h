/*
 * sched_channels_kit.h - what the programs that test channels share.
 *
 * Role: small calls that end the job where an error is none of the test's.
 * Owner: the caller.
 * See: include/jackdaw.h; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_CHANNELS_KIT_H
#define JDI_TEST_DIST_SCHED_CHANNELS_KIT_H

#include "core/random.h"
#include "test/dist/sched_ends_kit.h"

static inline jd_channel new_channel(jd_self *me, size_t item_size, size_t capacity)
{
    jd_channel c = {0};
    must(me, jd_channel_create(me, item_size, capacity, &c));
    return c;
}

static inline uint64_t receive_word(jd_self *me, jd_channel c)
{
    uint64_t word = 0;
    must(me, jd_channel_receive(me, c, &word, JD_FOREVER));
    return word;
}

static inline void send_word(jd_self *me, jd_channel c, uint64_t word)
{
    must(me, jd_channel_send(me, c, &word, JD_FOREVER));
}

/* Sleep for up to `most` ns by the seed, then end those that wait for ever: cancel the finish, or close all
 * channels. */
static inline void stop_after(jd_self *me, uint64_t seed, uint32_t most,
                              const jd_channel *channels, unsigned n)
{
    must(me, jd_sleep(me, jdi_random_below(&seed, most)));
    if (jdi_random_below(&seed, 2)) {
        must(me, jd_cancel(me, jd_finish_mine(me)));
        return;
    }
    for (unsigned i = 0; i < n; i++)
        must(me, jd_channel_close(me, channels[i]));
}

#endif
