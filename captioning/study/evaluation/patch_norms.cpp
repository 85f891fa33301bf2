#include "captioning/study/evaluation/patch_norms.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/median.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

PatchNorms norms_of(const CaptionModel& model, const TokenEncoder& encoder,
                    const InputView& input) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const std::vector<std::uint8_t> mask = model.mask(input);
  const ConstView tokens = encoder.last_tokens(tape, tape.constant(input.values), mask).value();
  const Index width = tokens.cols(), first = encoder.placeless();
  std::vector<Real> patches;  // those that are not padding
  for (Index t = first; t < tokens.rows(); ++t)
    if (mask.empty() || mask[static_cast<std::size_t>(t - first)] != 0)
      patches.insert(patches.end(), tokens.row(t), tokens.row(t) + width);
  PatchNorms norms;
  norms.add({patches.data(), {static_cast<Index>(patches.size()) / width, width}});
  return norms;
}

}  // namespace

void PatchNorms::add(ConstView tokens) {
  SACCADE_CHECK(tokens.shape.rank() == 2 && tokens.rows() > 0,
                "[patch norms] tokens are [L, D]; got ", tokens.shape);
  std::vector<double> norms;
  for (Index l = 0; l < tokens.rows(); ++l) {
    double square = 0;
    for (Index d = 0; d < tokens.cols(); ++d)
      square += static_cast<double>(tokens.row(l)[d]) * static_cast<double>(tokens.row(l)[d]);
    SACCADE_CHECK(std::isfinite(square), "[patch norms] the token of patch ", l, " is not finite");
    norms.push_back(std::sqrt(square));
  }
  const double middle = median(norms);
  const auto above = static_cast<Index>(std::count_if(
      norms.begin(), norms.end(), [&](double norm) { return norm > kOutlierNorm * middle; }));
  PatchNorms one{.images = 1,
                 .patches = tokens.rows(),
                 .outliers = above,
                 .images_with = above > 0 ? 1 : 0,
                 .medians = middle};
  if (middle > 0) one.largest = *std::max_element(norms.begin(), norms.end()) / middle;
  add(one);
}

void PatchNorms::add(const PatchNorms& other) {
  images += other.images;
  patches += other.patches;
  outliers += other.outliers;
  images_with += other.images_with;
  medians += other.medians;
  largest += other.largest;
}

NamedScores PatchNorms::scores() const {
  const auto mean = [](double sum, Index count) {
    return count == 0 ? 0 : sum / static_cast<double>(count);
  };
  return {{"outlier_share", mean(static_cast<double>(outliers), patches)},
          {"images_with_outliers", mean(static_cast<double>(images_with), images)},
          {"largest_over_median", mean(largest, images)},
          {"median_norm", mean(medians, images)}};
}

std::optional<PatchNorms> patch_norms(const CaptionModel& model, const DatasetInputs& inputs,
                                      std::span<const Index> images) {
  const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr;
  if (!encoder) return {};
  std::vector<PatchNorms> each(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    each[at] = norms_of(model, *encoder, inputs.batch(images.subspan(at, 1)).view());
  });
  PatchNorms all;
  for (const PatchNorms& one : each) all.add(one);
  return all;
}

}  // namespace saccade
