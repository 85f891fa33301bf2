// What a request for captions asks of the search: the parameters behind the address of POST
// /caption, such as ?mode=sample&temperature=0.7.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "captioning/search/search_config.h"
#include "core/base/real.h"

namespace saccade {

struct ExperimentConfig;

// What is not asked for is the model's own.
struct AskedSearch {
  std::optional<SearchMode> mode{};
  std::optional<std::int64_t> beam{};
  std::optional<double> temperature{};
  std::optional<std::int64_t> seed{};
};

// Reads the parameters of an address. A beam asks for mode beam, and a temperature for mode sample,
// where no mode is asked for. Throws UsageError for parameters that do not exist, come twice, are
// outside their range, or have no effect in the mode.
AskedSearch asked_search(const std::multimap<std::string, std::string>& parameters);

// The config with the search that is asked for. What only another mode reads is set to values
// without effect. Throws UsageError where the values do not go together.
ExperimentConfig searched_as(ExperimentConfig config, const AskedSearch& asked);

// What a search is: {"mode", "beam" or "temperature" where the mode has it, "seed"}.
nlohmann::ordered_json search_json(const ExperimentConfig& config);
// The parameters and their ranges: {"mode": [names], "beam": [least, most], ...}.
nlohmann::ordered_json search_limits();

}  // namespace saccade
