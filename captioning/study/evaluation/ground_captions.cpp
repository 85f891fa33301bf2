#include "captioning/study/evaluation/ground_captions.h"

#include <mutex>

#include "captioning/model/decoding/localizer_maps.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/scene_scores.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kPhotosPerTask = 8;           // images per task
constexpr Index kReferenceReplicates = 1000;  // of resampled images

// The references of an image, as words and as ids of a model's vocabulary.
struct Given {
  std::vector<Words> words;
  std::vector<std::vector<int>> ids;
};

Given references_of(const CaptionedImage& image, const Vocabulary& vocabulary) {
  Given out;
  for (const std::string& text : image.captions) {
    out.words.push_back(tokenize(text));
    std::vector<int>& ids = out.ids.emplace_back();
    for (const Index id : vocabulary.encode(out.words.back())) ids.push_back(static_cast<int>(id));
  }
  return out;
}

// The words that the maps belong to: those that people wrote, whether the vocabulary has them or
// not, or the decoded words, where pieces make other words than those that were cut.
Words mapped_words(const Words& written, const DecodedCaption& decoded,
                   const Vocabulary& vocabulary) {
  if (written.size() == decoded.words.size()) return written;
  Words out;
  for (const DecodedWord& word : decoded.words) out.push_back(word_text(word, vocabulary));
  return out;
}

std::vector<ScoreInterval> reference_intervals(std::span<const ImageStatistics> metrics) {
  std::vector<ImageStatistics> headlines;
  for (const ImageStatistics& one : metrics)
    if (metric(references_metric(one.metric)).headline) headlines.push_back(one);
  if (headlines.empty()) return {};
  return bootstrap(headlines, {.replicates = kReferenceReplicates});
}

}  // namespace

bool NounSource::knows(Index image) const { return scenes || (photos && photos->knows(image)); }

std::string NounSource::description() const {
  return scenes ? "the scenes, shape words" : photos ? photos->description() : "";
}

std::vector<NamedObjects> NounSource::nouns(Index image, std::span<const std::string> words,
                                            const Geometry& geometry) const {
  if (scenes)
    return read_scene_caption(scenes->scenes[static_cast<std::size_t>(image)], words, geometry)
        .nouns;
  std::vector<NamedObjects> out;
  if (!photos) return out;
  const ImageSize size{.height = geometry.original_height, .width = geometry.original_width};
  for (NounBoxes& noun : photos->nouns(image, words, size)) {
    std::vector<Rect> seen = seen_boxes(noun.boxes, geometry);
    out.push_back({noun.word, std::move(noun.boxes), std::move(seen)});
  }
  return out;
}

ReferenceScores ground_references(const Ensemble& models, const Dataset& dataset,
                                  const EnsembleInputs& inputs, const ReferenceRequest& request) {
  std::vector<Index> images;
  std::vector<std::size_t> places;  // the places of `images` in the request
  for (std::size_t i = 0; i < request.images.size(); ++i) {
    if (!request.source.knows(request.images[i])) continue;
    images.push_back(request.images[i]);
    places.push_back(i);
  }
  const auto count = static_cast<Index>(images.size());
  const Vocabulary& vocabulary = models.vocabulary();
  const DatasetInputs& shown = inputs.of(models.shown()[0]);
  std::vector<GroundingScores> scores(request.images.size());
  std::mutex mutex;
  Index done = 0;
  parallel::for_blocks(count, kPhotosPerTask, [&](Index begin, Index end) {
    const auto group = std::span<const Index>(images).subspan(
        static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    std::vector<Given> given;
    std::vector<std::vector<std::vector<int>>> ids;
    for (const Index image : group) {
      given.push_back(references_of(dataset.images[static_cast<std::size_t>(image)], vocabulary));
      ids.push_back(given.back().ids);
    }
    std::vector<InputBatch> batches;
    std::vector<InputView> views;
    for (std::size_t m = 0; m < models.size(); ++m) batches.push_back(inputs.of(m).batch(group));
    for (const InputBatch& batch : batches) views.push_back(batch.view());
    std::vector<std::vector<DecodedCaption>> decoded =
        EncodedPictures(models, views)
            .force_decode(ids, request.search, static_cast<std::uint64_t>(begin));
    if (request.maps == MapsOf::kLocalizer) show_localizer_maps(models.model(0), views[0], decoded);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Geometry geometry = shown.geometry(group[i]);
      GroundingScores& own = scores[places[static_cast<std::size_t>(begin) + i]];
      for (std::size_t k = 0; k < decoded[i].size(); ++k) {
        const Words words = mapped_words(given[i].words[k], decoded[i][k], vocabulary);
        own.add(request.source.nouns(group[i], words, geometry), decoded[i][k], geometry);
      }
    }
    const std::lock_guard lock(mutex);
    done += end - begin;
    if (request.progress) request.progress(done, count);
  });
  ReferenceScores out;
  for (const GroundingScores& own : scores) out.scores += own;
  const GroundingScores images_alone = joined_by_image(scores);
  out.metrics = images_alone.metrics();
  out.against_centre = images_alone.against_centre();
  out.intervals = reference_intervals(out.metrics);
  return out;
}

}  // namespace saccade
