// SPDX-License-Identifier: BSD-3-Clause
#include "feature_start.hpp"

#include "file_bytes.hpp"
#include "text.hpp"

#include "fricp/version.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace fricp::tool {

namespace {

/** It lies where it lies relative to this program, built or installed, so that both may be moved. */
std::string module_path() {
  return (std::filesystem::path(this_program()).parent_path() / FRICP_FEATURES_MODULE).lexically_normal().string();
}

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
  throw Error("--init features: " + path + ": " + why +
              ". This module belongs to the program: install both again, from one build or package (on Debian "
              "fricp-tools), or take another --init");
}

/** The loader begins with the path in some of its texts. */
std::string loading_fault(const std::string &path) {
  const char *const fault = ::dlerror();
  const std::string text = fault != nullptr ? fault : "cannot be loaded";
  const std::string twice = path + ": ";
  return text.compare(0, twice.size(), twice) == 0 ? text.substr(twice.size()) : text;
}

const features::Module &load() {
  const std::string path = module_path();
  std::unique_ptr<void, int (*)(void *)> opened(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), ::dlclose);
  if (!opened)
    refuse(path, loading_fault(path));
  const auto *const module = static_cast<const features::Module *>(::dlsym(opened.get(), features::entry_name));
  if (module == nullptr)
    refuse(path, "is not fricp's module: it has no " + std::string(features::entry_name));
  if (module->version != std::string(FRICP_VERSION_STRING))
    refuse(path, std::string("is of version ") + module->version + ", this program of " FRICP_VERSION_STRING);
  (void)opened.release(); // never closed: there may be threads in it
  return *module;
}

const features::Module &module() {
  static const features::Module &loaded = load();
  return loaded;
}

/** What the module is told of a cloud. */
class FeatureCloud {
public:
  FeatureCloud(const Cloud &cloud, const Point &centre) {
    const Points::Ptr points = relative_to(cloud, centre);
    coordinates_.reserve(3 * points->size());
    for (const auto &point : *points)
      coordinates_.insert(coordinates_.end(), point.data, point.data + 3);
    view_.points = coordinates_.data();
    view_.count = points->size();
    Eigen::Map<Eigen::Vector3f>(view_.sensor) = points->sensor_origin_.head<3>();
  }

  const features::Cloud &get() const {
    return view_;
  }

private:
  std::vector<float> coordinates_;
  features::Cloud view_;
};

} // namespace

void load_features() {
  (void)module();
}

features::Start feature_start(const Cloud &source, const Point &source_centre, const Cloud &target,
                              const Point &target_centre, int threads) {
  features::Start start;
  module().find(FeatureCloud(source, source_centre).get(), FeatureCloud(target, target_centre).get(), threads, start);
  return start;
}

} // namespace fricp::tool
