// The LSTM decoder of Show, Attend and Tell (Xu et al. 2015, section 3.1).
#include "captioning/model/decoders/recurrent_decoder.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

//   h_0 = tanh MLP_h(mean a), c_0 = tanh MLP_c(mean a);
//   (i, f, g, o) from E y_{t-1}, h_{t-1} and z_t;
//   p(y_t) = softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t)).
// z_t comes from the attention, which is queried with h_{t-1}. Dropout is where the authors' code
// has it: on the hidden layer of the two MLPs, on h before the output layer, and after the tanh of
// the output layer; there is none inside the recurrence. The sentinel is made from the cell before
// the word, because the query is h_{t-1}.
class LstmCell : public Cell {
 public:
  LstmCell(const DecoderParts& parts, int embedding)
      : image_(parts),
        init_h_(parts.scope.sub("init_h"), parts),
        init_c_(parts.scope.sub("init_c"), parts) {
    const Index e = parts.config.embedding, h = parts.config.hidden;
    const ParamScope lstm = parts.scope.sub("lstm");
    word_ = declare_matrix(lstm, "word", e, 4 * h);
    hidden_ = declare_matrix(lstm, "hidden", h, 4 * h);
    context_ = declare_context(lstm, "context", parts, 4 * h);
    bias_ = declare_bias(lstm, "bias", 4 * h);
    if (parts.attention.sentinel) sentinel_.emplace(parts);
    declare_value_head(parts);
    output_.emplace(parts, embedding);
  }

  std::size_t parts() const override { return 2; }  // h, c

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Index memories = memory.features.shape()[0];
    const Var image = image_(tape, memory);
    return {init_h_(tape, memories, image), init_c_(tape, memories, image)};
  }

  std::vector<Var> project_words(Tape& tape, Var words) const override {
    std::vector<Var> out{ops::linear(words, tape.parameter(word_), tape.parameter(bias_))};
    if (sentinel_) out.push_back(sentinel_->project_words(tape, words));
    return out;
  }

  CellQuery make_query(Tape& tape, const CellInput& in) const override {
    CellQuery query{.query = in.state[0]};
    if (sentinel_) query.sentinel = (*sentinel_)(tape, in.projections[1], in.state[0], in.state[1]);
    return query;
  }

  CellOutput advance(Tape& tape, const CellInput& in, const CellQuery&, Var context,
                     const RegionPairs* pairs) const override {
    const Sum sum = pairs ? Sum::kFresh : Sum::kInPlace;
    const Var h = in.state[0], c = in.state[1];
    Var gates = plus_product(tape, in.projections[0], h, hidden_, sum);
    CellOutput output;
    if (pairs) {
      const ops::LstmState next =
          ops::lstm_cell(ops::add(pairs->of_rows(gates), pairs->of_regions(0)), pairs->of_rows(c));
      output.region_logits = output_->region_logits(tape, in.words, next.h, *pairs, 1);
    }
    gates = plus_product(tape, gates, context, context_, sum);
    const ops::LstmState next = ops::lstm_cell(gates, c);
    output.state = {next.h, next.c};
    output.output_features = {next.h};
    if (context) output.output_features.push_back(context);
    return output;
  }

  std::vector<Var> project_regions(Tape& tape, Var features) const override {
    return {ops::linear(features, tape.parameter(context_)), output_->of_regions(tape, features)};
  }

  int word_matrix() const override { return output_->word_matrix(); }
  int word_bias() const override { return output_->word_bias(); }

  Var logits(Tape& tape, Var words, std::span<const Var> output_features) const override {
    return output_->logits(tape, words, output_features[0],
                           output_features.size() > 1 ? output_features[1] : Var{});
  }

 private:
  StartImage image_;
  StateStart init_h_, init_c_;
  int word_, hidden_, context_, bias_;
  std::optional<Sentinel> sentinel_;
  std::optional<DeepOutput> output_;  // declared after all others
};

}  // namespace

std::unique_ptr<Decoder> make_lstm_decoder(const DecoderParts& parts) {
  return std::make_unique<RecurrentDecoder>(parts, parts.config.hidden,
                                            [](const DecoderParts& own, int embedding) {
                                              return std::make_unique<LstmCell>(own, embedding);
                                            });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
