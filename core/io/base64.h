// Base64 (RFC 4648), in which bytes travel inside JSON and data URIs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saccade {

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace saccade
