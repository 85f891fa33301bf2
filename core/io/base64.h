// Base64 (RFC 4648), which encodes bytes inside JSON and data URIs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saccade {

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace saccade
