// Reads a tree of YAML into the fields of a struct. Private to core/config.
#pragma once

#include <string>

#include "core/config/config.h"

namespace saccade::config_detail {

struct ReadContext {
  const Section& root;  // the whole struct, for suggestions from other sections
  Origins& origins;
  Mistakes& mistakes;
  std::string origin;  // of values without a line; for the others a prefix to file and line
};

// Sets the fields that the node names, or the one field, and records where their values come from.
void read_field(const Section::Field& field, const Node& node, const std::string& path,
                const ReadContext& context);
void read_section(const Section& section, const Node& node, const std::string& path,
                  const ReadContext& context);

// Whether `key` was removed from the section at `path`; a value that it never had is a mistake.
bool read_retired(const Section& section, const Node& node, const std::string& path,
                  const std::string& key, Mistakes& mistakes);

// "unknown key 'hiden' in decoder (did you mean 'hidden'?)"
std::string unknown_key(const Section& root, const Section& section, const std::string& path,
                        const std::string& key);

}  // namespace saccade::config_detail
