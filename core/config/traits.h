// What has to be known of a config value, besides its range, to compare runs, to resume them, and
// to check their files. The field declares it beside itself (fields.h), so that nobody keeps a list
// of paths.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"

namespace saccade {

// A file or folder that a config names, or leaves out although it is needed.
struct NamedFile {
  std::string key;        // the config key, `data.images`
  std::string path;       // empty where it is not given
  std::string needed_by;  // the choice that needs it, `data.type coco`; empty if it may be left out
  std::string doc{};      // what it is, as `saccade list config` says it
};

namespace config_detail {
std::vector<std::string> paths_with(const Section& config, Trait trait);
std::vector<NamedFile> named_files(const Section& config, const std::string& path);
}  // namespace config_detail

// The paths of all values that have a trait under the choices of this config.
template <class T>
std::vector<std::string> paths_with(const T& config, Trait trait) {
  T copy = config;
  return config_detail::paths_with(bind(copy), trait);
}

// The files that the options which are read under the choices of this config name, or could name,
// in the order of declaration. `path` is that of the struct in the whole config.
template <class T>
std::vector<NamedFile> named_files(const T& config, const std::string& path = "") {
  T copy = config;
  return config_detail::named_files(bind(copy), path);
}

}  // namespace saccade
