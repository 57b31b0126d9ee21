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
