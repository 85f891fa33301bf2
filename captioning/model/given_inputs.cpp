#include "captioning/model/given_inputs.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

GivenInputs::GivenInputs(const LoadedData& data, const InputPipeline& pipeline,
                         const std::vector<Index>& images, Views views)
    : data_(data),
      pipeline_(pipeline),
      digests_(data.dataset.images.size()),
      remarks_(data.dataset.images.size()) {
  const FeatureSource* source = pipeline.features().source();
  if (!source) return;  // reading tells
  std::vector<std::string> missing;
  for (const Index image : images)
    if (!source->find(names_of(image)))
      missing.push_back(data.dataset.images[static_cast<std::size_t>(image)].id);
  const auto all = std::ssize(images), lacking = std::ssize(missing);
  const bool skips = data.on_bad_image == BadImage::kSkip;
  const char* const kind = pipeline.reads_times() ? "recordings" : "photos";
  if (views == Views::kOfTraining && (missing.empty() || skips))
    inform(pipeline.listener(), str(source->path(), ": has features of ", all - lacking, " of ",
                                    all, " ", kind, " of ", data.dataset.name));
  if (!missing.empty() && !skips)
    throw DataError(str(source->path(), ": lacks the features of ", lacking, " of ", all, " ", kind,
                        " of ", data.dataset.name, ": ", first_names(missing),
                        "; data.on_bad_image=skip leaves such ", kind, " out"));
}

std::vector<std::string> GivenInputs::names_of(Index image) const {
  const CaptionedImage& one = data_.dataset.images[static_cast<std::size_t>(image)];
  return {one.id, one.path};
}

FoundFeatures GivenInputs::read(Index image, std::span<float> out) const {
  FoundFeatures found = pipeline_.features().read(
      names_of(image), nullptr,
      [&] { return data_.has_picture(image) ? data_.image_size(image) : ImageSize(); }, out);
  return found;
}

Geometry GivenInputs::keep(Index image, FoundFeatures found) {
  const auto at = static_cast<std::size_t>(image);
  digests_[at] = found.digest;
  const bool there = data_.has_picture(image);
  remarks_[at] = {.crowded = found.left_out > 0,
                  .absent = !there && !pipeline_.reads_times(),
                  .unplaced = found.unplaced};
  return there ? geometry_of_features({}, std::move(found.places)) : geometry_without_photo(found);
}

FeatureCache GivenInputs::cached(const std::filesystem::path& folder,
                                 const std::vector<Index>& images,
                                 FeatureCacheOptions options) const {
  std::vector<std::string> ids;
  for (const Index image : images)
    ids.push_back(str(data_.dataset.images[static_cast<std::size_t>(image)].id, "#",
                      digests_[static_cast<std::size_t>(image)]));
  options.write = [&](Index i, std::span<float> out) {
    read(images[static_cast<std::size_t>(i)], out);
  };
  return FeatureCache::open_or_fill(folder, pipeline_.features(), ids, {}, options);
}

void GivenInputs::tell_remarks() const {
  const auto tell = [&](bool Remarks::*what, const char* is, const char* are,
                        const std::string& text) {
    const auto count = static_cast<Index>(std::ranges::count(remarks_, true, what));
    if (count > 0)
      inform(pipeline_.listener(), str(data_.dataset.name, ": ", counted(count, is, are), text));
  };
  tell(&Remarks::absent, "photo is not there", "photos are not there",
       ", only the features; maps are drawn without them");
  tell(&Remarks::unplaced, "photo has", "photos have",
       " boxes in pixels of a picture of unknown size (encoder.features.size), so that maps are "
       "drawn as lists");
  const bool in_time = pipeline_.reads_times();
  tell(&Remarks::crowded, in_time ? "recording has" : "photo has",
       in_time ? "recordings have" : "photos have",
       str(" more ", in_time ? "frames" : "regions", " than the ",
           pipeline_.features().grid().cells(),
           " that the model takes (encoder.features.regions); the first are kept"));
}

}  // namespace saccade
