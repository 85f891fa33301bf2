// The features of a data set's photos where another program computed them. Private to captioning.
#pragma once

#include <string>
#include <vector>

#include "captioning/model/inputs.h"
#include "vision/encoders/feature_cache.h"

namespace saccade {

class GivenInputs {
 public:
  // Counts the photos that have no features, before any is read. Throws DataError that names the
  // first of them unless bad images are skipped. For training it says how many were found. All
  // arguments but the list must outlive it.
  GivenInputs(const LoadedData& data, const InputPipeline& pipeline,
              const std::vector<Index>& images, Views views);

  // Writes the features of a photo to out [pipeline.shape()]. Throws as GivenFeatures::read().
  FoundFeatures read(Index image, std::span<float> out) const;
  // Keeps what was found of a photo at the first reading, for what follows, and returns how it and
  // the photo correspond; without the size of the photo where there is one to be read. Several
  // threads may keep different photos.
  Geometry keep(Index image, FoundFeatures found);
  // Those of photos that were all read once, in the form of the cache: one file whose rows are read
  // at once, whatever the form that they came in.
  FeatureCache cached(const std::filesystem::path& folder, const std::vector<Index>& images,
                      FeatureCacheOptions options) const;
  // Says, once all photos were read, how many are not there, and how many have more regions than
  // the model takes.
  void tell_remarks() const;

 private:
  struct Remarks {
    bool crowded = false;   // it has too many regions
    bool absent = false;    // its photo is not there
    bool unplaced = false;  // and the places of its regions are therefore not known
  };
  std::vector<std::string> names_of(Index image) const;

  const LoadedData& data_;
  const InputPipeline& pipeline_;
  std::vector<std::string> digests_;  // by image
  std::vector<Remarks> remarks_;      // by image
};

}  // namespace saccade
