// From images and texts to what a model's encoder takes. Training, evaluation and the photo or text
// of a user go the same way, which needs only the checkpoint and the image.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/model/input_batch.h"
#include "core/base/messages.h"
#include "core/base/random.h"
#include "core/tensor/shape.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/given_features.h"
#include "vision/images/augment.h"

namespace saccade {

// Makes the input of one image at a time. Many threads may use it at once.
class InputPipeline {
 public:
  // Throws UsageError for changes of training photos that do not fit together or have no effect.
  static void check(const EncoderConfig& config);
  // Loads the frozen encoder if the config has one. Throws DataError, and UsageError for values
  // that do not fit together. The listener receives messages about the encoder and, later,
  // about a data set's inputs.
  explicit InputPipeline(const EncoderConfig& config, MessageListener listener = {});
  // Takes what the config's encoder gave another time in place of pictures: `given` are its regions
  // (CaptionModel::encoder_grid()), of which files have those that show some of the photo.
  InputPipeline(const EncoderConfig& config, const GridShape& given, MessageListener listener);

  const MessageListener& listener() const { return listener_; }

  const FrozenEncoder* frozen() const { return frozen_.get(); }
  GridShape frozen_grid() const;  // zeros where the encoder is trainable
  // Of one input: [S, S, 3] or [L, D], of features with a vector of the photo [L + 1, D]; of texts
  // [L].
  Shape shape() const;
  // Whether inputs are texts. The functions that take images throw UsageError then, and
  // run_text() throws it for an encoder of images.
  bool reads_text() const { return text_length_ > 0; }
  // Writes the numbers of a text's tokens to out [shape()], padding behind them, and returns how
  // the text and the grid correspond. Throws DataError, which names the token or the limit, for a
  // text without tokens, with too many, or with one that the encoder does not know.
  Geometry run_text(std::span<const std::string> tokens, std::span<float> out) const;
  // Whether inputs are features that were computed before; run() throws UsageError then.
  bool reads_features() const { return features_ != nullptr; }
  const GivenFeatures& features() const { return *features_; }
  // Whether a photo can be described only where its picture is there. Of the model's own features,
  // the size of the photo tells which cells show it.
  bool needs_pictures() const { return !reads_text() && (!reads_features() || own_); }
  // Whether these are of frames in time.
  bool reads_times() const { return reads_features() && features_->grid().in_time; }
  // The input of a photo of this size (0 where it is not there) whose features are in the
  // files of the config, or in `own` where that is given; `names` are what the photo is called by.
  // Throws DataError where there are none, or they do not fit the model; the listener hears of
  // regions that are left out.
  Geometry run_features(const ImageSize& photo, std::span<const std::string> names,
                        const FeatureSource* own, std::span<float> out) const;
  // Writes the input of an image to out [shape()] and returns how pixels and grid correspond.
  // `seen` also receives the classes that the frozen network sees; it must have a classifier then.
  Geometry run(const Image& image, std::span<float> out,
               std::vector<SeenClass>* seen = nullptr) const;
  // The number of classes that the frozen network knows; 0 without one, or without a classifier.
  Index classes() const;
  // Does the same with random changes (encoder.augment), drawn from `key`. For trainable encoders
  // only.
  Geometry run_augmented(const Image& image, const RandomKey& key, std::span<float> out) const;
  // How an image is turned into what the network sees.
  PrepareOptions preparation() const { return preparation_; }
  void encode(const Image& network_image, const PictureArea& area, std::span<float> out) const;
  bool augments() const { return augments_; }

  // The number of views of a training photo (encoder.augment.views); it is above 1 with a frozen
  // encoder only. View 0 is the photo as it is. What changes the others depends only on the photo's
  // id and the number of the view, so that they can be computed once.
  Index views() const { return views_; }
  Geometry view_geometry(const ImageSize& size, const std::string& id, Index view) const;
  Prepared prepare_view(const Image& image, const std::string& id, Index view) const;
  // A text that differs between changes which give different views of the same number.
  std::string changes_text() const;

 private:
  struct Unloaded {};  // selects the constructor that loads no encoder
  InputPipeline(Unloaded, const EncoderConfig& config, MessageListener listener);
  AugmentOptions changes_of(Index view) const;
  Geometry run_own_features(const ImageSize& photo, std::span<const std::string> names,
                            const FeatureSource* source, std::span<float> out) const;

  MessageListener listener_;
  Index text_length_ = 0;  // 0: inputs are images
  std::vector<std::string> words_;
  std::unordered_map<std::string, int> numbers_;  // of the tokens, from 1
  PrepareOptions preparation_;
  Normalization normalization_;
  AugmentOptions augment_;
  bool augments_ = false;
  Index views_ = 1;
  std::unique_ptr<FrozenEncoder> frozen_;
  const GivenFeatures* features_ = nullptr;  // that encoder, where it is one
  bool own_ = false;                         // whether they are the encoder's own
};

// Whether the further views of training photos are made, too. Only training needs them.
enum class Views { kPlain, kOfTraining };

// The inputs of a data set's images: pixels held in memory (those that do not fit are read again at
// every use), or frozen features from a cache on disk (encoder.cache) or from memory. The features
// are the same numbers from either: 16-bit floats where encoder.half is set.
class DatasetInputs {
 public:
  using Progress = std::function<void(Index done, Index total)>;

  // Reads all images in parallel, and computes their features if the encoder is frozen (into
  // encoder.cache if it is set), calling `progress` from this thread. If `images` are given, only
  // these are read, and others must not be requested. data and pipeline must outlive this. Throws
  // what reading an image throws where data.on_bad_image is fail, and DataError where every image
  // is bad. With Views::kOfTraining, it also computes the features of all views of the training
  // photos, which a cache keeps in a file of their own.
  DatasetInputs(const LoadedData& data, const InputPipeline& pipeline, const EncoderConfig& config,
                const Progress& progress, const std::optional<std::vector<Index>>& images = {},
                Views views = Views::kPlain);
  ~DatasetInputs();

  Shape shape() const;
  // Writes the input of image i of the data set, and returns where in it the picture is. Many
  // threads may call it at once.
  PictureArea load(Index image, std::span<float> out) const;
  // Writes the input with the random changes of the config, if it has any: new ones, or one of the
  // views. Returns which part of the picture it shows; the result is empty where neither the
  // picture nor its size was read, and then geometry(image) holds.
  Geometry load_augmented(Index image, const RandomKey& key, std::span<float> out) const;
  // The number of views of a training photo that load_augmented() draws from.
  Index views() const;
  // The classes that the frozen network sees in an image; it must have a classifier. Features that
  // are cached do not say it, so each picture is read once more. Throws what load() throws.
  std::vector<SeenClass> seen(Index image) const;
  // The inputs of several images, in order. Throws what load() throws.
  InputBatch batch(std::span<const Index> images) const;
  // How pixels and grid correspond. Reads the head of the picture's file where the features were in
  // the cache and nothing is padded.
  Geometry geometry(Index image) const;
  // The images that could not be read where data.on_bad_image is skip, in order. They must not be
  // asked for.
  std::span<const Index> bad_images() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
