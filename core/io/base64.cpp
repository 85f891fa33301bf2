#include "core/io/base64.h"

#include <array>

namespace saccade {

namespace {

constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of every digit; 64 for what is none.
constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(64);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}();

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
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

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::vector<std::uint8_t> out(text.size() / 4 * 3 - padding);
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const bool pad = i + k >= text.size() - padding;
      const std::uint8_t value = pad ? 0 : kValues[static_cast<unsigned char>(text[i + k])];
      if (value > 63) return std::nullopt;
      bits = bits << 6 | value;
    }
    for (int shift = 16; shift >= 0 && to < out.size(); shift -= 8)
      out[to++] = static_cast<std::uint8_t>(bits >> shift);
  }
  return out;
}

}  // namespace saccade
