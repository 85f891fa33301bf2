// What a recurrent decoder computes for a word, in two halves with attention between them. The rest
// is the same for all recurrent decoders and is in RecurrentDecoder.
#pragma once

#include <vector>

#include "captioning/model/decoders/cell_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What the cell gets for the rows of one word.
struct CellInput {
  Var words;                     // [R, E], the embeddings of the words that are read
  std::vector<Var> projections;  // from Cell::project_words(), [R, ...] each
  std::span<const Var> state;    // the cell's state, [R, ...] each
};

// What attention is queried with. The first half makes it.
struct CellQuery {
  Var query;                   // [R, H]
  Var sentinel{};              // [R, H]; none without a sentinel
  std::vector<Var> carried{};  // what the second half takes over from the first
};

// What the second half makes from the context.
struct CellOutput {
  std::vector<Var> state;            // as CellInput::state
  std::vector<Var> output_features;  // what logits() reads, [R, ...] each
  // [R L, V], for every region, the logits if the context were that region alone. Only where pairs
  // are given.
  Var region_logits{};
};

class Cell {
 public:
  virtual ~Cell() = default;
  // The number of parts of the state.
  virtual std::size_t parts() const = 0;
  // The state before the first word, [M, ...] each.
  virtual std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const = 0;
  // Projects the embeddings of words with the input weights, for all words in one product:
  // [n, E] -> [n, ...] each. The values may be overwritten.
  virtual std::vector<Var> project_words(Tape& tape, Var words) const = 0;
  // The first half of a word's computation.
  virtual CellQuery make_query(Tape& tape, const CellInput& in) const = 0;
  // The second half. `pairs` is null unless the likelihood is a mixture over regions. The context
  // is linear in the choice of a region, so the products with regions are computed once per image,
  // and only what follows them runs for every region.
  virtual CellOutput advance(Tape& tape, const CellInput& in, const CellQuery& query, Var context,
                             const RegionPairs* pairs) const = 0;
  // Projects regions [M L, D] with the weights that contexts go through, [M L, ...] each.
  virtual std::vector<Var> project_regions(Tape& tape, Var features) const = 0;
  // The parameters [in, V] (-1 where it is tied to the embedding) and [V] of the logits.
  virtual int word_matrix() const = 0;
  virtual int word_bias() const = 0;
  // words [n, E] and CellOutput::output_features of the same rows -> [n, V].
  virtual Var logits(Tape& tape, Var words, std::span<const Var> output_features) const = 0;
  // What a value head adds to the average cost of a choice, from the query [R, H] -> [R, 1]. None
  // without a value head.
  Var cost_correction(Tape& tape, Var query) const {
    return value_head_ ? (*value_head_)(tape, query) : Var{};
  }

 protected:
  void declare_value_head(const DecoderParts& parts);

 private:
  std::optional<ValueHead> value_head_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
