#compdef jackdaw-run jackdaw-info jackdaw-report jackdaw-simshrink jackdaw-tdtest jackdaw-top jackdaw-trace uts uts-udp uts-mpi uts-ucx uts-sim
# Completion of Jackdaw's programs for zsh.  jackdaw-run makes its own; of the others it is what --help says.
case $service in
jackdaw-run) eval "$(jackdaw-run --completion=zsh)" ;;
*) _gnu_generic ;;
esac
