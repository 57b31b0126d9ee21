#!/bin/sh
# A job ends with the status of its bodies or of an abort; tasks that nobody ran are an error.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

# The settings of every job.
settings=

# ends STATUS NETWORK RANKS WAY [ARGUMENT]: and what it says is in $scratch/out.
ends() {
    ends_with=$1
    shift
    # shellcheck disable=SC2086 # words
    exits "$ends_with" "$1: $3 ${4-} on $2 ranks ends with $ends_with" \
        on_ranks "$1" "$2" $settings test/dist/sched_endings "$3" ${4+"$4"}
}
says() { # PATTERN
    like "$(cat "$scratch/out")" "$1" "and says so"
}

endings() { # NETWORK RANKS
    last=$(($2 - 1))
    ends $((3 + last)) "$1" "$2" status 3 # the largest of 3, 4, 5
    ends 1 "$1" "$2" last 126
    ends 33 "$1" "$2" abort 33
    says '^jackdaw: rank [0-9]+: worker [0-9]+: a task says stop after 42$'
    ends 12 "$1" "$2" abort-body 12
    says "^jackdaw: rank $last: worker [0-9]+: the body says stop\$"
    ends 3 "$1" "$2" exit 3
    ends 71 "$1" "$2" exit 0
    says 'left before the end of jd_launch$'
    ends 74 "$1" "$2" leftover 5
    says '^jackdaw: rank 0: work ends with tasks that were added and never processed$'
    ends 74 "$1" "$2" suspended 0
    says '^jackdaw: rank 0: work ends with tasks that were added and never processed$'
    ends 6 "$1" "$2" undestroyed 6
    ends 74 "$1" "$2" stray 0
    says '^jackdaw: rank [0-9]+: jd_resume: what it names is not suspended'
}

# Ranks that do not call the same; a status that a body has returned is kept.
disagreements() { # NETWORK RANKS
    agree='^jackdaw: rank [0-9]+: the ranks do not agree: rank 0'
    ends 74 "$1" "$2" barrier-allreduce 0
    says "$agree is in jd_barrier, and rank [12] is in jd_allreduce_u64 of 2 values, JD_MAX\$"
    ends 74 "$1" "$2" lengths 0
    says "$agree is in jd_allreduce_u64 of 2 values, JD_SUM, and rank [12] is in jd_allreduce_u64 of 1 value, JD_SUM\$"
    ends 74 "$1" "$2" create-mem 0
    says "$agree is in jd_coll_create, and rank [12] is in jd_mem_create\$"
    ends 9 "$1" "$2" barrier-alone 9
    says "$agree is in jd_barrier, and rank [12] has returned from its body\$"
    ends 74 "$1" "$2" barrier-alone 0
    ends 9 "$1" "$2" allreduce-alone 9
    says "$agree is in jd_allreduce_u64 of 1 value, JD_MAX, and rank [12] has returned from its body\$"
    ends 9 "$1" "$2" last-in-barrier 9
    says '^jackdaw: rank 0: the ranks do not agree: rank [01] has returned from its body, and rank 2 is in jd_barrier$'
}

# Ranks that wait for each other for ever, one of them for the end of a collection.
standstills() { # NETWORK RANKS
    says_any='^jackdaw: rank [0-9]+: the ranks do not agree:'
    ends 9 "$1" "$2" process-alone 9
    says "$says_any rank [01] has returned from its body, and rank 2 is in jd_coll_process of work\$"
    ends 74 "$1" "$2" process-alone 0
    ends 9 "$1" "$2" wait-alone 9
    says "$says_any rank [01] is in jd_coll_wait of work, and rank 2 has returned from its body\$"
    ends 74 "$1" "$2" barrier-process 9
    says "$says_any rank 1 is in jd_coll_process of work, and rank 2 is in jd_barrier\$"
    ends 74 "$1" "$2" processes 9
    says "$says_any rank 0 is in jd_coll_process of work, and rank [12] is in jd_coll_process of other\$"
    ends 9 "$1" "$2" crossed 9
}

# The sanitizers' handlers come before ours, or in place of it.
faults() { # NETWORK RANKS
    [ "$JD_TEST_SANITIZER" = none ] || return 0
    ends bad "$1" "$2" fault 0
    says '^jackdaw: rank [0-9]+: SIGSEGV in task do_fault$'
    ends bad "$1" "$2" fault-after 0
    says '^jackdaw: rank [0-9]+: SIGSEGV in task wait_for_fault$'
    ends bad "$1" "$2" fault-body 0
    says '^jackdaw: rank 0: SIGSEGV in the body$'
    ends bad "$1" "$2" quit 0
    says '^jackdaw: rank [0-9]+: SIGABRT in task do_quit$'
}

more_endings() { # NETWORK RANKS
    ends 0 "$1" "$2" last 0
    ends 77 "$1" "$2" last 77
    ends 1 "$1" "$2" last -3
    ends 1 "$1" "$2" abort 0
    ends 74 "$1" "$2" leftover 0
    ends 74 "$1" "$2" held 0
    ends 0 "$1" "$2" undestroyed 0
    ends 4 "$1" "$2" work 4
    ends 78 "$1" "$2" hole
    says '^jackdaw: (rank 0: )?task table: row 1 .* is empty'
    [ "$JD_TEST_SANITIZER" = none ] || return 0
    # shellcheck disable=SC2086 # words
    exits 5 "$1: double 5 on $2 ranks and stacks of 32K ends with 5" \
        on_ranks "$1" "$2" $settings JACKDAW_STACK_SIZE=32K test/dist/sched_endings double 5
}

case " $JD_TEST_ENGINES " in
*" boost "*)
    settings="JACKDAW_ULT=boost JACKDAW_WORKERS=2"
    for ranks in 1 3; do
        endings loop $ranks
        more_endings loop $ranks
        faults loop $ranks
    done
    disagreements loop 3
    standstills loop 3 ;;
esac
settings=JACKDAW_WORKERS=1
on_network() { # NETWORK
    case $1 in smp)
        endings smp 1
        more_endings smp 3 ;;
    esac
    endings "$1" 3
    faults "$1" 3
    # What finds these is above the network, and a job of mpirun takes seconds; for the thread sanitizer
    # the ranks of one process are enough.
    case ${JD_TEST_FULL:-0}$1$JD_TEST_SANITIZER in 0mpi* | 0ucx* | 0*thread) ;; *)
        disagreements "$1" 3
        standstills "$1" 3 ;;
    esac
    ends 7 "$1" 2 again 7
    case $1 in udp | mpi | ucx) # there each rank runs main
        ends 78 "$1" 3 tables
        says '^jackdaw: rank 0: the task tables .* differ in row 1: of_[0-9]+ on rank 0, of_[0-9]+ on rank [12]$' ;;
    esac
    case $1 in mpi | ucx) return ;; esac # mpirun forwards the output, and does not say
    # shellcheck disable=SC2016 # expanded inside
    exits 75 "$1: a full disk" env JD_TEST_TIMEOUT=60 sh -c 'exec "$@" >/dev/full' sh \
        "$tap_ranks" "$1" 2 "$(program_of examples/fib "$1")" 20
    says '^jackdaw: (rank 0: )?output could not be written(: No space left on device)?$'
}

each_network on_network
done_testing
