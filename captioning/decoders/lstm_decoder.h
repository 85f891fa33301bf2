// The LSTM decoder of Show, Attend and Tell (Xu et al. 2015, section 3.1).
#pragma once

#include "captioning/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// h_0 = tanh MLP_h(mean a), c_0 = tanh MLP_c(mean a);
// (i, f, g, o) from E y_{t-1}, h_{t-1}, z_t;  z_t from the attention, queried with h_{t-1};
// p(y_t) = softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t)).
// Dropout, as the authors' code has it: on the hidden layer of the two MLPs, on h before the output
// layer, after the tanh of the output layer; none inside the recurrence.
class LstmDecoder : public Decoder {
 public:
  LstmDecoder(const DecoderConfig& config, std::unique_ptr<Attention> attention,
              const DecoderWidths& widths, const ParamScope& scope);

  AttentionMemory prepare(Tape& tape, Var features, Index group) const override;
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override;  // {h, c}
  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override;
  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context) const override;

 private:
  struct Mlp {
    int hidden_weight, hidden_bias, weight, bias;
  };
  static Mlp declare_mlp(const ParamScope& scope, Index in, Index hidden, Index out);
  Var run_mlp(Tape& tape, const Mlp& mlp, Var mean) const;
  // The contribution of the words to the gates, with the bias: [n, E] -> [n, 4H].
  Var input_gates(Tape& tape, Var words) const;
  // The recurrent part of one step; overwrites `gates`.
  struct Recurrence {
    Var h, c;
    Glimpse glimpse;
  };
  Recurrence recur(Tape& tape, Var gates, Var h, Var c, const AttentionMemory& memory,
                   const AttendContext& context) const;
  Var logits(Tape& tape, Var words, Var h, Var z) const;

  std::unique_ptr<Attention> attention_;
  double dropout_;
  int embedding_;
  Mlp init_h_, init_c_;
  int gates_word_, gates_h_, gates_z_, gates_bias_;
  int output_h_, output_z_, output_bias_, vocabulary_weight_, vocabulary_bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
