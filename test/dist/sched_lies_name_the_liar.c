/*
 * sched_lies_name_the_liar.c
 *
 * Role: a rank that lies ends the job with its number and the message's name in the text, or is
 *       ignored where am/messages.def says so; nothing hangs, nothing dies of a signal.
 * Owner: the parent judges; each case is a job of three ranks in a child process.
 * Invariants: I1 the lies are made of am/messages.def, so a new message is lied about by itself.
 *             I2 a lie is told of a message that the liar was about to send anyway.
 *             I3 what its row does not permit is named; what it does permit need only end, but
 *                for the fields where the receiver can know better.  What a balancer says need only end, too.
 * See: am/messages.def; doc/am.md section 7; test/dist/sched_lies.h.
 *
 *     sched_lies_name_the_liar [STRIDE [CASE]]
 *
 * With no argument each lie is told once, in settings that change from lie to lie (with a
 * sanitizer every fourth); else every STRIDE-th of all lies in all settings, or CASE alone and
 * in this process.
 */
#include "test/dist/sched_lies.h"

#include "core/log.h"
#include "test/kit/tap.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE_S = 30, MOST_LIES = 2000, HANGS = -1, SETTINGS = 5 * 4 * 2 };

/* No leaks are looked for in a job that is broken off; nor threads that have ended, and that nobody has
 * joined yet. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:detect_stack_use_after_return=0";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0";
}

static struct lie lies[MOST_LIES];
static unsigned nlies;

/* Of a value that the row permits the receiver can see that it is wrong in these fields. */
static const char *const seen[] = {
    "STEAL knows",        "NOWORK collection", "NOWORK phase",
    "TD collection",      "TD type",           "TD phase",
    "CANCELLED number",   "CANCELLED home",    "OVER number",
    "OVER home",          "PUT start",         "PUT request",
    "PUT length",         "GET start",         "GET request",
    "GET asker",          "GET length",        "ANSWER request",
    "ANSWER word",        "ANSWER namer",      "ANSWER what",
    "FRAG start",         "FRAG total",        "FRAG nargs",
    "UP operation",       "UP kind",           "UP call",
    "UP values",          "DOWN number",       "DOWN operation",
    "DOWN kind",          "DOWN call",         "DOWN values",
    "ACCUMULATE offset",  "ACCUMULATE bytes",  "ACCUMULATE start",
    "ACCUMULATE request", "ACCUMULATE asker",  "ACCUMULATE length",
    "PRUNE collection",   "PRUNE phase",       "PRUNE seeds",
    "BALANCE collection", "BALANCE phase",     "BALANCE balancer",
    "SEEDS collection",   "SEEDS phase",       "SEEDS seeds",
};
/* These a program could have sent whose ranks do not call the same: no lie can be proved. */
static const char *const misled[] = {"UP operation", "UP call"};
/* With these something is left out that somebody waits for: it may come any time. */
static const char *const left_out[] = {"TASKS answer", "SCOPE weight", "FRAG number",
                                       "UP number",    "TD wave",      "TD sum",
                                       "FUTURE what",  "FUTURE number"};

static bool is_among(const char *const *list, size_t n, const struct lie *l)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", jdi_am_messages_form(l->type)->name,
             l->field->name);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return true;
    return false;
}

/* ---- which lies there are ------------------------------------------------------------- */

static void add(struct lie l)
{
    if (nlies == MOST_LIES)
        bail_out("too many lies");
    lies[nlies++] = l;
}

/* DOWN is sent by rank 0 only, for others the tree of reductions has no children here. */
static uint32_t liar_of(unsigned type)
{
    return type == JDI_MSG_DOWN ? 0 : 1;
}

/* Values that the row does not permit: one below, one above, far away. */
static void add_field(const struct lie *l, const struct jdi_am_field *f)
{
    const uint64_t bound[JDI_AM_BOUNDS] = {
        [JDI_AM_BOUND_RANKS] = LIES_RANKS, [JDI_AM_BOUND_COLLS] = JDI_COLLS_MAX};
    uint64_t mask = UINT64_MAX >> (64 - f->bits);
    uint64_t most = f->bound ? bound[f->bound] - 1 : f->most;
    uint64_t span = (most - f->least) & mask;
    const uint64_t value[] = {f->least - 1, most + 1, most + 1 + (mask - span) / 2};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(value); i++) {
        struct lie one = *l;
        one.how = LIE_FIELD;
        one.field = f;
        one.value = value[i] & mask;
        if (((value[i] - f->least) & mask) > span)
            add(one);
    }
}

/* Another value that the row permits. */
static void add_near(const struct lie *l, const struct jdi_am_field *f)
{
    for (int more = -1; more <= 1; more += 2) {
        struct lie one = *l;
        one.how = LIE_NEAR;
        one.field = f;
        one.value = (uint64_t)more;
        if (strncmp(f->name, "rest", 4) &&
            !is_among(left_out, JDI_ARRAY_LEN(left_out), &one))
            add(one);
    }
}

static void add_shapes(const struct lie *l, const struct jdi_am_form *f)
{
    struct lie one = *l;
    one.how = LIE_FEWER;
    if (f->fewest)
        add(one);
    one.how = LIE_MORE;
    add(one);
    one.how = LIE_SHORT;
    if (f->least)
        add(one);
    one.how = LIE_LONG;
    if (!f->largest)
        add(one);
}

static void add_turns(const struct lie *l)
{
    static const enum lie_how how[] = {LIE_TWICE, LIE_ELSEWHERE, LIE_LATER};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(how); i++)
        for (unsigned nth = 1; nth <= 2; nth++) {
            struct lie one = *l;
            one.how = how[i];
            one.nth = nth;
            /* A rank's figures are nearly its last message, so there is no later. */
            if (one.type != JDI_MSG_FIGURES || one.how != LIE_LATER)
                add(one);
        }
}

/* Bits of the head of a balancer's message: of session, type, step, the list and the five words.  With another type or
 * step it may look like one that has come too early, which is kept. */
static void add_bits(const struct lie *l)
{
    static const unsigned bit[] = {0,  1,  32,  33,  34,  35,  51,
                                   53, 64, 112, 128, 200, 265, 420};
    static const unsigned nth[] = {1, 2, 9};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(nth) * JDI_ARRAY_LEN(bit); i++) {
        struct lie one = *l;
        one.how = LIE_BIT;
        one.nth = nth[i % JDI_ARRAY_LEN(nth)];
        one.value = bit[i / JDI_ARRAY_LEN(nth)];
        add(one);
    }
}

static void make_lies(void)
{
    for (unsigned type = 0; type < JDI_MSGS; type++) {
        const struct jdi_am_form *f = jdi_am_messages_form(type);
        unsigned n;
        if (!f)
            continue;
        const struct lie l = {.type = (uint8_t)type, .liar = liar_of(type), .nth = 1};
        const struct jdi_am_field *field = jdi_am_messages_fields(f, &n);
        for (unsigned i = 0; i < n; i++) {
            add_field(&l, &field[i]);
            add_near(&l, &field[i]);
        }
        add_shapes(&l, f);
        if (type == JDI_MSG_BALANCE)
            add_bits(&l);
        add_turns(&l);
    }
}

/* ---- a job ---------------------------------------------------------------------------- */

static const char *const detectors[] = {"francez", "safra", "fourcounter", "diffuse",
                                        "credit"};
static const char *const policies[] = {"random", "baseline", "success-only", "lifeline"};
static const char *const rules[] = {"credit", "diffuse"};

struct setting {
    const char *detector, *policy, *rule;
};

static struct setting setting_of(unsigned i)
{
    return (struct setting){detectors[i % 5], policies[i / 5 % 4], rules[i / 20 % 2]};
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1))
        bail_out("no memory");
}

static int run_job(const struct lie *l, const struct setting *s)
{
    set("JACKDAW_ULT", "boost");
    set("JACKDAW_RANKS", "3");
    set("JACKDAW_WORKERS", "1");
    set("JACKDAW_COMM", "inline");
    set("JACKDAW_BIND", "none");
    set("JACKDAW_CREDITS", "4");
    set("JACKDAW_TREE_ARITY", "1");
    set("JACKDAW_STATS", "full");
    set("JACKDAW_PROGRESS", l->type == JDI_MSG_LIVE ? "0.1" : "0");
    set("JACKDAW_DETECTOR", s->detector);
    set("JACKDAW_STEAL", s->policy);
    set("JACKDAW_FINISH", s->rule);
    return lies_job(l);
}

struct result {
    int status; /* HANGS, or minus a signal, below that */
    char text[16384];
};

/* What the job says, until it ends or the time is over. */
static void listen_to(int fd, pid_t pid, struct result *r)
{
    size_t have = 0;
    double end = tap_seconds() + DEADLINE_S;
    r->status = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        double left = end - tap_seconds();
        if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) == 0) {
            kill(pid, SIGKILL);
            r->status = HANGS;
            break;
        }
        char scrap[512];
        size_t room = sizeof r->text - 1 - have;
        ssize_t n = read(fd, room ? r->text + have : scrap, room ? room : sizeof scrap);
        if (n <= 0)
            break;
        have += room ? (size_t)n : 0;
    }
    r->text[have] = 0;
}

static void run_apart(const struct lie *l, const struct setting *s, struct result *r)
{
    int fd[2], status;
    if (pipe(fd))
        bail_out("no pipe");
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        bail_out("no process");
    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        close(fd[0]);
        close(fd[1]);
        _exit(run_job(l, s));
    }
    close(fd[1]);
    listen_to(fd[0], pid, r);
    close(fd[0]);
    waitpid(pid, &status, 0);
    if (r->status != HANGS)
        r->status = WIFEXITED(status) ? WEXITSTATUS(status) : HANGS - WTERMSIG(status);
}

/* ---- judging -------------------------------------------------------------------------- */

/* "bad message from rank LIAR: NAME". */
static bool is_named(const struct lie *l, const char *text)
{
    char want[64];
    snprintf(want, sizeof want, "bad message from rank %u: %s", l->liar,
             jdi_am_messages_form(l->type)->name);
    return strstr(text, want) != NULL;
}

/* "the ranks do not agree: ... rank LIAR is in jd_barrier". */
static bool is_disagreement(const struct lie *l, const struct result *r)
{
    char want[64];
    snprintf(want, sizeof want, "rank %u is in ", l->liar);
    return r->status == JDI_EXIT_AUDIT && is_among(misled, JDI_ARRAY_LEN(misled), l) &&
           strstr(r->text, "the ranks do not agree: ") && strstr(r->text, want);
}

/* NOWORK to who has asked the liar is what it waits for; then it is the true answer that is
 * out of turn. */
static bool is_other_answer(const struct lie *l, const char *text)
{
    struct lie other = *l;
    other.type = l->type == JDI_MSG_NOWORK  ? JDI_MSG_TASKS
                 : l->type == JDI_MSG_TASKS ? JDI_MSG_NOWORK
                                            : l->type;
    return is_named(&other, text);
}

/* A lie that was passed on may be found in the message after it. */
static bool is_from(const struct lie *l, const char *text)
{
    char want[64];
    snprintf(want, sizeof want, "bad message from rank %u:", l->liar);
    return strstr(text, want) || strstr(text, "or else rank ");
}

/* The liar itself got an answer that it cannot use, or was named beside who answered. */
static bool finds_out(const struct lie *l, const char *text)
{
    char self[64], beside[64];
    snprintf(self, sizeof self, "rank %u: bad message from rank", l->liar);
    snprintf(beside, sizeof beside, "or else rank %u sent it", l->liar);
    return strstr(text, self) || strstr(text, beside);
}

/* Who has asked the liar takes TASKS or NOWORK for the answer.  Then it may ask again, while the liar still has it
 * among those who wait: so the liar finds out. */
static bool is_asked_again(const struct lie *l, const char *text)
{
    return (l->type == JDI_MSG_TASKS || l->type == JDI_MSG_NOWORK) &&
           finds_out(l, text) && strstr(text, "STEAL: its thief waits here already");
}

/* Answers of `diffuse` and `credit` look all alike. */
static enum jdi_am_turn turn_of(const struct lie *l, const struct setting *s)
{
    bool alike = !strcmp(s->detector, "diffuse") || !strcmp(s->detector, "credit");
    return l->type == JDI_MSG_TD && alike ? JDI_AM_COUNTED
                                          : jdi_am_messages_form(l->type)->turn;
}

static bool was_ignored(const char *text)
{
    const char *row = strstr(text, "messages that nobody waited for");
    return row && strtoull(row + strcspn(row, "0123456789\n"), NULL, 10) > 0;
}

/* A future of that number at another rank: the liar has set it, as any rank may.  Who then sets it rightly is
 * told so, and the program may end the job before the liar gets the answer that it did not ask for. */
static bool has_set_another(const struct lie *l, const struct result *r)
{
    return l->type == JDI_MSG_FUTURE && l->how == LIE_ELSEWHERE &&
           r->status == LIES_PROGRAM && strstr(r->text, "jd_future_set(") &&
           strstr(r->text, jd_strerror(JD_ESTATE));
}

static bool is_right(const struct lie *l, const struct setting *s, const struct result *r)
{
    if (r->status == LIES_UNTOLD)
        return true; /* and counted by the caller */
    bool named = r->status == JDI_EXIT_PEER && is_named(l, r->text);
    if (l->how == LIE_BIT)
        return r->status >= 0;
    if (l->how < LIE_NEAR)
        return named;
    if (l->how == LIE_NEAR && is_disagreement(l, r))
        return true;
    if (l->how == LIE_NEAR)
        return is_among(seen, JDI_ARRAY_LEN(seen), l)
                   ? r->status == JDI_EXIT_PEER &&
                         (is_from(l, r->text) || finds_out(l, r->text))
                   : r->status >= 0;
    switch (turn_of(l, s)) {
    case JDI_AM_IGNORED:
        return named || (r->status == 0 && was_ignored(r->text));
    case JDI_AM_ANSWERED:
        return named || (r->status == JDI_EXIT_PEER && finds_out(l, r->text)) ||
               has_set_another(l, r);
    case JDI_AM_COUNTED:
        return named || r->status == JDI_EXIT_PEER || r->status == JDI_EXIT_AUDIT;
    case JDI_AM_FATAL:
    default:
        return named || (r->status == JDI_EXIT_PEER &&
                         (is_other_answer(l, r->text) || is_asked_again(l, r->text)));
    }
}

static void describe(char *to, size_t size, const struct lie *l, const struct setting *s)
{
    static const char *const how[] = {[LIE_FIELD] = "",
                                      [LIE_FEWER] = "an argument less",
                                      [LIE_MORE] = "an argument more",
                                      [LIE_SHORT] = "too short",
                                      [LIE_LONG] = "too long",
                                      [LIE_BIT] = "a bit of it",
                                      [LIE_NEAR] = "",
                                      [LIE_TWICE] = "twice",
                                      [LIE_ELSEWHERE] = "to another rank too",
                                      [LIE_LATER] = "and later again"};
    char field[64] = "";
    if (l->field)
        snprintf(field, sizeof field, l->how == LIE_NEAR ? "%s + %lld" : "%s = %llu",
                 l->field->name, (long long)l->value);
    snprintf(to, size, "%s %s%s (number %u; %s, %s, %s)",
             jdi_am_messages_form(l->type)->name, how[l->how], field, l->nth, s->detector,
             s->policy, s->rule);
}

/* One lie; true if it was told. */
static bool try(unsigned i, const struct lie *l, const struct setting *s)
{
    static struct result r;
    char what[256];
    describe(what, sizeof what, l, s);
    run_apart(l, s, &r);
    bool right = is_right(l, s, &r);
    if (r.status != LIES_UNTOLD)
        ok(right, "%u: %s", i, what);
    if (!right || getenv("LIES_TELL"))
        diag("%u: status %d, %.*s", i, r.status, 3000, r.text);
    return r.status != LIES_UNTOLD;
}

int main(int argc, char **argv)
{
    unsigned stride = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    unsigned told[JDI_MSGS] = {0};
    make_lies();
    unsigned cases = nlies * SETTINGS;
    if (argc > 2) {
        unsigned i = (unsigned)atoi(argv[2]);
        struct setting s = setting_of(i / nlies);
        return run_job(&lies[i % nlies], &s);
    }
    /* Without a stride: each lie once, in settings that change from lie to lie. */
    unsigned step = stride ? stride : tap_sanitized() ? 4 : 1;
    for (unsigned i = 0; i < (stride ? cases : nlies); i += step) {
        unsigned k = stride ? i : i + i * 7 % SETTINGS * nlies;
        struct setting s = setting_of(k / nlies);
        const struct lie *l = &lies[k % nlies];
        told[l->type] += try(k, l, &s);
    }
    for (unsigned type = 0; type < JDI_MSGS; type++)
        if (jdi_am_messages_form(type) && step == 1)
            ok(told[type] > 0, "%s was lied about", jdi_am_messages_form(type)->name);
    return done_testing();
}
