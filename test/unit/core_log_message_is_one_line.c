/*
 * core_log_message_is_one_line.c
 *
 * Role: what jdi_log writes, in which pieces, and what its level drops.
 * Owner: one thread; standard error is a socket that keeps the borders of writes.
 * Invariants: I1, I2 and I3 of core/log.c.
 * See: core/log.c.
 */
#include "core/log.h"
#include "test/kit/tap.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct capture {
    int saved, reader;
};

/* Standard error goes into a sequenced socket: one recv gets what one write sent. */
static void capture_open(struct capture *c)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
        bail_out("no socket pair: %s", strerror(errno));
    c->saved = dup(STDERR_FILENO);
    dup2(pair[1], STDERR_FILENO);
    close(pair[1]);
    c->reader = pair[0];
}

static void capture_close(struct capture *c)
{
    dup2(c->saved, STDERR_FILENO);
    close(c->saved);
    close(c->reader);
}

/* The next write as a string, "" if there was none. */
static const char *next_write(struct capture *c, char *out, size_t outlen)
{
    ssize_t n = recv(c->reader, out, outlen - 1, MSG_DONTWAIT);

    out[n > 0 ? n : 0] = '\0';
    return out;
}

static void test_format(struct capture *c)
{
    struct jdi_log log = {.rank = 3, .nranks = 8, .level = JDI_LOG_WARN};
    struct jdi_log early = {.level = JDI_LOG_WARN};
    char line[4096];

    errno = ENOENT;
    jdi_log(&log, JDI_LOG_WARN, "%d tasks, %s", 7, "no hands");
    ok(errno == ENOENT, "errno is untouched");
    is_str(next_write(c, line, sizeof line), "jackdaw: rank 3: 7 tasks, no hands\n",
           "a message names its rank and is one write");
    is_str(next_write(c, line, sizeof line), "", "and only one");
    jdi_log(&early, JDI_LOG_ERROR, "too early");
    is_str(next_write(c, line, sizeof line), "jackdaw: too early\n",
           "before the network is up there is no rank");
    jdi_log(&early, JDI_LOG_ERROR, "one\ntwo\n\n");
    is_str(next_write(c, line, sizeof line), "jackdaw: one two\n",
           "newlines in the text do not make lines");
}

static void test_levels(struct capture *c)
{
    char line[4096];

    for (int level = JDI_LOG_ERROR; level <= JDI_LOG_DEBUG; level++) {
        struct jdi_log log = {.nranks = 1, .level = (enum jdi_log_level)level};
        int written = 0;
        for (int at = JDI_LOG_ERROR; at <= JDI_LOG_DEBUG; at++) {
            jdi_log(&log, (enum jdi_log_level)at, "x");
            written += *next_write(c, line, sizeof line) != '\0';
        }
        ok(written == level + 1, "level %d lets %d of 4 levels through", level, written);
    }
}

static void test_once(struct capture *c)
{
    char line[4096];

    for (uint32_t rank = 0; rank < 3; rank++) {
        struct jdi_log log = {.rank = rank, .nranks = 3, .level = JDI_LOG_WARN};
        jdi_log_once(&log, JDI_LOG_WARN, "the same everywhere");
        jdi_log_once(&log, JDI_LOG_INFO, "too quiet");
    }
    is_str(next_write(c, line, sizeof line), "jackdaw: rank 0: the same everywhere\n",
           "rank 0 says what is the same everywhere");
    is_str(next_write(c, line, sizeof line), "", "the others do not, nor lower levels");
}

static void test_long(struct capture *c)
{
    struct jdi_log log = {.nranks = 1, .level = JDI_LOG_WARN};
    char text[8192], line[8192];
    size_t n;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    jdi_log(&log, JDI_LOG_WARN, "%s", text);
    next_write(c, line, sizeof line);
    n = strlen(line);
    ok(n > 1000 && n <= 4096 && !strcmp(line + n - 4, "...\n"),
       "a long message is cut, says so, and is still one line of %zu bytes", n);
    is_str(next_write(c, line, sizeof line), "", "in one write");
}

int main(void)
{
    struct capture c;

    capture_open(&c);
    test_format(&c);
    test_levels(&c);
    test_once(&c);
    test_long(&c);
    capture_close(&c);
    return done_testing();
}
