// Two LSTMs: the attention LSTM makes the query, and the language LSTM makes the word (Anderson et
// al. 2018, "Bottom-Up and Top-Down Attention", section 3.2).
#include "captioning/model/decoders/recurrent_decoder.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

//   h1_t = LSTM([h2_{t-1}; mean v; E y_{t-1}], h1_{t-1}) (eq. 2);
//   h2_t = LSTM([z_t; h1_t], h2_{t-1}) (eq. 6);  p(y_t) = softmax(W_p h2_t + b) (eq. 7).
// z_t comes from the attention, which is queried with h1_t. States start at zero; without
// decoder.first_state there is no mean. There is dropout on h2 before the output layer. The
// sentinel is made from the cell of the attention LSTM. In checkpoints, the scopes of the two LSTMs
// are called look and speech.
class UpdownCell : public Cell {
 public:
  UpdownCell(const DecoderParts& parts, int embedding)
      : dropout_(parts.config.dropout), width_(parts.config.hidden), image_(parts) {
    const Index e = parts.config.embedding, h = width_, d = parts.widths.features;
    const ParamScope attention_lstm = parts.scope.sub("look");
    attention_word_ = declare_matrix(attention_lstm, "word", e, 4 * h);
    attention_language_ = declare_matrix(attention_lstm, "speech", h, 4 * h);
    if (image_.given()) attention_mean_ = declare_matrix(attention_lstm, "mean", d, 4 * h);
    attention_hidden_ = declare_matrix(attention_lstm, "hidden", h, 4 * h);
    attention_bias_ = declare_bias(attention_lstm, "bias", 4 * h);
    const ParamScope language_lstm = parts.scope.sub("speech");
    language_context_ = declare_context(language_lstm, "context", parts, 4 * h);
    language_attention_ = declare_matrix(language_lstm, "look", h, 4 * h);
    language_hidden_ = declare_matrix(language_lstm, "hidden", h, 4 * h);
    language_bias_ = declare_bias(language_lstm, "bias", 4 * h);
    if (parts.attention.sentinel) sentinel_.emplace(parts);
    declare_value_head(parts);
    output_.emplace(parts.scope.sub("output"), parts, h, embedding);
  }

  // h2, c2, h1, c1, and the projected mean where there is one.
  std::size_t parts() const override { return image_.given() ? 5 : 4; }

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Var zero = zero_rows(tape, memory.features.shape()[0], width_);
    std::vector<Var> state(4, zero);
    if (image_.given())
      state.push_back(ops::linear(image_(tape, memory), tape.parameter(attention_mean_)));
    return state;
  }

  std::vector<Var> project_words(Tape& tape, Var words) const override {
    std::vector<Var> out{
        ops::linear(words, tape.parameter(attention_word_), tape.parameter(attention_bias_))};
    if (sentinel_) out.push_back(sentinel_->project_words(tape, words));
    return out;
  }

  CellQuery make_query(Tape& tape, const CellInput& in) const override {
    Var gates =
        plus_product(tape, in.projections[0], in.state[0], attention_language_, Sum::kInPlace);
    gates = plus_product(tape, gates, in.state[2], attention_hidden_, Sum::kInPlace);
    if (image_.given()) gates = ops::add(gates, in.state[4]);
    const ops::LstmState next = ops::lstm_cell(gates, in.state[3]);
    CellQuery query{.query = next.h};
    query.carried = {next.h, next.c};
    if (sentinel_) query.sentinel = (*sentinel_)(tape, in.projections[1], in.state[2], next.c);
    return query;
  }

  CellOutput advance(Tape& tape, const CellInput& in, const CellQuery& query, Var context,
                     const RegionPairs* pairs) const override {
    const Var h1 = query.carried[0], h2 = in.state[0], c2 = in.state[1];
    Var gates =
        ops::linear(h1, tape.parameter(language_attention_), tape.parameter(language_bias_));
    gates = plus_product(tape, gates, h2, language_hidden_, Sum::kInPlace);
    CellOutput output;
    if (pairs) {
      const ops::LstmState by_region =
          ops::lstm_cell(ops::add(pairs->of_rows(gates), pairs->of_regions(0)), pairs->of_rows(c2));
      output.region_logits = (*output_)(tape, ops::dropout(by_region.h, dropout_));
    }
    gates =
        plus_product(tape, gates, context, language_context_, pairs ? Sum::kFresh : Sum::kInPlace);
    const ops::LstmState next = ops::lstm_cell(gates, c2);
    output.state = {next.h, next.c, h1, query.carried[1]};
    if (image_.given()) output.state.push_back(in.state[4]);
    output.output_features = {next.h};
    return output;
  }

  std::vector<Var> project_regions(Tape& tape, Var features) const override {
    return {ops::linear(features, tape.parameter(language_context_))};
  }

  int word_matrix() const override { return output_->word_matrix(); }
  int word_bias() const override { return output_->word_bias(); }

  Var logits(Tape& tape, Var, std::span<const Var> output_features) const override {
    return (*output_)(tape, ops::dropout(output_features[0], dropout_));
  }

 private:
  double dropout_;
  Index width_;
  StartImage image_;
  int attention_word_, attention_language_, attention_mean_ = -1, attention_hidden_,
                                            attention_bias_;
  int language_context_, language_attention_, language_hidden_, language_bias_;
  std::optional<Sentinel> sentinel_;
  std::optional<WordOutput> output_;  // declared after all others
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
