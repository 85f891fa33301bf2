#include "core/config/values.h"

namespace saccade::config_detail {

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

void for_values(const Section& section, const std::string& path,
                const std::function<void(const std::string&, const Section::Field&)>& body) {
  for (const Section::Field& field : section.fields()) {
    const std::string own = joined(path, field.name);
    if (field.section)
      for_values(*field.section, own, body);
    else
      body(own, field);
  }
}

ConfigValues values_of(const Section& section, const std::string& path) {
  ConfigValues values;
  for_values(section, path, [&](const std::string& own, const Section::Field& field) {
    values[own] = field.slot->text();
  });
  return values;
}

}  // namespace saccade::config_detail
