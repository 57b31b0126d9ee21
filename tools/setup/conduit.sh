#!/bin/sh
# Print the part of the makefile for one network: its library, its .pc file and the
# programs that are linked with it.  autogen.sh calls it; Makefile.am includes the result.
#
#     conduit.sh smp|udp|mpi|ucx|loop
#
# Programs are called examples/uts for smp and examples/uts-udp, ... for the others;
# those of test/ always have the suffix.  A program's sources are in the makefile variable
# <its name with _ for />_parts, further libraries in ..._libs.  Programs of test/ are linked with the test kit.
set -e

# ---- programs that exist once for each network: the one list --------------------------
examples="examples/uts examples/nqueens examples/fib examples/iterate"
dist_tests="test/am/behaviour"
gasnet_tests="test/am/exits" # not in process: ranks die in them
benches=""
# ---------------------------------------------------------------------------------------

c=$1
case $c in
smp | udp | mpi | ucx) ;;
loop) ;;
*) echo "usage: conduit.sh smp|udp|mpi|ucx|loop" >&2; exit 2 ;;
esac
gasnet='$(GASNET_LIBS) '
[ "$c" != loop ] || gasnet=
upper=$(echo "$c" | tr '[:lower:]' '[:upper:]')

canonical() { echo "$1" | tr '/.-' '___'; }

program() { # PRIMARY NAME SUFFIX KIT
    name=$2$3
    cat <<EOF

$1 += $name
$(canonical "$name")_SOURCES = \$($(canonical "$2")_parts)
$(canonical "$name")_LDADD = $4libjackdaw-$c.a \$($(canonical "$2")_libs) $gasnet\$(${c}_LIBS) \$(JD_LIBS)
EOF
}

echo "# Made by tools/setup/conduit.sh $c; do not edit."
if [ "$c" = loop ]; then
    cat <<EOF
noinst_LIBRARIES += libjackdaw-loop.a
libjackdaw_loop_a_SOURCES = am/loop.c
libjackdaw_loop_a_LIBADD = \$(libcommon_a_OBJECTS)
EOF
else
    cat <<EOF
if JD_$upper
lib_LIBRARIES += libjackdaw-$c.a
libjackdaw_${c}_a_SOURCES = \$(gasnet_sources)
libjackdaw_${c}_a_CPPFLAGS = \$(AM_CPPFLAGS) \$(GASNET_CPPFLAGS) \$(${c}_CPPFLAGS)
libjackdaw_${c}_a_LIBADD = \$(libcommon_a_OBJECTS)

pkgconfig_DATA += jackdaw-$c.pc
CLEANFILES += jackdaw-$c.pc
jackdaw-$c.pc: jackdaw-conduit.pc Makefile
	\$(AM_V_GEN)\$(SED) -e 's|%conduit%|$c|g' -e 's|%archives%|\$(${c}_ARCHIVES)|' \\
	  -e 's|%syslibs%|\$(${c}_SYSLIBS)|' \$(pc_edit) jackdaw-conduit.pc >\$@
EOF
fi
case $c in smp) suffix= ;; *) suffix=-$c ;; esac
for p in $examples; do
    program noinst_PROGRAMS "$p" "$suffix" ""
done
for p in $dist_tests; do
    program check_PROGRAMS "$p" "-$c" "test/kit/libkit.a "
done
[ "$c" = loop ] || for p in $gasnet_tests; do
    program check_PROGRAMS "$p" "-$c" "test/kit/libkit.a "
done
for p in $benches; do
    program EXTRA_PROGRAMS "$p" "$suffix" ""
done
if [ "$c" != loop ]; then
    echo "endif"
fi
