/*
 * core_owner_is_one_thread.c - what a thread has taken is no other thread's until it leaves it.
 *
 * Role: jdi_owner_*.
 * Owner: two threads, one after the other.
 * See: core/owner.h.
 */
#include "core/owner.h"
#include "test/kit/tap.h"

static struct jdi_owner owner;

static void *ask(void *answer)
{
    *(bool *)answer = jdi_owner_is_me(&owner);
    return NULL;
}

static bool another_thread_says(void)
{
    pthread_t thread;
    bool answer = false;
    if (pthread_create(&thread, NULL, ask, &answer))
        bail_out("no thread");
    pthread_join(thread, NULL);
    return answer;
}

int main(void)
{
    ok(jdi_owner_is_me(&owner) && another_thread_says(), "nobody's is everybody's");
    jdi_owner_take(&owner);
    ok(jdi_owner_is_me(&owner), "it is the thread's that took it");
    ok(!another_thread_says(), "and no other's");
    jdi_owner_leave(&owner);
    ok(another_thread_says(), "until that thread has left it");
    return done_testing();
}
