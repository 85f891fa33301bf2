// Which words lie near a word, before and after each self-attention of a decoder: how its vector
// takes up the caption in which it stands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"

namespace saccade {

struct NeighbourRequest {
  std::string word;
  // The captions in which it is looked at, at its first place in each. Empty: the first two
  // captions of the images that have it, or one if there is one only.
  std::vector<std::string> captions{};
  std::size_t count = 5;  // neighbours of each place
};

// Another word, by the one of its places whose vector is the most similar.
struct WordNeighbour {
  std::string word;
  double cosine = 0;
  std::string caption{};  // in which that place is; empty in the embedding, which has no places
};

// The vectors of all words after one part of the decoder.
struct WordStage {
  std::string name;  // "embedding", "layer 0 before", "layer 0 after", ..., "end"
  // The mean cosine of the vectors of two of the captions; none where there is one caption. In the
  // embedding a word has one vector.
  std::optional<double> between{};
  std::vector<std::vector<WordNeighbour>> neighbours{};  // by caption, the most similar first
};

struct WordNeighbours {
  std::string word;
  std::vector<std::string> captions;
  Index tokens = 0;  // the words of all captions of the images, among which neighbours are found
  std::vector<WordStage> stages;
};

// Reads all captions of the images by teacher forcing, each with its image; given captions are read
// with the first image. The embedding is compared with the embeddings of the vocabulary, without
// its special words. A decoder without self-attention has no other stage. Several words share what
// is read. Throws UsageError for a vocabulary of pieces, for a word that it lacks, for a given
// caption without the word, and where no caption of the images has it.
std::vector<WordNeighbours> word_neighbours(const CaptionModel& model, const Dataset& dataset,
                                            const DatasetInputs& inputs,
                                            std::span<const Index> images,
                                            std::span<const NeighbourRequest> requests);
WordNeighbours word_neighbours(const CaptionModel& model, const Dataset& dataset,
                               const DatasetInputs& inputs, std::span<const Index> images,
                               const NeighbourRequest& request);

// Throws the UsageError for a vocabulary of pieces and for a word that it lacks.
void check_words(const Vocabulary& vocabulary, std::span<const std::string> words);

}  // namespace saccade
