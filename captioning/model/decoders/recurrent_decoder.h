// A decoder with a state of fixed size: a cell and one glimpse per word. It goes word by word in
// training, too, but projects the input words and computes the logits for all words at once.
#pragma once

#include <functional>
#include <memory>

#include "captioning/model/decoders/cell.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class RecurrentDecoder : public Decoder {
 public:
  // Makes a cell whose input words are embedded with the parameter `embedding` [V, E].
  using MakeCell = std::function<std::unique_ptr<Cell>(const DecoderParts& parts, int embedding)>;
  // Declares attention, embedding, what the cell declares and, for decoder.image first_step,
  // ImageWord. `sentinel` is the width of the sentinel that the cell makes; 0: it makes none. The
  // query is as wide as the state.
  RecurrentDecoder(const DecoderParts& parts, Index sentinel, const MakeCell& make_cell);

  WordParameters word_parameters() const override {
    return {.embedding = embedding_, .matrix = cell_->word_matrix(), .bias = cell_->word_bias()};
  }
  AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const override;
  void prepare_mixture(Tape& tape, AttentionMemory& memory) const override;
  // The state of the cell, followed by the state of the attention.
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override;
  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override;
  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context) const override;

 private:
  struct CellStep {
    CellQuery cell_query;
    CellOutput cell_output;
    std::vector<Var> state;
    Glimpse glimpse;
    Var value;
  };
  // Runs the cell and its attention on one word. `regions` is empty unless the likelihood is
  // marginal.
  CellStep run_cell(Tape& tape, CellInput in, std::span<const Var> state,
                    const AttentionMemory& memory, AttendContext context,
                    std::span<const Var> regions) const;
  // The projected regions [M L, ...] of a memory where the likelihood is marginal; else none. They
  // are computed here unless the memory has them already.
  std::vector<Var> region_projections(Tape& tape, const AttentionMemory& memory,
                                      const AttendContext& context) const;

  std::unique_ptr<Attention> attention_;
  MemoryLayout layout_;
  int embedding_;
  std::unique_ptr<Cell> cell_;
  std::optional<ImageWord> image_word_;  // where the image is read before the first word
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
