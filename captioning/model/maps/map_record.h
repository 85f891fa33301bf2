// The recorder: it takes the maps of a decoder's step, for all rows of a search at once, and hands
// out those of one row as a decoded word.
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

// One glimpse of R rows.
struct GlimpseRecord {
  MapPart layer{};
  std::vector<float> weights{};             // [R, L], the mean over heads
  std::vector<std::vector<float>> heads{};  // [H] of [R, L]; empty for a single head
  std::vector<int> chosen{};                // [R] as Glimpse::chosen; empty: all are expectations
  std::vector<std::vector<int>> head_chosen{};  // [H] of [R]; a number of L is no region
  std::vector<double> gates{}, sentinels{};     // [R]; empty without a gate, without a sentinel
};

// One step of R rows.
struct MapRecord {
  GridSize grid{};                        // of L cells
  std::vector<std::uint8_t> mask{};       // [R, L] as AttentionMap::mask; empty: no padding
  std::vector<GlimpseRecord> glimpses{};  // those that are kept; the last is the word's last
  // [draws of a word] of [R], by layer, then by head; empty where a word has one, of a region.
  std::vector<std::vector<int>> choices{};
  std::vector<SelfAttention> self_attention{};  // weights [R, t + 1]

  // The attention of one row, without a word.
  DecodedWord of_row(Index row) const;
};

// The glimpses of a step, by layer, of queries on memories of this layout.
MapRecord record_of(std::span<const Glimpse> glimpses, const MemoryLayout& layout,
                    const Recording& recording);

// The mean of the weights over models that attend to the same regions, and of gates and sentinels
// where all models have them; a cell is masked where all of them mask it. All but the mean over
// the heads of the last layer is kept only for a single model. There must be at least one record.
MapRecord mean_record(std::vector<MapRecord> records);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
