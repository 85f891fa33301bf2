#include "captioning/study/evaluation/worst_images.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr double kNotJudged = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> texts_of(const std::vector<DecodedCaption>& captions,
                                  const Vocabulary& vocabulary) {
  std::vector<std::string> texts;
  for (const DecodedCaption& caption : captions) texts.push_back(caption_text(caption, vocabulary));
  return texts;
}

// The metric of each caption; CIDEr weighs words as the references of these images do.
std::vector<double> metric_of_each(const std::string& name, const Dataset& dataset,
                                   const std::vector<Index>& images,
                                   const std::vector<std::string>& texts) {
  std::vector<std::vector<std::string>> references;
  for (const Index i : images)
    references.push_back(dataset.images[static_cast<std::size_t>(i)].captions);
  const CaptionScores scores = score_captions(texts, references, {});
  const auto found = std::find_if(scores.metrics.begin(), scores.metrics.end(),
                                  [&](const ImageStatistics& one) { return one.metric == name; });
  SACCADE_ASSERT(found != scores.metrics.end(), "captions have no ", name);
  std::vector<double> out;
  for (std::size_t i = 0; i < images.size(); ++i)
    out.push_back(scores.of_image(static_cast<std::size_t>(found - scores.metrics.begin()), i));
  return out;
}

// The mean entropy of the maps, with its sign changed, so that the most spread ones are the worst.
double sharpness(const DecodedCaption& caption) {
  double sum = 0;
  for (const DecodedWord& word : caption.words) sum += map_entropy(word.map).value_or(0);
  return caption.words.empty() ? kNotJudged : -sum / static_cast<double>(caption.words.size());
}

// The share of the nouns with boxes whose map is on the object.
double noun_pointing(const NounSource& source, Index image, const DecodedCaption& caption,
                     const Vocabulary& vocabulary, const Geometry& geometry) {
  if (!source.knows(image)) return kNotJudged;
  std::vector<std::string> words;
  for (const DecodedWord& word : caption.words) words.push_back(word_text(word, vocabulary));
  Index nouns = 0;
  double hits = 0;
  for (const NamedObjects& noun : source.nouns(image, words, geometry)) {
    if (noun.boxes.empty()) continue;
    const AttentionMap& map = caption.words[noun.word].map;
    const AttentionGrid cells = cells_of(map.layout, geometry);
    ++nouns;
    hits += pointing_share(map.weights, cells, noun.seen, {.mask = map.mask});
  }
  return nouns == 0 ? kNotJudged : hits / static_cast<double>(nouns);
}

}  // namespace

std::vector<std::string> worst_measures() {
  std::vector<std::string> names;
  for (const MetricInfo& one : all_metrics())
    if (one.group == MetricGroup::kCaptions && (one.measured_by & kMeasuredForEachImage) != 0)
      names.push_back(one.name);
  names.insert(names.end(), {kWorstPointing, kWorstEntropy});
  return names;
}

std::vector<Index> worst_images(const OpenModel& model, const EncoderConfig& encoder,
                                const LoadedData& data, std::vector<Index> images,
                                const WorstRequest& request) {
  const auto counting = [&](const char* what) {
    return [&request, what](Index done, Index total) {
      if (request.progress)
        request.progress(what, static_cast<double>(done) / static_cast<double>(total));
    };
  };
  const Vocabulary& vocabulary = model.model->vocabulary();
  const DatasetInputs inputs(data, *model.pipeline, encoder, counting("reading"), images);
  const std::span<const Index> bad = inputs.bad_images();
  std::erase_if(images, [&](Index i) { return std::binary_search(bad.begin(), bad.end(), i); });
  const std::vector<DecodedCaption> captions =
      decode_images(*model.model, inputs, images, request.search, counting("captioning"));

  std::vector<double> values;
  if (request.measure != kWorstPointing && request.measure != kWorstEntropy)
    values = metric_of_each(request.measure, data.dataset, images, texts_of(captions, vocabulary));
  for (std::size_t i = values.size(); i < images.size(); ++i)
    values.push_back(request.measure == kWorstEntropy
                         ? sharpness(captions[i])
                         : noun_pointing(request.nouns, images[i], captions[i], vocabulary,
                                         inputs.geometry(images[i])));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (!std::isnan(values[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  order.resize(std::min(order.size(), request.most));
  std::vector<Index> worst;
  for (const std::size_t i : order) worst.push_back(images[i]);
  return worst;
}

}  // namespace saccade
