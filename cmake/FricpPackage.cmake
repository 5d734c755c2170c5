# SPDX-License-Identifier: BSD-3-Clause
# Debian packages by `cpack`, of the preset "package": libfricp0, libfricp-dev, fricp-tools and fricp-view.
# cmake/package/check.sh builds, judges and tries them.

set(fricp_package_files "${PROJECT_SOURCE_DIR}/cmake/package")
set(fricp_package_build "${PROJECT_BINARY_DIR}/package")
file(MAKE_DIRECTORY "${fricp_package_build}")
find_program(FRICP_GZIP gzip)
find_program(FRICP_HELP2MAN help2man)
find_program(FRICP_GENSYMBOLS dpkg-gensymbols)
mark_as_advanced(FRICP_GZIP FRICP_HELP2MAN FRICP_GENSYMBOLS)
set(fricp_package_made "")
# The project has no address of its own: who publishes the packages gives his.
set(FRICP_PACKAGE_CONTACT "fricp contributors <fricp@example.org>" CACHE STRING "Maintainer of the Debian packages")
configure_file("${fricp_package_files}/changelog" "${fricp_package_build}/changelog" @ONLY)

# fricp_compress(<file> <file.gz>): as Debian wants it, at most and without a date.
function(fricp_compress input output)
  add_custom_command(OUTPUT "${output}" COMMAND "${FRICP_GZIP}" -9nc "${input}" > "${output}" DEPENDS "${input}" VERBATIM)
  set(fricp_package_made ${fricp_package_made} "${output}" PARENT_SCOPE)
endfunction()

# The tool with its page and its completion; these belong to any installation.
if(TARGET fricp_tool)
  install(FILES "${fricp_package_files}/fricp.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME fricp COMPONENT tools)
  set(fricp_programs fricp:fricp_tool)
  if(TARGET fricp_batch)
    list(APPEND fricp_programs fricp-batch:fricp_batch)
    install(FILES "${fricp_package_files}/fricp.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            RENAME fricp-batch COMPONENT tools)
  endif()
  if(TARGET fricp_view)
    list(APPEND fricp_programs fricp-view:fricp_view)
    install(FILES "${fricp_package_files}/fricp.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            RENAME fricp-view COMPONENT view)
  endif()
  if(FRICP_HELP2MAN AND FRICP_GZIP AND NOT FRICP_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    foreach(program IN LISTS fricp_programs)
      string(REGEX REPLACE ":.*" "" name "${program}")
      string(REGEX REPLACE ".*:" "" target "${program}")
      set(page "${fricp_package_build}/${name}.1")
      add_custom_command(
        OUTPUT "${page}"
        COMMAND "${fricp_package_files}/man.sh" "${FRICP_HELP2MAN}" "$<TARGET_FILE:${target}>"
                "${fricp_package_files}/${name}.h2m" "${fricp_package_build}/changelog" "${page}"
        DEPENDS ${target} "${fricp_package_files}/man.sh" "${fricp_package_files}/${name}.h2m"
        VERBATIM)
      fricp_compress("${page}" "${page}.gz")
      set(component tools)
      if(name STREQUAL "fricp-view")
        set(component view)
      endif()
      install(FILES "${page}.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component} OPTIONAL)
    endforeach()
  endif()
endif()

if(BUILD_SHARED_LIBS AND FRICP_GZIP AND FRICP_GENSYMBOLS AND EXISTS "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
  fricp_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${fricp_package_build}/changelog.gz")
  fricp_compress("${fricp_package_build}/changelog" "${fricp_package_build}/changelog.Debian.gz")
  set(library libfricp${FRICP_ABI_VERSION})
  foreach(pair IN ITEMS runtime:${library} dev:libfricp-dev tools:fricp-tools view:fricp-view)
    string(REGEX REPLACE ":.*" "" component "${pair}")
    string(REGEX REPLACE ".*:" "" package "${pair}")
    install(FILES "${fricp_package_build}/changelog.gz" "${fricp_package_build}/changelog.Debian.gz"
                  "${fricp_package_files}/copyright"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES "${fricp_package_files}/overrides/${package}" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  endforeach()
  install(FILES README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libfricp-dev" COMPONENT dev EXCLUDE_FROM_ALL)
  if(TARGET fricp_tool)
    install(FILES pcl_shim/tool/README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/fricp-tools" COMPONENT tools EXCLUDE_FROM_ALL)
  endif()
  # With the guides: what they name is beside them.
  install(DIRECTORY samples/ DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libfricp-dev/examples" COMPONENT dev EXCLUDE_FROM_ALL
          PATTERN __pycache__ EXCLUDE)

  # What the library tells dpkg: since which release it has which symbols, and that the loader's cache is to be renewed.
  set(control "${fricp_package_build}/control")
  configure_file("${fricp_package_files}/symbols" "${fricp_package_build}/symbols.in" @ONLY)
  file(CONFIGURE OUTPUT "${control}/shlibs" CONTENT "libfricp @FRICP_ABI_VERSION@ @library@ (>= @PROJECT_VERSION@)\n" @ONLY)
  file(WRITE "${control}/triggers" "activate-noawait ldconfig\n")
  add_custom_command(
    OUTPUT "${control}/symbols"
    COMMAND "${FRICP_GENSYMBOLS}" -q -c4 "-p${library}" "-v${PROJECT_VERSION}" "-I${fricp_package_build}/symbols.in"
            "-e$<TARGET_FILE:fricp>" "-O${control}/symbols"
    DEPENDS fricp "${fricp_package_build}/symbols.in"
    VERBATIM)
  list(APPEND fricp_package_made "${control}/symbols")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control}/symbols" "${control}/shlibs" "${control}/triggers")
endif()
if(fricp_package_made)
  add_custom_target(fricp_package_files ALL DEPENDS ${fricp_package_made})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${FRICP_PACKAGE_CONTACT}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL runtime dev)
if(TARGET fricp_tool)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(TARGET fricp_view)
  list(APPEND CPACK_COMPONENTS_ALL view)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE fricp)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")

set(fricp_about
    "Finds the rotation and translation that lay one scan on another when only a
part of the two overlaps, both are noisy and some points are outliers, and
says whether the answer is to be trusted. It builds on Fast and Robust
Iterative Closest Point: a Welsch kernel whose width shrinks from coarse to
fine, and Anderson acceleration.

")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "fast and robust registration of point clouds - library\n${fricp_about}This package holds the shared library.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "fast and robust registration of point clouds - development\n${fricp_about}This package holds the C header, \
the header-only drop-in for PCL's\nregistration classes (which needs libpcl-dev), and what CMake and pkg-config\nread.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfricp${FRICP_ABI_VERSION} (= ${PROJECT_VERSION}-1)")
# The C interface needs nothing else; PCL is a gigabyte, which only the component pcl asks for.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libpcl-dev (>= 1.12)")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
    "fast and robust registration of point clouds - command line\n${fricp_about}This package holds the tool fricp, \
which reads PCD, PLY and text files.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libfricp${FRICP_ABI_VERSION} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "fricp-view, pcl-tools, openmpi-bin")
# A package of its own: its VTK is some hundred packages, and the tools need none of them.
set(CPACK_DEBIAN_VIEW_DESCRIPTION
    "fast and robust registration of point clouds - viewer\n${fricp_about}This package holds fricp-view, which shows \
what fricp found: the option\n--view of the tool runs it.")
set(CPACK_DEBIAN_VIEW_PACKAGE_SECTION science)
set(CPACK_DEBIAN_VIEW_PACKAGE_DEPENDS "libfricp${FRICP_ABI_VERSION} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_VIEW_PACKAGE_RECOMMENDS "fricp-tools")
include(CPack)
