// From images to what a model's encoder takes. The same path serves training, evaluation and a
// photo a user gives later: only the checkpoint and the image are needed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "captioning/data/load_data.h"
#include "core/base/random.h"
#include "core/config/experiment_config.h"
#include "core/tensor/shape.h"
#include "vision/encoders/grid.h"

namespace saccade {

// One image at a time; safe from many threads.
class InputPipeline {
 public:
  // Loads the frozen encoder where the config has one. Throws DataError, UsageError.
  explicit InputPipeline(const EncoderConfig& config);

  const FrozenEncoder* frozen() const { return frozen_.get(); }
  GridShape frozen_grid() const;  // zeros where the encoder is trainable
  Shape shape() const;            // of one input: [S, S, 3] or [L, D]
  // Writes the input of an image to out [shape()] and says how pixels and grid correspond.
  Geometry run(const Image& image, std::span<float> out) const;
  // The same with random changes (encoder.augment), drawn from key; trainable encoders only.
  Geometry run_augmented(const Image& image, const RandomKey& key, std::span<float> out) const;
  PrepareOptions preparation() const;

 private:
  EncoderConfig config_;
  std::unique_ptr<FrozenEncoder> frozen_;
};

// The inputs of a data set's images, from the feature cache or from pixels held in memory.
class DatasetInputs {
 public:
  // With a frozen encoder: computes all features at first (in parallel, into encoder.cache if it
  // is set), reporting progress(done, total). data and pipeline must outlive this.
  DatasetInputs(const LoadedData& data, const InputPipeline& pipeline, const EncoderConfig& config,
                const std::function<void(Index done, Index total)>& progress);
  ~DatasetInputs();

  Shape shape() const;
  // Writes the input of image i of the data set; safe from many threads.
  void load(Index image, std::span<float> out) const;
  void load_augmented(Index image, const RandomKey& key, std::span<float> out) const;
  Geometry geometry(Index image) const;
  // Images that could not be read where data.on_bad_image is skip; they must not be trained on.
  std::span<const Index> bad_images() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
