# jackdaw-config.cmake - find_package(Jackdaw COMPONENTS smp udp): a target for each network.
#
#     find_package(Jackdaw REQUIRED COMPONENTS smp)
#     add_executable(prog prog.c)
#     target_link_libraries(prog PRIVATE Jackdaw::smp)
#
# Jackdaw::headers is the header alone; Jackdaw::smp, ::udp, ::mpi, ::ucx and ::sim are the networks that were
# built, Jackdaw::conform the suite of detectors.  The flags are those of the .pc files beside this one, so there is one
# place that has them, and pkg-config is needed.  The installation may be moved as far as these may.
get_filename_component(_jackdaw_pc "${CMAKE_CURRENT_LIST_DIR}/../../pkgconfig" ABSOLUTE)
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  set(Jackdaw_FOUND FALSE)
  set(jackdaw_FOUND FALSE)
  set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "Jackdaw's flags are in ${_jackdaw_pc}: install pkg-config")
  return()
endif()
set(_jackdaw_saved "$ENV{PKG_CONFIG_PATH}")
set(ENV{PKG_CONFIG_PATH} "${_jackdaw_pc}:${_jackdaw_saved}")
foreach(_jackdaw_name headers smp udp mpi ucx sim conform)
  set(_jackdaw_module jackdaw-${_jackdaw_name})
  if(_jackdaw_name STREQUAL headers)
    set(_jackdaw_module jackdaw)
  endif()
  if(EXISTS "${_jackdaw_pc}/${_jackdaw_module}.pc" AND NOT TARGET Jackdaw::${_jackdaw_name})
    # Not the answer of an installation that was found here before.
    unset(__pkg_config_checked_JACKDAW_${_jackdaw_name} CACHE)
    pkg_check_modules(JACKDAW_${_jackdaw_name} QUIET ${_jackdaw_module})
    if(JACKDAW_${_jackdaw_name}_FOUND)
      add_library(Jackdaw::${_jackdaw_name} INTERFACE IMPORTED)
      # The flags as they are, in their order: static libraries need it.
      set_target_properties(Jackdaw::${_jackdaw_name} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${JACKDAW_${_jackdaw_name}_INCLUDE_DIRS}"
        INTERFACE_LINK_LIBRARIES "${JACKDAW_${_jackdaw_name}_LDFLAGS}")
    endif()
  endif()
  if(TARGET Jackdaw::${_jackdaw_name})
    set(${CMAKE_FIND_PACKAGE_NAME}_${_jackdaw_name}_FOUND TRUE)
  endif()
endforeach()
set(ENV{PKG_CONFIG_PATH} "${_jackdaw_saved}")
foreach(_jackdaw_name ${${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS})
  if(${CMAKE_FIND_PACKAGE_NAME}_FIND_REQUIRED_${_jackdaw_name} AND NOT ${CMAKE_FIND_PACKAGE_NAME}_${_jackdaw_name}_FOUND)
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
        "this installation of Jackdaw has no ${_jackdaw_name}: ${_jackdaw_pc} has no jackdaw-${_jackdaw_name}.pc that can be used")
  endif()
endforeach()
