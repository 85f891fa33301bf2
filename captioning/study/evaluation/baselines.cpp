#include "captioning/study/evaluation/baselines.h"

#include <algorithm>

#include "captioning/scoring/scores/human.h"
#include "captioning/study/evaluation/consensus.h"
#include "captioning/study/evaluation/nearest_images.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

using Captions = std::vector<std::vector<std::string>>;

Captions captions_of(const Dataset& dataset, std::span<const Index> images) {
  Captions out;
  for (const Index image : images) {
    out.push_back(dataset.images[static_cast<std::size_t>(image)].captions);
  }
  return out;
}

std::vector<Index> readable_training_images(const Dataset& dataset, const DatasetInputs& inputs) {
  std::vector<Index> images = images_of(dataset, Split::kTrain);
  const std::span<const Index> bad = inputs.bad_images();
  std::erase_if(images,
                [&](Index image) { return std::binary_search(bad.begin(), bad.end(), image); });
  return images;
}

// The nearest training images of each image, without the image itself, as places in `train`.
std::vector<std::vector<Index>> neighbours_of(const CaptionModel& model,
                                              const DatasetInputs& inputs,
                                              std::span<const Index> images,
                                              std::span<const Index> train) {
  std::vector<std::vector<Index>> out =
      nearest_rows(image_vectors(model, inputs, images).view(),
                   image_vectors(model, inputs, train).view(), kConsensusNeighbours + 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::erase_if(out[i],
                  [&](Index place) { return train[static_cast<std::size_t>(place)] == images[i]; });
    if (static_cast<Index>(out[i].size()) > kConsensusNeighbours) out[i].pop_back();
  }
  return out;
}

std::vector<std::string> consensus_captions(const Captions& captions,
                                            const std::vector<std::vector<Index>>& neighbours) {
  const CaptionConsensus consensus(captions);
  std::vector<std::string> out(neighbours.size());
  constexpr Index kBlock = 8;  // images per task
  parallel::for_blocks(static_cast<Index>(out.size()), kBlock, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const CaptionConsensus::Place place = consensus.of(neighbours[i]);
      out[i] = captions[place.image][place.caption];
    }
  });
  return out;
}

}  // namespace

std::vector<Baseline> score_baselines(const CaptionModel& model, const Dataset& dataset,
                                      const DatasetInputs& inputs, std::span<const Index> images,
                                      const ScoringOptions& options) {
  std::vector<Baseline> out;
  const Captions references = captions_of(dataset, images);
  const std::vector<Index> train = readable_training_images(dataset, inputs);
  if (train.size() >= 2) {
    const Captions captions = captions_of(dataset, train);
    const auto neighbours = neighbours_of(model, inputs, images, train);
    std::vector<std::string> nearest;
    for (const auto& own : neighbours) {
      nearest.push_back(captions[static_cast<std::size_t>(own[0])][0]);
    }
    out.push_back({"nearest", score_captions(nearest, references, options).corpus()});
    const auto agreed = consensus_captions(captions, neighbours);
    out.push_back({"consensus", score_captions(agreed, references, options).corpus()});
  }
  if (std::any_of(references.begin(), references.end(),
                  [](const auto& image) { return image.size() >= 2; })) {
    CaptionFile people{.path = dataset.name, .form = "", .in_order = true};
    for (const auto& captions : references) people.images.push_back({.captions = captions});
    out.push_back({"human", score_humans(people, options).mean});
  }
  return out;
}

std::vector<Index> images_to_read(const Dataset& dataset, std::vector<Index> images,
                                  bool baselines) {
  if (!baselines) return images;
  const std::vector<Index> train = images_of(dataset, Split::kTrain);
  images.insert(images.end(), train.begin(), train.end());
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return images;
}

}  // namespace saccade
