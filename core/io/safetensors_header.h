// The header of a safetensors file: its text and its content.
#pragma once

#include "core/io/safetensors.h"

namespace saccade {

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their names
  std::map<std::string, std::string> metadata;
};

// Reads a header that is followed by `data_bytes` bytes of data. Throws DataError, which names
// `source` and the array, when the header breaks a rule of the format.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                           const std::string& source);

// The number of bytes of one element of a type; 0 for a type that the format does not have.
std::uint64_t safetensors_type_bytes(std::string_view type);

// A name as it can be shown in a message of one line.
std::string safetensors_name_in_message(const std::string& name);

// The text of a header with the offsets of the entries, padded with spaces to a multiple of 8
// bytes.
std::string safetensors_header_text(std::span<const SafetensorsEntry> in_file_order,
                                    const std::map<std::string, std::string>& metadata);

// The part of a network that a tensor belongs to: the first two modules of its name, `blocks.0` or
// `conv1`; "" for a tensor of no module.
std::string part_of_network(const std::string& name);

}  // namespace saccade
