#include "captioning/evaluation/decode_images.h"

#include <algorithm>
#include <mutex>

namespace saccade {

namespace {

constexpr Index kGroup = 8;  // images decoded together

Tensor batch_of(const Shape& one, Index count) {
  std::vector<Index> extents{count};
  for (int axis = 0; axis < one.rank(); ++axis) extents.push_back(one[axis]);
  return Tensor(Shape::of(extents.data(), static_cast<int>(extents.size())));
}

}  // namespace

std::vector<DecodedCaption> decode(const Ensemble& models, const DecodeRequest& request) {
  const bool draws = request.search.mode == SearchMode::kSample;
  const Index each = draws ? request.search.samples : 1;  // captions of an image
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(request.count * each));
  std::mutex mutex;
  Index done = 0;
  parallel::for_blocks(request.count, kGroup, [&](Index begin, Index end) {
    std::vector<Tensor> inputs;
    std::vector<ConstView> views;
    for (std::size_t m = 0; m < models.size(); ++m) {
      const Shape& one = models.model(m).input_shape();
      const auto size = static_cast<std::size_t>(one.size());
      inputs.push_back(batch_of(one, end - begin));
      for (Index i = begin; i < end; ++i)
        request.load(i, m,
                     inputs[m].span().subspan(static_cast<std::size_t>(i - begin) * size, size));
      views.push_back(inputs[m].view());
    }
    std::vector<DecodedCaption> group = models.caption(
        views, request.search, static_cast<std::uint64_t>(request.first_image + begin));
    std::move(group.begin(), group.end(), captions.begin() + begin * each);
    const std::lock_guard lock(mutex);
    done += end - begin;
    if (request.progress) request.progress(done, request.count);
  });
  return captions;
}

std::vector<DecodedCaption> decode_images(const Ensemble& models, const EnsembleInputs& inputs,
                                          std::span<const Index> images,
                                          const SearchOptions& search,
                                          const DecodeProgress& progress) {
  SACCADE_CHECK(models.size() == inputs.size(), "[decode] ", inputs.size(), " inputs for ",
                models.size(), " models");
  for (std::size_t m = 0; m < models.size(); ++m)
    SACCADE_CHECK(inputs.of(m).shape() == models.model(m).input_shape(),
                  "[decode] the model takes ", models.model(m).input_shape(),
                  " an image; the inputs are ", inputs.of(m).shape());
  const auto load = [&](Index position, std::size_t member, std::span<float> out) {
    inputs.of(member).load(images[static_cast<std::size_t>(position)], out);
  };
  return decode(models, {.count = static_cast<Index>(images.size()),
                         .load = load,
                         .search = search,
                         .progress = progress});
}

}  // namespace saccade
