// All matches between the words of a hypothesis and of a reference, from METEOR's four modules.
// Sentences are numbers of words in a WordTable.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/metrics/meteor/word_table.h"

namespace saccade::meteor {

enum class Module : std::uint8_t { kExact, kStem, kSynonym, kParaphrase };
constexpr std::size_t kModules = 4;

struct Match {
  std::uint32_t start = 0;                         // in the hypothesis
  std::uint32_t length = 1, reference_length = 1;  // words
  Module module = Module::kExact;
};

using Sentence = std::span<const std::uint32_t>;

// Which modules run after the exact one; `paraphrases` may be null.
struct Modules {
  bool stem = true, synonym = true;
  const Paraphrases* paraphrases = nullptr;
};

// The matches that start at each word of the reference, in the order in which the search tries
// them: by module and, within the first three modules, by place in the hypothesis.
class MatchLists {
 public:
  void find(Sentence hypothesis, Sentence reference, const WordTable& words,
            const Modules& modules);

  std::size_t hypothesis_length() const { return hypothesis_cover_.size(); }
  std::size_t reference_length() const { return lists_.size(); }
  std::span<const Match> at(std::size_t reference_start) const {
    const auto [begin, end] = lists_[reference_start];
    return std::span(matches_).subspan(begin, end - begin);
  }
  // Whether there is only one match at this word of the reference, and no other match at any of the
  // words of that match.
  bool is_certain(std::size_t reference_start) const;

 private:
  struct Range {
    std::size_t begin, end;  // in matches_
  };
  struct Occurrence {
    std::uint32_t phrase, start;
  };
  void find_words(Sentence hypothesis, Sentence reference, const WordTable& words,
                  const Modules& modules);
  void find_phrases(Sentence hypothesis, Sentence reference, const WordTable& words,
                    const Paraphrases& table);
  void count_cover();

  std::vector<Match> matches_;
  std::vector<Range> lists_;  // by word of the reference; equal words share a range
  std::vector<std::uint32_t> hypothesis_cover_, reference_cover_;  // matches on each word
};

}  // namespace saccade::meteor
