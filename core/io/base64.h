// Base64 (RFC 4648), which encodes bytes inside JSON and data URIs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

std::string base64(std::span<const std::uint8_t> bytes);
// The bytes of a text; none where it is not base64, padding included.
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace saccade
