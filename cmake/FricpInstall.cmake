# SPDX-License-Identifier: BSD-3-Clause
# What is installed: the header and library, the CMake package, pkg-config, and with PCL the shim's headers and the tool
# (the tool's own install rule stands in pcl_shim).

if(NOT TARGET fricp)
  return()
endif()
include(CMakePackageConfigHelpers)
set(fricp_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fricp")

install(TARGETS fricp EXPORT fricp-core RUNTIME COMPONENT core LIBRARY COMPONENT core NAMELINK_COMPONENT core
        ARCHIVE COMPONENT core)
install(FILES include/fricp/fricp.h "${PROJECT_BINARY_DIR}/include/fricp/version.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fricp" COMPONENT core)
install(EXPORT fricp-core NAMESPACE fricp:: DESTINATION "${fricp_package_dir}" COMPONENT core)

configure_file(cmake/fricp-config.cmake.in "${PROJECT_BINARY_DIR}/fricp-config.cmake" @ONLY)
# Before 1.0 a minor release may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fricp-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fricp-config.cmake" "${PROJECT_BINARY_DIR}/fricp-config-version.cmake"
        DESTINATION "${fricp_package_dir}" COMPONENT core)
if(NOT BUILD_SHARED_LIBS)
  install(FILES cmake/FindLAPACKE.cmake cmake/FindFLANN_C.cmake DESTINATION "${fricp_package_dir}" COMPONENT core)
endif()

# Relative to the .pc file, so that an installed tree can be moved (a destdir, a scratch prefix).
file(RELATIVE_PATH fricp_pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" fricp_pc_prefix "${fricp_pc_prefix}")
list(TRANSFORM fricp_private_libraries PREPEND -l OUTPUT_VARIABLE fricp_pc_private)
list(JOIN fricp_pc_private " " fricp_pc_private)
configure_file(cmake/fricp.pc.in "${PROJECT_BINARY_DIR}/fricp.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fricp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT core)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT core)

if(FRICP_BUILD_PCL)
  install(DIRECTORY include/fricp/pcl DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fricp" COMPONENT pcl
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  install(FILES cmake/FricpPcl.cmake DESTINATION "${fricp_package_dir}" COMPONENT pcl)
endif()

# `cpack` in the build folder makes one .deb of all of this; its dependencies are read off the binaries.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "the fricp contributors <fricp@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
  if(FRICP_BUILD_PCL)
    set(CPACK_DEBIAN_PACKAGE_SUGGESTS libpcl-dev)
  endif()
  include(CPack)
endif()
