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

std::vector<DecodedCaption> decode(const Captioner& model, const DecodeRequest& request) {
  const bool draws = request.search.mode == SearchMode::kSample;
  const Index each = draws ? request.search.samples : 1;  // captions of an image
  std::vector<DecodedCaption> captions(static_cast<std::size_t>(request.count * each));
  const auto size = static_cast<std::size_t>(model.input_shape().size());
  std::mutex mutex;
  Index done = 0;
  parallel::for_blocks(request.count, kGroup, [&](Index begin, Index end) {
    Tensor input = batch_of(model.input_shape(), end - begin);
    for (Index i = begin; i < end; ++i) {
      request.load(i, input.span().subspan(static_cast<std::size_t>(i - begin) * size, size));
    }
    std::vector<DecodedCaption> group = model.caption(
        input.view(), request.search, static_cast<std::uint64_t>(request.first_image + begin));
    std::move(group.begin(), group.end(), captions.begin() + begin * each);
    const std::lock_guard lock(mutex);
    done += end - begin;
    if (request.progress) request.progress(done, request.count);
  });
  return captions;
}

std::vector<DecodedCaption> decode_images(const Captioner& model, const DatasetInputs& inputs,
                                          std::span<const Index> images,
                                          const SearchOptions& search,
                                          const DecodeProgress& progress) {
  SACCADE_CHECK(inputs.shape() == model.input_shape(), "[decode] the model takes ",
                model.input_shape(), " an image; the inputs are ", inputs.shape());
  const auto load = [&](Index position, std::span<float> out) {
    inputs.load(images[static_cast<std::size_t>(position)], out);
  };
  return decode(model, {.count = static_cast<Index>(images.size()),
                        .load = load,
                        .search = search,
                        .progress = progress});
}

}  // namespace saccade
