// A named choice that somebody gives, such as a drawing style or a regime.
#pragma once

#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"

namespace saccade {

// The enumerator of a name. Throws UsageError, which names the option or argument and all
// choices.
template <NamedEnum E>
E choice(const std::string& name, const std::string& option) {
  if (const auto value = enum_value<E>(name)) return *value;
  const std::vector<std::string> names = enum_all_names<E>();
  std::string all = join(names, ", ");
  throw UsageError(
      str(option, ": there is no '", name, "'", did_you_mean(name, names), "; choose from ", all));
}

}  // namespace saccade
