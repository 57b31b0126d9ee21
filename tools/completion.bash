# Completion of Jackdaw's programs for bash; installed under the name of each.
#
# Nothing is listed here that a program could say itself: jackdaw-run makes its own completion, and of the others it
# is what --help says, when it is asked for: options, words, and where a value is the name of something.
_jackdaw() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} help option=
    help=$("$program" --help 2>/dev/null) || return
    # --option=value is three words to bash.
    [[ $word != = ]] || { option=$before word=; }
    [[ $before != = ]] || option=${COMP_WORDS[COMP_CWORD-2]}
    compopt +o nospace
    case ${option:-$word} in
    --detector) COMPREPLY=($(compgen -W "$("$program" --list 2>/dev/null | sed -n 's/^ *\([a-z][a-z_-]*\).*/\1/p')" -- "$word")) ;;
    --tree) COMPREPLY=($(compgen -W "$(sed -n '/--tree=/,/^  -/{s/.*--tree=NAME//;/^  -/d;p;}' <<<"$help")" -- "$word")) ;;
    --style) COMPREPLY=($(compgen -W "collection async" -- "$word")) ;;
    -*)
        if [[ $option ]]; then
            compopt -o filenames
            COMPREPLY=($(compgen -f -- "$word"))
        else
            COMPREPLY=($(compgen -W "$(grep -oE -e '(^|[ ,[])--[a-z-]+=?' <<<"$help" | tr -d ' ,[')" -- "$word"))
            [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
        fi ;;
    *)
        compopt -o filenames
        COMPREPLY=($(compgen -W "$(sed -n 's/^  \([a-z][a-z]*\)   *.*/\1/p' <<<"$help")" -- "$word") $(compgen -f -- "$word")) ;;
    esac
}
complete -F _jackdaw jackdaw-info jackdaw-report jackdaw-simshrink jackdaw-tdtest jackdaw-top jackdaw-trace uts uts-udp uts-mpi uts-ucx uts-sim
eval "$(jackdaw-run --completion=bash 2>/dev/null)"
