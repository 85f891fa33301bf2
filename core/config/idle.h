// Options that are set and never read, because of what else is chosen.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"

namespace saccade {

struct IdleOption {
  std::string path;
  std::string text;     // where it was set and why nothing reads it, in one line
  bool newest = false;  // nothing was set after it: by an arm, where arms were set last
};

namespace config_detail {
std::vector<std::string> unread(const Section& config);
std::vector<IdleOption> settle(Section& config, const Section& defaults, Origins& origins);
void reset(Section& config, const Section& defaults, Origins& origins, const std::string& path);
}  // namespace config_detail

// The paths of all options that a config as it is does not read, set or not.
template <class T>
std::vector<std::string> unread_options(const T& config) {
  T copy = config;
  return config_detail::unread(bind(copy));
}

// An option that was set before the choice that leaves it unread (by a base, say, whose decoder a
// file exchanges) gets its default back. One that was set together with that choice or after it
// stays and is returned, unless it has its default's value.
template <class T>
std::vector<IdleOption> settle(Loaded<T>& loaded) {
  T defaults;
  Section section = bind(loaded.config);
  return config_detail::settle(section, bind(defaults), loaded.origins);
}

// Gives an option its default back.
template <class T>
void reset_option(Loaded<T>& loaded, const std::string& path) {
  T defaults;
  Section section = bind(loaded.config);
  config_detail::reset(section, bind(defaults), loaded.origins, path);
}

}  // namespace saccade
