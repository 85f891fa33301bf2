#include "core/config/stop.h"

#include <charconv>

namespace saccade {

namespace {

constexpr std::string_view kLetters = "euhms";  // in the order of Stop::Unit
constexpr std::int64_t kMost = 1'000'000'000;   // so that an amount in seconds does not overflow

}  // namespace

std::int64_t Stop::seconds() const {
  if (unit == Unit::kHours) return count * 3600;
  if (unit == Unit::kMinutes) return count * 60;
  return count;
}

std::string parse_stop(std::string_view text, Stop& stop) {
  const std::string wrong = "is not an amount of training; write " + std::string(kStopForms);
  if (text.size() < 2) return wrong;
  const std::size_t unit = kLetters.find(text.back());
  if (unit == std::string_view::npos) return wrong;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  const bool too_many = error == std::errc::result_out_of_range;
  if ((error != std::errc{} && !too_many) || rest != end) return wrong;
  if (too_many || count < 0 || count > kMost)
    return "is out of range; write 0 to 1000000000 and a unit";
  stop = {count, static_cast<Stop::Unit>(unit)};
  return "";
}

std::string to_string(const Stop& stop) {
  return std::to_string(stop.count) + kLetters[static_cast<std::size_t>(stop.unit)];
}

}  // namespace saccade
