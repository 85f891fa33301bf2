#include "captioning/model/search/word_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

WordScores::WordScores(View logits, const SpecialWords& special, AllowedWords allowed_words)
    : logits_(logits), normalizers_({logits.rows()}) {
  for (const int word : {special.pad, special.bos, special.eos, special.unk})
    SACCADE_CHECK(word >= 0 && word < logits.cols(), "[search] special word ", word,
                  " is outside the vocabulary of ", logits.cols());
  kernels::log_sum_exp(logits, normalizers_.view());
  for (Index r = 0; r < logits.rows(); ++r) {
    if (!std::isfinite(normalizers_[r]))
      throw DivergedError(
          "the decoder's word scores are not finite numbers: the model's weights or its features "
          "are broken; use an earlier checkpoint, or check the features");
    if (allowed_words == AllowedWords::kAll) continue;
    for (const int word : {special.pad, special.bos, special.unk})
      logits.row(r)[word] = -std::numeric_limits<Real>::infinity();
  }
}

const std::vector<kernels::Ranked>& WordScores::best(Index r, Index count) {
  kernels::top(row(r), count, best_);
  return best_;
}

double WordScores::log_prob(Index r, int word) const {
  return static_cast<double>(logits_.row(r)[word]) - static_cast<double>(normalizers_[r]);
}

void WordScores::forbid(Index r, int word) {
  logits_.row(r)[word] = -std::numeric_limits<Real>::infinity();
}

// Sets the probabilities to 0, except those of the words that may be drawn.
void WordScores::leave_most_probable(const Draw& from) {
  const auto count = static_cast<Index>(probabilities_.size());
  if ((from.top_k <= 0 || from.top_k >= count) && from.top_p >= 1) return;
  const Index most = from.top_k > 0 ? std::min(from.top_k, count) : count;
  kernels::top(probabilities_, most, ranked_);
  double total = 0, share = 0;
  for (const kernels::Ranked& word : ranked_) total += static_cast<double>(word.value);
  std::fill(probabilities_.begin(), probabilities_.end(), Real{0});
  for (const kernels::Ranked& word : ranked_) {
    if (from.top_p < 1 && share >= from.top_p * total && share > 0) break;
    probabilities_[static_cast<std::size_t>(word.place)] = word.value;
    share += static_cast<double>(word.value);
  }
}

int WordScores::draw(Index r, const Draw& from, double u) {
  const std::span<const Real> logits = row(r);
  const std::vector<kernels::Ranked>& first = best(r, 1);
  if (first.empty()) return -1;
  const Real largest = first[0].value;
  const Real divisor = static_cast<Real>(std::max(from.temperature, 1e-6));
  probabilities_.resize(logits.size());
  for (std::size_t v = 0; v < logits.size(); ++v)
    probabilities_[v] = (logits[v] - largest) / divisor;
  const View p{probabilities_.data(), {1, logits_.cols()}};
  kernels::softmax(p, p);
  leave_most_probable(from);
  double total = 0;
  for (const Real p_word : probabilities_) total += static_cast<double>(p_word);
  double left = u * total;
  for (std::size_t v = 0; v < logits.size(); ++v) {
    left -= static_cast<double>(probabilities_[v]);
    if (left < 0) return static_cast<int>(v);
  }
  return first[0].place;  // rounding left a remainder
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
