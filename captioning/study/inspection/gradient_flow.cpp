#include "captioning/study/inspection/gradient_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/scoring/statistics/pearson.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/mean.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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

// Adds up norms by word and by region, masked ones included: their norms are 0, and they are means
// over the captions whose picture shows them.
class PlaceSums {
 public:
  void add(const Tensor& norms, const std::vector<std::uint8_t>& mask) {
    const auto words = static_cast<std::size_t>(norms.shape()[0]),
               regions = static_cast<std::size_t>(norms.shape()[1]);
    by_word_.resize(std::max(by_word_.size(), words));
    by_region_.resize(std::max(by_region_.size(), regions));
    for (std::size_t t = 0; t < words; ++t)
      for (std::size_t l = 0; l < regions; ++l) {
        if (!mask.empty() && mask[l] == 0) continue;
        const auto norm = static_cast<double>(norms[static_cast<Index>(t * regions + l)]);
        by_word_[t].add(norm);
        by_region_[l].add(norm);
      }
  }
  PlaceNorms means() const {
    PlaceNorms out;
    for (const Mean& mean : by_word_) out.by_word.push_back(mean.count > 0 ? mean.value() : kNone);
    for (const Mean& mean : by_region_)
      out.by_region.push_back(mean.count > 0 ? mean.value() : kNone);
    return out;
  }

 private:
  std::vector<Mean> by_word_, by_region_;
};

// The gradients of every caption of one image.
struct ImageGradients {
  std::vector<std::vector<HeadGradients>> captions;
  std::vector<std::uint8_t> mask;
};

ImageGradients image_gradients(const CaptionModel& model, const InputView& input,
                               std::span<const std::string> captions) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  const std::span<const ConstView> parameters = model.parameters().views();
  tape.set_parameters(parameters);
  const EncodedImages images = model.encode(tape, input);
  ImageGradients out{.captions = {}, .mask = model.mask(input)};
  for (const std::string& text : captions) {
    const std::vector<Index> ids = model.vocabulary().encode(tokenize(text));
    if (ids.empty()) continue;
    const std::vector<std::vector<int>> words{{ids.begin(), ids.end()}};
    const PackedCaptions caption = pack_captions(words, static_cast<int>(Vocabulary::kBos),
                                                 static_cast<int>(Vocabulary::kEos));
    out.captions.push_back(
        region_gradients(model.decoder(), parameters, images.values(), caption).parts);
  }
  return out;
}

std::vector<double> doubles(const Tensor& x) { return {x.span().begin(), x.span().end()}; }

}  // namespace

RegionNorms norms_of(const HeadGradients& gradients) {
  return {.words = gradients.weights.shape()[0],
          .regions = gradients.weights.shape()[1],
          .weights = doubles(gradients.weights),
          .direct = doubles(gradients.direct),
          .score = doubles(gradients.score)};
}

PathFlow direct_flow(std::span<const RegionNorms> captions) {
  return path_flow(captions, &RegionNorms::direct);
}
PathFlow score_flow(std::span<const RegionNorms> captions) {
  return path_flow(captions, &RegionNorms::score);
}

GradientFlow measure_gradient_flow(const CaptionModel& model, const Dataset& dataset,
                                   const DatasetInputs& inputs, std::span<const Index> images) {
  std::vector<ImageGradients> by_image(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto place = static_cast<std::size_t>(i);
    by_image[place] =
        image_gradients(model, inputs.batch(images.subspan(place, 1)).view(),
                        dataset.images[static_cast<std::size_t>(images[place])].captions);
  });
  struct Part {
    Index layer = 0, head = 0;
    std::vector<RegionNorms> captions{};
    PlaceSums direct{}, score{};
  };
  std::vector<Part> parts;
  GradientFlow flow;
  for (const ImageGradients& image : by_image)
    for (const std::vector<HeadGradients>& caption : image.captions) {
      ++flow.captions;
      flow.words += caption[0].weights.shape()[0];
      for (std::size_t p = 0; p < caption.size(); ++p) {
        if (p == parts.size())
          parts.push_back({.layer = caption[p].layer, .head = caption[p].head});
        parts[p].captions.push_back(unmasked(norms_of(caption[p]), image.mask));
        parts[p].direct.add(caption[p].direct, image.mask);
        parts[p].score.add(caption[p].score, image.mask);
      }
    }
  if (parts.empty()) throw DataError("no caption to follow gradients of");
  std::vector<RegionNorms> layers;
  for (const Part& part : parts) {
    flow.heads.push_back({.layer = part.layer,
                          .head = part.head,
                          .direct = direct_flow(part.captions),
                          .score = score_flow(part.captions),
                          .direct_norms = part.direct.means(),
                          .score_norms = part.score.means()});
    if (part.head >= 0) continue;
    ++flow.layers;
    layers.insert(layers.end(), part.captions.begin(), part.captions.end());
  }
  flow.direct = direct_flow(layers);
  flow.score = score_flow(layers);
  for (const RegionNorms& one : layers) flow.pairs += one.words * one.regions;
  return flow;
}

}  // namespace saccade
