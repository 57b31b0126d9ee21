/*
 * sched_wire_finish_stands_in_a_message_once.c
 *
 * Role: a message with tasks of very many finishes comes in; the same message in which one finish
 *       stands in the place of another ends the job, wherever the two stand.
 * Owner: one thread plays both ranks; each bad message comes in in a process of its own.
 * See: sched/finish/wire.c, I2; doc/async.md "Between ranks".
 */
#include "core/log.h"
#include "test/unit/sched_cancel_kit.h"

#include <sys/wait.h>

enum {
    FINISHES = 16384, /* a power of two, because a claim wants one */
    GROUP = 24        /* bytes of a finish in a message */
};

static struct cancel_rank home, other;
static struct jdi_part finish[FINISHES];
static _Alignas(JDI_TASK_ALIGN) unsigned char slots[FINISHES * JDI_POOL_SLOT];

/* One task of each finish is packed. */
static struct jdi_am_msg pack(void)
{
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS};
    struct jdi_claim all = {slots, FINISHES - 1, 0, FINISHES, JDI_POOL_SLOT, NULL};
    for (uint64_t i = 0; i < FINISHES; i++) {
        struct jdi_task *t = (struct jdi_task *)(void *)jdi_claim_slot(&all, i);
        cancel_scope_open(&home, &finish[i]);
        finish[i].live++;
        *t = (struct jdi_task){.id = (uintptr_t)&finish[i]};
    }
    (void)jdi_wire_export(jdi_pool_of(&home.kit.rank)->any, &all, &m);
    if (m.arg[4] != FINISHES)
        bail_out("%llu finishes were packed", (unsigned long long)m.arg[4]);
    return m;
}

/* How many finishes of rank 0 rank 1 knows after the message. */
static uint64_t come_in(const struct jdi_am_msg *m)
{
    jd_coll *any = jdi_pool_of(&other.kit.rank)->any;
    const struct jdi_am_in in = {.am = &other.fake.am, .src = 0, .msg = m};
    const char *fault = jdi_wire_fault(any, m);
    if (fault)
        jdi_am_refuse(&in, fault);
    jdi_wire_import(any, &in);
    uint64_t known = 0;
    for (uint64_t i = 0; i < FINISHES; i++) {
        const struct jdi_remote *w = jdi_remote_find(&other.kit.rank, finish[i].id);
        known += w && w->part->live == 1;
    }
    return known;
}

/* The message with the finish number `from` in the place of number `to` as well. */
static void comes_twice(const struct jdi_am_msg *m, unsigned from, unsigned to)
{
    char text[1024] = "";
    int fd[2], status;
    if (pipe(fd))
        bail_out("no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        unsigned char *groups = (unsigned char *)(uintptr_t)m->data;
        dup2(fd[1], STDERR_FILENO);
        memcpy(groups + (size_t)to * GROUP, groups + (size_t)from * GROUP, GROUP);
        (void)come_in(m);
        _exit(0);
    }
    close(fd[1]);
    size_t have = 0;
    for (ssize_t n; (n = read(fd[0], text + have, sizeof text - 1 - have)) > 0;)
        have += (size_t)n;
    close(fd[0]);
    waitpid(pid, &status, 0);
    is_u64(WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : 0, JDI_EXIT_PEER,
           "number %u in the place of number %u too ends the job", from, to);
    ok(strstr(text, "bad message from rank 0") && strstr(text, "a finish twice"),
       "and it says why and from whom");
}

int main(void)
{
    cancel_rank_init(&home, 0, true);
    cancel_rank_init(&other, 1, true);
    static struct jdi_am_msg m; /* leads to the payload until the end */
    m = pack();
    comes_twice(&m, 0, 1);
    comes_twice(&m, 0, FINISHES - 1);
    comes_twice(&m, FINISHES - 1, FINISHES / 2);
    is_u64(come_in(&m), FINISHES, "as it was packed, all of its finishes come in");
    is_u64(jdi_pool_of(&other.kit.rank)->arrivals, 1, "in one message");
    return done_testing();
}
