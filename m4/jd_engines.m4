# JD_FIND_ENGINES: find the engines of user-level threads.
#
# Boost.Context is always built in.  Argobots is built in if it is found and has the calls
# that core/ult/argobots.c needs; versions lie, so the functions themselves are looked for.
# Looked at: --with-argobots=DIR, else pkg-config, else /usr/local and /opt/argobots.
# Sets BOOST_LIBS, ABT_CPPFLAGS, ABT_LIBS, JD_ENGINE, JD_ENGINES, the conditional JD_ARGOBOTS and the
# macros JDI_HAVE_ARGOBOTS (if it is) and JDI_DEFAULT_ENGINE.

AC_DEFUN([JD_FIND_ENGINES], [
  AC_ARG_WITH([argobots],
    [AS_HELP_STRING([--with-argobots=DIR], [Argobots (1.2 or newer) is below DIR; "no" leaves it out])])
  AC_ARG_WITH([ult],
    [AS_HELP_STRING([--with-ult=ENGINE], [default engine of user-level threads: argobots or boost
                    (default: auto, argobots if it is found)])])

  jd_save_LIBS=$LIBS
  AC_CHECK_LIB([boost_context], [jump_fcontext], [BOOST_LIBS=-lboost_context],
               [JD_LACKING([libboost-context-dev])])
  LIBS=$jd_save_LIBS
  AC_SUBST([BOOST_LIBS])

  # ABT_PREFIX: the value of --with-argobots that leads here again.
  ABT_CPPFLAGS= ABT_LIBS= ABT_PREFIX=yes jd_argobots=no
  AS_CASE([$with_argobots],
    [no], [ABT_PREFIX=no],
    [""|yes], [
      AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists argobots], [
        # It prints -L for directories outside the system only.
        JD_TRY_ARGOBOTS([`$PKG_CONFIG --cflags argobots`], [`$PKG_CONFIG --libs --static argobots`],
                        [`$PKG_CONFIG --libs-only-L argobots | $SED 's/-L//g'`])
      ])
      for jd_dir in /usr/local /opt/argobots; do
        AS_IF([test $jd_argobots = no && test -f $jd_dir/include/abt.h],
              [JD_TRY_ARGOBOTS([-I$jd_dir/include], [-L$jd_dir/lib -labt -lrt -ldl -lpthread],
                               [$jd_dir/lib])])
      done
    ], [
      jd_dir=`cd "$with_argobots" 2>/dev/null && pwd`
      AS_IF([test ! -f "$jd_dir/include/abt.h"],
            [AC_MSG_ERROR([--with-argobots=$with_argobots: there is no abt.h in its include folder])])
      jd_lib=$jd_dir/lib ABT_PREFIX=$jd_dir
      AS_IF([test -n "$jd_multiarch" && ls $jd_dir/lib/$jd_multiarch/libabt.* >/dev/null 2>&1],
            [jd_lib=$jd_dir/lib/$jd_multiarch])
      JD_TRY_ARGOBOTS([-I$jd_dir/include], [-L$jd_lib -labt -lrt -ldl -lpthread], [$jd_lib])
      AS_IF([test $jd_argobots = no],
            [AC_MSG_ERROR([the Argobots below $with_argobots cannot be used (older than 1.2?)])])
    ])
  AC_SUBST([ABT_CPPFLAGS])
  AC_SUBST([ABT_PREFIX])
  AC_SUBST([ABT_LIBS])
  AM_CONDITIONAL([JD_ARGOBOTS], [test $jd_argobots = yes])

  AS_CASE([${with_ult:-auto}],
    [auto], [AS_IF([test $jd_argobots = yes], [JD_ENGINE=argobots], [JD_ENGINE=boost])],
    [boost], [JD_ENGINE=boost],
    [argobots], [AS_IF([test $jd_argobots = yes], [JD_ENGINE=argobots],
      [AC_MSG_ERROR([--with-ult=argobots, but no usable Argobots was found (--with-argobots=DIR)])])],
    [AC_MSG_ERROR([--with-ult=$with_ult: the engines are auto, argobots and boost])])
  JD_ENGINES=boost
  AS_IF([test $jd_argobots = yes], [JD_ENGINES="argobots boost"])
  AC_SUBST([JD_ENGINES])
  AS_IF([test $jd_argobots = yes],
        [AC_DEFINE([JDI_HAVE_ARGOBOTS], [1], [core/ult/argobots.c is part of the library])])
  AC_DEFINE_UNQUOTED([JDI_DEFAULT_ENGINE], ["$JD_ENGINE"],
                     [what JACKDAW_ULT=auto means: "argobots" or "boost"])
])

# JD_TRY_ARGOBOTS(cppflags, libs, directories of shared libraries outside the system)
# A program finds Argobots in these without LD_LIBRARY_PATH.
AC_DEFUN([JD_TRY_ARGOBOTS], [
  jd_save_CPPFLAGS=$CPPFLAGS jd_save_LIBS=$LIBS
  jd_abt_cppflags="$1" jd_abt_libs="$2"
  for jd_abt_dir in $3; do
    AS_IF([test -f "$jd_abt_dir/libabt.so"], [jd_abt_libs="-Wl,-rpath,$jd_abt_dir $jd_abt_libs"])
  done
  CPPFLAGS="$CPPFLAGS $jd_abt_cppflags" LIBS="$jd_abt_libs $LIBS"
  jd_argobots=yes
  AC_CHECK_HEADER([abt.h], [], [jd_argobots=no])
  AC_CHECK_FUNCS([ABT_self_suspend_to ABT_self_resume_suspend_to ABT_self_exit_to ABT_pool_pop_thread],
                 [], [jd_argobots=no])
  CPPFLAGS=$jd_save_CPPFLAGS LIBS=$jd_save_LIBS
  AS_IF([test $jd_argobots = yes], [ABT_CPPFLAGS=$jd_abt_cppflags ABT_LIBS=$jd_abt_libs],
        [AS_UNSET([ac_cv_header_abt_h])
         for jd_f in ABT_self_suspend_to ABT_self_resume_suspend_to ABT_self_exit_to ABT_pool_pop_thread; do
           AS_UNSET([ac_cv_func_$jd_f])
         done])
])
