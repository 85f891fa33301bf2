// The templates of the configs that `saccade new` writes. They are YAML with the reason of each
// value as the comment above it, and with placeholders:
//   {name}   the value of this name; the line goes where it has none
//   {?name}  nothing; the line goes where the name has no value
//   {!name}  nothing; the line goes where the name has a value
// Comments go with the line below them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// The files of templates/, which embed.cmake puts into the program when it is built.
namespace config_templates {
extern const std::string_view data, small_cnn, onnx_network, hub_network, new_decoder, tuned_model,
    training;
}

using TemplateValues = std::map<std::string, std::optional<std::string>>;

// The template with its values. All names in it must be among the values.
std::string filled(std::string_view text, const TemplateValues& values);

// A value of a config, as in YAML, and the comment above it: "" where there is none.
struct Choice {
  std::string key, value, why;
};

// All values of a filled template, in their order. A comment above a section is that of its first
// value.
std::vector<Choice> choices_in(const std::string& yaml);

}  // namespace saccade
