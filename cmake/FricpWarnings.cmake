# SPDX-License-Identifier: BSD-3-Clause
# fricp_set_warnings(<target>): the warnings this project's own code is compiled with.

# Not -Wpedantic for C: before C23 it rejects a double[3][3] passed as const double[3][3]. The public header is compiled
# with it by tests/abi.
set(fricp_warnings -Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wvla -Wwrite-strings -Wformat=2
                   -Wno-format-nonliteral)
set(fricp_c_warnings -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)
set(fricp_cxx_warnings -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual)
# GCC 12 reports these inside Eigen's own inlined code, where it is wrong about alignment and about unused lanes.
set(fricp_cxx_gcc_exceptions -Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow)

function(fricp_set_warnings target)
  foreach(language IN ITEMS C CXX)
    string(TOLOWER ${language} lower)
    target_compile_options(
      ${target}
      PRIVATE
        "$<$<COMPILE_LANG_AND_ID:${language},GNU,Clang,AppleClang>:${fricp_warnings};${fricp_${lower}_warnings}>"
        "$<$<AND:$<BOOL:${FRICP_WARNINGS_AS_ERRORS}>,$<COMPILE_LANG_AND_ID:${language},GNU,Clang,AppleClang>>:-Werror>")
  endforeach()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${fricp_cxx_gcc_exceptions}>")
endfunction()
