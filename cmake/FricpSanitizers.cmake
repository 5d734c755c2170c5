# SPDX-License-Identifier: BSD-3-Clause
# FRICP_SANITIZE=address,undefined (or thread, ...) compiles and links everything with these sanitizers.

if(FRICP_SANITIZE)
  add_compile_options(-fsanitize=${FRICP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FRICP_SANITIZE})
endif()
if(FRICP_BUILD_FUZZ)
  # Coverage feedback in the library; the fuzz targets link the engine themselves.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
