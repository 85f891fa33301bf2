#include "captioning/objectives/informed_supervision.h"

#include "captioning/decoders/decoder_kind.h"
#include "core/base/error.h"
#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

double sum_of(Var numbers) {
  double sum = 0;
  for (const Real number : numbers.value().span()) sum += static_cast<double>(number);
  return sum;
}

Var times(Var numbers, double weight) {
  return ops::dot_constant(numbers,
                           std::vector<Real>(static_cast<std::size_t>(numbers.shape().size()),
                                             static_cast<Real>(weight)));
}

}  // namespace

InformedSupervision::InformedSupervision(const InformedWords& words, std::span<const Var> weights,
                                         Index step)
    : nll_(words.nll), cost_(sum_of(words.nll)) {
  const auto later = static_cast<std::size_t>(step);
  for (std::size_t t = later; t < weights.size(); ++t) {
    // Longer captions come first, so those that go on are the first rows.
    const ConstView informed = words.weights[t - later].value();
    distances_.push_back(ops::map_distance(weights[t], {informed.data, weights[t].shape()}));
    distance_ += sum_of(distances_.back());
  }
}

Index InformedSupervision::words() const { return nll_.shape().size(); }

Index InformedSupervision::maps() const {
  Index maps = 0;
  for (const Var distances : distances_) maps += distances.shape().size();
  return maps;
}

std::vector<Var> InformedSupervision::terms(const Weights& weights) const {
  std::vector<Var> terms{times(nll_, weights.cost)};
  for (const Var distances : distances_) terms.push_back(times(distances, weights.distance));
  return terms;
}

DecoderLimit informed_attention_limit() {
  return {.choice = "objective.supervision.prophet or objective.supervision.cyclical above 0",
          .instead = "objective.supervision.prophet 0 and objective.supervision.cyclical 0",
          .why =
              "words attend in every layer, and their contexts go on to the layers above and to "
              "later words, so no glimpse can be repeated by itself",
          .joins = [](const DecoderTraits& traits) { return traits.one_glimpse(); }};
}

void check_informed_attention(const SupervisionConfig& supervision, const DecoderConfig& c,
                              const AttentionConfig& attention) {
  if (supervision.prophet == 0 && supervision.cyclical == 0) return;
  const auto refuse = [&](const std::string& what, const std::string& why) {
    throw UsageError(str("objective.supervision.", supervision.prophet > 0 ? "prophet" : "cyclical",
                         " needs ", what, ": ", why));
  };
  const DecoderLimit limit = informed_attention_limit();
  if (!limit.joins(decoder_traits(c)))
    refuse("decoder.type " + decoders_with(c, limit.joins), limit.why);
  if (attention.mixes_regions())
    refuse("attention.hard.likelihood choice",
           "a marginal likelihood predicts words from single regions, and the second glimpse gives "
           "their mean");
  if (supervision.cyclical > 0 && attention.heads > 1)
    throw UsageError(
        "objective.supervision.cyclical needs attention.heads 1: its localizer makes one map, and "
        "each head would weigh values of its own with it");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
