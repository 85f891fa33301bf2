#include "captioning/study/inspection/region_gradients.h"

#include <algorithm>
#include <cmath>

#include "core/attention/observer.h"
#include "core/ops/sequence_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// `count` copies of a tensor [1, ...]; an empty one stays empty.
Tensor repeated(ConstView one, Index count) {
  if (!one.data) return {};
  Tensor out(one.shape.with_first(count));
  for (Index r = 0; r < count; ++r) std::copy_n(one.data, one.size(), out.data() + r * one.size());
  return out;
}

ConstView view_of(const Tensor& x) { return x.empty() ? ConstView() : x.view(); }

void add(const Tensor& from, Tensor& to) {
  for (Index i = 0; i < to.size(); ++i) to[i] += from[i];
}

// The norms of rows [T, L, D] -> [T, L].
Tensor norms_of_rows(const Tensor& rows) {
  Tensor out({rows.shape()[0], rows.shape()[1]});
  const Index width = rows.shape()[2];
  for (Index r = 0; r < out.size(); ++r) {
    double sum = 0;
    for (Index d = 0; d < width; ++d) {
      const auto x = static_cast<double>(rows[r * width + d]);
      sum += x * x;
    }
    out[r] = static_cast<Real>(std::sqrt(sum));
  }
  return out;
}

// Carries the gradients of keys and values back to the regions from which a decoder made them, for
// all words at once.
class Preparation {
 public:
  Preparation(const Decoder& decoder, std::span<const ConstView> parameters,
              const EncodedValues& images, Index words)
      : decoder_(decoder),
        parameters_(parameters),
        features_(repeated(images.features, words)),
        mask_(repeated(images.mask, words)),
        keys_(repeated(images.keys, words)) {}

  // The gradient [T, L, D] of the features, or of the keys where scores read keys of their own,
  // from that of part number `part` of the memory, [T, L, A].
  Tensor back(std::size_t part, const Tensor& gradient) const {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(parameters_);
    const Var features = tape.variable(features_.view());
    const Var keys = keys_.empty() ? Var{} : tape.variable(keys_.view());
    const ConstView mask = view_of(mask_);
    const AttentionMemory memory =
        decoder_.prepare(tape, {features, mask.data ? tape.constant(mask) : Var{}, {}, keys}, 1);
    const Var from = keys && part % 2 == 0 ? keys : features;
    tape.backward(std::vector<Var>{memory.parts[part]}, std::vector<ConstView>{gradient.view()});
    Tensor out(from.shape());
    if (tape.has_grad(from)) std::copy_n(tape.grad(from).data, out.size(), out.data());
    return out;
  }

 private:
  const Decoder& decoder_;
  std::span<const ConstView> parameters_;
  Tensor features_, mask_, keys_;
};

// The gradients of variables [1, L, A], one after the other; zeros where none arrived.
Tensor gradients_of(Tape& tape, std::span<const Var> variables) {
  const Shape one = variables[0].shape();
  const Index size = one.size();
  Tensor out(one.with_first(static_cast<Index>(variables.size())));
  for (std::size_t t = 0; t < variables.size(); ++t)
    if (tape.has_grad(variables[t]))
      std::copy_n(tape.grad(variables[t]).data, size, out.data() + static_cast<Index>(t) * size);
  return out;
}

// The weights of a head in the glimpses of all words; head -1: the mean over heads.
Tensor weights_of(const std::vector<Glimpse>& glimpses, Index head) {
  const Index regions = glimpses[0].weights.cols();
  Tensor out({static_cast<Index>(glimpses.size()), regions});
  for (std::size_t t = 0; t < glimpses.size(); ++t) {
    const Var weights = head < 0 || glimpses[t].heads.empty()
                            ? glimpses[t].weights
                            : glimpses[t].heads[static_cast<std::size_t>(head)];
    std::copy_n(weights.value().data, regions, out.view().row(static_cast<Index>(t)));
  }
  return out;
}

}  // namespace

RegionGradients region_gradients(const Decoder& decoder, std::span<const ConstView> parameters,
                                 const EncodedValues& images, const PackedCaptions& caption) {
  const ConstView features = images.features;
  SACCADE_CHECK(caption.captions() == 1 && features.shape.rank() == 3 && features.shape[0] == 1,
                "[region gradients] one caption and its features [1, L, D]; got ",
                caption.captions(), " and ", features.shape);
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(parameters);
  const Index words = caption.words(), regions = features.shape[1],
              layers = decoder.glimpses_per_word();
  const EncodedImages seen = images.on(tape);
  const AttentionMemory memory = decoder.prepare(tape, seen, 1);
  const auto parts = static_cast<Index>(memory.parts.size());
  SACCADE_CHECK(parts > 0 && parts % (2 * layers) == 0, "[region gradients] attention with ", parts,
                " parts in ", layers, " layers has no key and value of each region");
  RegionGradients out{
      .layers = layers,
      .heads = parts / (2 * layers),
      .weights = {},
      .direct = Tensor({words, regions, features.shape[2]}),
      .score =
          Tensor({words, regions, images.keys.data ? images.keys.shape[2] : features.shape[2]}),
      .parts = {}};
  std::vector<std::vector<Var>> read(memory.parts.size());  // by part, then by word
  std::vector<std::vector<Glimpse>> glimpses(static_cast<std::size_t>(layers));
  std::vector<Var> state = decoder.start(tape, memory), costs;
  for (Index t = 0; t < words; ++t) {
    const auto word = static_cast<std::size_t>(t);
    AttentionMemory own = memory;
    for (std::size_t p = 0; p < read.size(); ++p) {
      own.parts[p] = tape.variable(memory.parts[p].value());
      read[p].push_back(own.parts[p]);
    }
    GlimpseRecorder recorder;
    StepOutput step = decoder.step(tape, std::span(caption.inputs).subspan(word, 1), state, own,
                                   {.step = t, .observer = &recorder});
    costs.push_back(ops::cross_entropy(step.logits, std::span(caption.targets).subspan(word, 1)));
    for (std::size_t l = 0; l < glimpses.size(); ++l) glimpses[l].push_back(recorder.glimpses[l]);
    state = std::move(step.state);
  }
  const Real one = 1;
  tape.backward(costs, std::vector<ConstView>(costs.size(), ConstView(&one, {1})));
  const Preparation preparation(decoder, parameters, images, words);
  for (Index layer = 0; layer < layers; ++layer) {
    Tensor direct(out.direct.shape()), score(out.score.shape());
    std::vector<HeadGradients> heads;
    for (Index head = 0; head < out.heads; ++head) {
      const auto key = static_cast<std::size_t>(2 * (layer * out.heads + head));
      const Tensor by_key = preparation.back(key, gradients_of(tape, read[key]));
      const Tensor by_value = preparation.back(key + 1, gradients_of(tape, read[key + 1]));
      add(by_key, score);
      add(by_value, direct);
      heads.push_back({.layer = layer,
                       .head = head,
                       .weights = weights_of(glimpses[static_cast<std::size_t>(layer)], head),
                       .direct = norms_of_rows(by_value),
                       .score = norms_of_rows(by_key)});
    }
    out.parts.push_back({.layer = layer,
                         .head = -1,
                         .weights = weights_of(glimpses[static_cast<std::size_t>(layer)], -1),
                         .direct = norms_of_rows(direct),
                         .score = norms_of_rows(score)});
    if (out.heads > 1) std::move(heads.begin(), heads.end(), std::back_inserter(out.parts));
    add(direct, out.direct);
    add(score, out.score);
  }
  out.weights = weights_of(glimpses.back(), -1);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
