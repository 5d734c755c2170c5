# SPDX-License-Identifier: BSD-3-Clause
# Linker options that not every linker knows.
# fricp_link_if_known(<target> <variable> <options>): <variable>, cached, says whether it knows them.
# fricp_harden(<program or shared library>): all symbols are bound at start, after which the tables of their addresses
# are read-only (full RELRO), and the stack is never executable.

include(CheckLinkerFlag)

function(fricp_link_if_known target variable options)
  check_linker_flag(C "${options}" ${variable})
  if(${variable})
    target_link_options(${target} PRIVATE "${options}")
  endif()
endfunction()

function(fricp_harden target)
  fricp_link_if_known(${target} FRICP_LINKER_HAS_Z_RELRO_NOW "-Wl,-z,relro,-z,now,-z,noexecstack")
endfunction()
