/* SPDX-License-Identifier: BSD-3-Clause */
/* C and C++: the header as the only include, and each initialiser, which -Wextra holds to name every field. */
#include <fricp/fricp.h>

size_t header_alone(void);

size_t header_alone(void) {
  const fricp_cloud cloud = FRICP_CLOUD_INIT;
  const fricp_options options = FRICP_OPTIONS_INIT;
  const fricp_target_options target_options = FRICP_TARGET_OPTIONS_INIT;
  const fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  const fricp_search search = FRICP_SEARCH_INIT;
  const fricp_target_info info = FRICP_TARGET_INFO_INIT;
  const fricp_result result = FRICP_RESULT_INIT;
  return cloud.struct_size + options.struct_size + target_options.struct_size + allocator.struct_size +
         search.struct_size + info.struct_size + result.struct_size + (size_t)FRICP_VERSION_MAJOR;
}
