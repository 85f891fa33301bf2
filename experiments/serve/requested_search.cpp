#include "experiments/serve/requested_search.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/search/must_words.h"
#include "captioning/model/search/search.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "experiments/serve/search_json.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// A wider beam would let one visitor hold the server for long. Below the least temperature a draw
// is the most probable word anyway.
constexpr std::int64_t kMostBeam = 20, kMostSeed = 4'294'967'295;
constexpr double kLeastTemperature = 0.01, kMostTemperature = 10;
// Each more doubles the beams of a search.
constexpr std::size_t kMostMust = 3, kMustText = 200;
constexpr std::size_t kQuoted = 40;  // characters of a wrong value that an answer repeats

std::string quoted(const std::string& text) {
  return "'" + (text.size() > kQuoted ? text.substr(0, kQuoted) + "..." : text) + "'";
}

template <class Number>
Number number_in(const std::string& name, const std::string& text, Number least, Number most,
                 const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= least && value <= most))
    throw UsageError(str("the parameter ", name, " takes ", kind, " from ", least, " to ", most,
                         "; got ", quoted(text)));
  return value;
}

SearchMode mode_of(const std::string& text) {
  if (const std::optional<SearchMode> mode = enum_value<SearchMode>(text)) return *mode;
  std::string names = join(enum_all_names<SearchMode>(), ", ");
  throw UsageError(str("the parameter mode takes ", names, "; got ", quoted(text),
                       did_you_mean(text, enum_all_names<SearchMode>())));
}

bool flag_of(const std::string& name, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw UsageError(str("the parameter ", name, " takes true or false; got ", quoted(text)));
}

std::vector<std::string> must_in(const std::string& text) {
  if (text.size() > kMustText)
    throw UsageError(str("the parameter must takes at most ", kMustText, " bytes"));
  std::vector<std::string> must = must_list(text, "the parameter must");
  if (must.size() > kMostMust)
    throw UsageError(str("the parameter must takes at most ", kMostMust, " words or phrases; got ",
                         must.size()));
  return must;
}

// Takes `implied` as the mode where none is requested.
void needs_mode(RequestedSearch& requested, SearchMode implied, const char* parameter) {
  if (!requested.mode) requested.mode = implied;
  if (requested.mode != implied)
    throw UsageError(str("the parameter ", parameter, " has an effect in mode ", enum_name(implied),
                         " alone; leave it out, or ask for that mode"));
}

}  // namespace

RequestedSearch requested_search(const std::multimap<std::string, std::string>& parameters) {
  static const std::vector<std::string> names = {"mode",      "beam",  "temperature", "seed",
                                                 "occlusion", "photo", "must"};
  RequestedSearch requested;
  for (const auto& [name, text] : parameters) {
    if (parameters.count(name) > 1)
      throw UsageError(str("the parameter ", quoted(name), " is there more than once"));
    if (name == "mode")
      requested.mode = mode_of(text);
    else if (name == "beam")
      requested.beam = number_in<std::int64_t>(name, text, 1, kMostBeam, "a whole number");
    else if (name == "temperature")
      requested.temperature =
          number_in(name, text, kLeastTemperature, kMostTemperature, "a number");
    else if (name == "seed")
      requested.seed = number_in<std::int64_t>(name, text, 0, kMostSeed, "a whole number");
    else if (name == "occlusion")
      requested.occlusion = flag_of(name, text);
    else if (name == "photo")
      requested.photo = text;
    else if (name == "must")
      requested.must = must_in(text);
    else
      throw UsageError(str("there is no parameter ", quoted(name), did_you_mean(name, names),
                           "; captions take mode, beam, temperature, seed, occlusion, photo "
                           "and must"));
  }
  if (requested.beam && requested.temperature && !requested.mode)
    throw UsageError(
        "a beam is for mode beam and a temperature for mode sample; ask for one of them");
  if (requested.beam) needs_mode(requested, SearchMode::kBeam, "beam");
  if (requested.temperature) needs_mode(requested, SearchMode::kSample, "temperature");
  if (!requested.must.empty()) needs_mode(requested, SearchMode::kBeam, "must");
  return requested;
}

ExperimentConfig with_search(ExperimentConfig config, const RequestedSearch& requested) {
  SearchConfig& search = config.search;
  if (requested.mode) search.mode = *requested.mode;
  if (requested.beam) search.beam = *requested.beam;
  if (requested.temperature) search.temperature = *requested.temperature;
  if (!requested.must.empty()) {
    search.must = requested.must;
    search.groups = 1;
    search.diversity = 0;
  }
  if (requested.seed) config.seed = *requested.seed;
  const SearchConfig plain;
  if (search.mode != SearchMode::kBeam) {
    search.groups = plain.groups;
    search.diversity = plain.diversity;
  }
  search.fit_naming();
  if (search.mode != SearchMode::kSample) {
    search.temperature = plain.temperature;
    search.top_k = plain.top_k;
    search.top_p = plain.top_p;
  }
  check_search(search, config.data, Draws::kByMode);
  return config;
}

Json search_json(const ExperimentConfig& config) {
  Json json = {{"mode", enum_name(config.search.mode)}};
  if (config.search.mode == SearchMode::kBeam) json["beam"] = config.search.beam;
  if (config.search.mode == SearchMode::kSample) json["temperature"] = config.search.temperature;
  json["seed"] = config.seed;
  if (!config.search.must.empty()) json["must"] = config.search.must;
  return json;
}

Json search_limits() {
  return {{"mode", enum_all_names<SearchMode>()},
          {"beam", {1, kMostBeam}},
          {"temperature", {kLeastTemperature, kMostTemperature}},
          {"seed", {0, kMostSeed}},
          {"must", {0, kMostMust}}};
}

}  // namespace saccade
