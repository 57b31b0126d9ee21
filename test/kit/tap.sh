# tap.sh - the test kit for scripts: Test Anything Protocol.  To be sourced:
#
#     . "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
#     ok "true is true" true
#     is "$(echo a)" a "echo echoes"
#     done_testing
#
# make check sets JD_TEST_SRCDIR, JD_TEST_BUILDDIR, JD_TEST_CONDUITS, JD_TEST_ENGINES,
# JD_TEST_SANITIZER (none, address, thread), JD_TEST_LEASH, JD_TEST_CC, JD_TEST_CFLAGS.
# $scratch is an empty directory that is removed at the end.
# shellcheck shell=sh

. "$JD_TEST_SRCDIR/test/kit/plain.sh"
# Where there is no standard input mpirun takes a pipe of the harness for it.
exec </dev/null

tap_asides=0 tap_run=0 tap_failed=0 tap_planned=
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
tap_ranks=$JD_TEST_SRCDIR/test/kit/ranks.sh

plan() { tap_planned=$1; echo "1..$1"; }
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
skip_all() { echo "1..0 # SKIP $*"; exit 0; }
bail_out() { echo "Bail out! $*"; exit 255; }

tap_result() { # STATUS NAME
    tap_run=$((tap_run + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_run - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_run - $2"
    fi
}

# ok NAME COMMAND...: COMMAND succeeds; what it prints is shown if it does not.
ok() {
    tap_name=$1 tap_status=0
    shift
    "$@" >"$scratch/.out" 2>&1 || tap_status=$?
    tap_result $tap_status "$tap_name"
    [ $tap_status -eq 0 ] || { diag "status $tap_status of: $*"; sed 's/^/# /' "$scratch/.out"; }
}
pass() { tap_result 0 "$*"; }
fail() { tap_result 1 "$*"; }

# cut_off COMMAND...: COMMAND may end in the middle of its work: memory that it has not freed
# and threads that it has not joined by then are no leaks.
cut_off() {
    (
        ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
        TSAN_OPTIONS=${TSAN_OPTIONS-}:report_thread_leaks=0
        export ASAN_OPTIONS TSAN_OPTIONS
        "$@"
    )
}

# exits STATUS NAME COMMAND...: COMMAND ends with STATUS ("bad": any but 0, 124 and 120,
# which say that the leash had to act).  Its output stays in $scratch/out.
exits() {
    tap_want=$1 tap_name=$2 tap_status=0
    shift 2
    [ "$tap_want" = 0 ] || set -- cut_off "$@"
    "$@" >"$scratch/out" 2>&1 || tap_status=$?
    case $tap_want:$tap_status in
    bad:0 | bad:120 | bad:124) tap_result 1 "$tap_name" ;;
    bad:*) tap_result 0 "$tap_name" ;;
    *) tap_result $((tap_want != tap_status)) "$tap_name" ;;
    esac
    case $tap_want:$tap_status in "$tap_status:$tap_want" | bad:[1-9]*) ;;
    *) diag "status $tap_status, expected $tap_want, of: $*"; sed 's/^/# /' "$scratch/out" ;;
    esac
}

# is GOT WANT NAME
is() {
    if [ "$1" = "$2" ]; then
        tap_result 0 "$3"
    else
        tap_result 1 "$3"
        diag "     got '$1'"
        diag "expected '$2'"
    fi
}

# like TEXT PATTERN NAME: TEXT matches the extended regular expression.
like() {
    tap_status=0
    printf '%s\n' "$1" | grep -Eq -e "$2" || tap_status=$?
    tap_result $tap_status "$3"
    [ $tap_status -eq 0 ] || { diag "no /$2/ in:"; diag "$1"; }
}

# subtests NAME COMMAND...: COMMAND prints TAP itself; its results become results of this
# test, and one more says that it kept its plan and ended well.
subtests() {
    tap_name=$1 tap_status=0 tap_plan=none tap_inner=0
    shift
    "$@" >"$scratch/.tap" 2>"$scratch/.err" || tap_status=$?
    while IFS= read -r tap_line; do
        case $tap_line in
        1..0*SKIP*) tap_plan=0 tap_inner=0; diag "$tap_name: skipped ${tap_line#*SKIP}" ;;
        1..*) tap_plan=${tap_line#1..} tap_plan=${tap_plan%% *} ;;
        "ok "* | "not ok "*)
            tap_inner=$((tap_inner + 1))
            tap_text=${tap_line#* - }
            case $tap_line in ok*) tap_result 0 "$tap_name: $tap_text" ;;
            *) tap_result 1 "$tap_name: $tap_text" ;; esac ;;
        "Bail out!"*) tap_status=255; diag "$tap_line" ;;
        *) diag "$tap_line" ;;
        esac
    done <"$scratch/.tap"
    if [ "$tap_status" -eq 0 ] && [ "$tap_plan" = "$tap_inner" ]; then
        tap_result 0 "$tap_name: ended well"
    else
        tap_result 1 "$tap_name: ended well"
        diag "status $tap_status, planned $tap_plan, ran $tap_inner: $*"
        sed 's/^/# /' "$scratch/.err"
    fi
}

# on_ranks CONDUIT N [SETTING=VALUE...] NAME [ARGUMENT...]: run the program NAME (examples/uts,
# test/am/behaviour) of that network with N ranks, at most JD_TEST_TIMEOUT (60) seconds.  The
# settings, whose values have no blanks, are this job's only.
on_ranks() {
    tap_conduit=$1 tap_n=$2 tap_settings=
    shift 2
    while case $1 in *=*) ;; *) false ;; esac; do
        tap_settings="$tap_settings $1"
        shift
    done
    tap_program=$(program_of "$1" "$tap_conduit")
    shift
    # shellcheck disable=SC2086 # words
    env JD_TEST_TIMEOUT="${JD_TEST_TIMEOUT:-60}" $tap_settings \
        "$tap_ranks" "$tap_conduit" "$tap_n" "$tap_program" "$@"
}

# aside FUNCTION [ARGUMENT...]: run it beside what follows; for tests that mostly wait.
# joined: wait for all of these, and then tell their results as if they had run here.
aside() {
    tap_asides=$((tap_asides + 1))
    mkdir "$scratch/aside$tap_asides" || exit 99
    # shellcheck disable=SC2030,SC2031 # its own ones
    (
        scratch=$scratch/aside$tap_asides tap_run=0
        "$@"
        echo "all of it"
    ) >"$scratch/aside$tap_asides.tap" 2>&1 &
}
joined() {
    wait
    tap_aside=0
    while [ $tap_aside -lt $tap_asides ]; do
        tap_aside=$((tap_aside + 1)) tap_whole=1
        while read -r tap_line; do
            case $tap_line in
            'ok '*) tap_result 0 "${tap_line#ok * - }" ;;
            'not ok '*) tap_result 1 "${tap_line#not ok * - }" ;;
            'all of it') tap_whole=0 ;;
            *) printf '%s\n' "$tap_line" ;;
            esac
        done <"$scratch/aside$tap_aside.tap"
        [ $tap_whole -eq 0 ] || tap_result 1 "what ran aside came to its end"
        rm -rf "$scratch/aside$tap_aside"
    done
    tap_asides=0
}

# every_pair FUNCTION NAME=VALUE,VALUE... [!NAME=VALUE,NAME=VALUE]...: FUNCTION VALUE... for a few
# combinations of the settings, which hold every pair of values; none of those after a "!".  Settings
# of the environment come as NAME=VALUE, and a value p|q comes as p or q, in turn; see
# test/kit/pairs.awk.  With JD_TEST_FULL=1 for every combination, if these are 20000 or fewer;
# JD_TEST_PAIRS=SEED makes others.
every_pair() {
    tap_pairs=$(
        shift
        [ "${JD_TEST_FULL:-0}" = 1 ] && most=20000 || most=0
        awk -v all=$most -v seed="${JD_TEST_PAIRS:-1}" \
            -f "$JD_TEST_SRCDIR/test/kit/pairs.awk" -- "$@"
    ) || bail_out "every_pair $*"
    IFS='
'
    for tap_pair in $tap_pairs; do
        unset IFS
        # shellcheck disable=SC2086 # words
        "$1" $tap_pair
    done
    unset IFS
}

# program_of NAME CONDUIT: where the program is; of test/ each has its network's suffix.
program_of() {
    case $1:$2 in
    test/*) echo "$JD_TEST_BUILDDIR/$1-$2" ;;
    *:smp) echo "$JD_TEST_BUILDDIR/$1" ;;
    *) echo "$JD_TEST_BUILDDIR/$1-$2" ;;
    esac
}

# has_conduit CONDUIT
has_conduit() { case " $JD_TEST_CONDUITS loop " in *" $1 "*) ;; *) return 1 ;; esac; }

# each_network FUNCTION: FUNCTION NETWORK for every network of this build, but loop.  Those
# that a launcher starts run aside: most of their time is its own, and spent waiting.
tap_each() { # FUNCTION NETWORK...
    tap_function=$1
    shift
    for tap_network; do
        ! has_conduit "$tap_network" || "$tap_function" "$tap_network"
    done
}
each_network() {
    aside tap_each "$1" mpi ucx
    aside tap_each "$1" smp udp
    joined
}

# every_pair_on_networks FUNCTION NAME=VALUE,VALUE...: every_pair with one setting more, the first,
# which is the network: all of this build but loop, where each_network would run them.  What is
# forbidden on a network that was not built is no mistake.
tap_if_mine() { case " $tap_mine " in *" $1 "*) "$tap_for" "$@" ;; esac; }
tap_share() { # NETWORKS FUNCTION NAME=VALUE,VALUE...
    tap_mine=$1 tap_for=$2 tap_networks=
    shift 2
    for tap_network in $JD_TEST_CONDUITS; do
        [ "$tap_network" = loop ] || tap_networks=$tap_networks${tap_networks:+,}$tap_network
    done
    for tap_setting; do
        shift
        case $tap_setting in
        !network=*)
            tap_network=${tap_setting#*=}
            has_conduit "${tap_network%%,*}" || continue ;;
        esac
        set -- "$@" "$tap_setting"
    done
    [ -z "$tap_networks" ] || every_pair tap_if_mine network="$tap_networks" "$@"
}
every_pair_on_networks() {
    aside tap_share "mpi ucx" "$@"
    aside tap_share "smp udp" "$@"
    joined
}

done_testing() {
    [ -n "$tap_planned" ] || plan $tap_run
    if [ $tap_run -eq 0 ] || [ $tap_run -ne "$tap_planned" ]; then
        diag "planned $tap_planned tests but ran $tap_run"
        exit 1
    fi
    [ $tap_failed -eq 0 ] || exit 1
    exit 0
}
