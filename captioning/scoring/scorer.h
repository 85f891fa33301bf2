// Scorer: how well captions agree with references, by the metrics of the coco-caption evaluation.
// A public header of the library; the captions may be of any program.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/messages.h"
#include "core/base/real.h"

namespace saccade {

// How captions are scored.
struct ScorerOptions {
  bool meteor = true;                   // METEOR 1.5, whose tables take a moment to load
  std::filesystem::path paraphrases{};  // METEOR's paraphrase-en.gz; empty: none
  // A folder, made where it is missing, that keeps an index of the paraphrases, so that they load
  // in hundredths of a second instead of seconds. Empty: none.
  std::filesystem::path cache{};
  std::filesystem::path document_frequencies{};  // for CIDEr_external; empty: none
  int threads = 0;                               // at most so many; 0: one for each core
  // Receives messages about captions without words, images without a caption and the like, and
  // what files were read as.
  MessageListener listener{};
};

// The scores of one metric.
struct MetricScore {
  std::string name;   // Bleu_1 .. Bleu_4, METEOR, ROUGE_L, CIDEr, ...; in the order of a report
  double corpus = 0;  // as published: of all images together; CIDEr 0 .. 10, the others 0 .. 1
  std::vector<double> images{};  // [images]: of each image alone
};

// Scores captions. It prints nothing and may be used by many threads at once.
class Scorer {
 public:
  // Loads the tables of METEOR and CIDEr_external, as far as the options ask for them. Throws
  // DataError where one cannot be read.
  explicit Scorer(const ScorerOptions& options = {});
  ~Scorer();
  // Takes over the tables of another scorer, which must then only be assigned to.
  Scorer(Scorer&&) noexcept;
  // Takes over the tables of another scorer, as the constructor does.
  Scorer& operator=(Scorer&&) noexcept;

  // Scores caption i against references i, all as they were written (PTB tokens are made here).
  // Throws DataError where there are not as many captions as sets of references, none at all, or an
  // image without a reference.
  std::vector<MetricScore> score(std::span<const std::string> captions,
                                 std::span<const std::vector<std::string>> references) const;
  // Scores a file of results against one of references, in the forms that `saccade score` reads:
  // COCO's JSON, Karpathy's and others, CSV and text. The images are those of the results. Throws
  // DataError that names file and place, also where a file has two readings.
  std::vector<MetricScore> score_files(const std::filesystem::path& references,
                                       const std::filesystem::path& results) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
