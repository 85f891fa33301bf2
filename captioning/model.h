// Captioner: encoder, decoder, parameters and vocabulary - everything between an image and words.
#pragma once

#include <memory>

#include "captioning/decoders/decoder.h"
#include "captioning/input_batch.h"
#include "captioning/objectives/word_localizer.h"
#include "captioning/region_parts.h"
#include "captioning/search/search.h"
#include "captioning/text/vocabulary.h"
#include "core/attention/sequence/refinement.h"
#include "core/config/experiment_config.h"
#include "core/nn/grid_positions.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/encoder.h"

namespace saccade {

// Called for every block of attention on the way to the features: those of the encoder's tokens,
// and those of the refinement's regions.
struct EncoderWatch {
  WatchBlock tokens{}, regions{};
};

class Captioner {
 public:
  // Declares all parameters and initialises them from config.seed, those of an encoder that a file
  // defines from the file. `frozen_grid` is the grid of the
  // frozen encoder (InputPipeline::frozen_grid) and ignored where the encoder is trainable.
  Captioner(const ExperimentConfig& config, Vocabulary vocabulary, const GridShape& frozen_grid);
  // Throws UsageError where widths or grids of a config's parts do not fit together; those of a
  // frozen encoder only its file knows.
  static void check(const ExperimentConfig& config);

  // What supervises attention without boxes; null where the config asks for none.
  const WordLocalizer* localizer() const { return localizer_.get(); }
  // Informed attention, where training has some.
  std::span<const InformedAttention> informed_attention() const { return informed_; }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Decoder& decoder() const { return *decoder_; }
  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }
  // False where words choose no regions (attention.score none, decoder.image): there is no map to
  // judge or to edit.
  bool has_attention() const { return has_attention_; }
  // The grid the decoder attends to; features are those that contexts are made of.
  const GridShape& grid() const { return grid_; }
  // What encode() takes for each image: pixels [H, W, 3] or frozen features [L, D].
  const Shape& input_shape() const { return input_shape_; }

  // Null where the encoder is frozen.
  const Encoder* encoder() const { return encoder_.get(); }
  // What refines the grid before the decoder attends to it; null if the config has no layers.
  const Refinement* refinement() const { return refinement_.get(); }

  // Features [B, L, D] of B images, with what decoders have to know of them, and keys where they
  // have their own, which refinement leaves as they are; the tape must hold
  // this model's parameters. Throws ShapeError where images are padded and the input does not say
  // how.
  EncodedImages encode(Tape& tape, const InputView& input, const EncoderWatch& watch = {}) const;
  // Which regions count [B, L]: 0 for those that are wholly padding; empty where images are not
  // padded (encoder.resize).
  std::vector<std::uint8_t> counts(const InputView& input) const;

 private:
  // Without values in the parameters.
  struct Declared {};
  Captioner(const ExperimentConfig& config, Vocabulary vocabulary, const GridShape& frozen_grid,
            Declared);
  // Features before refinement; counts as counts() has them.
  EncodedImages encode_grid(Tape& tape, ConstView input, std::span<const std::uint8_t> counts,
                            const WatchBlock& watch) const;

  Vocabulary vocabulary_;
  ParameterStore parameters_;
  std::unique_ptr<Encoder> encoder_;          // none with a frozen encoder
  std::unique_ptr<GridPositions> positions_;  // of a frozen grid; a trainable one adds its own
  std::unique_ptr<RegionParts> parts_;  // none where all features are keys and values as they are
  std::unique_ptr<Refinement> refinement_;  // none if the config has no layers
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<WordLocalizer> localizer_;
  std::vector<InformedAttention> informed_;
  bool has_attention_;
  double feature_dropout_, region_dropout_;
  bool pads_, pools_class_token_;
  GridShape grid_;
  Shape input_shape_;
};

// The search that a config asks for, in the regime that suits its attention, and which maps its
// captions have (maps.step). Forbidden words that the vocabulary lacks are left out.
SearchOptions search_options(const ExperimentConfig& config, const Vocabulary& vocabulary);

// The regimes a model is evaluated in: expectation for soft and top_k, and argmax where the scope
// is monotonic; argmax and expectation for argmax; all for those that draw, but kMarginal
// only where a word is a mixture over the regions of one glimpse.
std::vector<Regime> evaluation_regimes(const ExperimentConfig& config);

}  // namespace saccade
