// Options that are set but not read, because of other choices.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"

namespace saccade {

struct IdleOption {
  std::string path;
  std::string text;     // one line: where it was set and why nothing reads it
  bool newest = false;  // it was set in the newest layer: by the arm, where arms come last
};

namespace config_detail {
std::vector<std::string> unread(const Section& config, const std::string& path);
std::vector<IdleOption> settle(Section& config, const Section& defaults, Origins& origins);
void reset(Section& config, const Section& defaults, Origins& origins, const std::string& path);
}  // namespace config_detail

// The paths of all options, set or not, that are not read under the choices of this config. `path`
// is that of the struct in the whole config.
template <class T>
std::vector<std::string> unread_options(const T& config, const std::string& path = "") {
  T copy = config;
  return config_detail::unread(bind(copy), path);
}

// Resets an option to its default if it was set before the choice that leaves it unread, such as by
// a base whose decoder the file replaces. An option that was set together with that choice or after
// it stays and is returned, unless it has its default value.
template <class T>
std::vector<IdleOption> settle(Loaded<T>& loaded) {
  T defaults;
  Section section = bind(loaded.config);
  return config_detail::settle(section, bind(defaults), loaded.origins);
}

// Resets an option to its default.
template <class T>
void reset_option(Loaded<T>& loaded, const std::string& path) {
  T defaults;
  Section section = bind(loaded.config);
  config_detail::reset(section, bind(defaults), loaded.origins, path);
}

}  // namespace saccade
