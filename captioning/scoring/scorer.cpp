#include "captioning/scoring/scorer.h"

#include "captioning/scoring/files/match.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "core/parallel/parallel.h"

namespace saccade {

struct Scorer::Impl {
  parallel::ThreadPool threads;
  std::unique_ptr<Meteor> meteor;
  ScoringOptions options;
  MessageListener listener;

  explicit Impl(const ScorerOptions& from) : threads(from.threads), listener(from.listener) {
    const parallel::WorkOn here(threads);
    if (from.meteor)
      meteor = std::make_unique<Meteor>(MeteorOptions{
          .paraphrases = from.paraphrases, .cache = from.cache, .listener = from.listener});
    options = {.meteor = meteor.get(), .document_frequencies = from.document_frequencies};
  }
  void report(const std::vector<std::string>& notes) const {
    for (const std::string& note : notes) warn(listener, note);
  }
};

Scorer::Scorer(const ScorerOptions& options) : impl_(std::make_unique<Impl>(options)) {}

Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

std::vector<MetricScore> Scorer::score(std::span<const std::string> captions,
                                       std::span<const std::vector<std::string>> references) const {
  const parallel::WorkOn here(impl_->threads);
  const CaptionScores scores = score_captions(captions, references, impl_->options);
  std::vector<MetricScore> out;
  for (const auto& [name, value] : scores.corpus()) {
    MetricScore& metric = out.emplace_back(MetricScore{.name = name, .corpus = value});
    for (std::size_t i = 0; i < captions.size(); ++i)
      metric.images.push_back(scores.of_image(out.size() - 1, i));
  }
  return out;
}

std::vector<MetricScore> Scorer::score_files(const std::filesystem::path& references,
                                             const std::filesystem::path& results) const {
  const CaptionFile known = read_references(references);
  impl_->report(known.notes);
  const MatchedCaptions matched = match(known, read_results(results));
  for (const std::string& line : matched.forms) inform(impl_->listener, line);
  impl_->report(matched.notes);
  return score(matched.candidates, matched.references);
}

}  // namespace saccade
