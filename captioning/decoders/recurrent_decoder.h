// A decoder with a state of fixed size: a cell and a look a word, word by word in training too. The
// products of words by themselves and of logits are made for all words at once.
#pragma once

#include <functional>
#include <memory>

#include "captioning/decoders/cell.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class RecurrentDecoder : public Decoder {
 public:
  // Makes a cell whose words are read with the parameter `embedding` [V, E].
  using MakeCell = std::function<std::unique_ptr<Cell>(const DecoderParts& parts, int embedding)>;
  // Declares attention, embedding, what the cell does and, of decoder.image first_step, ImageWord.
  // `sentinel` is the width of what the cell knows without looking, 0 for none. The query is as
  // wide as the state.
  RecurrentDecoder(const DecoderParts& parts, Index sentinel, const MakeCell& make_cell);

  AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const override;
  // {the cell's, then the attention's}
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override;
  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override;
  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context,
                          std::span<const PreparedLook> informed) const override;

 private:
  struct Move {
    Asked asked;
    Told told;
    std::vector<Var> state;
    Glimpse glimpse;
    Var value;
  };
  // One word; `regions` are empty unless the likelihood is marginal.
  Move move(Tape& tape, CellInput in, std::span<const Var> state, const AttentionMemory& memory,
            AttendContext context, std::span<const Var> regions) const;
  // What a step of a sequence knew before its word was said.
  struct Step {
    Asked asked;
    std::vector<Var> state;
    Var gate;
  };
  struct FirstPass {
    const PackedCaptions& captions;
    const AttentionMemory& memory;
    const AttendContext& context;
    Var words;                // [N, E], those that were read
    std::vector<Step> steps;  // kept where words are looked at again
  };
  // The words of a sequence, said once more from another look at each.
  InformedWords say_again(Tape& tape, const FirstPass& first, const PreparedLook& again) const;
  std::vector<Var> regions_of(Tape& tape, const AttentionMemory& memory,
                              const AttendContext& context) const;

  std::unique_ptr<Attention> attention_;
  MemoryLayout layout_;
  int embedding_;
  std::unique_ptr<Cell> cell_;
  std::optional<ImageWord> image_word_;  // where it stands before the first word
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
