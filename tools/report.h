/*
 * report.h - a report as jackdaw-report makes it.
 *
 * Role: what was read of the runs, and what the sections of the page share.
 * Owner: one thread.
 * Invariants: I1 what stands on the page is bounded, however many ranks, rows and phases there are: ranks are put
 *                together into groups, and of lists the largest are shown.
 *             I2 nothing is told by colour alone: each kind has a pattern, and each chart a table.
 *             I3 text of others is escaped by report_text.
 * See: doc/jackdaw-report.1.md; tools/report_axis.h, the arithmetic.
 */
#ifndef JDI_TOOLS_REPORT_H
#define JDI_TOOLS_REPORT_H

#include "core/figures.h"
#include "tools/json_tree.h"
#include "tools/report_axis.h"
#include "tools/trace.h"

/* A setting of a run, as the file has it. */
struct report_setting {
    const char *name, *value;
    bool is_default;
};

/* A run, from the file of all ranks or from the files of each. */
struct report_run {
    const char *file;     /* the first of them */
    struct jdi_figures f; /* without knobs; f.n ranks are there, in order */
    const char *version, *start;
    uint32_t workers; /* of rank 0 */
    struct report_setting *setting;
    size_t nsettings;
    struct jdi_stats all;     /* of the ranks that are there */
    struct jdi_stats working; /* of the workers of these */
};

/* A file that was read: what was made of it points into it. */
struct report_source {
    char *text;
    struct json_tree tree;
};

struct report {
    const char *title;
    struct report_run *run; /* the first one is shown in full */
    size_t nruns;
    struct report_source *source;
    size_t nsources;
    struct trace *trace; /* of the first run; NULL: none */
    FILE *to;
    unsigned charts;     /* that were begun */
    const char *heading; /* of the newest */
};

/* ---- reading ---------------------------------------------------------------------------- */

/* Read a file of JACKDAW_STATS=json, and add it to the runs, or its rank to the run that lacks it; or say on standard
 * error what is wrong with it and where, and return false.  The text is the report's from now on, also then. */
bool report_read(struct report *r, const char *name, char *text, size_t n);
/* All files were read: add up.  False: a run is not whole, which was said. */
bool report_read_end(struct report *r);
void report_free(struct report *r);

/* ---- writing ---------------------------------------------------------------------------- */

/* Of a chart, in units of its picture: all pictures are as wide, so letters look the same. */
enum { REPORT_WIDTH = 400, REPORT_LEFT = 70, REPORT_RIGHT = 44, REPORT_BARS = 64 };
enum { REPORT_INSIDE = REPORT_WIDTH - REPORT_LEFT - REPORT_RIGHT };

/* How an area is filled: by pattern and colour. */
enum report_fill {
    REPORT_WORK,
    REPORT_STEAL,
    REPORT_IDLE,
    REPORT_PROGRESS,
    REPORT_DETECT,
    REPORT_FILLS
};

/* Text of others: it has no meaning in HTML. */
void report_text(FILE *to, const char *text);
/* The beginning and the end of a section; `text`, a paragraph below the title, may be NULL. */
void report_section(struct report *r, const char *id, const char *title,
                    const char *text);
void report_section_end(struct report *r);
/* A figure begins, then perhaps its legend, then its picture, with a sentence for who cannot see it. */
void report_figure(struct report *r, const char *title);
/* What fills mean, n of them. */
void report_legend(struct report *r, const enum report_fill *fill,
                   const char *const *name, size_t n);
void report_picture(struct report *r, const char *desc, double height);
/* The picture ends, and its table begins, with these columns; then come rows; then the figure ends. */
void report_figure_table(struct report *r, const char *const *columns, size_t n);
void report_figure_end(struct report *r);
/* A rectangle with a fill, and an outline and a tip; without the two if tip is NULL. */
void report_bar(struct report *r, enum report_fill fill, const double box[4],
                const char *tip);
/* Text at a point; anchor: "start", "middle" or "end". */
void report_label(struct report *r, double x, double y, const char *anchor,
                  const char *text);
/* Below an axis or beside it, unless it would touch the one before, of which *last is the end. */
void report_tick(struct report *r, double x, double y, const char *text, double *last);
/* An axis of times from 0 to `whole` ns, below `bottom`, with lines from `top` on. */
void report_times(struct report *r, double whole, double top, double bottom);
/* A line from one point to another, x and y of each; its kind is a class of the style. */
void report_line(struct report *r, const char *kind, const double at[4]);
/* Cells of a row: text; a number for people that has its exact value; a share in percent. */
void report_cell(struct report *r, const char *text);
void report_count(struct report *r, const char *name, uint64_t value);
void report_ns(struct report *r, const char *name, uint64_t ns);
void report_percent(struct report *r, const char *name, uint64_t part, uint64_t whole);
/* "rank 3", "ranks 4-7": of a group. */
void report_name_group(const struct report_groups *g, uint32_t group, const char *word,
                       char out[48]);
/* The same for an axis, where there is room for few letters: of large numbers the first alone. */
void report_name_tick(const struct report_groups *g, uint32_t group, char out[48]);

/* ---- the page --------------------------------------------------------------------------- */

void report_page(struct report *r);
void report_ranks(struct report *r);   /* time by kind over ranks */
void report_time(struct report *r);    /* and over time */
void report_phases(struct report *r);  /* of collections, if there are any */
void report_steals(struct report *r);  /* between ranks */
void report_tasks(struct report *r);   /* how long they took */
void report_scaling(struct report *r); /* over several runs */

#endif
