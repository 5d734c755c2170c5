# SPDX-License-Identifier: BSD-3-Clause
# What is installed: the header and library, the CMake package, pkg-config, and with PCL the shim's headers and the tool
# (the tool's own install rule stands in pcl_shim). Components: runtime, dev, tools and doc.

if(NOT TARGET fricp)
  return()
endif()
include(CMakePackageConfigHelpers)
set(fricp_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fricp")

install(TARGETS fricp EXPORT fricp-core RUNTIME COMPONENT runtime LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
        ARCHIVE COMPONENT dev)
install(FILES include/fricp/fricp.h "${PROJECT_BINARY_DIR}/include/fricp/version.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fricp" COMPONENT dev)
install(EXPORT fricp-core NAMESPACE fricp:: DESTINATION "${fricp_package_dir}" COMPONENT dev)

configure_file(cmake/fricp-config.cmake.in "${PROJECT_BINARY_DIR}/fricp-config.cmake" @ONLY)
# Before 1.0 a minor release may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fricp-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fricp-config.cmake" "${PROJECT_BINARY_DIR}/fricp-config-version.cmake"
        DESTINATION "${fricp_package_dir}" COMPONENT dev)
if(NOT BUILD_SHARED_LIBS)
  install(FILES cmake/FindLAPACKE.cmake cmake/FindFLANN_C.cmake DESTINATION "${fricp_package_dir}" COMPONENT dev)
endif()

# Relative to the .pc file, so that an installed tree can be moved (a destdir, a scratch prefix).
file(RELATIVE_PATH fricp_pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" fricp_pc_prefix "${fricp_pc_prefix}")
list(TRANSFORM fricp_private_libraries PREPEND -l OUTPUT_VARIABLE fricp_pc_private)
list(JOIN fricp_pc_private " " fricp_pc_private)
configure_file(cmake/fricp.pc.in "${PROJECT_BINARY_DIR}/fricp.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fricp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# What the README leads to, at the same places to each other: install.sh follows the links.
foreach(document LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md include/fricp/fricp.h c_core/README.md
                 pcl_shim/README.md pcl_shim/compare.png pcl_shim/batch/README.md pcl_shim/tool/README.md samples
                 tests/README.md tests/bench/README.md tests/bench/RESULTS.md tests/bench/plots)
  get_filename_component(fricp_folder "${CMAKE_INSTALL_DOCDIR}/${document}" DIRECTORY)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${document}")
    install(DIRECTORY ${document} DESTINATION "${fricp_folder}" COMPONENT doc PATTERN __pycache__ EXCLUDE)
  else()
    install(FILES ${document} DESTINATION "${fricp_folder}" COMPONENT doc)
  endif()
endforeach()

if(FRICP_BUILD_PCL)
  install(DIRECTORY include/fricp/pcl DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fricp" COMPONENT dev
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  install(FILES cmake/FricpPcl.cmake DESTINATION "${fricp_package_dir}" COMPONENT dev)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(FricpPackage)
endif()
