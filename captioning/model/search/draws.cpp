#include "captioning/model/search/draws.h"

#include "core/attention/choosers.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

RandomKey search_key(std::uint64_t seed, std::uint64_t image, std::uint64_t draw) {
  return {.seed = seed, .stream = Stream::kSearch, .step = draw, .sample = image};
}

}  // namespace

RandomKey word_draw_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, 2 * static_cast<std::uint64_t>(step));
}

RandomKey region_draw_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, 2 * static_cast<std::uint64_t>(step) + 1);
}

// Permutations are numbered from the other end, which the numbers of words and regions do not
// reach.
RandomKey permutation_key(std::uint64_t seed, std::uint64_t image, Index step) {
  return search_key(seed, image, ~static_cast<std::uint64_t>(step));
}

std::uint64_t training_number(Index update, Index place) {
  return (static_cast<std::uint64_t>(update + 1) << 32) + static_cast<std::uint64_t>(place);
}

void ImageRegionChooser::set_images(std::span<const std::uint64_t> images, Index group) {
  images_.assign(images.begin(), images.end());
  group_ = group;
}

void ImageRegionChooser::choose(ConstView weights, Index draw, std::span<int> chosen) {
  SACCADE_ASSERT(weights.rows() == static_cast<Index>(images_.size()) * group_, "rows ",
                 weights.rows(), " for ", images_.size(), " images in groups of ", group_);
  Index row = 0;
  for (const std::uint64_t image : images_) {
    Random random(region_draw_key(seed_, image, draw));
    for (Index g = 0; g < group_; ++g, ++row)
      chosen[static_cast<std::size_t>(row)] = draw_region(random, weights.row(row), weights.cols());
  }
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
