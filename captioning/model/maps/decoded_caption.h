// A caption that a model decoded, word by word, with the attention of every word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/attention/map.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How much a word attended to the words before it, in one layer and head of a decoder that attends
// to words.
struct SelfAttention {
  Index layer = 0, head = 0;     // from 0
  std::vector<float> weights{};  // [t + 1] of word t: of <bos>, then of the words before it
};

// One decoded word with the attention of its step.
struct DecodedWord {
  int id = 0;           // -1 for a word that has a text of its own (decoding/whole_words.h)
  double log_prob = 0;  // of this word given the ones before
  AttentionMap map{};   // of the last layer, the mean over its heads
  // Every head of the last layer, or every head of every layer where that was requested
  // (Recording), by layer, then by head; empty where `map` is the only one.
  std::vector<AttentionMap> parts{};
  // The cells that hard attention took at all glimpses, by layer, then by head; empty where a word
  // has one choice, of a cell, which is map.chosen, and where none chose. The number of cells
  // stands for the sentinel, or for no cell.
  std::vector<int> choices{};
  std::vector<SelfAttention> self_attention{};  // where they were requested: by layer, then by head
  std::string text{};                           // of a word that was put together, or is new
  std::vector<int> pieces{};                    // and the ids of its pieces, in order, or of a word
                                                // that is like it
  // Where it was requested, for every region of the grid by how much log_prob falls when the region
  // is removed (inspection/occlusion.h); 0 for padding.
  std::vector<float> effects{};
};

struct DecodedCaption {
  std::vector<DecodedWord> words;  // without <eos>
  bool finished = false;           // false: cut at max_length
  double log_prob = 0;             // of the whole caption, <eos> included if finished
  // What was chosen after the words: <eos> if finished, else the word that was cut off (-1 if no
  // word was allowed). Only greedy search and sampling set it.
  DecodedWord last;
  // The next best finished hypotheses, where options.alternatives is above 1. No two have the same
  // words.
  std::vector<DecodedCaption> others{};
  // The constraints that it does not meet (search/must.h), as they were asked for.
  std::vector<std::string> unmet{};
};

// What hard attention took for a word, as DecodedWord::choices; empty where nothing was chosen.
inline std::vector<int> chosen_cells(const DecodedWord& word) {
  if (!word.choices.empty()) return word.choices;
  return word.map.chosen < 0 ? std::vector<int>() : std::vector<int>{word.map.chosen};
}

// The single maps of a word that were kept, by layer, then by head: its parts, or `map` alone.
inline std::span<const AttentionMap> single_maps(const DecodedWord& word) {
  return word.parts.empty() ? std::span(&word.map, 1) : std::span(word.parts);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
