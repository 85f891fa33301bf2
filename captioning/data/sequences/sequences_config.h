// The section `data.sequences`: the built-in tasks on texts.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class SequenceTask { kCopy, kReverse, kSort, kDates };
constexpr auto enum_table(SequenceTask) {
  using enum SequenceTask;
  return enum_rows<SequenceTask>({
      {kCopy, "copy", "letters, to be repeated"},
      {kReverse, "reverse", "letters, to be repeated backwards"},
      {kSort, "sort", "letters, to be put in the order of the alphabet"},
      {kDates, "dates",
       "dates in six forms, as `sunday the third of may nineteen ninety eight`, to be written as "
       "year, month and day: 1 9 9 8 0 5 0 3"},
  });
}

struct SequencesConfig {
  SequenceTask task = SequenceTask::kReverse;
  std::int64_t train = 20000;
  std::int64_t val = 300;
  std::int64_t test = 1000;
  std::int64_t symbols = 20;
  std::int64_t shortest = 3;
  std::int64_t longest = 10;
  std::int64_t longest_test = 0;
  std::int64_t seed = 1;

  // The most tokens of a text, and the most words that it is turned into, in any split.
  std::int64_t most_tokens() const;
  std::int64_t most_words() const;

  void fields(Section& v);
};

}  // namespace saccade
