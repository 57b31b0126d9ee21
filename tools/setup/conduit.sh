#!/bin/sh
# Print the part of the makefile for one network: its library, its .pc file and the
# programs that are linked with it.  autogen.sh calls it; Makefile.am includes the result.
#
#     conduit.sh smp|udp|mpi|ucx|loop|sim
#
# Programs are called examples/uts for smp and examples/uts-udp, ... for the others; those of
# test/ always have the suffix.  The sources of an example and further libraries are in the
# makefile's variables <its name with _ for />_parts and ..._libs; tests and measurements
# have one source file.
set -e

# ---- programs that exist once for each network: the one list --------------------------
examples="examples/uts examples/nqueens examples/fib examples/iterate examples/nested_for examples/pipeline
    examples/map_reduce examples/scatter_gather examples/kpn examples/echo_server
    examples/heat examples/timers examples/stages examples/fetch_all examples/restart
    examples/hf examples/tce"
# What runs in the simulator too; its other tests are in test/sim.
sim_tests="
    test/dist/sched_channels_conserve_items
    test/dist/sched_channels_hand_over_in_order
    test/dist/sched_channels_keep_reserved_room
    test/dist/sched_channels_refuse_and_end
    test/dist/sched_conds_lose_no_signal
    test/dist/sched_counts
    test/dist/sched_crowds
    test/dist/sched_data_accumulates_lose_nothing
    test/dist/sched_data_cached_reads_are_right
    test/dist/sched_data_copies_bring_every_byte
    test/dist/sched_data_copies_end_when_they_say
    test/dist/sched_data_memory_comes_and_goes
    test/dist/sched_data_refuses_what_is_not_there
    test/dist/sched_endings
    test/dist/sched_events_end_all_who_wait
    test/dist/sched_every_wait_ends_once
    test/dist/sched_finish_brings_every_argument
    test/dist/sched_finish_in_a_collection_counts_apart
    test/dist/sched_finish_is_counted_while_it_runs
    test/dist/sched_finish_of_all_ranks_ends
    test/dist/sched_finish_refuses_wrong_calls
    test/dist/sched_finish_that_is_cancelled_ends
    test/dist/sched_finish_waits_for_all_its_tasks
    test/dist/sched_futures_are_set_once
    test/dist/sched_futures_end_with_a_cancelled_finish
    test/dist/sched_futures_in_arrays
    test/dist/sched_futures_keep_deadlines
    test/dist/sched_futures_reach_all_who_wait
    test/dist/sched_futures_start_tasks_later
    test/dist/sched_futures_start_tasks_that_await
    test/dist/sched_futures_survive_torture
    test/dist/sched_futures_that_are_gone_are_told
    test/dist/sched_hangs
    test/dist/sched_holds
    test/dist/sched_mutexes_exclude_tasks
    test/dist/sched_mutexes_refuse_and_end
    test/dist/sched_null_seeds_are_pruned
    test/dist/sched_phasers_carry_stencils
    test/dist/sched_phasers_keep_their_phases
    test/dist/sched_phasers_refuse_and_end
    test/dist/sched_ranges
    test/dist/sched_recalls_send_tasks_ahead
    test/dist/sched_scopes
    test/dist/sched_seeds_are_balanced
    test/dist/sched_select_carries_out_one_case
    test/dist/sched_select_takes_futures
    test/dist/sched_selects_conserve_items
    test/dist/sched_sleep_ends_at_its_deadline
    test/dist/sched_torture
    test/dist/sched_waiting_on_a_stack_of_its_own
    test/dist/sched_waiting_survives_torture
    test/dist/sched_waiting_tasks_of_finishes_move
"
dist_tests="$sim_tests
    test/am/behaviour
    test/dist/sched_arguments
    test/dist/sched_busy_ranks_answer
    test/dist/sched_exits
    test/dist/sched_fds_are_used_again_at_once
    test/dist/sched_fds_bounce_bytes
    test/dist/sched_fds_flow_both_ways
    test/dist/sched_fds_stand_in_selects
    test/dist/sched_fds_tell_what_is_ready
    test/dist/sched_reductions
    test/dist/sched_refusals_of_calls_out_of_turn
    test/dist/sched_refusals_of_one_collection_more
    test/dist/sched_refusals_of_what_only_bodies_may
    test/dist/sched_refusals_of_wrong_arguments
    test/dist/sched_thieves
    test/dist/sched_waiting_ends_whoever_resumes
    test/dist/sched_waiting_keeps_errno
    test/dist/sched_waiting_keeps_the_phase_open
    test/dist/sched_waiting_lets_others_run
"
# C++: the objects are made by a rule of test/Makefrag.am, because to automake a program with C++ in it is
# linked by a C++ compiler, always; and a checker of memory belongs to one compiler.
cxx_tests="test/dist/sched_exceptions"
gasnet_tests="test/am/exits" # not in process: ranks die in them
benches="bench/data bench/futures bench/steal bench/loggp bench/idle bench/loads bench/busy" # not in process: they measure GASNet
# ---------------------------------------------------------------------------------------

c=$1
case $c in
smp | udp | mpi | ucx) ;;
loop | sim) ;;
*) echo "usage: conduit.sh smp|udp|mpi|ucx|loop|sim" >&2; exit 2 ;;
esac
# shellcheck disable=SC2016
gasnet='$(GASNET_LIBS) '
inside= # all ranks in one process
case $c in loop | sim) inside=yes gasnet= ;; esac
upper=$(echo "$c" | tr '[:lower:]' '[:upper:]')

canonical() { echo "$1" | tr '/.-' '___'; }

program() { # PRIMARY NAME SUFFIX SOURCES LIBRARIES [CPPFLAGS]
    name=$(canonical "$2$3")
    cat <<EOF

$1 += $2$3
${name}_SOURCES = $4
${name}_LDADD = $5 $gasnet\$(${c}_LIBS) \$(JD_LIBS)
EOF
    [ -z "$6" ] || echo "${name}_CPPFLAGS = $6"
}

echo "# Made by tools/setup/conduit.sh $c; do not edit."
network="\$(GASNET_LIBS) -L%gasnet_libdir% \$(${c}_ARCHIVES)"
[ -z "$inside" ] || network=
package() {
    cat <<EOF

pkgconfig_DATA += jackdaw-$c.pc
CLEANFILES += jackdaw-$c.pc
jackdaw-$c.pc: jackdaw-conduit.pc Makefile
	\$(AM_V_GEN)\$(SED) -e 's|%conduit%|$c|g' -e 's|%network%|$network|' \\
	  -e 's|%syslibs%|\$(${c}_SYSLIBS)|' \$(pc_edit) jackdaw-conduit.pc >\$@
EOF
}
if [ "$c" = loop ]; then
    cat <<EOF
noinst_LIBRARIES += libjackdaw-loop.a
libjackdaw_loop_a_SOURCES = am/early.c am/loop.c
libjackdaw_loop_a_LIBADD = \$(libcommon_a_OBJECTS)
EOF
elif [ "$c" = sim ]; then
    cat <<EOF
lib_LIBRARIES += libjackdaw-sim.a
libjackdaw_sim_a_SOURCES = am/early.c am/sim/sim.c am/sim/sim.h am/sim/adversary.c am/sim/adversary.h \\
	am/sim/inside.h am/sim/queue.c am/sim/queue.h am/sim/stream.c am/sim/run.c
libjackdaw_sim_a_LIBADD = \$(libcommon_a_OBJECTS)
EOF
    package
else
    cat <<EOF
if JD_$upper
lib_LIBRARIES += libjackdaw-$c.a
libjackdaw_${c}_a_SOURCES = \$(gasnet_sources)
libjackdaw_${c}_a_CPPFLAGS = \$(AM_CPPFLAGS) \$(GASNET_CPPFLAGS) \$(${c}_CPPFLAGS)
libjackdaw_${c}_a_LIBADD = \$(libcommon_a_OBJECTS)
EOF
    package
fi
case $c in smp) suffix= ;; *) suffix=-$c ;; esac
library=libjackdaw-$c.a
for p in $examples; do
    v=$(canonical "$p")
    # uts has a man page and is installed, but not for the network that only tests use.
    where=noinst_PROGRAMS
    case $c:$p in loop:*) ;; *:examples/uts) where=bin_PROGRAMS ;; esac
    program $where "$p" "$suffix" "\$(${v}_parts)" "$library \$(${v}_libs)"
done
[ -n "$inside" ] || dist_tests="$dist_tests $gasnet_tests"
[ "$c" != sim ] || dist_tests=$sim_tests
for p in $dist_tests; do
    program check_PROGRAMS "$p" "-$c" "$p.c" "test/kit/libkit.a $library"
done
[ "$c" = sim ] || for p in $cxx_tests; do
    program check_PROGRAMS "$p" "-$c" "" "$p.o $library -lstdc++"
done
[ -n "$inside" ] || for p in $benches; do
    program EXTRA_PROGRAMS "$p" "$suffix" "$p.c" "$library" \
        "\$(AM_CPPFLAGS) \$(GASNET_CPPFLAGS) \$(${c}_CPPFLAGS)"
done
if [ -z "$inside" ]; then
    echo "endif"
fi
