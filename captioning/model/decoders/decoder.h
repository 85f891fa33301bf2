// The decoder interface, from a grid of features to words. A decoder computes the same model in two
// ways: a whole caption at once (training), and one word at a time over batch-first state (search).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "captioning/model/decoders/decoder_config.h"
#include "captioning/model/decoders/encoded_images.h"
#include "core/attention/attention.h"
#include "core/attention/attention_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The captions of one shard, longest first, packed by time: first the rows of word 0 of all
// captions, then those of word 1, and so on. Row b of a step belongs to caption b, because the
// captions that have ended by then are the last ones.
struct PackedCaptions {
  std::vector<int> inputs;   // [N] the word before: <bos>, w_0, w_1, ...
  std::vector<int> targets;  // [N] the target word: w_0, w_1, ..., <eos>
  std::vector<Index> rows;   // [T] the captions that have not ended, per step; never rises
  double temperature = 1;    // the distribution of words is softmax(logits / temperature)
  std::vector<int> images;   // [captions] their images, where some share one; else empty
  Index captions() const { return rows.empty() ? 0 : rows[0]; }
  Index steps() const { return static_cast<Index>(rows.size()); }
  Index words() const { return static_cast<Index>(inputs.size()); }
  // The image of a caption, or of a row where captions are repeated.
  Index image(Index caption) const {
    return images.empty() ? caption : images[static_cast<std::size_t>(caption)];
  }
  Index length(Index caption) const;  // the number of words, with <eos>
};

// Packs targets, which hold every word up to the last. They are sorted longest first and have at
// least one word each.
PackedCaptions pack_targets(std::span<const std::vector<int>> targets, int bos);
// Packs captions (word ids without <bos> and <eos>), which must be sorted longest first.
PackedCaptions pack_captions(std::span<const std::vector<int>> captions, int bos, int eos);

// What a decoder computes for whole captions.
struct SequenceOutput {
  Var nll;     // [N] -log p of every target at the captions' temperature, packed by time
  Var logits;  // [N, V], before the temperature; none where words are mixtures over regions
  std::vector<std::vector<Var>> layers;  // the weights of every glimpse of a word, [T] of [R_t, L]
  // [T], what was chosen at all glimpses of a word, by layer, then by head.
  std::vector<std::vector<RegionDraws>> draws;
  std::vector<Var> surrogates;  // scalars to be added to the loss, of hard attention in training
  std::vector<Var> values;      // [T] of [R_t, 1], what a value head adds to the average cost

  // Those of the last glimpse.
  const std::vector<Var>& weights() const { return layers.back(); }
  // Appends the glimpses of a word, by layer.
  void add_word(std::span<const Glimpse> glimpses);
};

// What a decoder computes for one word. An observer sees its glimpses.
struct StepOutput {
  Var logits;              // [R, V]
  std::vector<Var> state;  // as in start()
  // Where the decoder attends to words, the vectors [R, D] of the word that was read: before and
  // after self-attention in each layer, and behind the last layer.
  std::vector<ConstView> vectors;
};

// The parameters that belong to single words, as indices into the store.
struct WordParameters {
  int embedding;  // [V, E], a row for each word that is read
  int matrix;     // [in, V], a column for each word that is written; -1: it is the embedding
  int bias;       // [V], a term of each word's logit
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // How many glimpses of the image a word has: AttendContext::layers.
  virtual Index glimpses_per_word() const { return 1; }
  virtual WordParameters word_parameters() const = 0;
  // The memory of M images. `group` hypotheses share each image.
  virtual AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const = 0;
  // Adds to a memory what words that are mixtures over its regions (HardLikelihood::kMarginal) read
  // at every step and what depends on the image alone. Without it, step() computes the same each
  // time. A decoder whose words are no mixtures adds nothing.
  virtual void prepare_mixture(Tape&, AttentionMemory&) const {}
  // The state before the first word, with one row per memory: [M, ...] each.
  virtual std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const = 0;
  // words [R] are the last words (<bos> at first), one per row of the state.
  virtual StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                          const AttentionMemory& memory, const AttendContext& context) const = 0;
  // Teacher forcing over a whole shard. memory.group must be 1, and context.step is ignored.
  virtual SequenceOutput sequence(Tape& tape, const PackedCaptions& captions,
                                  const AttentionMemory& memory,
                                  const AttendContext& context) const = 0;
};

struct DecoderWidths {
  Index features = 0;    // D
  Index vocabulary = 0;  // V
  GridSize grid{};       // of features
  Index placeless = 0;   // regions behind the grid that have no place in it
  Index keys = 0;        // K of EncodedImages::keys; 0: attention scores the features
};

// Makes the decoder of a config. It declares its parameters in `scope`.
std::unique_ptr<Decoder> make_decoder(const DecoderConfig& config, const AttentionConfig& attention,
                                      const DecoderWidths& widths, const ParamScope& scope);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
