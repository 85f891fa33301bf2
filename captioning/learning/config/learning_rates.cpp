#include "captioning/learning/config/learning_rates.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

bool is_below(const std::string& prefix, const std::string& name) {
  return name == prefix || name.starts_with(prefix + ".");
}

// What the names of parameters begin with, up to the second dot, in the order of declaration:
// decoder, decoder.lstm, ...
std::vector<std::string> known_prefixes(const ParameterStore& parameters) {
  std::vector<std::string> known;
  for (const ParameterInfo& info : parameters.infos()) {
    const std::size_t first = info.name.find('.'),
                      second = first == std::string::npos ? first : info.name.find('.', first + 1);
    for (const std::size_t end : {first, second}) {
      const std::string prefix = info.name.substr(0, end);
      if (std::find(known.begin(), known.end(), prefix) == known.end()) known.push_back(prefix);
    }
  }
  return known;
}

void check_known(const RateGroup& group, const ParameterStore& parameters) {
  const auto infos = parameters.infos();
  if (std::any_of(infos.begin(), infos.end(),
                  [&](const ParameterInfo& info) { return is_below(group.prefix, info.name); }))
    return;
  const std::vector<std::string> known = known_prefixes(parameters);
  std::string list = join(known, ", ");
  throw UsageError(str("optimizer.groups: no parameter's name starts with '", group.prefix, "'",
                       did_you_mean(group.prefix, known), "; there are ", list,
                       ", and what is below them"));
}

void scale_rates(const std::vector<RateGroup>& groups, ParameterStore& parameters) {
  for (const RateGroup& group : groups) check_known(group, parameters);
  for (const ParameterInfo& info : parameters.infos()) {
    const RateGroup* own = nullptr;
    for (const RateGroup& group : groups)
      if (is_below(group.prefix, info.name) && (!own || group.prefix.size() > own->prefix.size()))
        own = &group;
    if (own) parameters.set_rate(info.name, info.rate * own->factor);
  }
}

}  // namespace

void set_learning_rates(const ExperimentConfig& config, ParameterStore& parameters) {
  if (const std::optional<double> lr = config.encoder.lr; lr && !is_frozen(config.encoder))
    scale_rates({{.prefix = "encoder", .factor = *lr / config.optimizer.lr}}, parameters);
  scale_rates(config.optimizer.groups, parameters);
}

}  // namespace saccade
