# plain.sh - a plain environment for tests.  To be sourced.  make check does so before each test,
# and tap.sh does so that a script started by hand has the same environment.
#
# The settings of whoever starts the suite must not change what a test sees.  So these are unset:
# every knob, what the network, its launchers, MPI, UCX, Argobots and hwloc read, and what make
# hands down.  The locale is C.  JD_TEST_KEEP="NAME..." names variables that stay, for a machine
# on which a network does not run without them.
# shellcheck shell=sh

# shellcheck disable=SC2013 # words
for plain_name in $(awk 'BEGIN {
    of_others = "(JACKDAW|GASNET|AMUDP|SSH|OMPI|OPAL|PMIX|PRTE|PMI|MV2|SLURM|UCX|ABT|HWLOC)"
    of_make = "(DESTDIR|MAKEFLAGS|MFLAGS|MAKELEVEL|MAKEOVERRIDES|GNUMAKEFLAGS)"
    n = split(ENVIRON["JD_TEST_KEEP"], kept, " ")
    for (i = 1; i <= n; i++) stays[kept[i]] = 1
    for (name in ENVIRON)
        if (name ~ ("^(" of_others "_[A-Za-z0-9_]*|" of_make ")$") && !(name in stays)) print name
}'); do
    unset "$plain_name"
done
unset plain_name
LC_ALL=C
export LC_ALL
