#!/bin/sh
# Includes point down: core < am < termination < sched; conform stands on termination and is
# seen by tests, and by tools through its public header; examples see the public headers.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

rank_of() {
    case $1 in core) echo 1 ;; am) echo 2 ;; termination) echo 3 ;; sched) echo 4 ;; *) echo 0 ;; esac
}
# am/ may not see termination/ and the other way round only downwards, as ranked.
violations() {
    for folder in core am termination sched; do
        mine=$(rank_of $folder)
        for f in $(c_files | grep "^\./$folder/"); do
            grep -nE '^ *# *include *"' "$f" | while IFS= read -r line; do
                included=${line#*\"}
                included=${included%\"*}
                case $included in */*) ;; jackdaw.h | config.h) continue ;; *)
                    echo "$f:$line   (not from the root of the project)"
                    continue ;;
                esac
                theirs=$(rank_of "${included%%/*}")
                [ "$theirs" -gt 0 ] && [ "$theirs" -le "$mine" ] || echo "$f:$line   (points up)"
            done
        done
    done
    # What judges the detectors knows nothing of those who use them, nor of the network.
    c_files | grep '^\./conform/' | xargs grep -HnE '^ *# *include *"' |
        grep -vE '"((core|termination|conform)/[^"]*|jackdaw\.h)"' | sed 's/$/   (not for conform)/'
    c_files | grep '^\./examples/' |
        xargs grep -HnE '^ *# *include *"(core|am|termination|sched|conform|test)/' |
        sed 's/$/   (examples use the public header)/'
    c_files | grep '^\./tools/' | xargs grep -HnE '^ *# *include *"conform/' |
        grep -v '"conform/conform\.h"' | sed 's/$/   (tools use the public header)/'
    c_files | grep -E '^\./(core|am|termination|sched|include|conform)/' |
        xargs grep -HnE '^ *# *include *"(examples|test|bench|tools)/' | sed 's/$/   (points up)/'
}

tree_is_clean "includes point down"
mkdir -p "$planted/core" "$planted/am" "$planted/examples" "$planted/termination" "$planted/conform" "$planted/tools"
echo '#include "sched/worker.h"' >"$planted/core/log.c"
echo '#include "am.h"' >"$planted/am/am.c"
echo '#include "core/log.h"' >"$planted/examples/uts.c"
echo '#include "conform/world.h"' >"$planted/termination/safra.c"
printf '#include "%s"\n' conform/conform.h conform/world.h >"$planted/tools/tdtest.h"
printf '#include "%s"\n' core/base.h termination/find.h conform/world.h sched/coll.h >"$planted/conform/walk.c"
planted_is_found "core that sees sched is found" '^\./core/log\.c:1:.*points up'
planted_is_found "an include relative to its folder is found" '^\./am/am\.c:1:.*not from the root'
planted_is_found "an example that looks inside is found" '^\./examples/uts\.c:1:'
planted_is_found "a detector that knows its judge is found" '^\./termination/safra\.c:1:.*points up'
planted_is_found "a judge that sees the scheduler is found" '^\./conform/walk\.c:4:.*not for conform'
planted_is_found "a tool that looks inside is found" '^\./tools/tdtest\.h:2:.*tools use the public header'
cd "$planted" && is "$(violations | grep -cE 'conform/walk|tools/tdtest')" 2 "what they may see is not"
done_testing
