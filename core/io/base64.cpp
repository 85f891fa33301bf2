#include "core/io/base64.h"

namespace saccade {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t bits = std::uint32_t{bytes[i]} << 16;
    if (left > 1) bits |= std::uint32_t{bytes[i + 1]} << 8;
    if (left > 2) bits |= std::uint32_t{bytes[i + 2]};
    out += kDigits[bits >> 18];
    out += kDigits[(bits >> 12) & 63];
    out += left > 1 ? kDigits[(bits >> 6) & 63] : '=';
    out += left > 2 ? kDigits[bits & 63] : '=';
  }
  return out;
}

}  // namespace saccade
