// What a recurrent decoder does at a word, in two halves with a look between them. The rest is the
// same for all and is RecurrentDecoder's.
#pragma once

#include <vector>

#include "captioning/decoders/cell_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The rows of one word.
struct CellInput {
  Var words;                   // [R, E]
  std::vector<Var> read;       // of Cell::read(), [R, ...] each
  std::span<const Var> state;  // of the cell, [R, ...] each
};

// What is asked of the image.
struct Asked {
  Var query;                   // [R, H]
  Var sentinel{};              // [R, H]; none without one
  std::vector<Var> carried{};  // from this half to the next
};

// What a word leaves.
struct Told {
  std::vector<Var> state;  // as CellInput::state
  std::vector<Var> said;   // what logits() reads, [R, ...] each
  Var each{};  // [R L, V], the logits of every region taken by itself; only where pairs are given
};

class Cell {
 public:
  virtual ~Cell() = default;
  // How many parts the state has.
  virtual std::size_t parts() const = 0;
  // The state before the first word, [M, ...] each.
  virtual std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const = 0;
  // What words give by themselves, for all of them in one product: [n, E] -> [n, ...] each. The
  // values may be overwritten.
  virtual std::vector<Var> read(Tape& tape, Var words) const = 0;
  virtual Asked ask(Tape& tape, const CellInput& in) const = 0;
  // `pairs` is null unless words are said from every region; the context is linear in the choice,
  // so what regions give is made once an image and only what follows runs for each.
  virtual Told tell(Tape& tape, const CellInput& in, const Asked& asked, Var context,
                    const RegionPairs* pairs) const = 0;
  // What regions [M L, D] give to the sums that contexts go into, [M L, ...] each.
  virtual std::vector<Var> regions(Tape& tape, Var features) const = 0;
  // words [n, E], said: Told::said of the same rows -> [n, V].
  virtual Var logits(Tape& tape, Var words, std::span<const Var> said) const = 0;
  // What a value head adds to the usual cost of a choice, from the query [R, H] -> [R, 1]; none
  // without one.
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
