// An LSTM whose query is its new state (Luong et al. 2015, section 3), with input feeding (3.3).
#include "captioning/model/decoders/recurrent_decoder.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

//   h_0 and c_0 as in the LSTM decoder, h~_0 = 0;
//   (i, f, g, o) from E y_{t-1}, h~_{t-1} and h_{t-1};
//   h~_t = tanh(W_c [z_t; h_t]) (eq. 5);  p(y_t) = softmax(W_s h~_t + b) (eq. 6).
// z_t comes from the attention, which is queried with h_t. There is dropout on h~ before the output
// layer. The sentinel is made from the cell after the word, and its gate from h_{t-1} (Lu et al.
// 2017, eq. 9-10).
class LuongCell : public Cell {
 public:
  LuongCell(const DecoderParts& parts, int embedding)
      : dropout_(parts.config.dropout),
        width_(parts.config.hidden),
        image_(parts),
        init_h_(parts.scope.sub("init_h"), parts),
        init_c_(parts.scope.sub("init_c"), parts) {
    const Index e = parts.config.embedding, h = width_;
    const ParamScope lstm = parts.scope.sub("lstm");
    word_ = declare_matrix(lstm, "word", e, 4 * h);
    fed_ = declare_matrix(lstm, "fed", h, 4 * h);
    hidden_ = declare_matrix(lstm, "hidden", h, 4 * h);
    bias_ = declare_bias(lstm, "bias", 4 * h);
    const ParamScope combine = parts.scope.sub("combine");
    combine_context_ = declare_context(combine, "context", parts, h);
    combine_hidden_ = declare_matrix(combine, "hidden", h, h);
    if (parts.attention.sentinel) sentinel_.emplace(parts);
    declare_value_head(parts);
    output_.emplace(parts.scope.sub("output"), parts, h, embedding);
  }

  std::size_t parts() const override { return 3; }  // h, c, h~

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Index memories = memory.features.shape()[0];
    const Var image = image_(tape, memory);
    return {init_h_(tape, memories, image), init_c_(tape, memories, image),
            zero_rows(tape, memories, width_)};
  }

  std::vector<Var> project_words(Tape& tape, Var words) const override {
    std::vector<Var> out{ops::linear(words, tape.parameter(word_), tape.parameter(bias_))};
    if (sentinel_) out.push_back(sentinel_->project_words(tape, words));
    return out;
  }

  CellQuery make_query(Tape& tape, const CellInput& in) const override {
    Var gates = plus_product(tape, in.projections[0], in.state[2], fed_, Sum::kInPlace);
    gates = plus_product(tape, gates, in.state[0], hidden_, Sum::kInPlace);
    const ops::LstmState next = ops::lstm_cell(gates, in.state[1]);
    CellQuery query{.query = next.h};
    query.carried = {next.h, next.c};
    if (sentinel_) query.sentinel = (*sentinel_)(tape, in.projections[1], in.state[0], next.c);
    return query;
  }

  CellOutput advance(Tape& tape, const CellInput&, const CellQuery& query, Var context,
                     const RegionPairs* pairs) const override {
    const Var own = ops::linear(query.carried[0], tape.parameter(combine_hidden_));
    CellOutput output;
    if (pairs) {
      const Var combined_by_region = ops::tanh(ops::add(pairs->of_rows(own), pairs->of_regions(0)));
      output.region_logits = (*output_)(tape, ops::dropout(combined_by_region, dropout_));
    }
    const Var combined = ops::tanh(
        plus_product(tape, own, context, combine_context_, pairs ? Sum::kFresh : Sum::kInPlace));
    output.state = {query.carried[0], query.carried[1], combined};
    output.output_features = {combined};
    return output;
  }

  std::vector<Var> project_regions(Tape& tape, Var features) const override {
    return {ops::linear(features, tape.parameter(combine_context_))};
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
  StateStart init_h_, init_c_;
  int word_, fed_, hidden_, bias_, combine_context_, combine_hidden_;
  std::optional<Sentinel> sentinel_;
  std::optional<WordOutput> output_;  // declared after all others
};

}  // namespace

std::unique_ptr<Decoder> make_luong_decoder(const DecoderParts& parts) {
  return std::make_unique<RecurrentDecoder>(parts, parts.config.hidden,
                                            [](const DecoderParts& own, int embedding) {
                                              return std::make_unique<LuongCell>(own, embedding);
                                            });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
