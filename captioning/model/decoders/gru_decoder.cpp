// A GRU whose query is its state before the word (Bahdanau et al. 2015, appendix A.2). It has the
// deep output layer of the LSTM in place of the paper's maxout.
#include "captioning/model/decoders/recurrent_decoder.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// s_0 = tanh MLP(mean a). (r, z, n) come from E y_{t-1}, z_t and s_{t-1} as in ops::gru_cell, so
// that [word; context], hidden and their biases are those of torch.nn.GRUCell, transposed. z_t
// comes from the attention, which is queried with s_{t-1}.
class GruCell : public Cell {
 public:
  GruCell(const DecoderParts& parts, int embedding)
      : image_(parts), init_(parts.scope.sub("init_h"), parts) {
    const Index e = parts.config.embedding, h = parts.config.hidden;
    const ParamScope gru = parts.scope.sub("gru");
    word_ = declare_matrix(gru, "word", e, 3 * h);
    context_ = declare_context(gru, "context", parts, 3 * h);
    bias_ = declare_bias(gru, "bias", 3 * h);
    hidden_ = declare_matrix(gru, "hidden", h, 3 * h);
    hidden_bias_ = declare_bias(gru, "hidden_bias", 3 * h);
    declare_value_head(parts);
    output_.emplace(parts, embedding);
  }

  std::size_t parts() const override { return 1; }  // s

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    return {init_(tape, memory.features.shape()[0], image_(tape, memory))};
  }

  std::vector<Var> project_words(Tape& tape, Var words) const override {
    return {ops::linear(words, tape.parameter(word_), tape.parameter(bias_))};
  }

  CellQuery make_query(Tape&, const CellInput& in) const override { return {.query = in.state[0]}; }

  CellOutput advance(Tape& tape, const CellInput& in, const CellQuery&, Var context,
                     const RegionPairs* pairs) const override {
    const Var s = in.state[0];
    const Var own = ops::linear(s, tape.parameter(hidden_), tape.parameter(hidden_bias_));
    CellOutput output;
    if (pairs) {
      const Var next =
          ops::gru_cell(ops::add(pairs->of_rows(in.projections[0]), pairs->of_regions(0)),
                        pairs->of_rows(own), pairs->of_rows(s));
      output.region_logits = output_->region_logits(tape, in.words, next, *pairs, 1);
    }
    const Var input = plus_product(tape, in.projections[0], context, context_,
                                   pairs ? Sum::kFresh : Sum::kInPlace);
    const Var next = ops::gru_cell(input, own, s);
    output.state = {next};
    output.output_features = {next};
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
  StateStart init_;
  int word_, context_, bias_, hidden_, hidden_bias_;
  std::optional<DeepOutput> output_;  // declared after all others
};

}  // namespace

std::unique_ptr<Decoder> make_gru_decoder(const DecoderParts& parts) {
  return std::make_unique<RecurrentDecoder>(parts, 0, [](const DecoderParts& own, int embedding) {
    return std::make_unique<GruCell>(own, embedding);
  });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
