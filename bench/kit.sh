# kit.sh - what measurements share.  To be sourced, by its path beside the script:
#
#     . "$(dirname "$0")/kit.sh"
#     usage            say the head of the script on standard error and end with status 2
#     complain TEXT    say what is wrong, and the same
#     need PROGRAM...  all of them must have been built
#     run_to FILE COMMAND...  standard output to FILE; if it fails say all and end
#     seconds FILE     what a run of uts has printed
#     utilisation CSV WORKERS  of a file of jackdaw-trace csv: a line with ms, and percent of the workers that run a
#                      task, for each of 200 parts of the time
#     $data            an empty directory that is removed at the end
# shellcheck shell=sh

usage() {
    # The comment at the top, without the line that names the shell.
    sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" >&2
    exit 2
}

complain() {
    echo "${0##*/}: $*" >&2
    exit 2
}

need() {
    for kit_program; do
        [ -x "$kit_program" ] || complain "no program $kit_program: ./dev build, ./dev bench"
    done
}

data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT
trap 'exit 130' HUP INT TERM

run_to() {
    kit_file=$1
    shift
    "$@" >"$kit_file" 2>"$data/.err" || {
        cat "$kit_file" "$data/.err" >&2
        exit 1
    }
}

seconds() { sed -n 's/^Wallclock time = \([0-9.]*\) sec.*/\1/p' "$1"; }

utilisation() {
    awk -F, -v workers="$2" '
        $4 == "task" { n++; from[n] = $3; to[n] = $3 + $6; if (to[n] > end) end = to[n] }
        END {
            width = end / 200
            for (i = 1; i <= n; i++)
                for (b = int(from[i] / width); b * width < to[i]; b++) {
                    lo = from[i] > b * width ? from[i] : b * width
                    hi = to[i] < (b + 1) * width ? to[i] : (b + 1) * width
                    busy[b] += hi - lo
                }
            for (b = 0; b < 200; b++) printf "%.4f %.2f\n", 1e-6 * (b + 0.5) * width, 100 * busy[b] / (width * workers)
        }' "$1"
}
