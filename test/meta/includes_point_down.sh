#!/bin/sh
# Includes point down, as test/kit/floors.txt has it; tools see conform through its public header;
# examples see the public headers.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

library='^\./(core|am|termination|sched|conform)/'

violations() {
    c_files | grep -E "$library" | xargs grep -HnE '^ *# *include *"' |
        grep -vE '"(jackdaw|config)\.h"' | sed 's|^\./||' >"$scratch/includes"
    grep -v '"[^"]*/' "$scratch/includes" | sed 's/$/   (not from the root of the project)/'
    grep '"[^"]*/' "$scratch/includes" | sed 's|^\([^:]*\):[^"]*"\([^"]*\)".*|\1 \2 &|' |
        awk -f "$JD_TEST_SRCDIR/test/kit/floors.awk" "$JD_TEST_SRCDIR/test/kit/floors.txt" -
    c_files | grep '^\./examples/' |
        xargs grep -HnE '^ *# *include *"(core|am|termination|sched|conform|test)/' |
        sed 's/$/   (examples use the public header)/'
    c_files | grep '^\./tools/' | xargs grep -HnE '^ *# *include *"conform/' |
        grep -v '"conform/conform\.h"' | sed 's/$/   (tools use the public header)/'
    c_files | grep '^\./include/' | xargs grep -HnE '^ *# *include *"' |
        sed 's/$/   (the public header includes nothing of ours)/'
}

plant() { # FILE INCLUDED...
    planted_file=$planted/$1
    shift
    mkdir -p "${planted_file%/*}"
    printf '#include "%s"\n' "$@" >"$planted_file"
}

tree_is_clean "includes point down"
plant core/log.c sched/worker.h
plant core/idle.c core/ult/ult.h
plant am/am.c am.h
plant am/loop.c am/sim/sim.h
plant sched/rank.c am/am.h core/ult/ult.h termination/find.h sched/steal/policy.h am/sim/sim.h
plant sched/steal/random.c core/random.h sched/rank.h
plant sched/data/copy.c sched/rank.h sched/finish/part.h
plant sched/finish/part.c sched/data/data.h sched/launch/start.h
plant sched/launch/launch.c sched/finish/pool.h am/am.h
plant sched/nowhere/timer.c core/time.h
plant examples/uts.c core/log.h
plant termination/safra.c conform/world.h
plant tools/tdtest.h conform/conform.h conform/world.h
plant conform/walk.c core/base.h termination/find.h conform/world.h sched/coll.h
plant include/jackdaw.h core/base.h
planted_is_found "core that sees sched is found" '^core/log\.c:1:.*core does not see sched'
planted_is_found "core that sees the ULTs is found" '^core/idle\.c:1:.*core does not see core/ult'
planted_is_found "an include relative to its folder is found" '^am/am\.c:1:.*not from the root'
planted_is_found "a network that sees another is found" '^am/loop\.c:1:.*am does not see am/sim'
planted_is_found "a scheduler that knows its network is found" '^sched/rank\.c:5:'
planted_is_found "a policy that sees the scheduler is found" '^sched/steal/random\.c:2:'
planted_is_found "data that see finishes are found" '^sched/data/copy\.c:2:'
planted_is_found "a finish that sees the launch is found" '^sched/finish/part\.c:2:'
planted_is_found "a folder without a row is found" '^sched/nowhere/timer\.c:1:'
planted_is_found "an example that looks inside is found" '^\./examples/uts\.c:1:'
planted_is_found "a detector that knows its judge is found" '^termination/safra\.c:1:'
planted_is_found "a judge that sees the scheduler is found" '^conform/walk\.c:4:'
planted_is_found "a tool that looks inside is found" '^\./tools/tdtest\.h:2:.*tools use the public header'
planted_is_found "a public header that looks inside is found" '^\./include/jackdaw\.h:1:'
cd "$planted" && is "$(violations | wc -l)" 14 "what they may see is not"
done_testing
