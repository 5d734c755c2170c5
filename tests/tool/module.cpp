// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for fricp-features.so that the tool has to refuse: of another version (FRICP_OLD), a library without the entry,
// one that needs what nobody has (FRICP_NEEDY).
#include "entry.hpp"

#include <cstdlib>

extern "C" {
void fricp_nobody_has_this();
void fricp_something_else();

void fricp_something_else() {
#ifdef FRICP_NEEDY
  fricp_nobody_has_this();
#endif
}
}

#ifdef FRICP_OLD
namespace {

void find(const fricp::features::Cloud &, const fricp::features::Cloud &, int, fricp::features::Start &) noexcept {
  std::abort();
}

} // namespace

const fricp::features::Module fricp_features = {"0.0.9", find};
#endif
