// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file compat.hpp
 * What differs between PCL 1.12 and 1.15, in one place. Internal to the shim.
 */
#ifndef FRICP_PCL_COMPAT_HPP
#define FRICP_PCL_COMPAT_HPP

#include <pcl/pcl_config.h>

#if PCL_VERSION_COMPARE(<, 1, 12, 0)
#error "fricp: PCL 1.12 or newer is needed"
#endif

#include <pcl/search/search.h>
#include <pcl/types.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace fricp {
namespace detail {

/** What setInputCloud() of a search returns: void up to 1.13, since then whether it could. */
template <class PointT>
using SetInputCloudResult = decltype(std::declval<pcl::search::Search<PointT> &>().setInputCloud(
    std::declval<const typename pcl::search::Search<PointT>::PointCloudConstPtr &>()));

/** Read access to a PCL index list as the core wants it. PCL may be built with another index type. */
class IndexView {
public:
  explicit IndexView(const pcl::Indices *indices) {
    if (indices)
      assign(*indices);
  }
  const std::int32_t *data() const {
    return data_;
  }
  std::size_t size() const {
    return size_;
  }

private:
  void assign(const std::vector<std::int32_t> &indices) {
    static const std::int32_t empty = 0;
    data_ = indices.empty() ? &empty : indices.data();
    size_ = indices.size();
  }
  template <class Other> void assign(const std::vector<Other> &indices) {
    copy_.reserve(indices.size());
    for (const Other index : indices) { // what does not fit is no index of a cloud: let the core name it
      const auto wide = static_cast<std::int64_t>(index);
      copy_.push_back(wide < 0 || wide > INT32_MAX ? -1 : static_cast<std::int32_t>(wide));
    }
    assign(copy_);
  }

  std::vector<std::int32_t> copy_;
  const std::int32_t *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace detail
} // namespace fricp

#endif
