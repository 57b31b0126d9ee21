# The kind of build: debugging, warnings, sanitizers.

# JD_LACKING(debian package): note that something is missing; JD_LACKING_REPORT says all of
# it at once, so that nobody has to run configure five times.
AC_DEFUN([JD_LACKING], [jd_lacking="$jd_lacking $1"])
AC_DEFUN([JD_LACKING_REPORT], [
  AS_IF([test -n "$jd_lacking"],
        [AC_MSG_ERROR([missing libraries; on Debian: apt-get install$jd_lacking])])
])

# JD_BUILD_KIND_EARLY: before AC_PROG_CC, which would choose -O2 if CFLAGS is unset.
AC_DEFUN([JD_BUILD_KIND_EARLY], [
  AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [assertions (JDI_DEBUG) and no optimisation])])
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors])])
  AC_ARG_ENABLE([asan],
    [AS_HELP_STRING([--enable-asan], [address and undefined behaviour sanitizers])])
  AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan], [thread sanitizer])])
  JD_SANITIZER=none
  AS_IF([test "$enable_asan" = yes && test "$enable_tsan" = yes],
        [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])
  AS_IF([test "$enable_asan" = yes], [JD_SANITIZER=address])
  AS_IF([test "$enable_tsan" = yes], [JD_SANITIZER=thread])
  AC_SUBST([JD_SANITIZER])
  AS_IF([test ${CFLAGS+y}], [],
    [AS_IF([test "$enable_debug" = yes], [CFLAGS="-Og -g"],
           [test "$JD_SANITIZER" != none], [CFLAGS="-O1 -g"],
           [CFLAGS="-O3 -g"])])
])

# JD_FLAG(variable, flag): append the flag if the compiler knows it.
AC_DEFUN([JD_FLAG], [
  AC_MSG_CHECKING([whether $CC accepts $2])
  jd_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
    [AC_MSG_RESULT([yes])
     $1="[$]$1 $2"], [AC_MSG_RESULT([no])])
  CFLAGS=$jd_save_CFLAGS
])

# JD_BUILD_KIND: after AC_PROG_CC.  Sets JD_CPPFLAGS, JD_CFLAGS and JD_LDFLAGS.
AC_DEFUN([JD_BUILD_KIND], [
  JD_CFLAGS= JD_LDFLAGS=
  for jd_flag in -std=c11 -fvisibility=hidden -Wall -Wextra -Wshadow -Wstrict-prototypes \
                 -Wmissing-prototypes -Wpointer-arith; do
    JD_FLAG([JD_CFLAGS], [$jd_flag])
  done
  AS_IF([test "$enable_werror" = yes], [JD_CFLAGS="$JD_CFLAGS -Werror"])
  AS_CASE([$JD_SANITIZER],
    [address], [jd_san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"],
    [thread], [jd_san="-fsanitize=thread"],
    [jd_san=])
  AS_IF([test -n "$jd_san"], [
    JD_CFLAGS="$JD_CFLAGS $jd_san -fno-omit-frame-pointer" JD_LDFLAGS="$JD_LDFLAGS $jd_san"
    jd_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $jd_san"
    AC_MSG_CHECKING([whether programs can be linked with $jd_san])
    AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([the sanitizer does not work with $CC])])
    CFLAGS=$jd_save_CFLAGS
  ])
  AS_IF([test "$enable_debug" = yes],
        [JD_CPPFLAGS=-DJDI_DEBUG], [JD_CPPFLAGS=])
  AC_SUBST([JD_CPPFLAGS])
  AC_SUBST([JD_CFLAGS])
  AC_SUBST([JD_LDFLAGS])
])
