/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/method.h"

static const fr_method methods[] = {
    /* What refines is chosen by the target: see auto.h. */
    [FRICP_METHOD_AUTO] = {"auto", FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, FR_SCHEME_MM, 5},
    [FRICP_METHOD_ROBUST_ICP] = {"robust-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_WELSCH, FR_SCHEME_MM, 5},
    [FRICP_METHOD_ROBUST_ICP_PLANE] = {"robust-icp-plane", FR_METRIC_POINT_TO_PLANE, FR_KERNEL_WELSCH, FR_SCHEME_MM, 5},
    [FRICP_METHOD_FAST_ICP] = {"fast-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, FR_SCHEME_MM, 5},
    [FRICP_METHOD_ICP] = {"icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, FR_SCHEME_MM, 0},
    [FRICP_METHOD_ICP_PLANE] = {"icp-plane", FR_METRIC_POINT_TO_PLANE, FR_KERNEL_LEAST_SQUARES, FR_SCHEME_MM, 0},
    [FRICP_METHOD_SYMMETRIC_ICP] = {"symmetric-icp", FR_METRIC_SYMMETRIC, FR_KERNEL_LEAST_SQUARES, FR_SCHEME_MM, 0},
    [FRICP_METHOD_ROBUST_SYMMETRIC_ICP] = {"robust-symmetric-icp", FR_METRIC_SYMMETRIC, FR_KERNEL_WELSCH, FR_SCHEME_MM,
                                           5},
    [FRICP_METHOD_AA_ICP] = {"aa-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LEAST_SQUARES, FR_SCHEME_AA, 5},
    [FRICP_METHOD_SPARSE_ICP] = {"sparse-icp", FR_METRIC_POINT_TO_POINT, FR_KERNEL_LP, FR_SCHEME_ADMM, 5},
    [FRICP_METHOD_SPARSE_ICP_PLANE] = {"sparse-icp-plane", FR_METRIC_POINT_TO_PLANE, FR_KERNEL_LP, FR_SCHEME_ADMM, 5},
};

#define FR_METHODS ((int32_t)(sizeof methods / sizeof methods[0]))

const fr_method *fr_method_find(int32_t method) {
  return method >= 0 && method < FR_METHODS ? &methods[method] : NULL;
}

fr_limits fr_method_limits(const fr_method *method) {
  const int few = fr_metric_find(method->metric, FR_ISA_GENERIC)->needs_normals &&
                  fr_kernel_find(method->kernel, FR_ISA_GENERIC)->scheduled;
  return few ? (fr_limits){6, 10} : (fr_limits){1000, 1000};
}

_Static_assert(FR_METHODS == FRICP_METHOD_SPARSE_ICP_PLANE + 1,
               "each method needs its row, and the option's range its end");
