#include "captioning/model/decoders/word_localizer.h"

#include <algorithm>
#include <cmath>

#include "core/nn/norms.h"
#include "core/ops/linear.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

WordLocalizer::WordLocalizer(const ParamScope& scope, const LocalizerWidths& widths,
                             const ScoreMapOptions& map)
    : map_(map),
      key_weight_(scope.declare("key", {widths.features, widths.hidden},
                                Init::glorot(widths.features, widths.hidden))),
      key_bias_(scope.declare("key_bias", {widths.hidden}, Init::constant(0), Decay::kNo)),
      words_(scope.declare("words", {widths.vocabulary, widths.hidden}, Init::normal(0.05))),
      share_(scope.declare_fixed("share", {widths.vocabulary, 1}, Init::constant(0))) {}

Var WordLocalizer::keys(Tape& tape, Var features) const {
  const Var constant = tape.constant(features.value());
  return ops::linear(standardized(tape, constant), tape.parameter(key_weight_),
                     tape.parameter(key_bias_));
}

Var WordLocalizer::scores(Tape& tape, Var keys, std::span<const int> words) const {
  const Shape shape = keys.shape();
  const auto count = static_cast<Index>(words.size());
  const Var rows = ops::reshape(keys, {shape[0] * shape[1], shape[2]});
  const Var share = ops::embedding(tape.parameter(share_), words);
  const Var table = ops::embedding(tape.parameter(words_), words);
  return ops::reshape(ops::linear_transposed(rows, table, ops::reshape(share, {count})),
                      {shape[0], shape[1], count});
}

std::vector<double> WordLocalizer::share_logits(Tape& tape, std::span<const int> words) const {
  const ConstView logits = tape.parameter(share_).value();
  std::vector<double> out;
  for (const int word : words) out.push_back(static_cast<double>(logits[word]));
  return out;
}

void WordLocalizer::set_shares(ParameterStore& store, std::span<const double> shares) const {
  const View logits = store.value(share_);
  SACCADE_CHECK(static_cast<Index>(shares.size()) == logits.size(), "[localizer] ", shares.size(),
                " shares of ", logits.size(), " words");
  constexpr double kRarest = 1e-5;  // so that no logit is infinite
  for (Index w = 0; w < logits.size(); ++w) {
    const double share = std::clamp(shares[static_cast<std::size_t>(w)], kRarest, 1 - kRarest);
    logits[w] = static_cast<Real>(std::log(share / (1 - share)));
  }
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
