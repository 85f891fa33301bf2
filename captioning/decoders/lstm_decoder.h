// The LSTM decoder of Show, Attend and Tell (Xu et al. 2015, section 3.1).
#pragma once

#include "captioning/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The attention of an LSTM. With a sentinel, the gated memory cell
//   s_t = sigmoid(W_x E y_{t-1} + W_h h_{t-1} + b) tanh(c_{t-1})
// is one more thing to attend to (Lu et al. 2017, eq. 9-10; the query being h_{t-1}, the state is
// the one before the word).
struct LstmAttention {
  std::unique_ptr<Attention> mechanism;
  bool sentinel = false;
  bool value_head = false;  // a linear baseline of hard attention on h_{t-1}
};

// h_0 = tanh MLP_h(mean a), c_0 = tanh MLP_c(mean a);
// (i, f, g, o) from E y_{t-1}, h_{t-1}, z_t;  z_t from the attention, queried with h_{t-1};
// p(y_t) = softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t)).
// Dropout, as the authors' code has it: on the hidden layer of the two MLPs, on h before the output
// layer, after the tanh of the output layer; none inside the recurrence.
class LstmDecoder : public Decoder {
 public:
  LstmDecoder(const DecoderConfig& config, LstmAttention attention, const DecoderWidths& widths,
              const ParamScope& scope);

  AttentionMemory prepare(Tape& tape, Var features, Index group) const override;
  // {h, c, then the attention's own}
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override;
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
  // What the words give to the gates and to the sentinel's, with their biases: [n, E] -> [n, 4H],
  // [n, H] (none without a sentinel).
  struct WordInputs {
    Var gates, sentinel;
    WordInputs rows(Index first, Index count) const;
  };
  WordInputs word_inputs(Tape& tape, Var words) const;
  // Where a step looks, from the state before it.
  Glimpse look(Tape& tape, const WordInputs& inputs, std::span<const Var> state,
               const AttentionMemory& memory, AttendContext context) const;
  // The gates of a step from words and state, then with the context too, and the state they give.
  // kInPlace overwrites what it adds to, whose gradient nobody else may then add to.
  enum class Sum { kInPlace, kFresh };
  Var add_hidden(Tape& tape, const WordInputs& inputs, std::span<const Var> state, Sum sum) const;
  std::vector<Var> advance(Tape& tape, Var gates, std::span<const Var> state,
                           const Glimpse& glimpse, Sum sum) const;
  Var logits(Tape& tape, Var words, Var h, Var z) const;
  // The logits of every region taken by itself, [R * L, V], row r's regions together: the context
  // is linear in the choice, so what a region gives to the gates and to the output is made once an
  // image (Regions) and only the cell and the output layer run for each.
  struct Regions {
    Var gates, output;  // [M * L, 4H], [M * L, E]
  };
  Var cost_correction(Tape& tape, Var h) const;  // of the value head, [R, 1]
  Regions regions_of(Tape& tape, const AttentionMemory& memory) const;
  Var region_logits(Tape& tape, Var words, Var gates, std::span<const Var> state,
                    const AttentionMemory& memory, const Regions& regions, Var gate) const;

  LstmAttention attention_;
  MemoryLayout layout_;
  double dropout_;
  int embedding_;
  Mlp init_h_, init_c_;
  int gates_word_, gates_h_, gates_z_, gates_bias_;
  int sentinel_word_ = -1, sentinel_h_ = -1, sentinel_bias_ = -1;
  int value_weight_ = -1, value_bias_ = -1;
  int output_h_, output_z_, output_bias_, vocabulary_weight_, vocabulary_bias_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
