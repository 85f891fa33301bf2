#include "captioning/study/inspection/occlusion.h"

#include <algorithm>

#include "captioning/model/decoding/forced_decoding.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr Index kBlock = 16;  // occluded images that are decoded together

// `count` copies of a tensor [1, ...]; an empty one stays empty.
Tensor copies(ConstView one, Index count) {
  if (!one.data) return {};
  Tensor out(one.shape.with_first(count));
  for (Index r = 0; r < count; ++r) std::copy_n(one.data, one.size(), out.data() + r * one.size());
  return out;
}

// The whole image, and then the image without each of some regions.
class OccludedImages {
 public:
  OccludedImages(const EncodedValues& image, std::span<const Index> removed, Removal removal)
      : features_(copies(image.features, static_cast<Index>(removed.size()) + 1)),
        mask_(copies(image.mask, features_.shape()[0])),
        pooled_(copies(image.pooled, features_.shape()[0])),
        keys_(copies(image.keys, features_.shape()[0])) {
    if (removal == Removal::kMask)
      mask_out(removed);
    else
      set_to_zeros(removed);
  }

  EncodedValues values() const {
    const auto view = [](const Tensor& x) { return x.empty() ? ConstView() : x.view(); };
    return {features_.view(), view(mask_), view(pooled_), view(keys_)};
  }

 private:
  // The whole image gets a mask, too, so that all rows are computed in the same way.
  void mask_out(std::span<const Index> removed) {
    const Index images = features_.shape()[0], regions = features_.shape()[1];
    if (mask_.empty()) {
      mask_ = Tensor({images, regions});
      std::fill_n(mask_.data(), mask_.size(), Real{1});
    }
    for (std::size_t k = 0; k < removed.size(); ++k)
      mask_.view().row(static_cast<Index>(k) + 1)[removed[k]] = 0;
  }

  void set_to_zeros(std::span<const Index> removed) {
    SACCADE_CHECK(mask_.empty(), "[occlusion] images with a mask, for attention that takes none");
    for (Tensor* vectors : {&features_, &keys_}) {
      if (vectors->empty()) continue;
      const Index regions = vectors->shape()[1], width = vectors->shape()[2];
      for (std::size_t k = 0; k < removed.size(); ++k)
        std::fill_n(vectors->data() + ((static_cast<Index>(k) + 1) * regions + removed[k]) * width,
                    width, Real{0});
    }
    if (pooled_.empty()) pooled_ = means();
  }

  // The means of the regions that are left. Zeros add nothing to the sums.
  Tensor means() const {
    const Index images = features_.shape()[0], regions = features_.shape()[1],
                width = features_.shape()[2];
    Tensor out({images, width});
    for (Index m = 0; m < images; ++m) {
      const Real left = static_cast<Real>(m == 0 ? regions : regions - 1);
      for (Index l = 0; l < regions; ++l)
        for (Index d = 0; d < width; ++d)
          out[m * width + d] += features_[(m * regions + l) * width + d] / left;
    }
    return out;
  }

  Tensor features_, mask_, pooled_, keys_;
};

}  // namespace

Removal removal_of(const AttentionConfig& attention) {
  return attention.mechanism == "linformer" ? Removal::kZeros : Removal::kMask;
}

void refuse_drawn_regions() {
  throw UsageError(
      "occlusion: in the regime sample the regions are drawn, and another draw would be taken for "
      "the effect of a region; choose another regime");
}

Tensor region_effects(const SearchMember& member, const SpecialWords& special,
                      std::span<const int> caption, const SearchOptions& options, Removal removal) {
  const ConstView features = member.images.features, mask = member.images.mask;
  SACCADE_CHECK(features.shape.rank() == 3 && features.shape[0] == 1,
                "[occlusion] the features of one image [1, L, D]; got ", features.shape);
  if (options.regime == Regime::kSample) refuse_drawn_regions();
  std::vector<Index> removed;
  for (Index l = 0; l < features.shape[1]; ++l)
    if (!mask.data || mask[l] != 0) removed.push_back(l);
  if (removed.size() < 2)
    throw UsageError(
        "occlusion: the grid has a single region that shows the picture, so nothing would be left "
        "without it");
  Tensor effects({static_cast<Index>(caption.size()), features.shape[1]});
  if (caption.empty()) return effects;
  const SearchOptions forcing{.regime = options.regime, .seed = options.seed};
  const std::vector<int> words(caption.begin(), caption.end());
  parallel::for_blocks(static_cast<Index>(removed.size()), kBlock, [&](Index begin, Index end) {
    const std::span<const Index> block = std::span(removed).subspan(
        static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const OccludedImages images(member.images, block, removal);
    const SearchMember seen{
        .decoder = member.decoder, .parameters = member.parameters, .images = images.values()};
    const std::vector<std::vector<std::vector<int>>> captions(block.size() + 1,
                                                              std::vector<std::vector<int>>{words});
    const auto decoded = force_decode({&seen, 1}, special, captions, forcing, 0);
    const std::vector<DecodedWord>& whole = decoded[0][0].words;
    for (std::size_t k = 0; k < block.size(); ++k)
      for (std::size_t t = 0; t < whole.size(); ++t)
        effects.view().row(static_cast<Index>(t))[block[k]] =
            static_cast<Real>(whole[t].log_prob - decoded[k + 1][0].words[t].log_prob);
  });
  return effects;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
