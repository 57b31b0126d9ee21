/*
 * report_html.c - the parts that pages are made of.
 *
 * Role: sections, figures with their tables, cells of numbers, shapes of pictures.
 * Owner: one thread.
 * Invariants: I2, I3 of report.h.
 * See: report.h; tools/report_page.c, which has the patterns and the style.
 */
#include "tools/report.h"

#include <inttypes.h>
#include <string.h>

void report_text(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            /* HTML has no such characters, not even as numbers. */
            fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, to);
        }
}

/* ---- sections --------------------------------------------------------------------------- */

void report_section(struct report *r, const char *id, const char *title, const char *text)
{
    fprintf(r->to, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    if (text) {
        fputs("<p>", r->to);
        report_text(r->to, text);
        fputs("</p>\n", r->to);
    }
}

void report_section_end(struct report *r)
{
    fputs("</section>\n", r->to);
}

void report_figure(struct report *r, const char *title)
{
    r->charts++;
    r->heading = title;
    fputs("<figure>\n<figcaption>", r->to);
    report_text(r->to, title);
    fputs("</figcaption>\n", r->to);
}

void report_picture(struct report *r, const char *desc, double height)
{
    unsigned n = r->charts;
    fprintf(r->to,
            "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %.0f\" "
            "aria-labelledby=\"t%u d%u\">\n<title id=\"t%u\">",
            REPORT_WIDTH, height, n, n, n);
    report_text(r->to, r->heading);
    fprintf(r->to, "</title>\n<desc id=\"d%u\">", n);
    report_text(r->to, desc);
    fputs("</desc>\n", r->to);
}

void report_figure_table(struct report *r, const char *const *columns, size_t n)
{
    fprintf(r->to,
            "</svg>\n<details><summary>The numbers</summary>\n<div class=\"wide\" "
            "tabindex=\"0\"><table "
            "aria-labelledby=\"t%u\">\n<thead><tr>",
            r->charts);
    for (size_t i = 0; i < n; i++) {
        fputs("<th scope=\"col\">", r->to);
        report_text(r->to, columns[i]);
        fputs("</th>", r->to);
    }
    fputs("</tr></thead>\n<tbody>\n", r->to);
}

void report_figure_end(struct report *r)
{
    fputs("</tbody></table></div></details>\n</figure>\n", r->to);
}

/* ---- pictures --------------------------------------------------------------------------- */

static const char *const fills[REPORT_FILLS] = {[REPORT_WORK] = "work",
                                                [REPORT_STEAL] = "steal",
                                                [REPORT_IDLE] = "idle",
                                                [REPORT_PROGRESS] = "progress",
                                                [REPORT_DETECT] = "detect"};

void report_legend(struct report *r, const enum report_fill *fill,
                   const char *const *name, size_t n)
{
    fputs("<ul class=\"legend\">", r->to);
    for (size_t i = 0; i < n; i++)
        fprintf(r->to,
                "<li><svg aria-hidden=\"true\" width=\"22\" height=\"14\"><rect "
                "class=\"bar\" x=\"1\" y=\"1\" "
                "width=\"20\" height=\"12\" fill=\"url(#fill-%s)\"/></svg> %s</li>",
                fills[fill[i]], name[i]);
    fputs("</ul>\n", r->to);
}

void report_bar(struct report *r, enum report_fill fill, const double box[4],
                const char *tip)
{
    fprintf(r->to,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"url(#fill-%s)\"",
            tip ? "bar" : "column", box[0], box[1], box[2], box[3], fills[fill]);
    if (!tip) {
        fputs("/>\n", r->to);
        return;
    }
    fputs("><title>", r->to);
    report_text(r->to, tip);
    fputs("</title></rect>\n", r->to);
}

void report_label(struct report *r, double x, double y, const char *anchor,
                  const char *text)
{
    fprintf(r->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    report_text(r->to, text);
    fputs("</text>\n", r->to);
}

void report_tick(struct report *r, double x, double y, const char *text, double *last)
{
    double half = 3.6 * (double)strlen(text);
    if (x - half < *last + 5)
        return;
    *last = x + half;
    report_label(r, x, y, "middle", text);
}

void report_line(struct report *r, const char *kind, const double at[4])
{
    fprintf(r->to,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            kind, at[0], at[1], at[2], at[3]);
}

void report_times(struct report *r, double whole, double top, double bottom)
{
    double step = report_axis_step(whole, 5), last = 0;
    for (unsigned i = 0; i * step <= whole * (1 + 1e-9); i++) {
        double x = REPORT_LEFT + REPORT_INSIDE * i * step / whole;
        char text[24];
        report_line(r, "grid", (double[]){x, top, x, bottom + 4});
        report_tick(r, x, bottom + 17, i ? report_axis_time(i * step, text) : "0", &last);
    }
}

/* ---- tables ----------------------------------------------------------------------------- */

void report_cell(struct report *r, const char *text)
{
    fputs("<td>", r->to);
    report_text(r->to, text);
    fputs("</td>", r->to);
}

void report_count(struct report *r, const char *name, uint64_t value)
{
    char text[32];
    fprintf(r->to,
            "<td class=\"n\"><data class=\"%s\" value=\"%" PRIu64 "\">%s</data></td>",
            name, value, report_axis_count(value, text));
}

void report_ns(struct report *r, const char *name, uint64_t ns)
{
    char text[24];
    fprintf(r->to,
            "<td class=\"n\"><data class=\"%s\" value=\"%" PRIu64 "\">%s</data></td>",
            name, ns, trace_show_ns((double)ns, text));
}

void report_percent(struct report *r, const char *name, uint64_t part, uint64_t whole)
{
    char text[16];
    fprintf(r->to,
            "<td class=\"n\"><data class=\"%s\" value=\"%" PRIu64 "\">%s</data></td>",
            name, part, report_axis_percent((double)part, (double)whole, text));
}

void report_name_group(const struct report_groups *g, uint32_t group, const char *word,
                       char out[48])
{
    uint32_t first = report_axis_first(g, group), n = report_axis_size(g, group);
    const char *space = *word ? " " : "";
    if (n == 1)
        snprintf(out, 48, "%s%s%" PRIu32, word, space, first);
    else
        snprintf(out, 48, "%s%s%" PRIu32 "\xe2\x80\x93%" PRIu32, word, space, first,
                 first + n - 1);
}

void report_name_tick(const struct report_groups *g, uint32_t group, char out[48])
{
    if (g->items > 9999)
        snprintf(out, 48, "%" PRIu32, report_axis_first(g, group));
    else
        report_name_group(g, group, "", out);
}
