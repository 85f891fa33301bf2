#include "core/base/listing.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace saccade {

std::string counted(Index count, const std::string& noun, const std::string& plural) {
  const std::string many = plural.empty() ? noun + "s" : plural;
  return std::to_string(count) + " " + (count == 1 ? noun : many);
}

std::string join_or(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return out;
}

std::string data_size(double bytes) {
  constexpr double kMega = 1e6, kGiga = 1e9;
  std::ostringstream out;
  constexpr double kSmall = 10 * kMega;  // below, sizes that differ shall be seen to differ
  if (bytes < kSmall)
    out << std::ceil(10 * bytes / kMega) / 10 << " MB";
  else if (bytes < kGiga)
    out << std::ceil(bytes / kMega) << " MB";
  else
    out << std::fixed << std::setprecision(1) << bytes / kGiga << " GB";
  return out.str();
}

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string out = join(names.first(shown), ", ");
  if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

}  // namespace saccade
