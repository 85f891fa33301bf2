// The search that a request for captions wants: the parameters behind the address of POST
// /caption, such as ?mode=sample&temperature=0.7.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "captioning/model/search/search_config.h"
#include "core/base/real.h"

namespace saccade {

struct ExperimentConfig;

// What a request leaves out is the model's own.
struct RequestedSearch {
  std::optional<SearchMode> mode{};
  std::optional<std::int64_t> beam{};
  std::optional<double> temperature{};
  std::optional<std::int64_t> seed{};
  std::vector<std::string> must{};  // what captions have to say
  // Whether the captions of a model's own regime have the effects of regions on their words.
  bool occlusion = false;
  // What the photo is called among the features of a model that takes those of another program.
  std::string photo{};
};

// Reads the parameters of an address. Without a mode, a beam means mode beam and a temperature mode
// sample. Throws UsageError for parameters that do not exist, come twice, are
// outside their range, or have no effect in the mode.
RequestedSearch requested_search(const std::multimap<std::string, std::string>& parameters);

// The config with the requested search. What only another mode reads is set to values without
// effect. Throws UsageError where the values do not go together.
ExperimentConfig with_search(ExperimentConfig config, const RequestedSearch& requested);

}  // namespace saccade
