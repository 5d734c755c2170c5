# SPDX-License-Identifier: BSD-3-Clause
#[[ Find LAPACKE, the C interface of LAPACK: target LAPACKE::LAPACKE.
    Hints: LAPACKE_ROOT. Distributions link liblapacke to its LAPACK; for a static one, LAPACK is added. ]]

find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke)
find_library(LAPACKE_LIBRARY lapacke)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LAPACKE
  REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install liblapacke-dev")

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES IMPORTED_LOCATION "${LAPACKE_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}")
  if(LAPACKE_LIBRARY MATCHES "\\.a$")
    find_package(LAPACK REQUIRED)
    target_link_libraries(LAPACKE::LAPACKE INTERFACE LAPACK::LAPACK)
  endif()
endif()
