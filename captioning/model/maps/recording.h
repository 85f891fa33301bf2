// Records the attention of a decoder's step, for all rows of a search at once: each row as a word
// with its maps.
#pragma once

#include <vector>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/maps/decoded_caption.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What is kept of a word's attention beside the map of its last layer and that layer's heads.
struct Recording {
  bool layers = false;  // the maps of every layer and head (DecodedWord::parts)
  bool words = false;   // how it attends to the words before it (DecodedWord::self_attention)
};

// The attention of each row [R] of a step, whose glimpses by layer these are, on memories of this
// layout; without its word.
std::vector<DecodedWord> recorded(std::span<const Glimpse> glimpses, const MemoryLayout& layout,
                                  const Recording& recording);

// For each row the mean_map() of models that attend to the same regions, with nothing else of them;
// what a single model recorded stays as it is. There must be at least one model.
std::vector<DecodedWord> mean_recorded(std::vector<std::vector<DecodedWord>> models);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
