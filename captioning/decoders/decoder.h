// The decoder interface: from a grid of features to words. Two forms of the same model: a whole
// caption at once (training), and one word at a time over named, batch-first state (search).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "captioning/decoders/encoded_images.h"
#include "captioning/decoders/informed_look.h"
#include "core/attention/attention.h"
#include "core/config/attention_config.h"
#include "core/config/decoder_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The captions of one shard, longest first, packed by time: the rows of word 0 of every caption,
// then those of word 1, ... Row b of a step belongs to caption b, because shorter ones end last.
struct PackedCaptions {
  std::vector<int> inputs;   // [N] the word before: <bos>, w_0, w_1, ...
  std::vector<int> targets;  // [N] the word to say: w_0, w_1, ..., <eos>
  std::vector<Index> rows;   // [T] how many captions are alive at each step; falls
  double temperature = 1;    // words are said with softmax(logits / temperature)
  std::vector<int> images;   // [captions] which image each is of, where some share one; else empty
  Index captions() const { return rows.empty() ? 0 : rows[0]; }
  Index steps() const { return static_cast<Index>(rows.size()); }
  Index words() const { return static_cast<Index>(inputs.size()); }
  // The image of a caption, or of a row where captions stand several times.
  Index image(Index caption) const {
    return images.empty() ? caption : images[static_cast<std::size_t>(caption)];
  }
  Index length(Index caption) const;  // of one, in words with <eos>
};

// Packs what is to be said, word by word to the last, longest first; at least a word a caption.
PackedCaptions pack_targets(std::span<const std::vector<int>> targets, int bos);
// Packs captions (word ids without <bos> and <eos>), which must be sorted longest first.
PackedCaptions pack_captions(std::span<const std::vector<int>> captions, int bos, int eos);

// Where the words of every step looked in one of several layers.
struct LayerLooks {
  std::vector<Var> weights;                  // [T] of [R_t, L]
  std::vector<std::span<const int>> chosen;  // [T] of [R_t]; empty where all are expectations
};

// What the words of captions come to from a look that knows them.
struct InformedWords {
  InformedKind kind;
  Var nll;                   // [N] as SequenceOutput has it
  std::vector<Var> weights;  // [T] of [R_t, L]
};

// What a whole caption gives. Where a word looks more than once, weights, choices and gates are
// those of its last look.
struct SequenceOutput {
  Var nll;     // [N] -log p of every target at the captions' temperature, packed by time
  Var logits;  // [N, V], before the temperature; none where words are mixtures over regions
  std::vector<Var> weights;                  // [T] of [R_t, L]
  std::vector<std::span<const int>> chosen;  // [T] of [R_t]; empty where all are expectations
  std::vector<Var> gates;                    // [T] of [R_t, 1] or [R_t, D]; empty without a gate
  std::vector<Var> surrogates;     // scalars to be added to the loss; hard attention in training
  std::vector<Var> values;         // [T] of [R_t, 1], what a value head adds to the usual cost
  std::vector<LayerLooks> layers;  // of every look of a word; empty where it has one
  std::vector<InformedWords> informed;  // of every look that was asked for besides

  // Appends a step's last look.
  void look(const Glimpse& glimpse);
};

// What one word gives.
struct StepOutput {
  Var logits;                   // [R, V]
  std::vector<Var> state;       // as in start()
  Glimpse glimpse;              // the last look
  std::vector<Glimpse> layers;  // every look, the last too; empty where there is one
  // By layer [R, H, 1, t + 1]: what the word took from those before it and from itself; where it
  // was asked for and words look at words.
  std::vector<ConstView> words;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // How often a word looks at the image: AttendContext::layers.
  virtual Index looks_per_word() const { return 1; }
  // Of M images; group hypotheses share each memory.
  virtual AttentionMemory prepare(Tape& tape, const EncodedImages& images, Index group) const = 0;
  // The state before the first word, one row a memory: [M, ...] each.
  virtual std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const = 0;
  // words [R]: the words just said (<bos> at first); state rows match them.
  virtual StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                          const AttentionMemory& memory, const AttendContext& context) const = 0;
  // Teacher forcing over a whole shard; memory.group must be 1. context.step is ignored. `informed`
  // are looks that every word gets besides; they change nothing else of what comes out, and draw
  // only after all else was drawn. A transformer takes none (check_informed_looks).
  virtual SequenceOutput sequence(Tape& tape, const PackedCaptions& captions,
                                  const AttentionMemory& memory, const AttendContext& context,
                                  std::span<const PreparedLook> informed) const = 0;
  SequenceOutput sequence(Tape& tape, const PackedCaptions& captions, const AttentionMemory& memory,
                          const AttendContext& context) const {
    return sequence(tape, captions, memory, context, {});
  }
};

struct DecoderWidths {
  Index features = 0;        // D
  Index vocabulary = 0;      // V
  Index rows = 0, cols = 0;  // of the grid of features
  Index keys = 0;            // K of EncodedImages::keys; 0: attention scores the features
};

// The decoder of a config; declares its parameters in `scope`.
std::unique_ptr<Decoder> make_decoder(const DecoderConfig& config, const AttentionConfig& attention,
                                      const DecoderWidths& widths, const ParamScope& scope);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
