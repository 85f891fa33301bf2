// How near a trained model is to a person's own captions: what `saccade new` recommends follows
// from it.
#pragma once

#include <optional>
#include <string>

#include "captioning/data/own_data.h"

namespace saccade {

// The model that `new` measures where none is named, if it is installed.
inline constexpr const char* kUsualStart = "soft";

struct StartMeasure {
  std::string model;  // as it was named
  Index photos = 0;   // of the val split, on which it was measured
  // Of the captions of these photos: exp of the mean -log p per word. By the model, which has seen
  // none of them; a word that it does not know counts as <unk> and, among the words that it does
  // not know, by its frequency. And by the frequencies of words in the training captions alone,
  // without a look at the photos.
  double perplexity = 0, frequencies = 0;

  // Whether the model predicts these captions better than their own word frequencies do.
  bool is_near() const { return perplexity < frequencies; }
  // "soft as it is predicts the words of ...", in one sentence with the numbers.
  std::string text() const;
};

// Measures a model on up to 40 photos. None where it reads texts, where its vocabulary is of pieces
// of words, where its network's file is missing, or where no val photo has a word. Throws what
// loading a checkpoint throws.
std::optional<StartMeasure> measure_start(const std::string& model, const OwnData& data,
                                          const PhotoProgress& progress);

// The perplexity of captions by the frequencies of words in training captions, with one more count
// for every word and one for all others. NaN without a caption that has a word.
double frequency_perplexity(const Dataset& dataset, const std::vector<Index>& train,
                            const std::vector<Index>& judged);

}  // namespace saccade
