# families.sh - programs of test/dist that are about one thing, each with a behaviour of its own.  To be
# sourced.  Each name is a value of every_pair, whose parts take turns: the jobs of a family are as many
# as those of one program.
# shellcheck shell=sh disable=SC2034 # they are for who sources it

finish='finish_brings_every_argument|finish_in_a_collection_counts_apart|finish_of_all_ranks_ends|finish_refuses_wrong_calls|finish_that_is_cancelled_ends|finish_waits_for_all_its_tasks'
data='data_copies_bring_every_byte|data_copies_end_when_they_say|data_memory_comes_and_goes|data_refuses_what_is_not_there'
futures='futures_are_set_once|futures_end_with_a_cancelled_finish|futures_reach_all_who_wait|futures_start_tasks_that_await|futures_that_are_gone_are_told'
refusals='refusals_of_calls_out_of_turn|refusals_of_one_collection_more|refusals_of_what_only_bodies_may|refusals_of_wrong_arguments'
deadlines='channels_conserve_items|channels_hand_over_in_order|channels_refuse_and_end|sleep_ends_at_its_deadline'
waiting='waiting_ends_whoever_resumes|waiting_keeps_errno|waiting_keeps_the_phase_open|waiting_lets_others_run|waiting_on_a_stack_of_its_own|waiting_tasks_of_finishes_move'
