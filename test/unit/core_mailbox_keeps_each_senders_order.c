/*
 * core_mailbox_keeps_each_senders_order.c
 *
 * Role: four threads put letters at once, each a few of its own many times.  The reader gets each
 *       letter once, with what was written into it before, and the letters of one sender in the
 *       order in which they were put.
 * Owner: of a letter: its sender while `out` is false, then the reader.
 * See: core/mailbox.h.
 */
#include "core/mailbox.h"
#include "test/kit/tap.h"

#include <pthread.h>

enum { SENDERS = 4, LETTERS = 50000, OWN = 7 };
#define PATIENCE_S 30

struct outgoing {
    struct jdi_letter letter; /* first: a letter is a parcel */
    unsigned sender;
    uint64_t number; /* plain: the mailbox has to carry it over */
    _Atomic bool out;
};

struct sender {
    struct jdi_mailbox *box;
    pthread_t thread;
    unsigned index;
    struct outgoing own[OWN];
    bool late;
};

static void *send_all(void *arg)
{
    struct sender *s = arg;
    for (uint64_t i = 0; i < LETTERS; i++) {
        struct outgoing *p = &s->own[i % OWN];
        if (!tap_wait_for(!atomic_load_explicit(&p->out, memory_order_acquire),
                          PATIENCE_S)) {
            s->late = true;
            return NULL;
        }
        p->sender = s->index;
        p->number = i;
        atomic_store_explicit(&p->out, true, memory_order_relaxed);
        jdi_mailbox_put(s->box, &p->letter);
    }
    return NULL;
}

struct tray {
    uint64_t next[SENDERS], letters, disorder, most;
};

/* Everything that is there; each letter may be put again from then on. */
static void read_all(struct jdi_mailbox *box, struct tray *t)
{
    uint64_t n = 0;
    for (struct jdi_letter *l = jdi_mailbox_take_all(box), *next; l; l = next) {
        struct outgoing *p = (struct outgoing *)(void *)l;
        next = l->next;
        t->disorder += p->number != t->next[p->sender];
        t->next[p->sender] = p->number + 1;
        n++;
        atomic_store_explicit(&p->out, false, memory_order_release);
    }
    t->letters += n;
    if (n > t->most)
        t->most = n;
}

static void test_four_senders(void)
{
    struct jdi_mailbox box;
    static struct sender sender[SENDERS];
    struct tray tray = {{0}, 0, 0, 0};
    jdi_mailbox_init(&box);
    for (unsigned i = 0; i < SENDERS; i++) {
        sender[i].box = &box;
        sender[i].index = i;
        if (pthread_create(&sender[i].thread, NULL, send_all, &sender[i]))
            bail_out("no thread");
    }
    double end = tap_seconds() + PATIENCE_S;
    while (tray.letters < (uint64_t)SENDERS * LETTERS && tap_seconds() < end) {
        read_all(&box, &tray);
        tap_breathe();
    }
    bool late = false;
    for (unsigned i = 0; i < SENDERS; i++) {
        pthread_join(sender[i].thread, NULL);
        late = late || sender[i].late;
    }
    is_u64(tray.letters, (uint64_t)SENDERS * LETTERS, "every letter arrives once");
    is_u64(tray.disorder, 0, "in the order of its sender");
    ok(!late, "and can be put again");
    ok(jdi_mailbox_empty(&box) && !jdi_mailbox_take_all(&box), "then the box is empty");
    ok(tray.most > 1, "several at a time (%llu)", (unsigned long long)tray.most);
}

static void test_one_thread(void)
{
    struct jdi_mailbox box;
    struct jdi_letter letter[3];
    jdi_mailbox_init(&box);
    ok(jdi_mailbox_empty(&box), "a new box is empty");
    for (int i = 0; i < 3; i++)
        jdi_mailbox_put(&box, &letter[i]);
    ok(!jdi_mailbox_empty(&box), "one with letters is not");
    struct jdi_letter *l = jdi_mailbox_take_all(&box);
    ok(l == &letter[0] && l->next == &letter[1] && l->next->next == &letter[2] &&
           !l->next->next->next,
       "they come out as they went in");
}

int main(void)
{
    test_one_thread();
    test_four_senders();
    return done_testing();
}
