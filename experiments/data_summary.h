// What is in a data set: counts, words, lengths, samples.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "captioning/data/load_data.h"

namespace saccade {

struct SplitSummary {
  Split split = Split::kTrain;
  Index images = 0, captions = 0, words = 0;
  Index unknown_words = 0;  // not in the vocabulary of the training captions
  std::string known_count;  // how the number of images compares with the published one; or empty
};

struct DataSummary {
  std::string dataset, digest;
  std::vector<SplitSummary> splits;
  std::vector<std::string> notes;  // what was dropped when it was read
  Index vocabulary = 0;            // with the special words
  Index cut_captions = 0;          // training captions longer than data.max_length
  std::vector<Index> lengths;      // [words] -> training captions
  struct Sample {
    std::string image, caption;
  };
  std::vector<Sample> samples;
};

DataSummary summarize(const LoadedData& data, const DataConfig& config);

// {"schema_version", "dataset", "digest", "splits": [{"name", "images", "captions", "words",
// "unknown_words", "unknown_share"}], "notes", "vocabulary_size", "cut_captions", "lengths",
// "samples"}
std::string summary_json(const DataSummary& summary);
std::string summary_text(const DataSummary& summary);

}  // namespace saccade
