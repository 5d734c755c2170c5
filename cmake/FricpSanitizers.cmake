# SPDX-License-Identifier: BSD-3-Clause
# FRICP_SANITIZE=address,undefined (or thread, ...) compiles and links everything with these sanitizers.

if(FRICP_SANITIZE)
  add_compile_options(-fsanitize=${FRICP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FRICP_SANITIZE})
endif()
if(FRICP_SANITIZE MATCHES "thread")
  # Without libomp's tool archer the thread sanitizer knows nothing of OpenMP's barriers, and calls every loop a race.
  # libomp loads it by itself only from the loader's own folders.
  find_package(OpenMP COMPONENTS C)
  set(fricp_openmp_folders "")
  foreach(library IN LISTS OpenMP_C_LIBRARIES)
    file(REAL_PATH "${library}" library)
    cmake_path(GET library PARENT_PATH folder)
    list(APPEND fricp_openmp_folders "${folder}")
  endforeach()
  find_library(FRICP_ARCHER NAMES archer HINTS ${fricp_openmp_folders})
  if(FRICP_ARCHER)
    # Idle threads sleep at once: there are more of them than cores.
    set(FRICP_TEST_ENVIRONMENT "OMP_TOOL_LIBRARIES=${FRICP_ARCHER}" KMP_BLOCKTIME=0)
  else()
    message(WARNING "libomp's tool archer is missing: the thread sanitizer will report races that are none")
  endif()
endif()
if(FRICP_BUILD_FUZZ)
  # Coverage feedback in the library; the fuzz targets link the engine themselves.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
