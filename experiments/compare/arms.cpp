#include "experiments/compare/arms.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace saccade {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// The end of each axis' path, or all of it where two ends are the same.
std::vector<std::string> short_names(const Axes& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    const auto same = std::count_if(axes.begin(), axes.end(), [&](const Axis& other) {
      return last_part(other.path) == last_part(axis.path);
    });
    names.push_back(same > 1 ? axis.path : last_part(axis.path));
  }
  return names;
}

std::string folder_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (plain) out += c;
    if (!plain && !out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
  return out.empty() || out[0] == '.' ? "arm" + out : out;
}

void check_path(const std::string& path) {
  if (path == "seed")
    throw UsageError("compare.axes: seed is no axis; list the seeds in compare.seeds");
  if (path == "name" || path == "threads" || path == "compare" || path.starts_with("compare."))
    throw UsageError("compare.axes: " + path + " cannot differ between arms");
}

}  // namespace

std::vector<Arm> expand_arms(const LoadedConfig& base) {
  const Axes& axes = base.config.compare.axes;
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    check_path(axis.path);
    count *= axis.values.size();
  }
  constexpr std::size_t kMostArms = 1000;
  if (count > kMostArms)
    throw UsageError("compare.axes: these are " + std::to_string(count) +
                     " arms, more than 1000; leave out values");
  const std::vector<std::string> names = short_names(axes);
  std::vector<Arm> arms;
  std::set<std::string> folders, known;
  for (std::size_t i = 0; i < count; ++i) {
    LoadedConfig loaded = base;
    Arm arm;
    std::size_t rest = i, block = count;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      block /= axes[a].values.size();
      const std::string& value = axes[a].values[rest / block];
      rest %= block;
      apply_override(loaded, axes[a].path + "=" + value, "compare.axes");
      arm.values.emplace_back(axes[a].path, value);
      arm.name += (arm.name.empty() ? "" : ", ") + names[a] + "=" + value;
    }
    if (arm.name.empty()) arm.name = base.config.name;
    arm.config = loaded.config;
    if (!known.insert(print_config(arm.config)).second)
      throw UsageError("compare.axes: there are two equal arms, " + arm.name);
    arm.folder = folder_name(arm.name);
    for (int k = 2; !folders.insert(arm.folder).second; ++k)
      arm.folder = folder_name(arm.name) + "-" + std::to_string(k);
    arms.push_back(std::move(arm));
  }
  return arms;
}

}  // namespace saccade
