// SPDX-License-Identifier: BSD-3-Clause
#include "instances.hpp"

FRICP_TEST_INSTANCES()
