#include "captioning/study/evaluation/map_watch.h"

#include <algorithm>
#include <cmath>

#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/scene_scores.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// Whether validations write a metric of this name.
bool is_watched(const std::string& name) {
  const MetricInfo* info = find_metric(name);
  return info != nullptr && (info->measured_by & kMeasuredByValidation) != 0;
}

// The scores of captions, and what they are of each image.
struct Judged {
  NamedScores scores;  // those that judging_scores() selects
  std::vector<ImageStatistics> metrics;
};

Judged judged(const Ensemble& models, const LoadedData& data, const EnsembleInputs& inputs,
              std::span<const Index> images, std::span<const DecodedCaption> captions) {
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> references;
  SceneScores scenes;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto image = static_cast<std::size_t>(images[i]);
    Words words;
    for (const DecodedWord& word : captions[i].words)
      words.push_back(word_text(word, models.vocabulary()));
    candidates.push_back(join_words(words));
    references.push_back(data.dataset.images[image].captions);
    if (data.scenes)
      scenes.add(data.scenes->scenes[image], words, captions[i],
                 inputs.of(models.shown()[0]).geometry(images[i]));
  }
  CaptionScores scores = score_captions(candidates, references, {});
  NamedScores all = scores.corpus();
  Judged out{.scores = {}, .metrics = std::move(scores.metrics)};
  if (data.scenes) {
    all.emplace_back("true_caption_rate", scenes.true_caption_rate());
    out.metrics.push_back(mean_statistics("true_caption_rate", scenes.truths));
  }
  out.scores = judging_scores(all);
  return out;
}

NounSource source_of(const LoadedData& data, const PhotoBoxes* boxes) {
  return {.scenes = data.scenes ? &*data.scenes : nullptr, .photos = boxes};
}

}  // namespace

NamedScores MapWatch::scores() const {
  NamedScores out;
  const auto add = [&](const std::string& name, double value) {
    if (is_watched(name) && !std::isnan(value)) out.emplace_back(name, value);
  };
  for (const auto& [name, value] : attention.health.scores()) add(attention_metric(name), value);
  if (const auto drop = shuffled_drop(attention)) add(std::string(kShuffledDrop), *drop);
  if (references)
    for (const auto& [name, value] : references->model_scores())
      add(references_metric(name), value);
  return out;
}

std::vector<std::string> watched_names(const MapWatchRequest& request, const NounSource& source) {
  std::vector<std::string> out;
  for (const MetricInfo& info : all_metrics()) {
    const bool of_images = info.name == kShuffledDrop,
               of_references = info.group == MetricGroup::kReferenceWords;
    if (!is_watched(info.name) || (info.group != MetricGroup::kMaps && !of_references)) continue;
    if ((of_images || of_references) && request.images == 0) continue;
    if (!of_references || source) out.push_back(info.name);
  }
  return out;
}

MapWatch watch_maps(const Ensemble& models, const LoadedData& data, const EnsembleInputs& inputs,
                    const EvaluationReport& report, const MapWatchRequest& request) {
  SACCADE_CHECK(models.has_attention(), "[watch maps] a model without attention");
  const RegimeReport& first = report.regimes.front();
  MapWatch out;
  out.attention.regime = first.regime;
  out.attention.health = attention_health(first.captions);
  out.images = std::min(request.images, static_cast<Index>(report.images.size()));
  if (out.images == 0) return out;
  const auto some = std::span(report.images).first(static_cast<std::size_t>(out.images));
  SearchOptions search = request.search;
  search.regime = first.regime;
  SearchOptions shuffling = search;
  shuffling.ablation = Ablation::kShuffled;
  const std::vector<DecodedCaption> shuffled =
      decode_images(models, inputs, some, shuffling, request.progress);
  const Judged own =
      judged(models, data, inputs, some, std::span(first.captions).first(some.size()));
  const Judged other = judged(models, data, inputs, some, shuffled);
  out.attention.images = out.images;
  out.attention.own = own.scores;
  out.attention.ablations.push_back(
      {Ablation::kShuffled, other.scores, map_loss(own.metrics, other.metrics)});
  const NounSource source = source_of(data, request.boxes);
  std::vector<Index> boxed;
  for (const Index image : report.images)
    if (source.knows(image) && static_cast<Index>(boxed.size()) < request.images)
      boxed.push_back(image);
  if (boxed.empty()) return out;
  out.grounded = static_cast<Index>(boxed.size());
  out.references =
      ground_references(
          models, data.dataset, inputs,
          {.images = boxed, .source = source, .search = search, .progress = request.progress})
          .scores;
  return out;
}

}  // namespace saccade
