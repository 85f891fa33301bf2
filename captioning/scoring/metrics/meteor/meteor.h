// METEOR 1.5 for English (Denkowski and Lavie, WMT 2014; task rank, -norm), as the coco-caption
// evaluation calls it. The best reference counts, and a corpus is scored from the sum of its
// segments' statistics, not from the mean of their scores. Scores are fractions, not percent.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "captioning/scoring/metrics/meteor/stats.h"

namespace saccade {

// coco-caption runs exact, stem and synonym, and also paraphrases where their table was fetched.
// Scores with and without paraphrases cannot be compared.
struct MeteorOptions {
  bool stem = true;                     // words of the same stem match
  bool synonym = true;                  // words that share a WordNet synset match
  std::filesystem::path synonyms{};     // empty: the built-in table; see wordnet/make_table.sh
  std::filesystem::path paraphrases{};  // METEOR's paraphrase-en.gz; empty: no paraphrases
  // All texts that will be scored, hypotheses and references, as score() takes them: only their
  // paraphrases are kept, so that the table is read in less time and memory. Empty: all.
  std::span<const std::string> texts{};
};

struct MeteorSegment {
  MeteorStats stats;          // against the best reference
  std::size_t reference = 0;  // its index, the first among equals
  double score = 0;
};

class Meteor {
 public:
  // Loads the tables. Throws DataError when one cannot be read.
  explicit Meteor(const MeteorOptions& options = {});
  ~Meteor();
  Meteor(const Meteor&) = delete;
  Meteor& operator=(const Meteor&) = delete;

  // The score of a hypothesis, whose words are joined by one space (PTB tokens in coco-caption).
  // Many threads may call it at once. Throws DataError when there is no reference.
  MeteorSegment score(std::string_view hypothesis, std::span<const std::string> references) const;

  // The modules and tables, with the tables' digests, for reports. Says where paraphrases are
  // missing, without which METEOR is not the number that coco-caption gives.
  const std::string& tables() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
