/*
 * report_page.c - the page as a whole.
 *
 * Role: the style and the patterns, what ran where with which settings, the explanation, the order of sections.
 * Owner: one thread.
 * Invariants: I1 to I3 of report.h.
 *             I4 the page asks the network for nothing: its policy forbids that to the browser.
 * See: report.h.
 */
#include "core/explain.h"
#include "tools/report.h"

#include <inttypes.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src "
    "data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"generator\" content=\"jackdaw-report " JD_VERSION "\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>";

static const char style[] =
    "</title>\n<style>\n"
    ":root{color-scheme:light "
    "dark;--paper:#fff;--ink:#1b1b1b;--soft:#5c5c5c;--line:#c4c4c4;--box:#f3f3f1;"
    "--work:#1d4f91;--steal:#b04a00;--idle:#777;--progress:#1f7a3d;--detect:#7a2a8c}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e9e9e6;--soft:#a9adb0;--"
    "line:#4a5056;"
    "--box:#1f2428;--work:#8fb9f5;--steal:#ffab66;--idle:#999;--progress:#7fd49a;--"
    "detect:#d79be6}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 "
    "auto;padding:1rem;max-width:72rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
    "p{max-width:42rem;margin:.5rem 0}\n"
    "code{font-family:ui-monospace,monospace;font-size:.9em}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:."
    "5rem;margin:1rem "
    "0;padding:0;list-style:none}\n"
    ".tiles li{background:var(--box);border:1px solid "
    "var(--line);border-radius:.4rem;padding:.5rem .7rem}\n"
    ".tiles b{display:block;font-size:1.25rem}\n"
    ".said{border-left:.3rem solid var(--work);background:var(--box);padding:.6rem "
    ".9rem;max-width:42rem}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),"
    "1fr));gap:1rem "
    "1.5rem;align-items:start}\n"
    "figure{margin:.5rem 0;min-width:0}\n"
    "figcaption{font-weight:600}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.2rem "
    "0;padding:0;list-style:none;font-size:.9rem}\n"
    ".legend svg{vertical-align:-2px}\n"
    ".chart{display:block;width:100%;max-width:30rem;height:auto;font:12px "
    "system-ui,sans-serif;margin:.3rem 0}\n"
    ".chart text{fill:var(--ink)}\n"
    ".bar{stroke:var(--ink);stroke-width:.6}\n"
    ".column{shape-rendering:crispEdges}\n"
    ".grid{stroke:var(--line);stroke-width:.7}\n"
    ".axis{stroke:var(--ink);stroke-width:1}\n"
    ".ideal{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:6 4}\n"
    ".curve{fill:none;stroke:var(--work);stroke-width:2}\n"
    ".range{stroke:var(--work);stroke-width:1.2}\n"
    ".dot{fill:var(--work);stroke:var(--paper);stroke-width:1}\n"
    ".heat{fill:var(--work)}\n"
    ".frame{fill:none;stroke:var(--line);stroke-width:1}\n"
    ".chart .on{fill:var(--paper)}\n"
    "details{margin:.3rem 0}\n"
    "summary{cursor:pointer;color:var(--soft)}\n"
    ".wide{overflow-x:auto;max-height:32rem}\n"
    "table{border-collapse:collapse;font-size:.85rem;margin:.3rem 0}\n"
    "th,td{border:1px solid var(--line);padding:.15rem "
    ".5rem;text-align:left;vertical-align:top}\n"
    "thead th{background:var(--box)}\n"
    ".wide td,.wide th{white-space:nowrap;overflow-wrap:normal}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".facts th{font-weight:400;color:var(--soft);white-space:nowrap}\n"
    ".warn{border-left:.3rem double var(--steal);padding-left:.7rem}\n"
    "@media print{.wide{max-height:none}body{max-width:none}}\n"
    "</style>\n</head>\n<body>\n";

/* Used by all pictures.  Each differs from the others without its colour. */
static const char patterns[] =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
    "aria-hidden=\"true\"><defs>\n"
    "<pattern id=\"fill-work\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\"><rect "
    "width=\"8\" height=\"8\" "
    "style=\"fill:var(--work)\"/></pattern>\n"
    "<pattern id=\"fill-steal\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
    "style=\"fill:var(--paper)\"/><path d=\"M-1 7L7-1M-1 1L1-1M5 7L7 5\" "
    "style=\"stroke:var(--steal);stroke-width:1.8\"/></pattern>\n"
    "<pattern id=\"fill-idle\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\"><rect "
    "width=\"8\" height=\"8\" "
    "style=\"fill:var(--paper)\"/></pattern>\n"
    "<pattern id=\"fill-progress\" width=\"5\" height=\"5\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"5\" height=\"5\" "
    "style=\"fill:var(--paper)\"/><circle cx=\"2.5\" cy=\"2.5\" r=\"1.5\" "
    "style=\"fill:var(--progress)\"/></pattern>\n"
    "<pattern id=\"fill-detect\" width=\"5\" height=\"5\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"5\" height=\"5\" "
    "style=\"fill:var(--paper)\"/><path d=\"M0 2.5H5M2.5 0V5\" "
    "style=\"stroke:var(--detect);stroke-width:1.6\"/></pattern>\n"
    "</defs></svg>\n";

/* ---- the top ---------------------------------------------------------------------------- */

/* As somebody would write it into a shell, but for quotes inside of quotes. */
static void write_command(FILE *to, const struct jdi_figures *f)
{
    fputs("<code id=\"command\">", to);
    report_text(to, f->program);
    for (int i = 0; i < f->argc; i++) {
        bool plain =
            f->argv[i][0] && !f->argv[i][strcspn(f->argv[i], " \t\n'\"\\$*?;&|<>()#")];
        fputs(plain ? " " : " '", to);
        report_text(to, f->argv[i]);
        fputs(plain ? "" : "'", to);
    }
    fputs("</code>", to);
}

static void write_tile(FILE *to, const char *id, const char *value, const char *exact,
                       const char *what)
{
    fprintf(to, "<li><b><data id=\"%s\" value=\"%s\">%s</data></b> %s</li>\n", id, exact,
            value, what);
}

static void write_tile_count(FILE *to, const char *id, uint64_t value, const char *what)
{
    char exact[24], text[32];
    snprintf(exact, sizeof exact, "%" PRIu64, value);
    write_tile(to, id, report_axis_count(value, text), exact, what);
}

static void write_tiles(struct report *r)
{
    const struct report_run *run = &r->run[0];
    char text[32], exact[32];
    fputs("<ul class=\"tiles\">\n", r->to);
    snprintf(exact, sizeof exact, "%.6f", run->f.wall);
    write_tile(r->to, "wall", trace_show_ns(1e9 * run->f.wall, text), exact,
               run->f.is_virtual ? "of virtual time" : "from start to end");
    write_tile_count(r->to, "nranks", run->f.nranks,
                     run->f.nranks == 1 ? "rank" : "ranks");
    write_tile_count(r->to, "nworkers", run->workers,
                     run->workers == 1 ? "worker in each" : "workers in each");
    write_tile_count(r->to, "executed", run->all.executed, "tasks executed");
    snprintf(exact, sizeof exact, "%" PRIu64, run->working.ns_work);
    report_axis_percent((double)run->working.ns_work, (double)run->working.ns_life, text);
    write_tile(r->to, "work", text, exact, "of the workers\xe2\x80\x99 time in tasks");
    write_tile_count(r->to, "stolen", run->all.stolen_in, "tasks moved to other ranks");
    fputs("</ul>\n", r->to);
}

static void write_top(struct report *r)
{
    const struct report_run *run = &r->run[0];
    const char *base = strrchr(run->f.program, '/');
    const char *title = r->title ? r->title : base ? base + 1 : run->f.program;
    fputs(head, r->to);
    report_text(r->to, title);
    fputs(style, r->to);
    fputs(patterns, r->to);
    fputs("<header>\n<h1>", r->to);
    report_text(r->to, title);
    fputs("</h1>\n<p>", r->to);
    write_command(r->to, &run->f);
    fputs("</p>\n", r->to);
    if (run->f.status)
        fprintf(
            r->to,
            "<p class=\"warn\">The job did not end well: its exit status was %d.</p>\n",
            run->f.status);
    fputs("</header>\n<main>\n", r->to);
    write_tiles(r);
}

static void write_explanation(struct report *r)
{
    char text[JDI_EXPLAIN_TEXT];
    jdi_explain(&r->run[0].f, text);
    report_section(r, "explanation", "The largest loss", NULL);
    fputs("<p class=\"said\">", r->to);
    report_text(r->to, text);
    fputs("</p>\n", r->to);
    report_section_end(r);
}

/* ---- what ran where --------------------------------------------------------------------- */

static void write_fact(FILE *to, const char *what, const char *value, const char *more)
{
    fprintf(to, "<tr><th scope=\"row\">%s</th><td>", what);
    report_text(to, value);
    fputs(*more ? " " : "", to);
    report_text(to, more);
    fputs("</td></tr>\n", to);
}

enum { HOSTS_MOST = 64 };

/* Ranks of one host that follow each other stand in one line. */
static void write_hosts(FILE *to, const struct jdi_figures *f)
{
    unsigned lines = 0;
    for (uint32_t i = 0, n; i < f->n; i += n) {
        char ranks[64];
        for (n = 1; i + n < f->n && !strcmp(f->rank[i + n].host, f->rank[i].host);)
            n++;
        if (lines++ == HOSTS_MOST) {
            write_fact(to, "\xe2\x80\xa6", "further ranks are on other hosts", "");
            return;
        }
        if (n == 1)
            snprintf(ranks, sizeof ranks, "rank %" PRIu32, i);
        else
            snprintf(ranks, sizeof ranks, "ranks %" PRIu32 "\xe2\x80\x93%" PRIu32, i,
                     i + n - 1);
        write_fact(to, ranks, f->rank[i].host, "");
    }
}

static void write_settings(FILE *to, const struct report_run *run, bool all)
{
    for (size_t i = 0; i < run->nsettings; i++) {
        const struct report_setting *s = &run->setting[i];
        if (s->is_default && !all)
            continue;
        fputs("<tr><th scope=\"row\"><code>", to);
        report_text(to, s->name);
        fputs("</code></th><td>", to);
        report_text(to, s->value);
        fputs(s->is_default || !all ? "</td></tr>\n" : " (set)</td></tr>\n", to);
    }
}

static void write_where(struct report *r)
{
    const struct report_run *run = &r->run[0];
    const struct jdi_figures *f = &run->f;
    size_t set = 0;
    for (size_t i = 0; i < run->nsettings; i++)
        set += !run->setting[i].is_default;
    report_section(r, "where", "What ran where", NULL);
    fputs("<div class=\"figures\">\n<div>\n<table class=\"facts\"><tbody>\n", r->to);
    write_fact(r->to, "started", run->start, "");
    write_fact(r->to, "network", f->network, f->network_version);
    write_fact(r->to, "communication", f->communication, "");
    write_fact(r->to, "stacks of tasks", f->engine, "");
    write_fact(r->to, "Jackdaw", run->version, "");
    write_fact(r->to, "job", f->job, "");
    write_hosts(r->to, f);
    fputs("</tbody></table>\n</div>\n<div>\n", r->to);
    fprintf(r->to, "<p>%s</p>\n",
            set ? "Settings that were made:" : "All settings had their default values.");
    fputs("<table class=\"facts\" id=\"set\"><tbody>\n", r->to);
    write_settings(r->to, run, false);
    fputs("</tbody></table>\n<details><summary>All settings</summary>\n<table "
          "class=\"facts\" "
          "id=\"settings\"><tbody>\n",
          r->to);
    write_settings(r->to, run, true);
    fputs("</tbody></table></details>\n</div>\n</div>\n", r->to);
    report_section_end(r);
}

void report_page(struct report *r)
{
    write_top(r);
    write_explanation(r);
    write_where(r);
    report_ranks(r);
    report_time(r);
    report_tasks(r);
    report_steals(r);
    if (r->nruns > 1)
        report_scaling(r);
    fputs("</main>\n</body>\n</html>\n", r->to);
}
