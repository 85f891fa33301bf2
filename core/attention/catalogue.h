// The choices of an attention mechanism on every axis, as the registries document them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

struct AttentionChoice {
  std::string_view name;
  std::string_view formula;  // or what the choice does
  std::string_view source;   // paper
  std::string_view options;  // the config keys that it reads
  std::string_view cost;     // per word, or for L positions at once
};

struct AttentionAxis {
  std::string_view key;  // its key in a config
  std::vector<AttentionChoice> choices;
};

// All axes, in the order in which a glimpse goes through them.
std::vector<AttentionAxis> attention_catalogue();

// What is known of an axis whose value is a number or a switch, besides its declaration in the
// config.
struct AttentionNumber {
  std::string_view key, source, cost;
};
std::vector<AttentionNumber> attention_number_catalogue();

}  // namespace saccade
