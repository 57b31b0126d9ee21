/* A message that breaks the protocol ends the job with status 81 and names its sender;
 * nothing outside of it is touched. */
#include "test/unit/am_fake.h"

#include <stdio.h>
#include <sys/wait.h>

static void ignore(void *ctx, const struct jdi_am_in *in)
{
    (void)ctx, (void)in;
}

enum { ME = 2, RANKS = 11, CHILD = 9 /* there is another one */ };

static const unsigned char bytes[FAKE_MAX_DATA];
static const uint64_t shape_1 = 1ull << 32 | JDI_AM_U64 << 8 | JD_SUM;

static const struct {
    const char *name, *text;
    uint32_t src;
    struct jdi_am_msg m;
} bad[] = {
    {"a type without a handler", "no handler", 1, {.type = 5}},
    {"an unknown type", "no handler", 1, {.type = JDI_MSGS}},
    {"too many arguments", "more than", 1, {.type = 1, .nargs = 8}},
    {"too long a payload",
     "more than",
     1,
     {.type = 1, .len = FAKE_MAX_DATA + 1, .data = ""}},
    {"a payload without bytes", "more than", 1, {.type = 1, .len = 3}},
    {"a sender out of range", "no such sender", RANKS, {.type = 1}},
    {"itself as the sender", "no such sender", ME, {.type = 1}},
    {"credits that nobody owes", "more credits than are out", 1, {.type = 1, .wire = 2}},
    {"a CREDIT without a credit", "hands back no credit", 1, {.type = JDI_MSG_CREDIT}},
    {"an urgent CREDIT",
     "takes no credit",
     1,
     {.type = JDI_MSG_CREDIT, .wire = JDI_AM_URGE | 1}},
    {"a fourth request of three credits",
     "more requests than",
     1,
     {.type = 1, .nargs = 1}},
    {"a fragment without arguments",
     "FRAG: it cannot have 0 arguments",
     1,
     {.type = JDI_MSG_FRAG, .len = 1, .data = "x"}},
    {"a fragment of nothing",
     "FRAG: it cannot have 0 bytes",
     1,
     {.type = JDI_MSG_FRAG, .nargs = 4, .arg = {0, 0, 100, 1}}},
    {"a fragment behind the end",
     "outside",
     1,
     {.type = JDI_MSG_FRAG, .nargs = 4, .len = 2, .data = "xy", .arg = {0, 99, 100, 1}}},
    {"a fragment with a wild offset",
     "outside",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = 2,
      .data = "xy",
      .arg = {0, UINT64_MAX, 100, 1}}},
    {"a whole without room for its arguments",
     "too small",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = 2,
      .data = "xy",
      .arg = {0, 0, 56, 7 << 8 | 1}}},
    {"a whole that is too large",
     "too large",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = 2,
      .data = "xy",
      .arg = {0, 0, 1ull << 40, 1}}},
    {"a fragment of a fragment",
     "cannot be",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = 2,
      .data = "xy",
      .arg = {0, 0, 100, JDI_MSG_FRAG}}},
    {"a whole that is too large for its row",
     "too large",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA,
      .data = bytes,
      .arg = {0, 0, JDI_AM_VALUE_BYTES + 4 * 8 + 1, 4 << 8 | JDI_MSG_FUTURE}}},
    {"a whole with too many arguments for its row",
     "another number of arguments",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA,
      .data = bytes,
      .arg = {0, 0, 1000, 5 << 8 | JDI_MSG_FUTURE}}},
    {"a whole that would fit into one message",
     "too small",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA,
      .data = bytes,
      .arg = {0, 0, FAKE_MAX_DATA, 1}}},
    {"a fragment that begins inside of another",
     "outside",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA,
      .data = bytes,
      .arg = {0, 8, 1000, 1}}},
    {"a fragment that is too short",
     "outside",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA - 1,
      .data = bytes,
      .arg = {0, 0, 1000, 1}}},
    {"the same fragment twice",
     "FRAG: the same fragment twice",
     1,
     {.type = JDI_MSG_FRAG,
      .nargs = 4,
      .len = FAKE_MAX_DATA,
      .data = bytes,
      .arg = {0, FAKE_MAX_DATA, 1000, 1}}},
    {"values of no child",
     "no child",
     1,
     {.type = JDI_MSG_UP, .nargs = 3, .arg = {0, shape_1}}},
    {"values for a reduction far ahead",
     "too far ahead",
     CHILD,
     {.type = JDI_MSG_UP, .nargs = 3, .arg = {1 + JDI_AM_REDUCE_OPEN, shape_1}}},
    {"values twice",
     "UP: values twice",
     CHILD,
     {.type = JDI_MSG_UP, .nargs = 3, .arg = {1, shape_1}}},
    {"values for a reduction that is over",
     "that is over",
     CHILD,
     {.type = JDI_MSG_UP, .nargs = 3, .arg = {0, shape_1}}},
    {"values of the wrong number",
     "wrong size",
     1,
     {.type = JDI_MSG_UP, .nargs = 4, .arg = {0, shape_1}}},
    {"a result that nobody waits for",
     "nobody waits",
     1,
     {.type = JDI_MSG_DOWN, .nargs = 3, .arg = {0, shape_1}}},
};

static void nothing(void *ctx)
{
    (void)ctx;
}

/* A credit is out, one reduction is over, and rank 1 may have three requests open. */
static void begin(struct fake *f)
{
    static struct jdi_am_reduce r = {.kind = JDI_AM_U64, .op = JD_SUM, .done = nothing};
    struct jdi_am_msg up = {.type = JDI_MSG_UP, .nargs = 2}, down = up;
    up.arg[1] = down.arg[1] = JDI_AM_U64 << 8 | JD_SUM;
    down.type = JDI_MSG_DOWN;
    fake_init(f, ME, RANKS);
    jdi_am_set_handler(&f->am, 1, ignore, NULL);
    jdi_am_set_bound(&f->am, JDI_AM_BOUND_CREDITS, 3);
    if (jdi_am_send(&f->am, 1, &(struct jdi_am_msg){.type = 1}) ||
        jdi_am_reduce(&f->am, &r))
        bail_out("no memory");
    jdi_am_deliver(&f->am, CHILD, &up, fake_token(CHILD));
    jdi_am_deliver(&f->am, CHILD + 1, &up, fake_token(CHILD + 1));
    jdi_am_deliver(&f->am, 0, &down, fake_token(0));
    jdi_am_poll(&f->am);
}

/* What a child process prints and ends with when the message comes in. */
static int deliver_apart(unsigned i, char *text, size_t size)
{
    static struct fake f;
    int fd[2], status;
    if (pipe(fd))
        bail_out("no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        begin(&f);
        for (int n = 0; n < 4; n++) /* some are bad only when they come again */
            jdi_am_deliver(&f.am, bad[i].src, &bad[i].m, fake_token(1));
        _exit(0);
    }
    close(fd[1]);
    size_t have = 0;
    for (ssize_t n; (n = read(fd[0], text + have, size - 1 - have)) > 0;)
        have += (size_t)n;
    text[have] = 0;
    close(fd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    for (unsigned i = 0; i < JDI_ARRAY_LEN(bad); i++) {
        char text[4096], sender[64];
        int status = deliver_apart(i, text, sizeof text);
        snprintf(sender, sizeof sender, "bad message from rank %u", bad[i].src);
        is_u64((uint64_t)status, JDI_EXIT_PEER, "%s ends the job", bad[i].name);
        ok(strstr(text, bad[i].text) && strstr(text, sender),
           "and says why and from whom");
    }
    return done_testing();
}
