// A summary of a data set: its counts of images, captions and words, lengths, and samples.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "captioning/data/load_data.h"

namespace saccade {

struct CheckedFile;  // check_files.h
struct ExperimentConfig;

struct SplitSummary {
  Split split = Split::kTrain;
  Index images = 0, captions = 0, words = 0;
  Index unknown_words = 0;  // not in the vocabulary of the training captions
  std::string known_count;  // how the number of images compares with the published one; or empty
  // The share of the images that an epoch trains on, and how many these are; of training images.
  double share = 1;
  Index in_epoch = 0;
  struct Set {
    std::string name;
    Index images = 0;
    double share = 1;
    Index in_epoch = 0;
  };
  std::vector<Set> sets = {};  // of joined data sets, each with its part of the images
};

struct DataSummary {
  std::string dataset, digest;
  std::vector<SplitSummary> splits;
  std::vector<std::string> notes;  // what was left out when the data set was read
  Index vocabulary = 0;            // size, special words included
  std::string problem;             // why there is no vocabulary, so that nothing can be trained
  // Where there is none: how many words occur in the training captions at least 1, 2, ... times, up
  // to data.min_count.
  std::vector<Index> words_left;
  bool pieces = false;          // the vocabulary has pieces of words
  Index cut_captions = 0;       // training captions with more words than data.max_length
  Index too_long_captions = 0;  // longer than search.max_length even when they are cut
  std::vector<Index> lengths;   // [words] -> training captions
  // [pieces] -> training captions, once they are cut; empty without pieces.
  std::vector<Index> piece_lengths;
  struct Sample {
    std::string image, caption;
  };
  std::vector<Sample> samples;
  // The photos, once somebody has looked at them; summarize() does not.
  struct Photos {
    bool looked_at = false;
    std::vector<std::string> lines;  // for people
    Index usable = 0;
    std::vector<std::string> missing, unreadable;  // names
  };
  Photos photos = {};
};

// Where the training captions give no vocabulary, all words count as unknown.
DataSummary summarize(const LoadedData& data, const ExperimentConfig& config);

// The files and folders of the config, one line each: the state, the key, the path, and what was
// found in it or, where it cannot be used, what it should be.
std::string files_text(std::span<const CheckedFile> files);
std::string files_json(std::span<const CheckedFile> files);

// As text and as JSON (experiments/README.md has the keys).
std::string summary_json(const DataSummary& summary, std::span<const CheckedFile> files);
std::string summary_text(const DataSummary& summary);

}  // namespace saccade
