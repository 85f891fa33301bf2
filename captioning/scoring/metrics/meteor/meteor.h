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
#include "core/base/messages.h"

namespace saccade {

// coco-caption runs exact, stem, synonym and paraphrase. Scores with and without paraphrases cannot
// be compared.
struct MeteorOptions {
  bool stem = true;                     // words of the same stem match
  bool synonym = true;                  // words that share a WordNet synset match
  std::filesystem::path synonyms{};     // empty: the built-in table; see wordnet/make_table.sh
  std::filesystem::path paraphrases{};  // METEOR's paraphrase-en.gz; empty: no paraphrases
  // A folder, made where it is missing, that keeps an index of the paraphrases: a start then takes
  // hundredths of a second instead of seconds. Empty: none.
  std::filesystem::path cache{};
  MessageListener listener{};  // hears where the index is, or why none is kept
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
  // The digest of the paraphrases, "" without them: METEORs that differ in it cannot be compared.
  std::string paraphrases() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
