# SPDX-License-Identifier: BSD-3-Clause
# fricp_harden(<program or shared library>): all symbols are bound at start, after which the tables of their addresses
# are read-only (full RELRO), and the stack is never executable.

function(fricp_harden target)
  include(CheckLinkerFlag)
  check_linker_flag(C "-Wl,-z,relro,-z,now,-z,noexecstack" FRICP_LINKER_HAS_Z_RELRO_NOW)
  if(FRICP_LINKER_HAS_Z_RELRO_NOW)
    target_link_options(${target} PRIVATE "-Wl,-z,relro,-z,now,-z,noexecstack")
  endif()
endfunction()
