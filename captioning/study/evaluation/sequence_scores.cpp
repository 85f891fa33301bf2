#include "captioning/study/evaluation/sequence_scores.h"

#include <algorithm>
#include <numeric>

#include "captioning/scoring/scores/score_rows.h"
#include "core/base/error.h"

namespace saccade {

Table table_of(const std::vector<LengthScores>& lengths) {
  Table table{.columns = {{.key = "tokens"},
                          {.key = "texts"},
                          metric_column("exact_match"),
                          metric_column("token_accuracy")}};
  for (const LengthScores& one : lengths)
    table.add({one.tokens, one.texts, one.exact_match, one.token_accuracy});
  return table;
}

void SequenceScores::add(const SourceText& text, std::span<const std::string> expected,
                         std::span<const std::string> words, const DecodedCaption& decoded) {
  SACCADE_CHECK(words.size() == decoded.words.size() && expected.size() == text.origins.size(),
                "[sequence_scores] ", words.size(), " words for a result of ", decoded.words.size(),
                ", and ", expected.size(), " expected words with ", text.origins.size(),
                " origins");
  of_length_[static_cast<Index>(text.tokens.size())].push_back(exact_.size());
  double right = 0, aligned = 0, judged = 0;
  for (std::size_t t = 0; t < std::min(words.size(), expected.size()); ++t) {
    if (words[t] != expected[t]) continue;
    ++right;
    const std::vector<float>& weights = decoded.words[t].map.weights;
    if (!has_maps_ || weights.empty() || text.origins[t].empty()) continue;
    ++judged;
    const Index top = std::max_element(weights.begin(), weights.end()) - weights.begin();
    aligned +=
        std::find(text.origins[t].begin(), text.origins[t].end(), top) != text.origins[t].end() ? 1
                                                                                                : 0;
  }
  const auto places = static_cast<double>(std::max(words.size(), expected.size()));
  exact_.push_back(std::equal(words.begin(), words.end(), expected.begin(), expected.end()) ? 1
                                                                                            : 0);
  accuracies_.push_back(places == 0 ? 1 : right / places);
  aligned_.push_back(aligned);
  judged_.push_back(judged);
}

std::vector<ImageStatistics> SequenceScores::metrics() const {
  std::vector<ImageStatistics> out{mean_statistics("exact_match", exact_),
                                   mean_statistics("token_accuracy", accuracies_)};
  if (has_maps_) out.push_back(ratio_statistics(kAlignmentAccuracy, aligned_, judged_));
  return out;
}

std::vector<LengthScores> SequenceScores::by_length() const {
  std::vector<LengthScores> out;
  for (const auto& [tokens, texts] : of_length_) {
    const auto mean = [count = texts.size(), &list = texts](const std::vector<double>& scores) {
      double sum = 0;
      for (const std::size_t i : list) sum += scores[i];
      return sum / static_cast<double>(count);
    };
    out.push_back({.tokens = tokens,
                   .texts = static_cast<Index>(texts.size()),
                   .exact_match = mean(exact_),
                   .token_accuracy = mean(accuracies_)});
  }
  return out;
}

}  // namespace saccade
