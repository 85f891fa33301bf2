// Two LSTMs, one that decides where to look and one that says the word (Anderson et al. 2018,
// "Bottom-Up and Top-Down Attention", section 3.2).
#include "captioning/decoders/recurrent_decoder.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// h1_t = LSTM([h2_{t-1}; mean v; E y_{t-1}], h1_{t-1}) (eq. 2);  z_t from the attention, queried
// with h1_t;  h2_t = LSTM([z_t; h1_t], h2_{t-1}) (eq. 6);  p(y_t) = softmax(W_p h2_t + b) (eq. 7).
// States start at zero; without decoder.first_state there is no mean. Dropout on h2 before the
// words. A sentinel is what the first LSTM's cell holds.
class UpdownCell : public Cell {
 public:
  UpdownCell(const DecoderParts& parts, int embedding)
      : dropout_(parts.config.dropout), width_(parts.config.hidden), image_(parts) {
    const Index e = parts.config.embedding, h = width_, d = parts.widths.features;
    const ParamScope look = parts.scope.sub("look");
    look_word_ = declare_matrix(look, "word", e, 4 * h);
    look_speech_ = declare_matrix(look, "speech", h, 4 * h);
    if (image_.given()) look_mean_ = declare_matrix(look, "mean", d, 4 * h);
    look_hidden_ = declare_matrix(look, "hidden", h, 4 * h);
    look_bias_ = declare_bias(look, "bias", 4 * h);
    const ParamScope speech = parts.scope.sub("speech");
    speech_context_ = declare_context(speech, "context", parts, 4 * h);
    speech_look_ = declare_matrix(speech, "look", h, 4 * h);
    speech_hidden_ = declare_matrix(speech, "hidden", h, 4 * h);
    speech_bias_ = declare_bias(speech, "bias", 4 * h);
    if (parts.attention.sentinel) sentinel_.emplace(parts);
    declare_value_head(parts);
    output_.emplace(parts.scope.sub("output"), parts, h, embedding);
  }

  // h2, c2, h1, c1, and what the mean gives where there is one
  std::size_t parts() const override { return image_.given() ? 5 : 4; }

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Var zero = zero_rows(tape, memory.features.shape()[0], width_);
    std::vector<Var> state(4, zero);
    if (image_.given())
      state.push_back(ops::linear(image_(tape, memory), tape.parameter(look_mean_)));
    return state;
  }

  std::vector<Var> read(Tape& tape, Var words) const override {
    std::vector<Var> out{
        ops::linear(words, tape.parameter(look_word_), tape.parameter(look_bias_))};
    if (sentinel_) out.push_back(sentinel_->read(tape, words));
    return out;
  }

  Asked ask(Tape& tape, const CellInput& in) const override {
    Var gates = plus_product(tape, in.read[0], in.state[0], look_speech_, Sum::kInPlace);
    gates = plus_product(tape, gates, in.state[2], look_hidden_, Sum::kInPlace);
    if (image_.given()) gates = ops::add(gates, in.state[4]);
    const ops::LstmState next = ops::lstm_cell(gates, in.state[3]);
    Asked asked{.query = next.h};
    asked.carried = {next.h, next.c};
    if (sentinel_) asked.sentinel = (*sentinel_)(tape, in.read[1], in.state[2], next.c);
    return asked;
  }

  Told tell(Tape& tape, const CellInput& in, const Asked& asked, Var context,
            const RegionPairs* pairs) const override {
    const Var h1 = asked.carried[0], h2 = in.state[0], c2 = in.state[1];
    Var gates = ops::linear(h1, tape.parameter(speech_look_), tape.parameter(speech_bias_));
    gates = plus_product(tape, gates, h2, speech_hidden_, Sum::kInPlace);
    Told told;
    if (pairs) {
      const ops::LstmState each =
          ops::lstm_cell(ops::add(pairs->of_rows(gates), pairs->of_regions(0)), pairs->of_rows(c2));
      told.each = (*output_)(tape, ops::dropout(each.h, dropout_));
    }
    gates =
        plus_product(tape, gates, context, speech_context_, pairs ? Sum::kFresh : Sum::kInPlace);
    const ops::LstmState next = ops::lstm_cell(gates, c2);
    told.state = {next.h, next.c, h1, asked.carried[1]};
    if (image_.given()) told.state.push_back(in.state[4]);
    told.said = {next.h};
    return told;
  }

  std::vector<Var> regions(Tape& tape, Var features) const override {
    return {ops::linear(features, tape.parameter(speech_context_))};
  }

  Var logits(Tape& tape, Var, std::span<const Var> said) const override {
    return (*output_)(tape, ops::dropout(said[0], dropout_));
  }

 private:
  double dropout_;
  Index width_;
  StartImage image_;
  int look_word_, look_speech_, look_mean_ = -1, look_hidden_, look_bias_;
  int speech_context_, speech_look_, speech_hidden_, speech_bias_;
  std::optional<Sentinel> sentinel_;
  std::optional<WordOutput> output_;  // declared last
};

}  // namespace

std::unique_ptr<Decoder> make_updown_decoder(const DecoderParts& parts) {
  return std::make_unique<RecurrentDecoder>(parts, parts.config.hidden,
                                            [](const DecoderParts& own, int embedding) {
                                              return std::make_unique<UpdownCell>(own, embedding);
                                            });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
