# JD_FIND_TBB: oneTBB that the C++ compiler can use, for bench/async alone.
# Sets TBB_CFLAGS, TBB_LIBS and the conditional JD_TBB.

AC_DEFUN([JD_FIND_TBB], [
  PKG_CHECK_MODULES([TBB], [tbb], [jd_tbb=yes], [jd_tbb=no])
  AS_IF([test $jd_tbb = yes], [
    jd_save_CXXFLAGS=$CXXFLAGS
    CXXFLAGS="$CXXFLAGS $TBB_CFLAGS"
    AC_LANG_PUSH([C++])
    AC_CACHE_CHECK([whether $CXX compiles with oneTBB], [jd_cv_cxx_tbb],
      [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <oneapi/tbb/task_group.h>]],
                                          [[oneapi::tbb::task_group group; group.wait();]])],
                         [jd_cv_cxx_tbb=yes], [jd_cv_cxx_tbb=no])])
    AC_LANG_POP([C++])
    CXXFLAGS=$jd_save_CXXFLAGS
    jd_tbb=$jd_cv_cxx_tbb
  ])
  AM_CONDITIONAL([JD_TBB], [test $jd_tbb = yes])
])

# JD_FIND_OPENBLAS: OpenBLAS, for examples/tce alone.  One that is made for threads is told to have one.
# Sets OPENBLAS_CFLAGS, OPENBLAS_LIBS and the conditional JD_OPENBLAS.

AC_DEFUN([JD_FIND_OPENBLAS], [
  PKG_CHECK_MODULES([OPENBLAS], [openblas], [jd_openblas=yes], [jd_openblas=no])
  AS_IF([test $jd_openblas = yes], [
    jd_save_CFLAGS=$CFLAGS jd_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $OPENBLAS_CFLAGS" LIBS="$OPENBLAS_LIBS $LIBS"
    AC_CACHE_CHECK([whether programs can be linked with OpenBLAS], [jd_cv_openblas],
      [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]],
                        [[openblas_set_num_threads(1);
                          return openblas_get_parallel() + cblas_ddot(0, (double *)0, 1, (double *)0, 1) > 9;]])],
                      [jd_cv_openblas=yes], [jd_cv_openblas=no])])
    CFLAGS=$jd_save_CFLAGS LIBS=$jd_save_LIBS
    jd_openblas=$jd_cv_openblas
  ])
  AS_IF([test $jd_openblas = no], [OPENBLAS_CFLAGS= OPENBLAS_LIBS=])
  AM_CONDITIONAL([JD_OPENBLAS], [test $jd_openblas = yes])
])
