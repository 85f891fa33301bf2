// All caption metrics of a corpus by the rules of the coco-caption evaluation, from raw captions:
// PTB tokens, then BLEU, METEOR, ROUGE-L and CIDEr, for every image and for the corpus.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "captioning/scoring/scores/score_marks.h"
#include "captioning/scoring/statistics/image_statistics.h"
#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

class Meteor;

// Scores, in the order of the report.
using NamedScores = std::vector<std::pair<std::string, double>>;

struct ScoringOptions {
  const Meteor* meteor = nullptr;                // null: no METEOR
  std::filesystem::path document_frequencies{};  // adds CIDEr_external with a file's frequencies
};

struct CaptionScores {
  // In the order of the report: Bleu_1 .. Bleu_4, METEOR, ROUGE_L, CIDEr (which is CIDEr-D, as in
  // coco-caption), CIDEr_plain; CIDEr_external and CIDEr_plain_external where frequencies were
  // given; Bleu_1_no_bp .. Bleu_4_no_bp.
  std::vector<ImageStatistics> metrics;
  std::vector<Words> words;      // of the candidates, as the metrics count them
  std::vector<ScoreMark> marks;  // on numbers that can say little
  double length_ratio = 0;       // words of the candidates / words of the closest references

  // The scores of the corpus, with their names.
  NamedScores corpus() const;
  // Metric m of image i alone (CIDEr keeps the document frequencies of the corpus).
  double of_image(std::size_t m, std::size_t i) const;
};

// What can be measured of the candidates without references: mean_length and length_sd (words),
// length_ratio, vocabulary_used (different words), unique_captions (different captions / captions).
NamedScores caption_statistics(const CaptionScores& scores);

// Scores candidate i against references i, all raw. The tokenizer reads all candidates as one file
// and all references as another, in this order, as the reference implementation does. Throws
// DataError when there are not as many candidates as sets of references, when there are none, when
// an image has no reference, or when options name a bad file.
CaptionScores score_captions(std::span<const std::string> candidates,
                             std::span<const std::vector<std::string>> references,
                             const ScoringOptions& options);

}  // namespace saccade
