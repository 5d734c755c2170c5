# SPDX-License-Identifier: BSD-3-Clause
# fricp_set_run_path(<program>): installed, it finds the library from where it stands itself, so that the installation
# may lie and be moved anywhere.

function(fricp_set_run_path target)
  file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(origin "$<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>")
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "${origin}/${to_library}")
endfunction()
