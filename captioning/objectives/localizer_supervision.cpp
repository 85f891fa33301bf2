#include "captioning/objectives/localizer_supervision.h"

#include <algorithm>
#include <cmath>

#include "core/ops/shape_ops.h"
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

std::vector<LocatedStep> located(const PackedCaptions& captions, const LocalizedWords& words) {
  std::vector<LocatedStep> out;
  const auto regions = static_cast<std::size_t>(words.regions());
  std::size_t first = 0;  // of the step among the captions' words
  for (const Index count : captions.rows) {
    const auto rows = static_cast<std::size_t>(count);
    LocatedStep step{.maps = std::vector<Real>(rows * regions),
                     .shares = std::vector<Real>(rows),
                     .regions = words.regions()};
    for (std::size_t r = 0; r < rows; ++r)
      step.shares[r] = static_cast<Real>(
          words.locate(captions.image(static_cast<Index>(r)), captions.targets[first + r],
                       std::span(step.maps).subspan(r * regions, regions)));
    out.push_back(std::move(step));
    first += rows;
  }
  return out;
}

LocalizerSupervision::LocalizerSupervision(std::span<const Var> weights,
                                           std::span<const LocatedStep> words) {
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const std::vector<Real>& share = words[t].shares;
    costs_.push_back(ops::map_divergence(weights[t], words[t].view()));
    for (std::size_t r = 0; r < share.size(); ++r) {
      words_ += static_cast<double>(share[r]);
      cost_ += static_cast<double>(share[r]) *
               static_cast<double>(costs_.back().value()[static_cast<Index>(r)]);
    }
    weights_.push_back(share);
  }
}

std::vector<Var> LocalizerSupervision::terms(double weight) const {
  std::vector<Var> terms;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    std::vector<Real> rows = weights_[i];
    for (Real& row : rows) row *= static_cast<Real>(weight);
    terms.push_back(ops::dot_constant(costs_[i], rows));
  }
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
