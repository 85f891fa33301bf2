// What is behind saccade.Model and saccade.Caption: open models, what they are asked to describe,
// and what they say of it.
#pragma once

#include <pybind11/numpy.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/model/decoding/photo.h"
#include "captioning/model/maps/layer_maps.h"
#include "core/parallel/parallel.h"
#include "vision/drawing/overlay.h"

namespace saccade::python {

// A photo that is not there, by what it is called where its features are.
struct Unseen {
  std::string id;
};

// A photo as it was given: its file, the bytes of a file, pixels, or that it is not there. What it
// points to belongs to Python, which keeps it during a call. For a model of texts, `name` is the
// text.
struct Given {
  std::string name{};                     // a path or a text; of others what messages call them
  std::span<const std::uint8_t> bytes{};  // of a file
  const std::uint8_t* pixels = nullptr;   // [height, width, 3]
  Index height = 0, width = 0;            // of pixels
  bool unseen = false;                    // there are only features; `name` is the id
  // Of a model of features from elsewhere: where they are, if not in the files of its config.
  std::shared_ptr<const FeatureSource> features{};
};

// What a photo of Python is: its path or a text (str), the bytes of a file, an Unseen, or pixels,
// which saccade/model.py has made an array [height, width, 3] of bytes without gaps. It must
// outlive the result.
Given given(const pybind11::handle& photo);

// The photo's pixels. Throws DataError, and ShapeError where there are none or too many.
Image picture_of(const Given& photo, const MessageListener& listener,
                 Index max_pixels = kMaxImagePixels);

// How a caption is made.
struct Asked {
  std::vector<std::string> set{};  // "search.beam=5"
  std::string regime{};            // empty: the models' own
  Index alternatives = 1;          // captions that beam search returns
  bool layers = false;     // whether the maps of every layer and head are kept, also those of words
  std::string features{};  // a file with the photos' features (Given::features)
};

// One model, or several that caption together. Many threads may use it at once. All functions
// throw Error, and are called while the interpreter's lock is free, if they do not return arrays.
class Opened : public std::enable_shared_from_this<Opened> {
 public:
  // Checkpoints are files, runs or names of models, which may lie in these folders.
  Opened(const std::vector<std::string>& checkpoints, const std::vector<std::string>& set,
         const std::vector<std::filesystem::path>& folders, int threads, MessageListener listener);

  const Ensemble& models() const { return *models_; }
  // The same as they read a photo with these features, or without any (null).
  const Ensemble& models(const FeatureSource* features) const;
  const LoadedModel& first() const { return members_.front(); }
  // "soft", or "soft, hard".
  std::string name() const;
  bool reads_text() const { return first().pipeline->reads_text(); }

  SearchOptions search(const Asked& asked) const;
  // The features of a file: those of other programs or, where no model reads such, what the models'
  // own encoders gave another time. Throws UsageError where files cannot have these, and DataError;
  // null for "".
  std::shared_ptr<const FeatureSource> features_of(const std::string& file) const;
  // The photos that a file has the features of, none of which is there. Throws as above, and
  // UsageError for "" and where a model needs pictures.
  std::vector<Unseen> unseen(const std::string& file) const;
  // Reads and captions the photos, some at once; with the words of `say`, if it has any. Throws for
  // the first that cannot be read, and what check_signals() throws.
  std::vector<Photo> captions(std::span<const Given> photos, const SearchOptions& search,
                              const std::string& say) const;
  // Captions that are drawn for one photo. Its own caption is the first of them.
  Photo samples(const Given& photo, SearchOptions search, Index count,
                std::vector<DecodedCaption>& drawn) const;
  // What the encoder of a single model attends to.
  EncoderMaps encoder_maps(const Given& photo) const;
  // The pixels of a photo, or a text with the picture of it.
  Source source(const Given& photo) const { return source(photo, listener_); }
  const parallel::ThreadPool& threads() const { return threads_; }

  // A photo with what the first shown model makes of it.
  struct Encoded {
    std::shared_ptr<const Opened> models;
    Photo photo;
    EncodedPictures pictures;

    Encoded(std::shared_ptr<const Opened> m, Photo p, const FeatureSource* features)
        : models(std::move(m)),
          photo(std::move(p)),
          pictures(models->models(features), photo.views()) {}
  };
  std::shared_ptr<const Encoded> encode(const Given& photo) const;
  // Its features, of which the array shows the memory: [rows, columns, features].
  static pybind11::array features(const std::shared_ptr<const Encoded>& encoded);

 private:
  Source source(const Given& photo, const MessageListener& listener) const;
  Photo read(const Given& photo) const;
  Regime regime(const std::string& name) const;

  parallel::ThreadPool threads_;
  MessageListener listener_;
  std::vector<LoadedModel> members_;
  bool reads_features_ = false;  // whether one of the models does without being asked
  std::optional<Ensemble> models_;
  // The models with the features of their own encoders in place of pictures, once they are used.
  mutable std::mutex own_features_mutex_;
  mutable std::optional<Ensemble> of_own_features_;
};

// A caption with the attention of its words. The arrays are made when they are asked for.
class Spoken {
 public:
  Spoken(std::shared_ptr<const Opened> models, DecodedCaption caption, Geometry geometry,
         Regime regime, bool layers)
      : models_(std::move(models)),
        caption_(std::move(caption)),
        geometry_(geometry),
        regime_(regime),
        layers_(layers) {}

  std::string text() const;
  double log_probability() const { return caption_.log_prob; }
  bool finished() const { return caption_.finished; }
  Index height() const { return geometry_.original_height; }
  Index width() const { return geometry_.original_width; }
  // (text, log p, gate or None, sentinel or None, (row, column) that was chosen or None).
  pybind11::list words() const;
  // [words, rows, columns], or [words, regions] of regions from elsewhere; None without attention.
  pybind11::object maps() const;
  pybind11::object layer_maps() const;  // [words, layers, heads, ...], or None
  // Where regions from elsewhere lie: [regions, 4], x, y, width and height in pixels; None where
  // they are the cells of a grid, or nobody knows.
  pybind11::object boxes() const;
  pybind11::object word_maps() const;  // [layers, heads, words, words], or None
  // The map of a word over the pixels of the photo [height, width], interpolated; 0 where the
  // model did not see the photo.
  std::vector<float> map_on_photo(Index word) const;
  std::vector<Spoken> alternatives() const;
  // The sheet of all words, or the panel of one.
  Image draw(const Given& photo, const OverlayOptions& options, MapMeasure measure,
             std::optional<Index> word) const;
  // What the explorer's page shows of it (captioning/explorer), as JSON.
  std::string page_json(const Given& photo) const;

  // The photo again; of one that is not there the picture that maps are drawn on. Throws ShapeError
  // where it has changed.
  Source source(const Given& photo) const;

 private:
  // The extents of a map behind `before`, and its weights without those of padding behind them.
  std::vector<pybind11::ssize_t> shape_behind(std::vector<pybind11::ssize_t> before) const;
  void add_weights(const AttentionMap& map, std::vector<float>& numbers) const;
  void require_word(Index word) const;

  std::shared_ptr<const Opened> models_;
  DecodedCaption caption_;
  Geometry geometry_;
  Regime regime_;
  bool layers_;
};

// Matrices of an attention, of every layer and head: [layers, heads, T, S]; None where there are
// none.
pybind11::object stacked(std::span<const LayerMap> maps);

}  // namespace saccade::python
