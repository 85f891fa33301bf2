#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/config/node.h"

namespace saccade {

namespace {

// Whether a text is a word that every YAML reader takes for a string, without quotes even in a
// list.
bool plain(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
  };
  const auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  if (text.empty() || !letter(text.front())) return false;
  if (!std::all_of(text.begin(), text.end(), inner)) return false;
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char* word : {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}) {
    if (lower == word) return false;
  }
  return true;
}

}  // namespace

std::string yaml_text(const std::string& text) {
  if (plain(text)) return text;
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  SACCADE_ASSERT(out.good(), "cannot write '", text, "' as YAML: ", out.GetLastError());
  return out.c_str();
}

}  // namespace saccade
