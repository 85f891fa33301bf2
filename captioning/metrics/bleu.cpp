#include "captioning/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kOrders = 4;
// An n-gram as word numbers from 1 on, 0 beyond its end; numbers are local to one image.
using Gram = std::array<std::uint32_t, kOrders>;
using Counts = std::map<Gram, std::int64_t>;

class Numbering {
 public:
  Counts grams(const Words& words) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& word : words) {
      const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
      numbers.push_back(numbers_.emplace(word, next).first->second);
    }
    Counts out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Gram gram{};
      for (std::size_t n = 0; n < kOrders && i + n < numbers.size(); ++n) {
        gram[n] = numbers[i + n];
        ++out[gram];
      }
    }
    return out;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

std::size_t order_of(const Gram& gram) {
  return static_cast<std::size_t>(std::find(gram.begin(), gram.end(), 0U) - gram.begin()) - 1;
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (std::size_t k = 0; k < kOrders; ++k) {
    correct[k] += other.correct[k];
    guess[k] += other.guess[k];
  }
  length += other.length;
  reference_length += other.reference_length;
  return *this;
}

BleuCounts count_bleu(const Words& candidate, std::span<const Words> references) {
  if (references.empty()) throw DataError("BLEU: a candidate has no reference");
  BleuCounts out;
  out.length = static_cast<std::int64_t>(candidate.size());
  Numbering numbering;
  Counts most;  // of every n-gram, in any one reference
  std::pair<std::int64_t, std::int64_t> closest = {INT64_MAX, 0};  // distance, length
  for (const Words& reference : references) {
    const auto length = static_cast<std::int64_t>(reference.size());
    closest = std::min(closest, {std::abs(length - out.length), length});
    for (const auto& [gram, count] : numbering.grams(reference)) {
      std::int64_t& highest = most[gram];
      highest = std::max(highest, count);
    }
  }
  out.reference_length = closest.second;
  for (std::size_t k = 0; k < kOrders; ++k) {
    out.guess[k] = std::max<std::int64_t>(0, out.length - static_cast<std::int64_t>(k));
  }
  for (const auto& [gram, count] : numbering.grams(candidate)) {
    const auto found = most.find(gram);
    if (found != most.end()) out.correct[order_of(gram)] += std::min(count, found->second);
  }
  return out;
}

BleuScores score_bleu(const BleuCounts& counts) {
  constexpr double kTiny = 1e-15, kSmall = 1e-9;  // the reference implementation's, part of scores
  BleuScores out;
  double product = 1;
  for (std::size_t k = 0; k < kOrders; ++k) {
    product *= (static_cast<double>(counts.correct[k]) + kTiny) /
               (static_cast<double>(counts.guess[k]) + kSmall);
    out.no_bp[k] = std::pow(product, 1.0 / static_cast<double>(k + 1));
  }
  out.ratio = (static_cast<double>(counts.length) + kTiny) /
              (static_cast<double>(counts.reference_length) + kSmall);
  const double penalty = out.ratio < 1 ? std::exp(1 - 1 / out.ratio) : 1;
  for (std::size_t k = 0; k < kOrders; ++k) out.bleu[k] = out.no_bp[k] * penalty;
  return out;
}

CorpusBleu corpus_bleu(std::span<const Words> candidates,
                       std::span<const std::vector<Words>> references) {
  if (candidates.size() != references.size() || candidates.empty()) {
    throw DataError(str("BLEU: got ", candidates.size(), " candidates and references for ",
                        references.size(), " images; needs as many of both, at least one"));
  }
  CorpusBleu out;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const BleuCounts counts = count_bleu(candidates[i], references[i]);
    out.images.push_back(score_bleu(counts));
    out.counts += counts;
  }
  out.corpus = score_bleu(out.counts);
  return out;
}

std::vector<std::pair<std::string, double>> named_bleu(const BleuScores& scores) {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < kOrders; ++k) out.emplace_back(str("Bleu_", k + 1), scores.bleu[k]);
  for (std::size_t k = 0; k < kOrders; ++k) {
    out.emplace_back(str("Bleu_", k + 1, "_no_bp"), scores.no_bp[k]);
  }
  return out;
}

}  // namespace saccade
