// encoder.type features: the features of photos come from files that another program wrote.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/base/region_places.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/features/feature_source.h"
#include "vision/encoders/grid.h"

namespace saccade {

// What a model gets of every photo: the cells of a grid, or a number of regions that differs.
struct FeatureForm {
  bool scattered = false;    // regions in places of their own; else cells of a grid
  Index rows = 0, cols = 0;  // of the grid; of scattered regions 1, and most of a photo
  Index width = 0;           // D, of a vector as the files have it
  bool class_token = false;  // whether one stands before the regions, in the files
  bool pooled = false;       // whether a vector of the whole photo follows the regions
  bool places = false;       // whether the numbers of a region's box follow its features
  bool in_time = false;      // whether scattered regions are frames, one after the other
  double step = 1;           // seconds from one frame to the next in most of the data

  // Of what a model gets: with the numbers of boxes and the vector of the photo.
  GridShape grid() const;
  // The form as a checkpoint holds it, and back. Throws CheckpointError for another text.
  std::string text() const;
  static FeatureForm of_text(const std::string& text);
};

// By how many numbers a box is told to a model: x and y of its centre, each from -1 to 1, width,
// height and area, as shares of the photo's.
inline constexpr Index kBoxNumbers = 5;

// Where features were found, and what belongs to them.
struct FoundFeatures {
  RegionPlaces places{};  // null for the cells of a grid; the boxes of frames in a row of them
  Index left_out = 0;     // regions that were too many
  ImageSize size{};       // of the picture, as files or config say it; zeros: neither does
  bool unplaced =
      false;             // whether boxes were left out, because they are in pixels of no known size
  std::string digest{};  // of the features and boxes
};

class GivenFeatures : public FrozenEncoder {
 public:
  // Opens config.features.path and learns the form from all photos in it, or takes the form of
  // config.graph; then the path may lack. Throws UsageError and DataError.
  explicit GivenFeatures(const EncoderConfig& config);
  // For features of one form that read() is told where to find. A vector of the photo must be among
  // them where the form has one.
  explicit GivenFeatures(FeatureForm form) : form_(form), exact_(true) {}

  GridShape grid() const override { return form_.grid(); }
  const FeatureForm& form() const { return form_; }
  // The files that the config names; null where a checkpoint has the form and they are missing.
  const FeatureSource* source() const { return source_.get(); }
  // Opens the features of photos elsewhere, as the config says.
  std::shared_ptr<const FeatureSource> open(const std::filesystem::path& path) const;
  // Writes the features of a photo to out [regions (+ 1), features], zeros behind its last region.
  // The photo is called by `names`, in `own` or, where that is null, in source(); the only one of
  // `own` needs no name. `size` tells the extents of the photo, zeros where there is none, and is
  // called where boxes need them. Throws DataError where there are none, or they do not have the
  // form.
  FoundFeatures read(std::span<const std::string> names, const FeatureSource* own,
                     const std::function<ImageSize()>& size, std::span<float> out) const;

  PrepareOptions preparation() const override { return {}; }
  // Throws UsageError: there is no network that could encode a picture.
  void encode(const Image&, const PictureArea&, std::span<float>) const override;
  ReceptiveField receptive_field() const override;
  std::string digest() const override;
  StoredNetwork stored() const override { return {.definition = form_.text()}; }

 private:
  FeatureForm learned_form(const EncoderConfig& config) const;
  const FeatureSource& source_of(std::span<const std::string> names,
                                 const FeatureSource* own) const;

  FeaturesConfig config_;
  bool needs_boxes_ = false;  // whether the model goes by them, apart from their numbers
  std::shared_ptr<const FeatureSource> source_, pooled_;
  FeatureForm form_;
  bool exact_ = false;
};

// The photo as a whole, with its regions where they are scattered: what a network saw that another
// program ran.
Geometry geometry_of_features(const ImageSize& photo, RegionPlaces places);
// Of frames without pictures: that of the picture of their time axis (vision/drawing/time_axis.h).
Geometry geometry_of_times(const RegionPlaces& places);
// Of features whose photo is not there: that of frames in time or, of all others, of an empty
// picture (vision/drawing/blank_picture.h), which has the photo's proportions where they are known.
Geometry geometry_without_photo(const FoundFeatures& found);

}  // namespace saccade
