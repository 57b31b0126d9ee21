# JD_FIND_GASNET: find GASNet-EX and which of its conduits can be linked here.
#
# Looks in --with-gasnet=DIR, else in /usr, /usr/local and in .deps/gasnet/usr, where
# tools/setup/gasnet.sh unpacks Debian's packages.  The .pc files of an unpacked root
# speak of /usr, so directories are computed here and the .pc files are not asked.
#
# For each conduit C in JD_CONDUITS sets C_CPPFLAGS and C_LIBS and the automake
# conditional JD_C; also GASNET_PREFIX, GASNET_LIBDIR, the conditional GASNET_BUNDLED (see
# Makefile.am), and GASNET_CPPFLAGS and GASNET_LIBS, which say whether am/gasnet/isoc23.c is needed.
# A conduit counts if a program that calls GASNet can be linked.

AC_DEFUN([JD_FIND_GASNET], [
  AC_ARG_WITH([gasnet],
    [AS_HELP_STRING([--with-gasnet=DIR], [GASNet-EX is below DIR, such as /usr or .deps/gasnet/usr])])
  AC_ARG_WITH([conduits],
    [AS_HELP_STRING([--with-conduits=LIST], [networks to build for, of smp,udp,mpi,ucx; an error if
                    one cannot be linked (default: all that can)])])

  jd_multiarch=`$CC -print-multiarch 2>/dev/null`
  AS_IF([test -z "$jd_multiarch"],
        [jd_multiarch=`dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null`])

  GASNET_PREFIX=
  jd_abs_srcdir=`cd "$srcdir" && pwd`
  AS_CASE([$with_gasnet],
    [no], [jd_places=],
    [""|yes], [jd_places="/usr /usr/local $jd_abs_srcdir/.deps/gasnet/usr"],
    [jd_places=`cd "$with_gasnet" 2>/dev/null && pwd`])
  AC_MSG_CHECKING([for GASNet-EX])
  for jd_dir in $jd_places; do
    for jd_sub in "/$jd_multiarch" ""; do
      AS_IF([test -z "$GASNET_PREFIX" && test -f "$jd_dir/include$jd_sub/gasnetex.h"],
        [GASNET_PREFIX=$jd_dir
         jd_gasnet_inc=$jd_dir/include$jd_sub])
    done
  done
  AS_IF([test -n "$GASNET_PREFIX"], [
    GASNET_LIBDIR=$GASNET_PREFIX/lib
    for jd_sub in "/$jd_multiarch"; do
      AS_IF([test -d "$GASNET_PREFIX/lib$jd_sub" && \
             ls "$GASNET_PREFIX/lib$jd_sub"/libgasnet-*-seq.a >/dev/null 2>&1],
            [GASNET_LIBDIR=$GASNET_PREFIX/lib$jd_sub])
    done
    AC_MSG_RESULT([$GASNET_PREFIX])
  ], [
    AC_MSG_RESULT([no])
    AS_CASE([$with_gasnet], [no|""|yes], [],
      [AC_MSG_ERROR([no gasnetex.h below --with-gasnet=$with_gasnet])])
  ])
  AC_SUBST([GASNET_PREFIX])
  AC_SUBST([GASNET_LIBDIR])

  # MPI is wanted at link time only, by the spawner inside smp and ucx and by mpi.
  AC_ARG_VAR([MPICC], [compiler wrapper of MPI, asked for the flags to link with])
  AC_CHECK_PROGS([MPICC], [mpicc])
  AC_ARG_VAR([MPI_LIBS], [flags to link with MPI])
  AC_MSG_CHECKING([how to link with MPI])
  AS_IF([test -z "$MPI_LIBS" && test -n "$MPICC"],
        [MPI_LIBS=`$MPICC -showme:link 2>/dev/null`])
  for jd_pc in ompi-c mpich; do
    AS_IF([test -z "$MPI_LIBS" && test -n "$PKG_CONFIG"],
          [MPI_LIBS=`$PKG_CONFIG --libs $jd_pc 2>/dev/null`])
  done
  AC_MSG_RESULT([${MPI_LIBS:-no}])

  JD_CONDUITS= JD_CONDUITS_MISSING= jd_isoc23=no
  AS_CASE([$with_conduits],
    [""|yes|all], [jd_wanted="smp udp mpi ucx" jd_strict=no],
    [no|none], [jd_wanted= jd_strict=no],
    [jd_wanted=`echo "$with_conduits" | tr ',' ' '` jd_strict=yes])
  for jd_c in $jd_wanted; do
    AS_CASE([$jd_c], [smp|udp|mpi|ucx], [],
      [AC_MSG_ERROR([--with-conduits: unknown network "$jd_c" (smp, udp, mpi, ucx)])])
  done
  JD_CONDUIT([smp], [], [$MPI_LIBS])
  JD_CONDUIT([udp], [-lamudp], [-lstdc++])
  JD_CONDUIT([mpi], [-lammpi], [$MPI_LIBS])
  JD_CONDUIT([ucx], [], [-lucp -lucs -luct -lucm $MPI_LIBS], [-D_REENTRANT])
  AS_IF([test "$jd_strict" = yes && test -n "$JD_CONDUITS_MISSING"],
    [AC_MSG_ERROR([cannot link with GASNet's:$JD_CONDUITS_MISSING (config.log says why)])])
  AC_SUBST([JD_CONDUITS])
  # Only GASNet's archives ask for the shim, and they come after the library that has it.
  AS_IF([test $jd_isoc23 = yes],
        [GASNET_CPPFLAGS=-DJDI_NEED_ISOC23 GASNET_LIBS=-Wl,-u,__isoc23_strtol],
        [GASNET_CPPFLAGS= GASNET_LIBS=])
  AC_SUBST([GASNET_CPPFLAGS])
  AC_SUBST([GASNET_LIBS])

  # Archives that were unpacked into the project are installed with the library.
  AS_CASE([$GASNET_PREFIX], ["$jd_abs_srcdir"/.deps/*|*/.deps/gasnet/usr], [jd_bundle=yes], [jd_bundle=no])
  AM_CONDITIONAL([GASNET_BUNDLED], [test $jd_bundle = yes])
])

# JD_CONDUIT(name, companion archives, other libraries, other preprocessor flags)
AC_DEFUN([JD_CONDUIT], [
  jd_have_$1=no
  $1_CPPFLAGS= $1_LIBS= $1_SYSLIBS= $1_ARCHIVES=
  AS_CASE([" $jd_wanted "], [*" $1 "*], [
    AC_MSG_CHECKING([whether programs can be linked with GASNet's $1])
    AS_IF([test -n "$GASNET_PREFIX" && test -f "$GASNET_LIBDIR/libgasnet-$1-seq.a"], [
      # A standard directory must not become -isystem: it would move to the front.
      AS_IF([test "$GASNET_PREFIX" != /usr],
            [$1_CPPFLAGS="-isystem $jd_gasnet_inc "])
      $1_CPPFLAGS="[$]$1_CPPFLAGS-isystem $jd_gasnet_inc/$1-conduit -DGASNET_SEQ $4"
      $1_ARCHIVES="-lgasnet-$1-seq $2"
      $1_SYSLIBS="$3 -lm"
      $1_LIBS="-L$GASNET_LIBDIR [$]$1_ARCHIVES [$]$1_SYSLIBS"
      jd_save_CPPFLAGS=$CPPFLAGS jd_save_LIBS=$LIBS
      CPPFLAGS="$CPPFLAGS -D_GNU_SOURCE [$]$1_CPPFLAGS"
      LIBS="[$]$1_LIBS $LIBS"
      m4_define([jd_call], [[gex_Client_t c; gex_EP_t e; gex_TM_t t;
                             return gex_Client_Init(&c, &e, &t, "x", &argc, &argv, 0);]])
      AC_LINK_IFELSE([AC_LANG_SOURCE([[#include <gasnetex.h>
int main(int argc, char **argv) { ]jd_call[ }]])],
        [jd_have_$1=yes],
        [AC_LINK_IFELSE([AC_LANG_SOURCE([[#include <gasnetex.h>
#include <stdarg.h>
#include <stdio.h>
long __isoc23_strtol(const char *s, char **e, int b) { return strtol(s, e, b); }
unsigned long __isoc23_strtoul(const char *s, char **e, int b) { return strtoul(s, e, b); }
int __isoc23_sscanf(const char *s, const char *f, ...) { return !s + !f; }
int main(int argc, char **argv) { ]jd_call[ }]])],
          [jd_have_$1=yes jd_isoc23=yes])])
      CPPFLAGS=$jd_save_CPPFLAGS LIBS=$jd_save_LIBS
    ])
    AC_MSG_RESULT([$jd_have_$1])
    AS_IF([test $jd_have_$1 = yes],
          [JD_CONDUITS="${JD_CONDUITS:+$JD_CONDUITS }$1"],
          [JD_CONDUITS_MISSING="$JD_CONDUITS_MISSING $1"])
  ])
  AC_SUBST([$1_CPPFLAGS])
  AC_SUBST([$1_LIBS])
  AC_SUBST([$1_SYSLIBS])
  AC_SUBST([$1_ARCHIVES])
  AM_CONDITIONAL([JD_]m4_toupper([$1]), [test $jd_have_$1 = yes])
])
