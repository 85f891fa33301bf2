// From images to what a model's encoder takes. The same path serves training, evaluation and a
// photo a user gives later: only the checkpoint and the image are needed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/input_batch.h"
#include "core/base/random.h"
#include "core/config/encoder_config.h"
#include "core/tensor/shape.h"
#include "vision/augment.h"
#include "vision/encoders/grid.h"

namespace saccade {

// One image at a time; safe from many threads.
class InputPipeline {
 public:
  // Loads the frozen encoder where the config has one. Throws DataError, and UsageError on values
  // that do not fit together.
  explicit InputPipeline(const EncoderConfig& config);

  const FrozenEncoder* frozen() const { return frozen_.get(); }
  GridShape frozen_grid() const;  // zeros where the encoder is trainable
  Shape shape() const;            // of one input: [S, S, 3] or [L, D]
  // Writes the input of an image to out [shape()] and says how pixels and grid correspond.
  Geometry run(const Image& image, std::span<float> out) const;
  // The same with random changes (encoder.augment), drawn from key; trainable encoders only.
  Geometry run_augmented(const Image& image, const RandomKey& key, std::span<float> out) const;
  // How an image becomes what the network sees, and then its input.
  PrepareOptions preparation() const { return preparation_; }
  void encode(const Image& network_image, const PictureArea& area, std::span<float> out) const;
  bool augments() const { return augments_; }

  // How many ways there are to see a training photo (encoder.augment.views): above 1 with a frozen
  // encoder only. View 0 is the photo as it is; what changes the others depends on the photo's id
  // and the number of the view alone, so that they can be computed once.
  Index views() const { return views_; }
  Geometry view_geometry(const ImageSize& size, const std::string& id, Index view) const;
  Prepared prepare_view(const Image& image, const std::string& id, Index view) const;
  // Tells changes apart that give other views of the same number.
  std::string changes_text() const;

 private:
  AugmentOptions changes_of(Index view) const;

  PrepareOptions preparation_;
  Normalization normalization_;
  AugmentOptions augment_;
  bool augments_ = false;
  Index views_ = 1;
  std::unique_ptr<FrozenEncoder> frozen_;
};

// Whether the other views of training photos are made, too: to train, and for nothing else.
enum class Views { kPlain, kOfTraining };

// The inputs of a data set's images: pixels held in memory (what does not fit is read again at
// every use), or frozen features from a cache on disk (encoder.cache) or from memory. Features are
// the same numbers from either: 16-bit floats where encoder.half is set.
class DatasetInputs {
 public:
  using Progress = std::function<void(Index done, Index total)>;

  // Reads all images in parallel at first, and computes their features if the encoder is frozen
  // (into encoder.cache if it is set), calling progress from this thread; only `images` if they are
  // given, and others must then not be asked for. data and pipeline must outlive this. Throws what
  // reading an image throws where data.on_bad_image is fail, and DataError where every image is
  // bad. With Views::kOfTraining also the features of all views of the training photos, which a
  // cache keeps in a file of their own.
  DatasetInputs(const LoadedData& data, const InputPipeline& pipeline, const EncoderConfig& config,
                const Progress& progress, const std::optional<std::vector<Index>>& images = {},
                Views views = Views::kPlain);
  ~DatasetInputs();

  Shape shape() const;
  // Writes the input of image i of the data set and says where in it the picture is; safe from many
  // threads.
  PictureArea load(Index image, std::span<float> out) const;
  // The same with the random changes that the config asks for, if any: new ones, or one of the
  // views. Says what of the picture it is; empty where neither the picture nor its size was read,
  // and then it is geometry(image).
  Geometry load_augmented(Index image, const RandomKey& key, std::span<float> out) const;
  // How many views of a training photo load_augmented() draws from.
  Index views() const;
  // The inputs of several images, in order. Throws what load() throws.
  InputBatch batch(std::span<const Index> images) const;
  // How pixels and grid correspond; reads the head of the picture's file where the features were in
  // the cache and nothing is padded.
  Geometry geometry(Index image) const;
  // Images that could not be read where data.on_bad_image is skip, in order; they must not be asked
  // for.
  std::span<const Index> bad_images() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
