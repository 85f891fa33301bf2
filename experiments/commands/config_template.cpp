#include "experiments/commands/config_template.h"

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

std::string filled(std::string_view text, const TemplateValues& values) {
  std::string out, comments;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    bool stays = true;
    for (std::size_t open = 0; stays && (open = line.find('{', open)) != std::string::npos;) {
      const std::size_t close = line.find('}', open);
      std::string name = line.substr(open + 1, close - open - 1), value;
      const char test = name.front();
      if (test == '?' || test == '!') name.erase(0, 1);
      const auto found = values.find(name);
      SACCADE_ASSERT(found != values.end(), "a template has a value '", name, "'");
      stays = found->second.has_value() == (test != '!');
      if (stays && test != '?' && test != '!') value = *found->second;
      line.replace(open, close + 1 - open, value);
      open += value.size();
    }
    line.erase(line.find_last_not_of(' ') + 1);
    const bool is_comment = line.find_first_not_of(' ') == line.find('#') && !line.empty();
    if (stays) comments += line + "\n";
    if (is_comment) continue;
    if (stays) out += comments;
    comments.clear();
  }
  return out;
}

std::vector<Choice> choices_in(const std::string& yaml) {
  std::vector<Choice> out;
  std::vector<std::string> path;
  std::string why;
  std::istringstream lines(yaml);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (line.empty()) {
      why.clear();
    } else if (line[indent] == '#') {
      why += (why.empty() ? "" : " ") + line.substr(std::min(indent + 2, line.size()));
    } else {
      const std::size_t colon = line.find(':');
      path.resize(indent / 2);
      path.push_back(line.substr(indent, colon - indent));
      if (colon + 1 == line.size()) continue;  // a section
      out.push_back({join(path, "."), line.substr(colon + 2), why});
      why.clear();
    }
  }
  return out;
}

}  // namespace saccade
