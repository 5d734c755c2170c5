# SPDX-License-Identifier: BSD-3-Clause
# What the C++ shim needs of PCL. Used by this build and, installed, by the package's component "pcl".

set(FRICP_PCL_COMPONENTS common search features registration io)

macro(fricp_find_pcl)
  # PCL's config asks for VTK and others and is chatty; its notes are not about this project.
  find_package(PCL 1.12 REQUIRED COMPONENTS ${FRICP_PCL_COMPONENTS})
endmacro()

# fricp_link_pcl(<interface target> <core target>)
function(fricp_link_pcl target core)
  target_compile_features(${target} INTERFACE cxx_std_17)
  target_include_directories(${target} SYSTEM INTERFACE ${PCL_INCLUDE_DIRS})
  target_link_libraries(${target} INTERFACE ${core})
  foreach(component IN LISTS FRICP_PCL_COMPONENTS)
    string(TOUPPER ${component} upper)
    target_link_libraries(${target} INTERFACE ${PCL_${upper}_LIBRARIES})
  endforeach()
endfunction()
