/*
 * display.c - what JACKDAW_DISPLAY_ENV and JACKDAW_DISPLAY_BINDING show.
 *
 * Role: of display.h.
 * Owner: the communication thread, at the start.
 * Invariants: I1 what is shown is what holds: the value in force, and the placement of each rank as that rank computes
 *                it from the same masks and knobs.
 * Order: none.
 * See: sched/launch/display.h, core/topo_show.h.
 */
#include "sched/launch/display.h"
#include "core/topo_show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void show_text(const char *text)
{
    jdi_log_show("%s", text);
}

/* ---- settings ------------------------------------------------------------------------ */

/* The simulator's are for the simulator. */
static bool is_shown(const struct jdi_rank *r, size_t i)
{
    static const char simulators[] = "JACKDAW_SIM_";
    const struct jdi_knob_row *row = jdi_knobs_row(i);

    return r->knobs->display_env == JDI_DISPLAY_ENV_VERBOSE ||
           !strcmp(jdi_conduit.name, "sim") || r->knobs->given >> i & 1 ||
           strncmp(row->name, simulators, strlen(simulators)) != 0;
}

void jdi_display_env(const struct jdi_rank *r)
{
    bool verbose = r->knobs->display_env == JDI_DISPLAY_ENV_VERBOSE;

    if (r->knobs->display_env == JDI_DISPLAY_ENV_NO || r->am->rank != 0)
        return;
    jdi_log_show("settings: Jackdaw %s, %u rank%s on %s, %s", JD_VERSION, r->am->nranks,
                 r->am->nranks == 1 ? "" : "s", jdi_conduit.name, jdi_conduit.version());
    for (size_t i = 0; jdi_knobs_row(i); i++) {
        const struct jdi_knob_row *row = jdi_knobs_row(i);
        char value[256];
        if (!is_shown(r, i))
            continue;
        jdi_knobs_show(r->knobs, i, value, sizeof value);
        jdi_log_show("settings: %s=%s (%s)%s%s%s%s", row->name, value,
                     jdi_knobs_origin(r->knobs, i), verbose ? "; allowed: " : "",
                     verbose ? row->range : "", verbose ? "; " : "",
                     verbose ? row->text : "");
    }
}

/* ---- threads ------------------------------------------------------------------------- */

/* The placements of all ranks of this host; lists[i] is what the file of JACKDAW_BIND has for one. */
static int place_all(const struct jdi_rank *r, const struct jdi_topo_peer *peers,
                     struct jdi_topo_shown *ranks, char **lists)
{
    const struct jdi_am *am = r->am;
    char text[256]; /* each rank says itself what is wrong with its line */
    int error = 0;

    for (uint32_t i = 0; i < am->host_size && !error; i++) {
        ranks[i].rank = am->host_peers[i];
        ranks[i].peer = &peers[i];
        jdi_topo_place(r->topo, r->knobs, peers, am->host_size, i, am->nranks,
                       &ranks[i].place);
        error = jdi_topo_place_file(&ranks[i].place, ranks[i].rank, &lists[i], text,
                                    sizeof text);
    }
    return error;
}

void jdi_display_binding(const struct jdi_rank *r, const struct jdi_topo_peer *peers)
{
    uint32_t n = r->am->host_size;
    char host[256] = "";

    if (r->knobs->display_binding == JDI_DISPLAY_BINDING_NO || r->am->host_rank != 0)
        return;
    gethostname(host, sizeof host - 1);
    struct jdi_topo_shown *ranks = jdi_zalloc(NULL, n * sizeof *ranks);
    char **lists = jdi_zalloc(NULL, n * sizeof *lists);
    int error = ranks && lists ? place_all(r, peers, ranks, lists) : JD_ENOMEM;
    if (!error)
        error = jdi_topo_show(r->topo, host, ranks, n, show_text);
    if (error)
        jdi_log(&r->am->log, JDI_LOG_WARN, "JACKDAW_DISPLAY_BINDING: %s",
                jd_strerror(error));
    for (uint32_t i = 0; lists && i < n; i++)
        jdi_free(lists[i]);
    jdi_free(lists);
    jdi_free(ranks);
}
