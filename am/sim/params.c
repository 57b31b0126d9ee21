/*
 * params.c - the JACKDAW_SIM_* knobs as the parameters of a simulation.
 *
 * Role: parses "o:500,L:1500,g:100,G:0.1" and "uniform:5000"; says what is wrong.
 * Owner: nobody; pure.
 * Invariants: none of its own.
 * See: am/sim/sim.h, doc/jackdaw-env.7.md.
 */
#include "am/sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { NS_MAX = 1000000000, DIGITS_MAX = 15 };

/* A number of at most `max` at *at, which moves behind it. */
static bool number(const char **at, double max, double *out)
{
    if (**at < '0' || **at > '9')
        return false;
    char *end;
    *out = strtod(*at, &end);
    *at = end;
    return *out <= max;
}

static bool parse_level(const char *text, struct jdi_sim_level *l)
{
    static const char keys[] = "oLgG";
    double value[4] = {0};
    for (int i = 0; i < 4; i++) {
        if (*text++ != keys[i] || *text++ != ':' || !number(&text, NS_MAX, &value[i]) ||
            *text++ != (i < 3 ? ',' : '\0'))
            return false;
    }
    *l = (struct jdi_sim_level){(uint64_t)value[0], (uint64_t)value[1],
                                (uint64_t)value[2], value[3]};
    return true;
}

static bool parse_law(const char *text, enum jdi_sim_law *law, uint64_t *spread)
{
    static const char *const names[] = {"uniform:", "tail:", "burst:", "lifo:", "hold:"};
    if (!strcmp(text, "none")) {
        *law = JDI_SIM_NONE;
        return true;
    }
    for (unsigned i = 0; i < JDI_ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i]);
        double ns;
        const char *at = text + n;
        if (strncmp(text, names[i], n) || !number(&at, NS_MAX, &ns) || *at || ns < 1)
            continue;
        *law = (enum jdi_sim_law)(JDI_SIM_UNIFORM + i);
        *spread = (uint64_t)ns;
        return true;
    }
    return false;
}

/* A rank and n - 1 further numbers with colons between; all 0 for "".  The last number must not
 * be 0, because 0 is nobody: a setting would be there and do nothing. */
static bool parse_rank(const char *text, uint64_t *out, int n, uint32_t nranks)
{
    memset(out, 0, (size_t)n * sizeof *out);
    if (!*text)
        return true;
    for (int i = 0; i < n; i++) {
        size_t digits = strspn(text, "0123456789");
        if (!digits || digits > DIGITS_MAX || text[digits] != (i + 1 < n ? ':' : '\0'))
            return false;
        out[i] = strtoull(text, NULL, 10);
        text += digits + 1;
    }
    return out[0] < nranks && out[n - 1];
}

static int refuse(char *err, size_t errlen, const char *name, const char *value,
                  const char *allowed)
{
    snprintf(err, errlen, "JACKDAW_SIM_%s=%s: allowed: %s", name, value, allowed);
    return JD_EINVAL;
}

static int refuse_rank(char *err, size_t errlen, const char *name, const char *value,
                       const char *allowed, uint32_t nranks)
{
    snprintf(err, errlen, "JACKDAW_SIM_%s=%s: allowed: %s, RANK below %u", name, value,
             allowed, nranks);
    return JD_EINVAL;
}

int jdi_sim_params_read(struct jdi_sim_params *p, const struct jdi_knobs *k,
                        uint32_t nranks, char *err, size_t errlen)
{
    static const char loggp[] = "o:NS,L:NS,g:NS,G:NS with NS up to 1000000000";
    uint64_t slow[2], pause[3], crash[2];
    *p = (struct jdi_sim_params){.nranks = nranks,
                                 .law = JDI_SIM_NONE,
                                 .trace = k->sim_trace,
                                 .save = k->sim_save,
                                 .replay = k->sim_replay};
    if (!parse_level(k->sim_net, &p->net))
        return refuse(err, errlen, "NET", k->sim_net, loggp);
    if (!parse_level(k->sim_host, &p->host))
        return refuse(err, errlen, "HOST", k->sim_host, loggp);
    if (!parse_level(k->sim_socket, &p->socket))
        return refuse(err, errlen, "SOCKET", k->sim_socket, loggp);
    if (!parse_law(k->sim_law, &p->law, &p->spread))
        return refuse(
            err, errlen, "LAW", k->sim_law,
            "none, or uniform, tail, burst, lifo, hold with :NS from 1 to 1000000000");
    if (!parse_rank(k->sim_slow, slow, 2, nranks))
        return refuse_rank(err, errlen, "SLOW", k->sim_slow, "RANK:FACTOR, FACTOR from 1",
                           nranks);
    if (!parse_rank(k->sim_pause, pause, 3, nranks))
        return refuse_rank(err, errlen, "PAUSE", k->sim_pause,
                           "RANK:AT:FOR in ns, FOR from 1", nranks);
    if (!parse_rank(k->sim_crash, crash, 2, nranks))
        return refuse_rank(err, errlen, "CRASH", k->sim_crash, "RANK:AT in ns, AT from 1",
                           nranks);
    p->socket_ranks = (uint32_t)k->sim_socket_ranks;
    p->host_ranks = (uint32_t)k->sim_host_ranks;
    if (p->host_ranks % p->socket_ranks) {
        snprintf(err, errlen,
                 "JACKDAW_SIM_HOST_RANKS=%u: allowed: multiples of "
                 "JACKDAW_SIM_SOCKET_RANKS=%u",
                 p->host_ranks, p->socket_ranks);
        return JD_EINVAL;
    }
    p->refuse = (unsigned)k->sim_refuse;
    p->slow_rank = (uint32_t)slow[0];
    p->slow_factor = slow[1];
    p->pause_rank = (uint32_t)pause[0];
    p->pause_at = pause[1];
    p->pause_for = pause[2];
    p->crash_rank = (uint32_t)crash[0];
    p->crash_at = crash[1];
    p->task_ns = (uint64_t)k->sim_task;
    p->take_ns = (uint64_t)k->sim_take;
    p->look_ns = (uint64_t)k->sim_look;
    p->lock_ns = (uint64_t)k->sim_lock;
    p->ahead_ns = (uint64_t)k->sim_ahead;
    p->seed = (uint64_t)k->seed;
    return 0;
}
