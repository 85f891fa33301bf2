// CaptionModel: encoder, decoder, parameters and vocabulary, that is, everything between an image
// and words.
#pragma once

#include <functional>
#include <memory>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/decoders/word_localizer.h"
#include "captioning/model/input_batch.h"
#include "captioning/model/model_config.h"
#include "captioning/model/region_parts.h"
#include "captioning/model/search/search.h"
#include "captioning/model/search/search_config.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "core/attention/sequence/refinement.h"
#include "core/nn/grid_positions.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/encoder.h"

namespace saccade {

// Called for every block of attention before the features: those of the encoder's tokens, and those
// of the refinement's regions.
struct EncoderWatch {
  WatchBlock tokens{}, regions{};
};

class CaptionModel {
 public:
  // Declares all parameters and initialises them from config.seed, but those of an encoder that a
  // file defines from that file. `frozen_grid` is the grid of the frozen encoder
  // (InputPipeline::frozen_grid) and is ignored where the encoder is trainable. `check` is for
  // a model whose parameters are then read from a file: it is called when all of them are declared
  // and have no memory yet, what it throws ends the construction, and they begin as zeros.
  using CheckDeclared = std::function<void(const ParameterStore&)>;
  CaptionModel(const ModelConfig& config, Vocabulary vocabulary, const GridShape& frozen_grid,
               const CheckDeclared& check = {});
  // Throws UsageError where widths or grids of a config's parts do not fit together. Those of a
  // frozen encoder, which only the encoder's file knows, are checked where `frozen_grid` is given.
  static void check(const ModelConfig& config, const GridShape& frozen_grid = {});
  // A model for the names and shapes of its parameters, which have no values.
  static CaptionModel declared(const ModelConfig& config, Vocabulary vocabulary,
                               const GridShape& frozen_grid);

  // What supervises attention without boxes; null where the config has none.
  const WordLocalizer* localizer() const { return localizer_.get(); }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Decoder& decoder() const { return *decoder_; }
  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }
  // False where words choose no regions by attention of their own (attention.score none,
  // decoder.image): there are no weights to judge or to replace.
  bool has_attention() const { return has_attention_; }
  // Whether words have maps (ModelConfig::has_maps).
  bool has_maps() const { return has_maps_; }
  // The grid that the decoder attends to. Its features are those that contexts are made from.
  const GridShape& grid() const { return grid_; }
  // How many regions without a place follow those of the grid (encoder.placeless).
  Index placeless() const { return placeless_; }
  // What encode() takes for each image: pixels [H, W, 3], or frozen features [L, D], with a vector
  // of the image behind them where files have one; for each text, the numbers of its tokens [L].
  const Shape& input_shape() const { return input_shape_; }
  // The regions that the encoder gives, before anything of the model changes them, with the vector
  // of the image as a whole (encoder.pooled). encode() takes [B, vectors, features] of them in
  // place of pictures, too.
  GridShape encoder_grid() const;

  // Null where the encoder is frozen.
  const Encoder* encoder() const { return encoder_.get(); }
  // Refines the grid before the decoder attends to it; null if the config has no layers.
  const Refinement* refinement() const { return refinement_.get(); }

  // Features [B, L, D] of B images, those of regions without a place behind the grid's, with what
  // decoders have to know of them. Refinement leaves keys of their own as they are. The tape must
  // hold the parameters of this model. Throws ShapeError where images are padded and the input
  // lacks the place of the picture.
  EncodedImages encode(Tape& tape, const InputView& input, const EncoderWatch& watch = {}) const;
  // What a trained encoder gives of the same inputs, as encoder_grid() says.
  EncodedImages encode_regions(Tape& tape, const InputView& input) const;
  // [B, L], 0 for masked regions, which are nothing but padding, else 1; empty where inputs are not
  // padded: texts are, photos with different numbers of regions, and images where encoder.resize
  // says so.
  std::vector<std::uint8_t> mask(const InputView& input) const;

 private:
  // Selects a constructor that leaves the parameters without values.
  struct Declared {};
  CaptionModel(const ModelConfig& config, Vocabulary vocabulary, const GridShape& frozen_grid,
               Declared);
  // The features before refinement; `mask` is what mask() returns.
  EncodedImages encode_grid(Tape& tape, const InputView& input, std::span<const std::uint8_t> mask,
                            const WatchBlock& watch) const;

  // Of the input [B, L + 1, D] the features, and the vectors of photos that follow them.
  EncodedImages split_pooled(Tape& tape, Var x) const;

  Vocabulary vocabulary_;
  ParameterStore parameters_;
  std::unique_ptr<Encoder> encoder_;          // none with a frozen encoder
  std::unique_ptr<GridPositions> positions_;  // of a frozen grid; a trainable one adds its own
  std::unique_ptr<RegionParts> parts_;  // none where all features are keys and values as they are
  std::unique_ptr<Refinement> refinement_;  // none if the config has no layers
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<WordLocalizer> localizer_;
  bool has_attention_, has_maps_;
  double feature_dropout_, region_dropout_;
  bool pads_;
  bool adds_times_ = false;  // whether the places of frames in time are added to their features
  PooledKind pooled_;
  GridShape grid_;
  Index placeless_ = 0;
  Shape input_shape_;
};

// The search of a model, in the regime that suits its attention. Forbidden words that the
// vocabulary lacks are left out.
SearchOptions search_options(const ModelConfig& config, const SearchConfig& search,
                             const Vocabulary& vocabulary);

// The regimes in which a model is evaluated. For soft and top_k: expectation, and argmax where the
// scope is monotonic. For argmax: argmax and expectation. For those that draw: all, but kMarginal
// only where a word is a mixture over the regions of one glimpse.
std::vector<Regime> evaluation_regimes(const ModelConfig& config);

}  // namespace saccade
