#include "captioning/model/decoders/localized_words.h"

#include <algorithm>
#include <cmath>

#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// log sigmoid(x) without overflow.
double log_sigmoid(double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }

}  // namespace

LocalizedWords::LocalizedWords(Tape& tape, const WordLocalizer& localizer,
                               const EncodedImages& encoded, std::span<const int> words)
    : words_(words), map_(localizer.map()) {
  if (encoded.mask) mask_ = encoded.mask.value();
  scores_ = localizer.scores(
      tape, localizer.keys(tape, encoded.keys ? encoded.keys : encoded.features), words);
  logits_ = ops::pooled_evidence(scores_, static_cast<Real>(map_.sharpness), mask_);
  for (const double logit : localizer.share_logits(tape, words))
    log_shares_.push_back(log_sigmoid(logit));
}

Var LocalizedWords::costs(const WordLabels& labels) const {
  const Shape shape = logits_.shape();  // [M, W]
  SACCADE_CHECK(std::equal(labels.words.begin(), labels.words.end(), words_.begin(), words_.end()),
                "[localizer] labels of other words than those that were located");
  SACCADE_CHECK(static_cast<Index>(labels.present.size()) == shape.size(), "[localizer] ",
                labels.present.size(), " labels for ", shape[0], " images and ", shape[1],
                " words");
  return ops::binary_cross_entropy(logits_, {labels.present.data(), shape});
}

double LocalizedWords::locate(Index image, int word, std::span<Real> out) const {
  std::fill(out.begin(), out.end(), Real{0});
  const auto found = std::lower_bound(words_.begin(), words_.end(), word);
  if (found == words_.end() || *found != word) return 0;
  const Index w = found - words_.begin(), words = scores_.shape()[2];
  const Index regions = scores_.shape()[1];
  std::vector<double> scores;
  for (Index l = 0; l < regions; ++l)
    scores.push_back(static_cast<double>(scores_.value().data[(image * regions + l) * words + w]));
  const std::span<const Real> mask =
      mask_.data ? std::span(mask_.row(image), static_cast<std::size_t>(regions))
                 : std::span<const Real>();
  score_map(scores, mask, map_, out);
  const double evidence = log_sigmoid(static_cast<double>(logits_.value().row(image)[w])) -
                          log_shares_[static_cast<std::size_t>(w)];
  return std::clamp(evidence, 0.0, 1.0);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
