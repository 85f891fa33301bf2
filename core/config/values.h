// Walks over the values of a bound config. Private to core/config.
#pragma once

#include <functional>
#include <string>

#include "core/config/fields.h"

namespace saccade::config_detail {

// The path of a field below that of its section.
std::string joined(const std::string& path, const std::string& name);

// Calls body(path, field) for every value, in the order of declaration; `path` is that of the
// section.
void for_values(const Section& section, const std::string& path,
                const std::function<void(const std::string&, const Section::Field&)>& body);

ConfigValues values_of(const Section& section, const std::string& path = "");

}  // namespace saccade::config_detail
