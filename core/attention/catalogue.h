// What can be chosen for an attention mechanism, as the registries document it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

struct AttentionChoice {
  std::string_view name;
  std::string_view formula;  // or what it does
  std::string_view source;   // paper
  std::string_view options;  // config keys it reads
  std::string_view cost;     // of a word, or of L positions at once
};

struct AttentionAxis {
  std::string_view key;  // in a config
  std::vector<AttentionChoice> choices;
};

// All axes, in the order in which a glimpse goes through them.
std::vector<AttentionAxis> attention_catalogue();

}  // namespace saccade
