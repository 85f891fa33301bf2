// The transformer decoder (Vaswani et al. 2017). Training runs all words of all captions at once
// where looks stand alone, else word by word as decoding does, over keys that grow.
#include <algorithm>
#include <cmath>
#include <optional>

#include "captioning/decoders/cell_parts.h"
#include "captioning/decoders/transformer_layer.h"
#include "core/nn/sequence_positions.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

using Ids = std::vector<int>;

// Captions side by side: caption b's word t at b (T + lead) + lead + t, behind its end anything.
struct Padded {
  Index captions = 0, words = 0;
  Ids inputs;  // [B T]
  Ids places;  // [N], of the packed rows

  // `lead` positions stand before the words of every caption.
  Padded(const PackedCaptions& packed, Index lead)
      : captions(packed.captions()),
        words(packed.steps()),
        inputs(static_cast<std::size_t>(captions * words), 0) {
    std::size_t n = 0;
    for (Index t = 0; t < words; ++t)
      for (Index b = 0; b < packed.rows[static_cast<std::size_t>(t)]; ++b) {
        inputs[static_cast<std::size_t>(b * words + t)] = packed.inputs[n++];
        places.push_back(static_cast<int>(b * (words + lead) + lead + t));
      }
  }
};

// Packed rows [N, ...], cut into those of every word.
std::vector<Var> by_word(Var rows, const PackedCaptions& captions) {
  std::vector<Var> out;
  Index first = 0;
  for (const Index count : captions.rows) {
    out.push_back(ops::slice_rows(rows, first, count));
    first += count;
  }
  return out;
}

// x_0 = sqrt(D) E y + position; dropout on it and on what every layer adds; pre-norm has one more
// norm behind the last layer; p(y_t) = softmax(W x + b). Embeddings narrower or wider than D go
// through a matrix `project`. The value head reads the first layer's query, from which nothing was
// chosen yet. Of decoder.image first_step the image is position 0 and words follow it; it is not
// scaled, because its matrix is as wide as D.
class TransformerDecoder : public Decoder {
 public:
  explicit TransformerDecoder(const DecoderParts& parts)
      : lead_(parts.config.image == ImageEntry::kFirstStep ? 1 : 0),
        layout_{.rows = parts.widths.rows, .cols = parts.widths.cols, .group = 1, .mask = {}},
        config_(parts.config) {
    const Index e = config_.embedding, d = config_.hidden;
    embedding_ = parts.scope.declare("embedding", {parts.widths.vocabulary, e},
                                     Init::normal(1 / std::sqrt(static_cast<double>(e))));
    if (e != d) project_ = declare_matrix(parts.scope, "project", e, d);
    if (lead_ > 0) image_word_.emplace(parts, d);
    const SequenceExtents extents{.most = config_.longest + lead_, .features = d};
    if (config_.positions == WordPositions::kLearned)
      learned_.emplace(parts.scope.sub("positions"), extents);
    else
      sinusoidal_.emplace(extents);
    for (Index l = 0; l < config_.layers; ++l)
      layers_.emplace_back(parts.scope.sub(str("layer_", l)), parts);
    if (config_.norm == NormPlacement::kPre) norm_.emplace(parts.scope.sub("norm"), d);
    if (wants_value_head(parts.attention)) value_head_.emplace(parts);
    output_.emplace(parts.scope.sub("output"), parts, d, embedding_);
  }

  Index looks_per_word() const override { return static_cast<Index>(layers_.size()); }
  AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const override {
    MemoryLayout layout = layout_;
    layout.group = group;
    layout.mask = images.mask;
    AttentionMemory all = bare_memory(images.features, layout);
    for (const TransformerLayer& layer : layers_) {
      const AttentionMemory own =
          layer.cross().prepare(tape, {images.features, images.keys}, layout);
      all.parts.insert(all.parts.end(), own.parts.begin(), own.parts.end());
      all.pooled = own.pooled;
    }
    if (images.pooled) all.pooled = images.pooled;
    return all;
  }

  // {keys and values of every layer's words, [M, 0, D], then every layer's attention's}; after the
  // image, where it stands before the words, [M, 1, D]
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Index rows = memory.features.shape()[0];
    const Var none = tape.constant({tape.scratch(1), {rows, 0, config_.hidden}});
    std::vector<Var> state(2 * layers_.size(), none);
    for (std::size_t l = 0; l < layers_.size(); ++l)
      for (const Var part : layers_[l].cross().start(tape, memory_of(memory, l)))
        state.push_back(part);
    if (image_word_) state = advance(tape, image_position(tape, memory), state, memory, {}).state;
    return state;
  }

  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override {
    Word word = say(tape, words, state, memory, context);
    StepOutput out;
    out.logits = (*output_)(tape, word.hidden);
    out.state = std::move(word.state);
    out.glimpse = word.looks.back();
    out.layers = std::move(word.looks);
    out.words = std::move(word.words);
    return out;
  }

  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context,
                          std::span<const PreparedLook> informed) const override {
    SACCADE_CHECK(memory.layout.group == 1, "[decoder] a sequence wants one row a memory");
    SACCADE_CHECK(informed.empty(), "[decoder] a transformer takes no look a second time");
    const bool alone = layers_[0].cross().promises().stands_alone;
    return alone && !context.chooser && !context.edit
               ? at_once(tape, captions, memory, context)
               : word_by_word(tape, captions, memory, context);
  }

 private:
  struct Word {
    Var hidden;  // [R, D]
    std::vector<Var> state;
    std::vector<Glimpse> looks;    // by layer
    std::vector<ConstView> words;  // as StepOutput has them
    Var value;                     // [R, 1] of a value head
  };

  // What layer `l` made of a memory: every layer has as many parts.
  AttentionMemory memory_of(const AttentionMemory& memory, std::size_t l) const {
    const auto count = static_cast<std::ptrdiff_t>(memory.parts.size() / layers_.size());
    const auto first = memory.parts.begin() + static_cast<std::ptrdiff_t>(l) * count;
    return {.features = memory.features,
            .parts = std::vector<Var>(first, first + count),
            .layout = memory.layout,
            .pooled = memory.pooled};
  }

  // words [B T], caption by caption, the first of each at position `first` -> [B, T, D].
  Var read(Tape& tape, std::span<const int> words, Index captions, Index first) const {
    const auto count = static_cast<Index>(words.size()) / captions;
    if (first - lead_ + count > config_.longest)
      throw UsageError(str("a caption of ", first - lead_ + count,
                           " words with <eos> reaches beyond decoder.longest ", config_.longest,
                           "; train with a larger one, or lower search.max_length, maps.step or "
                           "data.max_length"));
    Var x = ops::embedding(tape.parameter(embedding_), words);
    if (project_ >= 0) x = ops::linear(x, tape.parameter(project_));
    x = ops::scale(x, static_cast<Real>(std::sqrt(static_cast<double>(config_.hidden))));
    return placed(tape, ops::reshape(x, {captions, count, config_.hidden}), first);
  }

  // The image of every memory as position 0, [M, 1, D].
  Var image_position(Tape& tape, const AttentionMemory& memory) const {
    const Var image = (*image_word_)(tape, memory);
    return placed(tape, ops::reshape(image, {image.rows(), 1, image.cols()}), 0);
  }

  // x [B, T, D] with its positions.
  Var placed(Tape& tape, Var x, Index first) const {
    x = learned_ ? (*learned_)(tape, x, first) : (*sinusoidal_)(tape, x, first);
    return ops::dropout(x, config_.dropout);
  }

  // x [B, T, D] behind the last layer -> [B T, D].
  Var hidden_of(Tape& tape, Var x) const {
    if (norm_) x = (*norm_)(tape, x);
    return ops::reshape(x, {x.rows(), x.cols()});
  }

  // One more word of every row.
  Word say(Tape& tape, std::span<const int> words, std::span<const Var> state,
           const AttentionMemory& memory, const AttendContext& context) const {
    const Var x = read(tape, words, static_cast<Index>(words.size()), state[0].shape()[1]);
    return advance(tape, x, state, memory, context);
  }

  // The same of what is read, x [R, 1, D].
  Word advance(Tape& tape, Var x, std::span<const Var> state, const AttentionMemory& memory,
               AttendContext context) const {
    SACCADE_CHECK(context.likelihood == HardLikelihood::kChoice,
                  "[decoder] a transformer's words are no mixture over regions");
    const std::size_t count = layers_.size();
    const std::span<const Var> looked = state.subspan(2 * count);
    const std::size_t each = looked.size() / count;
    context.layers = static_cast<Index>(count);
    Word word;
    for (std::size_t l = 0; l < count; ++l) {
      const TransformerLayer& layer = layers_[l];
      const Var entered = layer.enter(tape, x);
      const SequenceKeys own = layer.keys(tape, entered);
      const SequenceKeys so_far{.keys = ops::append_positions(state[2 * l], own.keys),
                                .values = ops::append_positions(state[2 * l + 1], own.values)};
      // The image before the words is no word, and such a model has no maps to roll out.
      if (context.words && !image_word_)
        word.words.push_back(layer.word_weights(tape, entered, so_far));
      x = layer.words(tape, x, entered, so_far, {});
      const Var query = layer.query(tape, x);
      if (l == 0 && value_head_) word.value = (*value_head_)(tape, query);
      context.layer = static_cast<Index>(l);
      word.looks.push_back(layer.cross().attend(tape, query, memory_of(memory, l),
                                                looked.subspan(l * each, each), context));
      x = layer.see(tape, x, word.looks.back().context);
      word.state.push_back(so_far.keys);
      word.state.push_back(so_far.values);
    }
    for (const Glimpse& look : word.looks)
      word.state.insert(word.state.end(), look.state.begin(), look.state.end());
    word.hidden = hidden_of(tape, x);
    return word;
  }

  SequenceOutput word_by_word(Tape& tape, const PackedCaptions& captions,
                              const AttentionMemory& memory, const AttendContext& context) const {
    SequenceOutput out;
    out.layers.resize(layers_.size());
    std::vector<Var> state = start(tape, memory), hidden;
    const std::span<const int> inputs = captions.inputs;
    Index first = 0;
    for (Index t = 0; t < captions.steps(); ++t) {
      const Index rows = captions.rows[static_cast<std::size_t>(t)];
      AttendContext at = context;
      at.step = t;
      at.first_row = first;
      for (Var& part : state) part = ops::first_rows(part, rows);
      Word word =
          say(tape, inputs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
              state, memory, at);
      state = std::move(word.state);
      hidden.push_back(word.hidden);
      if (word.value) out.values.push_back(word.value);
      for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Glimpse& look = word.looks[l];
        out.layers[l].weights.push_back(look.weights);
        out.layers[l].chosen.push_back(look.chosen);
        if (l + 1 < layers_.size() && look.surrogate) out.surrogates.push_back(look.surrogate);
      }
      out.look(word.looks.back());
      first += rows;
    }
    out.logits = (*output_)(tape, ops::concat_rows(hidden));
    out.nll = word_costs(out.logits, captions);
    return out;
  }

  // The T words of a caption are the group of queries that share its memory.
  SequenceOutput at_once(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                         const AttendContext& context) const {
    const Padded padded(captions, lead_);
    SequenceOutput out;
    Var x = read(tape, padded.inputs, padded.captions, lead_);
    if (image_word_)
      x = ops::append_positions(ops::first_rows(image_position(tape, memory), padded.captions), x);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const TransformerLayer& layer = layers_[l];
      const Var entered = layer.enter(tape, x);
      x = layer.words(tape, x, entered, layer.keys(tape, entered),
                      {.pattern = AttentionMask::Pattern::kCausal});
      AttentionMemory shared = memory_of(memory, l);
      shared.layout.group = padded.words + lead_;
      const Glimpse look = layer.cross().attend(tape, layer.query(tape, x), shared, {}, context);
      x = layer.see(tape, x, look.context);
      const std::vector<Var> weights =
          by_word(ops::embedding(look.weights, padded.places), captions);
      out.layers.push_back(
          {.weights = weights, .chosen = std::vector<std::span<const int>>(weights.size())});
      if (l + 1 < layers_.size()) continue;
      out.weights = weights;
      out.chosen = out.layers.back().chosen;
      if (look.gate) out.gates = by_word(ops::embedding(look.gate, padded.places), captions);
    }
    out.logits = (*output_)(tape, ops::embedding(hidden_of(tape, x), padded.places));
    out.nll = word_costs(out.logits, captions);
    return out;
  }

  Index lead_;  // positions before the words
  MemoryLayout layout_;
  DecoderConfig config_;
  int embedding_ = -1, project_ = -1;
  std::optional<ImageWord> image_word_;
  std::optional<SinusoidalPositions> sinusoidal_;
  std::optional<LearnedPositions> learned_;
  std::vector<TransformerLayer> layers_;
  std::optional<LayerNorm> norm_;
  std::optional<ValueHead> value_head_;
  std::optional<WordOutput> output_;  // declared last
};

}  // namespace

std::unique_ptr<Decoder> make_transformer_decoder(const DecoderParts& parts) {
  return std::make_unique<TransformerDecoder>(parts);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
