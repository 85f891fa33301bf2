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
      crowded_(data.dataset.images.size()) {
  const FeatureSource* source = pipeline.features().source();
  if (!source) return;  // reading tells
  std::vector<std::string> missing;
  for (const Index image : images)
    if (!source->find(names_of(image)))
      missing.push_back(data.dataset.images[static_cast<std::size_t>(image)].id);
  const auto all = std::ssize(images), lacking = std::ssize(missing);
  const bool skips = data.on_bad_image == BadImage::kSkip;
  if (views == Views::kOfTraining && (missing.empty() || skips))
    inform(pipeline.listener(), str(source->path(), ": has features of ", all - lacking, " of ",
                                    all, " photos of ", data.dataset.name));
  if (!missing.empty() && !skips)
    throw DataError(str(source->path(), ": lacks the features of ", lacking, " of ", all,
                        " photos of ", data.dataset.name, ": ", first_names(missing),
                        "; data.on_bad_image=skip leaves such photos out"));
}

std::vector<std::string> GivenInputs::names_of(Index image) const {
  const CaptionedImage& one = data_.dataset.images[static_cast<std::size_t>(image)];
  return {one.id, one.path};
}

FoundFeatures GivenInputs::read(Index image, std::span<float> out) const {
  FoundFeatures found = pipeline_.features().read(
      names_of(image), nullptr, [&] { return data_.image_size(image); }, out);
  return found;
}

void GivenInputs::note(Index image, const FoundFeatures& found) {
  digests_[static_cast<std::size_t>(image)] = found.digest;
  crowded_[static_cast<std::size_t>(image)] = found.left_out > 0 ? 1 : 0;
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

void GivenInputs::tell_crowded() const {
  const auto count = static_cast<Index>(std::ranges::count(crowded_, 1));
  if (count == 0) return;
  inform(pipeline_.listener(),
         str(data_.dataset.name, ": ", counted(count, "photo has", "photos have"),
             " more regions than the ", pipeline_.features().grid().cells(),
             " that the model takes (encoder.features.regions); the first are kept"));
}

}  // namespace saccade
