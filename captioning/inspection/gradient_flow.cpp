#include "captioning/inspection/gradient_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/statistics/pearson.h"
#include "captioning/text/tokenizer.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> row_norms(const Tensor& rows) {
  const Index features = rows.shape().cols();
  std::vector<double> norms;
  for (Index r = 0; r < rows.shape().rows(); ++r) {
    double sum = 0;
    for (Index d = 0; d < features; ++d) {
      const auto x = static_cast<double>(rows[r * features + d]);
      sum += x * x;
    }
    norms.push_back(std::sqrt(sum));
  }
  return norms;
}

PathFlow path_flow(std::span<const RegionNorms> captions,
                   const std::vector<double> RegionNorms::*path) {
  std::vector<double> weights, norms;
  PathFlow flow;
  double within = 0, sum = 0;
  Index defined = 0;
  for (const RegionNorms& caption : captions) {
    const std::vector<double>& own = caption.*path;
    weights.insert(weights.end(), caption.weights.begin(), caption.weights.end());
    norms.insert(norms.end(), own.begin(), own.end());
    const auto regions = static_cast<std::size_t>(caption.regions);
    for (std::size_t first = 0; first < own.size(); first += regions) {
      const double r = pearson(std::span(caption.weights).subspan(first, regions),
                               std::span(own).subspan(first, regions));
      if (std::isnan(r)) {
        ++flow.undefined_words;
      } else {
        within += r;
        ++defined;
      }
    }
  }
  for (const double norm : norms) sum += norm;
  flow.correlation = pearson(weights, norms);
  flow.within_words = defined > 0 ? within / static_cast<double>(defined) : kNone;
  flow.mean_norm = norms.empty() ? kNone : sum / static_cast<double>(norms.size());
  return flow;
}

// The norms of the unmasked regions.
RegionNorms unmasked(RegionNorms norms, const std::vector<std::uint8_t>& mask) {
  if (mask.empty()) return norms;
  for (std::vector<double>* all : {&norms.weights, &norms.direct, &norms.score}) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < all->size(); ++i)
      if (mask[i % mask.size()] != 0) kept.push_back((*all)[i]);
    *all = std::move(kept);
  }
  norms.regions = std::count(mask.begin(), mask.end(), 1);
  return norms;
}

// The norms of every caption of one image.
std::vector<RegionNorms> image_norms(const CaptionModel& model, const InputView& input,
                                     std::span<const std::string> captions) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  const std::span<const ConstView> parameters = model.parameters().views();
  tape.set_parameters(parameters);
  const EncodedImages images = model.encode(tape, input);
  const std::vector<std::uint8_t> mask = model.mask(input);
  std::vector<RegionNorms> out;
  for (const std::string& text : captions) {
    const std::vector<Index> ids = model.vocabulary().encode(tokenize(text));
    if (ids.empty()) continue;
    const std::vector<std::vector<int>> words{{ids.begin(), ids.end()}};
    const PackedCaptions caption = pack_captions(words, static_cast<int>(Vocabulary::kBos),
                                                 static_cast<int>(Vocabulary::kEos));
    out.push_back(unmasked(
        norms_of(region_gradients(model.decoder(), parameters, images.values(), caption)), mask));
  }
  return out;
}

}  // namespace

RegionNorms norms_of(const RegionGradients& gradients) {
  const auto weights = gradients.weights.span();
  return {.words = gradients.weights.shape()[0],
          .regions = gradients.weights.shape()[1],
          .weights = {weights.begin(), weights.end()},
          .direct = row_norms(gradients.direct),
          .score = row_norms(gradients.score)};
}

GradientFlow flow_of(std::span<const RegionNorms> captions) {
  GradientFlow flow{.direct = path_flow(captions, &RegionNorms::direct),
                    .score = path_flow(captions, &RegionNorms::score),
                    .captions = static_cast<Index>(captions.size())};
  for (const RegionNorms& caption : captions) {
    flow.words += caption.words;
    flow.pairs += caption.words * caption.regions;
  }
  return flow;
}

GradientFlow measure_gradient_flow(const CaptionModel& model, const Dataset& dataset,
                                   const DatasetInputs& inputs, std::span<const Index> images) {
  std::vector<std::vector<RegionNorms>> by_image(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto place = static_cast<std::size_t>(i);
    by_image[place] = image_norms(model, inputs.batch(images.subspan(place, 1)).view(),
                                  dataset.images[static_cast<std::size_t>(images[place])].captions);
  });
  std::vector<RegionNorms> captions;
  for (std::vector<RegionNorms>& image : by_image)
    std::move(image.begin(), image.end(), std::back_inserter(captions));
  if (captions.empty()) throw DataError("no caption to follow gradients of");
  return flow_of(captions);
}

}  // namespace saccade
