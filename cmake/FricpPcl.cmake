# SPDX-License-Identifier: BSD-3-Clause
# What the C++ shim needs of PCL. Used by this build and, installed, by the package's component "pcl".

set(FRICP_PCL_COMPONENTS common search features registration)

# fricp_find_pcl([QUIET] [REQUIRED]): PCL_FOUND and PCL's other PCL_... variables. A function, since PCL's config also
# sets Boost_LIBRARIES, CMAKE_MODULE_PATH and some hundred others, which are the caller's. PCL_... and FLANN_FOUND must
# be the caller's too: by them PCL's config knows, when it is asked again, which of its targets exist.
function(fricp_find_pcl)
  find_package(PCL 1.12 ${ARGN} COMPONENTS ${FRICP_PCL_COMPONENTS})
  get_cmake_property(names VARIABLES)
  list(FILTER names INCLUDE REGEX "^(PCL_|FLANN_FOUND$)")
  foreach(name IN LISTS names)
    if(NOT DEFINED CACHE{${name}})
      set(${name} "${${name}}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# fricp_link_pcl(<interface target> <core target>), after fricp_find_pcl().
function(fricp_link_pcl target core)
  # What the shim's own headers need; a PCL that needs more says so in its targets.
  target_compile_features(${target} INTERFACE cxx_std_14)
  target_include_directories(${target} SYSTEM INTERFACE ${PCL_INCLUDE_DIRS})
  target_link_libraries(${target} INTERFACE ${core})
  foreach(component IN LISTS FRICP_PCL_COMPONENTS)
    string(TOUPPER ${component} upper)
    target_link_libraries(${target} INTERFACE ${PCL_${upper}_LIBRARIES})
  endforeach()
  fricp_link_lz4(${target})
endfunction()

# A point type of the caller's own (PCL_NO_PRECOMPILE) compiles FLANN's headers. From 1.9.2 on these call lz4, which
# neither PCL's targets nor FLANN's name; the older ones carry their own copy.
function(fricp_link_lz4 target)
  find_path(FRICP_FLANN_INCLUDE_DIR flann/util/serialization.h HINTS ${PCL_INCLUDE_DIRS} ${FLANN_INCLUDE_DIR})
  find_library(FRICP_LZ4_LIBRARY NAMES lz4 liblz4 HINTS ${PCL_LIBRARY_DIRS} "${FRICP_FLANN_INCLUDE_DIR}/../lib")
  mark_as_advanced(FRICP_FLANN_INCLUDE_DIR FRICP_LZ4_LIBRARY)
  set(calls_lz4 "")
  if(FRICP_FLANN_INCLUDE_DIR)
    file(STRINGS "${FRICP_FLANN_INCLUDE_DIR}/flann/util/serialization.h" calls_lz4 REGEX "# *include *<lz4")
  endif()
  if(calls_lz4 AND FRICP_LZ4_LIBRARY)
    target_link_libraries(${target} INTERFACE "${FRICP_LZ4_LIBRARY}")
  endif()
endfunction()
