// The transformer decoder (Vaswani et al. 2017). Where glimpses stand alone (Promises), training
// runs all words of all captions at once. Otherwise it goes word by word, as decoding does, over a
// growing cache of keys and values.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "captioning/model/decoders/cell_parts.h"
#include "captioning/model/decoders/transformer_layer.h"
#include "core/nn/sequence_positions.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

using Ids = std::vector<int>;

// Captions side by side, padded to one length: word t of caption b is at b (T + lead) + lead + t.
// Nothing reads what stands behind the end of a caption.
struct Padded {
  Index captions = 0, words = 0;
  Ids inputs;  // [B T]
  Ids places;  // [N], where each packed row is

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

// Cuts packed rows [N, ...] into the rows of every word.
std::vector<Var> by_word(Var rows, const PackedCaptions& captions) {
  std::vector<Var> out;
  Index first = 0;
  for (const Index count : captions.rows) {
    out.push_back(ops::slice_rows(rows, first, count));
    first += count;
  }
  return out;
}

// x_0 = sqrt(D) E y + position, with dropout on it and on what every layer adds. Pre-norm has one
// more norm behind the last layer. p(y_t) = softmax(W x + b). Embeddings that are not as wide as D
// go through a matrix `project`. Published decoders leave out sqrt(D), normalise x_0 or have one
// more layer before W (decoder.scale_embeddings, embedding_norm, output_layer). For decoder.image
// prefix, norm(W f + b) of the regions f stand before the words in every self-attention, without
// positions. The value head reads the query of the first layer, because no region was chosen before
// it. For decoder.image first_step, the image is position 0 and the words follow it; it is not
// scaled, because its matrix is as wide as D.
class TransformerDecoder : public Decoder {
 public:
  explicit TransformerDecoder(const DecoderParts& parts)
      : lead_(parts.config.image == ImageEntry::kFirstStep ? 1 : 0),
        layout_{
            .grid = parts.widths.grid, .placeless = parts.widths.placeless, .group = 1, .mask = {}},
        config_(parts.config) {
    const Index e = config_.embedding, d = config_.hidden;
    embedding_ = parts.scope.declare("embedding", {parts.widths.vocabulary, e},
                                     Init::normal(1 / std::sqrt(static_cast<double>(e))));
    if (e != d) project_ = declare_matrix(parts.scope, "project", e, d);
    if (config_.embedding_norm)
      embedding_norm_.emplace(parts.scope.sub("embedding_norm"), d, config_.epsilon);
    if (lead_ > 0) image_word_.emplace(parts, d);
    if (config_.image == ImageEntry::kPrefix) {
      prefix_.emplace(parts.scope.sub("image"), DenseWidths{.in = parts.widths.features, .out = d});
      prefix_norm_.emplace(parts.scope.sub("image_norm"), d);
    }
    const SequenceExtents extents{.most = config_.longest + lead_, .features = d};
    if (config_.positions == WordPositions::kLearned)
      learned_.emplace(parts.scope.sub("positions"), extents);
    if (config_.positions == WordPositions::kSinusoidal) sinusoidal_.emplace(extents);
    for (Index l = 0; l < config_.layers; ++l)
      layers_.emplace_back(parts.scope.sub(str("layer_", l)), parts, l);
    kept_widths_ = layers_[0].kept_widths();
    if (config_.norm == NormPlacement::kPre)
      norm_.emplace(parts.scope.sub("norm"), d, config_.epsilon);
    if (wants_value_head(parts.attention)) value_head_.emplace(parts);
    if (config_.output_layer) {
      output_layer_.emplace(parts.scope.sub("output.layer"), DenseWidths{.in = d, .out = d});
      output_norm_.emplace(parts.scope.sub("output.norm"), d, config_.epsilon);
    }
    output_.emplace(parts.scope.sub("output"), parts, d, embedding_);
  }

  Index glimpses_per_word() const override { return static_cast<Index>(layers_.size()); }
  WordParameters word_parameters() const override {
    return {
        .embedding = embedding_, .matrix = output_->word_matrix(), .bias = output_->word_bias()};
  }
  AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const override {
    MemoryLayout layout = layout_;
    layout.group = group;
    layout.mask = images.mask;
    AttentionMemory all = bare_memory(images.features, layout);
    for (const TransformerLayer& layer : layers_) {
      const AttentionMemory own =
          layer.cross().prepare(tape, {images.features, images.keys, images.pooled}, layout);
      all.parts.insert(all.parts.end(), own.parts.begin(), own.parts.end());
      all.pooled = own.pooled;
    }
    if (prefix_) add_prefix(tape, all);
    return all;
  }

  // The state is what is kept of the words in every layer (with full attention, keys and values),
  // [M, 0, width] at first, and then the state of the cross-attention of every layer. Where the
  // image stands before the words, what is kept starts as [M, 1, width], or as that of the regions.
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Index rows = memory.features.shape()[0];
    std::vector<Var> state;
    for (std::size_t l = 0; l < layers_.size(); ++l)
      for (std::size_t k = 0; k < kept_widths_.size(); ++k)
        state.push_back(prefix_ ? memory_of(memory, l).parts[k]
                                : tape.constant({tape.scratch(1), {rows, 0, kept_widths_[k]}}));
    for (std::size_t l = 0; l < layers_.size(); ++l)
      for (const Var part : layers_[l].cross().start(tape, memory_of(memory, l)))
        state.push_back(part);
    if (image_word_) state = advance(tape, image_position(tape, memory), state, memory, {}).state;
    return state;
  }

  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override {
    WordStep word = step_words(tape, words, state, memory, context);
    StepOutput out;
    out.logits = (*output_)(tape, word.hidden);
    out.state = std::move(word.state);
    out.vectors = std::move(word.vectors);
    return out;
  }

  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context) const override {
    SACCADE_CHECK(memory.layout.group == 1, "[decoder] a sequence needs one row per memory");
    const bool alone = layers_[0].cross().promises().stands_alone;
    return alone && !context.observer ? at_once(tape, captions, memory, context)
                                      : word_by_word(tape, captions, memory, context);
  }

 private:
  struct WordStep {
    Var hidden;  // [R, D]
    std::vector<Var> state;
    std::vector<Glimpse> glimpses;   // by layer
    std::vector<ConstView> vectors;  // as in StepOutput
    Var value;                       // [R, 1] of a value head
  };

  // The part of the memory that belongs to layer `l`. Every layer has the same number of parts.
  AttentionMemory memory_of(const AttentionMemory& memory, std::size_t l) const {
    const auto count = static_cast<std::ptrdiff_t>(memory.parts.size() / layers_.size());
    const auto first = memory.parts.begin() + static_cast<std::ptrdiff_t>(l) * count;
    return {.features = memory.features,
            .parts = std::vector<Var>(first, first + count),
            .layout = memory.layout,
            .pooled = memory.pooled};
  }

  // What is kept of the regions in every layer, as the parts of the memory. A word's map has one
  // column more than there are regions, without a place: what it takes from words.
  void add_prefix(Tape& tape, AttentionMemory& memory) const {
    if (memory.layout.mask)
      throw UsageError(
          "decoder.image prefix: regions that stand before the words cannot be left out one by "
          "one, "
          "so their effects on words are not known; do without --occlusion");
    Var x = (*prefix_norm_)(tape, (*prefix_)(tape, memory.features));
    memory.parts.clear();
    for (const TransformerLayer& layer : layers_) {
      const std::vector<Var> kept = layer.kept(tape, layer.enter(tape, x));
      memory.parts.insert(memory.parts.end(), kept.begin(), kept.end());
      if (&layer != &layers_.back()) x = layer.before_words(tape, x);
    }
    ++memory.layout.placeless;
  }

  // The number of regions before the words.
  Index prefix_of(const AttentionMemory& memory) const { return prefix_ ? memory.regions() : 0; }

  // Gives a glimpse the weights of self-attention [R, H, 1, S], of which the first `regions` are
  // those of the regions and the others those of words.
  static void split_weights(Tape& tape, ConstView all, Index regions, Glimpse& glimpse) {
    const Index rows = all.shape[0], heads = all.shape[1], read = all.shape[3],
                words = read - regions, columns = regions + 1;
    const View mean{tape.scratch(rows * columns), {rows, columns}},
        own{tape.scratch(rows * heads * words), {rows, heads, 1, words}};
    std::fill_n(mean.data, rows * columns, Real{0});
    for (Index h = 0; h < heads; ++h) {
      const View head{tape.scratch(rows * columns), {rows, columns}};
      for (Index r = 0; r < rows; ++r) {
        const Real* from = all.data + (r * heads + h) * read;
        Real* to = head.row(r);
        std::copy_n(from, regions, to);
        to[regions] = std::accumulate(from + regions, from + read, Real{0});
        std::copy_n(from + regions, words, own.data + (r * heads + h) * words);
        for (Index c = 0; c < columns; ++c) mean.row(r)[c] += to[c] / static_cast<Real>(heads);
      }
      if (heads > 1) glimpse.heads.push_back(tape.constant(head));
    }
    glimpse.weights = tape.constant(mean);
    glimpse.words = [own] { return ConstView(own); };
  }

  // Embeds words [B T], caption by caption, the first of each at position `first` -> [B, T, D].
  Var embed(Tape& tape, std::span<const int> words, Index captions, Index first) const {
    const auto count = static_cast<Index>(words.size()) / captions;
    if (config_.positions != WordPositions::kNone && first - lead_ + count > config_.longest)
      throw UsageError(
          str("a caption of ", first - lead_ + count,
              " words with <eos> reaches beyond decoder.longest ", config_.longest,
              "; train with a larger one, or lower search.max_length or data.max_length"));
    Var x = ops::embedding(tape.parameter(embedding_), words);
    if (project_ >= 0) x = ops::linear(x, tape.parameter(project_));
    if (config_.scale_embeddings)
      x = ops::scale(x, static_cast<Real>(std::sqrt(static_cast<double>(config_.hidden))));
    return placed(tape, ops::reshape(x, {captions, count, config_.hidden}), first);
  }

  // The image of every memory as position 0, [M, 1, D].
  Var image_position(Tape& tape, const AttentionMemory& memory) const {
    const Var image = (*image_word_)(tape, memory);
    return placed(tape, ops::reshape(image, {image.rows(), 1, image.cols()}), 0);
  }

  // Adds to x [B, T, D] its positions, and applies dropout.
  Var placed(Tape& tape, Var x, Index first) const {
    if (learned_) x = (*learned_)(tape, x, first);
    if (sinusoidal_) x = (*sinusoidal_)(tape, x, first);
    if (embedding_norm_) x = (*embedding_norm_)(tape, x);
    return ops::dropout(x, config_.dropout);
  }

  // The hidden vectors behind the last layer, whose output is x [B, T, D] -> [B T, D].
  Var hidden_of(Tape& tape, Var x) const {
    if (norm_) x = (*norm_)(tape, x);
    if (output_layer_) {
      const DenseActivation activation = block_options(config_).activation;
      x = (*output_norm_)(tape, activated((*output_layer_)(tape, x), activation));
    }
    return ops::reshape(x, {x.rows(), x.cols()});
  }

  // Reads one more word per row.
  WordStep step_words(Tape& tape, std::span<const int> words, std::span<const Var> state,
                      const AttentionMemory& memory, const AttendContext& context) const {
    const Var x = embed(tape, words, static_cast<Index>(words.size()),
                        state[0].shape()[1] - prefix_of(memory));
    return advance(tape, x, state, memory, context);
  }

  // Reads an input x [R, 1, D] instead of a word.
  WordStep advance(Tape& tape, Var x, std::span<const Var> state, const AttentionMemory& memory,
                   AttendContext context) const {
    SACCADE_CHECK(context.likelihood == HardLikelihood::kChoice,
                  "[decoder] the words of a transformer are not mixtures over regions");
    const std::size_t count = layers_.size();
    const std::size_t kept_count = kept_widths_.size();
    const std::span<const Var> attention_states = state.subspan(kept_count * count);
    const std::size_t states = attention_states.size() / count;
    context.layers = static_cast<Index>(count);
    WordStep word;
    const auto keep = [&](Var rows) {
      word.vectors.emplace_back(rows.value().data, Shape{rows.rows(), rows.cols()});
    };
    for (std::size_t l = 0; l < count; ++l) {
      const TransformerLayer& layer = layers_[l];
      const Var entered = layer.enter(tape, x);
      std::vector<Var> so_far = layer.kept(tape, entered);
      for (std::size_t k = 0; k < kept_count; ++k)
        so_far[k] = ops::append_positions(state[kept_count * l + k], so_far[k]);
      keep(x);
      x = layer.words(tape, x, entered, so_far);
      keep(x);
      const Var query = layer.query(tape, x);
      if (l == 0 && value_head_) word.value = (*value_head_)(tape, query);
      context.layer = static_cast<Index>(l);
      Glimpse glimpse = layer.cross().attend(tape, query, memory_of(memory, l),
                                             attention_states.subspan(l * states, states), context);
      // The image before the words is not a word, and a model that reads it has no maps to roll
      // out.
      if (context.observer && prefix_)
        split_weights(tape, layer.word_weights(tape, entered, so_far), memory.regions(), glimpse);
      else if (context.observer && !image_word_)
        glimpse.words = [&layer, &tape, entered, so_far] {
          return layer.word_weights(tape, entered, so_far);
        };
      context.see(glimpse);
      x = layer.finish(tape, x, glimpse.context);
      word.glimpses.push_back(std::move(glimpse));
      word.state.insert(word.state.end(), so_far.begin(), so_far.end());
    }
    keep(x);
    for (const Glimpse& glimpse : word.glimpses)
      word.state.insert(word.state.end(), glimpse.state.begin(), glimpse.state.end());
    word.hidden = hidden_of(tape, x);
    return word;
  }

  SequenceOutput word_by_word(Tape& tape, const PackedCaptions& captions,
                              const AttentionMemory& memory, const AttendContext& context) const {
    SequenceOutput out;
    std::vector<Var> state = start(tape, memory), hidden;
    const std::span<const int> inputs = captions.inputs;
    Index first = 0;
    for (Index t = 0; t < captions.steps(); ++t) {
      const Index rows = captions.rows[static_cast<std::size_t>(t)];
      AttendContext at = context;
      at.step = t;
      at.estimator.first = first;
      for (Var& part : state) part = ops::first_rows(part, rows);
      WordStep word = step_words(
          tape, inputs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          state, memory, at);
      state = std::move(word.state);
      hidden.push_back(word.hidden);
      if (word.value) out.values.push_back(word.value);
      out.add_word(word.glimpses);
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
    Var x = embed(tape, padded.inputs, padded.captions, lead_);
    if (image_word_)
      x = ops::append_positions(ops::first_rows(image_position(tape, memory), padded.captions), x);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const TransformerLayer& layer = layers_[l];
      const Var entered = layer.enter(tape, x);
      std::vector<Var> kept = layer.kept(tape, entered);
      if (prefix_)
        for (std::size_t k = 0; k < kept.size(); ++k)
          kept[k] = ops::append_positions(
              ops::first_rows(memory_of(memory, l).parts[k], padded.captions), kept[k]);
      x = layer.words(tape, x, entered, kept);
      AttentionMemory shared = memory_of(memory, l);
      shared.layout.group = padded.words + lead_;
      const Glimpse glimpse = layer.cross().attend(tape, layer.query(tape, x), shared, {}, context);
      x = layer.finish(tape, x, glimpse.context);
      out.layers.push_back(by_word(ops::embedding(glimpse.weights, padded.places), captions));
    }
    out.logits = (*output_)(tape, ops::embedding(hidden_of(tape, x), padded.places));
    out.nll = word_costs(out.logits, captions);
    return out;
  }

  Index lead_;  // the number of positions before the words
  MemoryLayout layout_;
  DecoderConfig config_;
  int embedding_ = -1, project_ = -1;
  std::optional<ImageWord> image_word_;
  std::optional<Dense> prefix_;
  std::optional<LayerNorm> prefix_norm_;
  std::optional<SinusoidalPositions> sinusoidal_;
  std::optional<LearnedPositions> learned_;
  std::vector<TransformerLayer> layers_;
  std::vector<Index> kept_widths_;  // of each of them
  std::optional<LayerNorm> embedding_norm_, norm_, output_norm_;
  std::optional<Dense> output_layer_;
  std::optional<ValueHead> value_head_;
  std::optional<WordOutput> output_;  // declared after all others
};

}  // namespace

std::unique_ptr<Decoder> make_transformer_decoder(const DecoderParts& parts) {
  return std::make_unique<TransformerDecoder>(parts);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
