#include "captioning/scoring/scores/caption_scores.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/metrics/cider.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/rouge_l.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kBlock = 16;  // images per task

struct Tokens {
  std::vector<Words> candidates;
  std::vector<std::vector<Words>> references;
  std::size_t images() const { return candidates.size(); }
};

Tokens tokens_of(std::span<const std::string> candidates,
                 std::span<const std::vector<std::string>> references) {
  Tokens out;
  out.candidates = scored_words(candidates);
  std::vector<std::string> lines;
  for (const auto& image : references) lines.insert(lines.end(), image.begin(), image.end());
  std::vector<Words> words = scored_words(lines);
  auto next = words.begin();
  for (const auto& image : references) {
    const auto end = next + static_cast<std::ptrdiff_t>(image.size());
    out.references.emplace_back(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
  return out;
}

// Calls body(i) for every image, in parallel.
void for_images(std::size_t images, parallel::FunctionRef<void(std::size_t)> body) {
  parallel::for_blocks(static_cast<Index>(images), kBlock, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

ImageStatistics meteor_of(const Meteor& meteor, const Tokens& tokens) {
  std::vector<MeteorStats> stats(tokens.images());
  for_images(tokens.images(), [&](std::size_t i) {
    std::vector<std::string> references;
    for (const Words& words : tokens.references[i]) references.push_back(join_words(words));
    stats[i] = meteor.score(join_words(tokens.candidates[i]), references).stats;
  });
  return meteor_statistics(stats);
}

ImageStatistics rouge_of(const Tokens& tokens) {
  std::vector<double> scores(tokens.images());
  for_images(tokens.images(), [&](std::size_t i) {
    scores[i] = rouge_l(tokens.candidates[i], tokens.references[i]);
  });
  return mean_statistics("ROUGE_L", scores);
}

// Adds CIDEr-D and CIDEr under names that end with `suffix`.
void add_cider(const CountedCorpus& corpus, const DocumentFrequencies& frequencies,
               const std::string& suffix, std::vector<ImageStatistics>& out) {
  std::vector<double> cider_d(corpus.images()), cider(corpus.images());
  for_images(corpus.images(), [&](std::size_t i) {
    std::vector<CiderVector> references;
    for (const CountedCaption& reference : corpus.references[i]) {
      references.push_back(cider_vector(reference, frequencies));
    }
    const CiderScores scores =
        score_cider(cider_vector(corpus.candidates[i], frequencies), references);
    cider_d[i] = scores.cider_d;
    cider[i] = scores.cider;
  });
  out.push_back(mean_statistics("CIDEr" + suffix, cider_d));
  out.push_back(mean_statistics("CIDEr_plain" + suffix, cider));
}

}  // namespace

NamedScores CaptionScores::corpus() const {
  NamedScores out;
  for (const ImageStatistics& metric : metrics) out.emplace_back(metric.metric, metric.whole());
  return out;
}

double CaptionScores::of_image(std::size_t m, std::size_t i) const {
  return metrics[m].score(metrics[m].row(i), 1);
}

NamedScores caption_statistics(const CaptionScores& scores) {
  std::set<std::string> vocabulary;
  const std::set<Words> unique(scores.words.begin(), scores.words.end());
  double sum = 0, squares = 0;
  for (const Words& words : scores.words) {
    vocabulary.insert(words.begin(), words.end());
    const auto length = static_cast<double>(words.size());
    sum += length;
    squares += length * length;
  }
  const auto count = static_cast<double>(scores.words.size());
  const double mean = sum / count;
  return {{"mean_length", mean},
          {"length_sd", std::sqrt(std::max(0.0, squares / count - mean * mean))},
          {"length_ratio", scores.length_ratio},
          {"vocabulary_used", static_cast<double>(vocabulary.size())},
          {"unique_captions", static_cast<double>(unique.size()) / count}};
}

CaptionScores score_captions(std::span<const std::string> candidates,
                             std::span<const std::vector<std::string>> references,
                             const ScoringOptions& options) {
  CaptionScores out;
  Tokens tokens = tokens_of(candidates, references);
  WordNumbers numbers;
  const CountedCorpus corpus = count_corpus(tokens.candidates, tokens.references, numbers);
  std::vector<BleuCounts> counts(corpus.images());
  BleuCounts sum;
  for_images(corpus.images(), [&](std::size_t i) {
    counts[i] = count_bleu(corpus.candidates[i], corpus.references[i]);
  });
  for (const BleuCounts& image : counts) sum += image;
  out.length_ratio = score_bleu(sum).ratio;
  out.marks = bleu_marks(sum);
  for (ScoreMark& mark : cider_marks(corpus.images())) out.marks.push_back(std::move(mark));

  std::vector<ImageStatistics> bleu = bleu_statistics(counts);
  const auto no_bp = bleu.begin() + static_cast<std::ptrdiff_t>(kGramOrders);
  std::move(bleu.begin(), no_bp, std::back_inserter(out.metrics));
  if (options.meteor) out.metrics.push_back(meteor_of(*options.meteor, tokens));
  out.metrics.push_back(rouge_of(tokens));
  add_cider(corpus, DocumentFrequencies::count(corpus.references), "", out.metrics);
  if (!options.document_frequencies.empty()) {
    add_cider(corpus, read_document_frequencies(options.document_frequencies.string(), numbers),
              "_external", out.metrics);
  }
  std::move(no_bp, bleu.end(), std::back_inserter(out.metrics));
  out.words = std::move(tokens.candidates);
  return out;
}

}  // namespace saccade
