#include "captioning/data/sequences/sequences_config.h"

#include <algorithm>

#include "captioning/data/sequences/written_dates.h"
#include "core/config/fields.h"

namespace saccade {

std::int64_t SequencesConfig::most_tokens() const {
  return task == SequenceTask::kDates ? kMostDateTokens : std::max(longest, longest_test);
}

std::int64_t SequencesConfig::most_words() const {
  return task == SequenceTask::kDates ? kDateDigits : std::max(longest, longest_test);
}

void SequencesConfig::fields(Section& v) {
  v.field("task", task, "what is done with a text");
  v.field("train", train, "texts to train on", between(1, 1e7));
  v.field("val", val, "texts to validate on; training has no text with the same result",
          between(1, 1e7));
  v.field("test", test, "texts to test on; training has no text with the same result",
          between(1, 1e7));
  v.field("symbols", symbols, "number of different letters", between(2, 26))
      .unless("data.sequences.task", SequenceTask::kDates);
  v.field("shortest", shortest, "fewest letters of a text", between(1, 1000))
      .unless("data.sequences.task", SequenceTask::kDates);
  v.field("longest", longest, "most letters of a text", between(1, 1000))
      .unless("data.sequences.task", SequenceTask::kDates);
  v.field("longest_test", longest_test,
          "most letters of a text of the test split, to see what a model does with texts longer "
          "than those it has learned from; 0 = as in training",
          between(0, 1000))
      .unless("data.sequences.task", SequenceTask::kDates);
  v.field("seed", seed, "seed of the texts; the seed of the run is for weights and batches",
          at_least(0));
}

}  // namespace saccade
