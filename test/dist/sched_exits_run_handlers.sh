#!/bin/sh
# atexit handlers and destructors run once on every rank when the job has ended well, after the body,
# and in no other process.  A process that a task forks may call exit, and the job goes on.  If a rank
# is killed while it runs handlers, the others do not wait for it.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

ranks=3
each_says() { # NETWORK WAY
    for what in "handler of main" "handler of the body" destructor; do
        sed -n "s/^$what of rank \([0-9]*\) after 1\$/\1/p" "$scratch/out" | sort >"$scratch/ranks"
        is "$(tr '\n' ' ' <"$scratch/ranks")" "0 1 2 " "$1: $2: $what, once on each rank"
    done
    is "$(grep -c 'of rank' "$scratch/out")" $((3 * ranks)) "$1: $2: and nowhere else"
}

on_network() { # NETWORK
    for way in "plain 0" "plain 5" "fork 0" "fork 3"; do
        want=${way#plain }
        [ "$want" != "$way" ] || want=0
        # shellcheck disable=SC2086 # words
        exits $want "$1: $way ends with $want" on_ranks "$1" $ranks test/dist/sched_exits $way
        each_says "$1" "$way"
    done
    # Whatever the others wait for by then.
    exits bad "$1: the last rank is killed in its handler: no process left" \
        on_ranks "$1" $ranks JD_TEST_TIMEOUT=15 test/dist/sched_exits late 9
}

each_network on_network
done_testing
