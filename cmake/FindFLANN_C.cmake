# SPDX-License-Identifier: BSD-3-Clause
#[[ Find the C binding of FLANN (flann/flann.h, libflann; not the C++ library flann_cpp): target FLANN_C::FLANN_C.
    Hints: FLANN_C_ROOT. The binding is written in C++: a static one needs that language's runtime, FLANN_C_CXX_RUNTIME,
    and lz4. ]]

find_path(FLANN_C_INCLUDE_DIR flann/flann.h)
find_library(FLANN_C_LIBRARY NAMES flann flann_s)
mark_as_advanced(FLANN_C_INCLUDE_DIR FLANN_C_LIBRARY)

set(FLANN_C_VERSION "")
if(FLANN_C_INCLUDE_DIR AND EXISTS "${FLANN_C_INCLUDE_DIR}/flann/config.h")
  file(STRINGS "${FLANN_C_INCLUDE_DIR}/flann/config.h" flann_version_line REGEX "define FLANN_VERSION_? \"")
  if(flann_version_line MATCHES "\"([0-9.]+)\"")
    set(FLANN_C_VERSION "${CMAKE_MATCH_1}")
  endif()
  unset(flann_version_line)
endif()

set(FLANN_C_CXX_RUNTIME "")
if(FLANN_C_LIBRARY MATCHES "\\.a$")
  if(APPLE)
    set(FLANN_C_CXX_RUNTIME c++)
  else()
    set(FLANN_C_CXX_RUNTIME stdc++)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  FLANN_C
  REQUIRED_VARS FLANN_C_LIBRARY FLANN_C_INCLUDE_DIR
  VERSION_VAR FLANN_C_VERSION
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libflann-dev")

if(FLANN_C_FOUND AND NOT TARGET FLANN_C::FLANN_C)
  add_library(FLANN_C::FLANN_C UNKNOWN IMPORTED)
  set_target_properties(FLANN_C::FLANN_C PROPERTIES IMPORTED_LOCATION "${FLANN_C_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${FLANN_C_INCLUDE_DIR}")
  if(FLANN_C_CXX_RUNTIME)
    find_library(FLANN_C_LZ4_LIBRARY NAMES lz4 liblz4)
    mark_as_advanced(FLANN_C_LZ4_LIBRARY)
    if(FLANN_C_LZ4_LIBRARY)
      target_link_libraries(FLANN_C::FLANN_C INTERFACE "${FLANN_C_LZ4_LIBRARY}")
    endif()
    target_link_libraries(FLANN_C::FLANN_C INTERFACE ${FLANN_C_CXX_RUNTIME})
  endif()
endif()
