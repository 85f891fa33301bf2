#include "core/parallel/processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace saccade::parallel {

namespace {

namespace fs = std::filesystem;

constexpr double kNoQuota = 0;

// A mounted hierarchy of control groups that may limit processors (cgroups(7), proc(5)).
struct Hierarchy {
  bool second = false;  // of control groups version 2
  fs::path group{};     // the directory of the hierarchy that is mounted
  fs::path place{};     // where
};

bool lists(const std::string& names, const std::string& name) {
  return ("," + names + ",").find("," + name + ",") != std::string::npos;
}

// Spaces and the like stand as \040 in mountinfo.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// One line of /proc/self/mountinfo: number, parent, device, directory, place, options, fields that
// end with a dash, type, source, options of the file system.
std::optional<Hierarchy> hierarchy_of(const std::string& line) {
  std::istringstream in(line);
  std::string word, group, place, type, source, options;
  in >> word >> word >> word >> group >> place >> word;
  while (in >> word && word != "-") {
  }
  if (!(in >> type >> source >> options)) return {};
  const bool second = type == "cgroup2";
  if (!second && (type != "cgroup" || !lists(options, "cpu"))) return {};
  return Hierarchy{.second = second, .group = unescaped(group), .place = unescaped(place)};
}

// The group of this process in a hierarchy, from /proc/self/cgroup: "4:cpu,cpuacct:/path" in
// version 1, "0::/path" in version 2. Paths may have colons.
fs::path group_of(const fs::path& root, bool second) {
  std::ifstream in(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t end = line.find(':', first + 1);
    if (end == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, end - first - 1);
    if (second ? controllers.empty() && line.substr(0, first) == "0" : lists(controllers, "cpu"))
      return line.substr(end + 1);
  }
  return {};
}

double first_number(const fs::path& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? number : 0;
}

// The quota of one group by itself, in processors.
double quota_of(const fs::path& folder, bool second) {
  double quota = 0, period = 0;
  if (second) {
    std::ifstream in(folder / "cpu.max");  // "max 100000" where there is no quota
    if (!(in >> quota >> period)) return kNoQuota;
  } else {
    quota = first_number(folder / "cpu.cfs_quota_us");  // -1 where there is none
    period = first_number(folder / "cpu.cfs_period_us");
  }
  return quota > 0 && period > 0 ? quota / period : kNoQuota;
}

// The smallest quota of the group and of those around it. Inside a container the group may have a
// path of the machine outside; then what is mounted is the group itself.
double smallest_quota(const fs::path& root, const Hierarchy& hierarchy) {
  const fs::path top = root / hierarchy.place.relative_path();
  fs::path inside = group_of(root, hierarchy.second).lexically_relative(hierarchy.group);
  if (inside.empty() || *inside.begin() == "..") inside = ".";
  std::error_code error;
  if (!fs::is_directory(top / inside, error)) inside = ".";
  double smallest = kNoQuota;
  for (fs::path folder = inside;; folder = folder.parent_path()) {
    const double quota = quota_of(folder.empty() ? top : top / folder, hierarchy.second);
    if (quota > 0 && (smallest == kNoQuota || quota < smallest)) smallest = quota;
    if (folder.empty()) return smallest;
  }
}

}  // namespace

int quota_processors(const fs::path& root) {
  std::ifstream in(root / "proc/self/mountinfo");
  std::string line;
  double smallest = kNoQuota;
  while (std::getline(in, line)) {
    const std::optional<Hierarchy> hierarchy = hierarchy_of(line);
    if (!hierarchy) continue;
    const double quota = smallest_quota(root, *hierarchy);
    if (quota > 0 && (smallest == kNoQuota || quota < smallest)) smallest = quota;
  }
  return smallest > 0 && smallest < 1e6 ? static_cast<int>(std::ceil(smallest)) : 0;
}

int usable_processors() {
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int quota = quota_processors();
  return quota > 0 ? std::min(quota, all) : all;
}

}  // namespace saccade::parallel
