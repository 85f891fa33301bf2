#include "captioning/study/evaluation/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/novelty.h"
#include "captioning/study/evaluation/scene_scores.h"
#include "core/base/error.h"

namespace saccade {

namespace {

using References = std::vector<std::vector<std::string>>;

References references_of(const Dataset& dataset, std::span<const Index> images) {
  References out;
  for (const Index image : images) {
    out.push_back(dataset.images[static_cast<std::size_t>(image)].captions);
  }
  return out;
}

std::vector<Words> words_of(const std::vector<DecodedCaption>& captions,
                            const Vocabulary& vocabulary) {
  std::vector<Words> out;
  for (const DecodedCaption& caption : captions) {
    Words words;
    for (const DecodedWord& word : caption.words) words.push_back(word_text(word, vocabulary));
    out.push_back(std::move(words));
  }
  return out;
}

void add_text_scores(const References& references, const Meteor* meteor, RegimeReport& report) {
  std::vector<std::string> candidates;
  for (const Words& words : report.words) candidates.push_back(join_words(words));
  CaptionScores scores = score_captions(candidates, references, {.meteor = meteor});
  report.corpus = scores.corpus();
  for (const auto& one : caption_statistics(scores)) report.corpus.push_back(one);
  const auto finished = std::count_if(report.captions.begin(), report.captions.end(),
                                      [](const DecodedCaption& one) { return one.finished; });
  report.corpus.emplace_back(
      "finished", static_cast<double>(finished) / static_cast<double>(candidates.size()));
  report.metrics = std::move(scores.metrics);
  report.marks = std::move(scores.marks);
}

struct GroundingContext {
  NounSource source;
  const DatasetInputs& inputs;
};

void add_scene_scores(std::span<const Index> images, const GroundingContext& context,
                      RegimeReport& report) {
  SceneScores scores;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Scene& scene = context.source.scenes->scenes[static_cast<std::size_t>(images[i])];
    scores.add(scene, report.words[i], report.captions[i], context.inputs.geometry(images[i]));
  }
  for (ImageStatistics& metric : scores.metrics()) report.metrics.push_back(std::move(metric));
  report.corpus.emplace_back("true_caption_rate", scores.true_caption_rate());
  report.corpus.emplace_back("parsed_rate", scores.parsed_rate());
  report.grounding = std::move(scores.grounding);
}

void add_photo_scores(std::span<const Index> images, const GroundingContext& context,
                      RegimeReport& report) {
  GroundingScores scores;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Geometry geometry = context.inputs.geometry(images[i]);
    scores.add(context.source.nouns(images[i], report.words[i], geometry), report.captions[i],
               geometry);
  }
  for (ImageStatistics& metric : scores.metrics()) report.metrics.push_back(std::move(metric));
  report.grounding = std::move(scores);
}

void add_grounding(std::span<const Index> images, const GroundingContext& context,
                   RegimeReport& report) {
  if (!context.source) return;
  if (context.source.scenes)
    add_scene_scores(images, context, report);
  else
    add_photo_scores(images, context, report);
  for (const auto& one : report.grounding->corpus()) report.corpus.push_back(one);
}

std::vector<ScoreInterval> headline_intervals(std::span<const ImageStatistics> metrics) {
  std::vector<std::string> names;
  for (const ImageStatistics& metric : metrics)
    if (find_metric(metric.metric)) names.push_back(metric.metric);
  names = headlines_of(names);
  std::vector<ImageStatistics> headlines;
  for (const ImageStatistics& metric : metrics)
    if (metric.images > 0 && !std::isnan(metric.whole()) &&
        std::find(names.begin(), names.end(), metric.metric) != names.end())
      headlines.push_back(metric);
  if (headlines.empty()) return {};
  return bootstrap(headlines, {.replicates = 1000});
}

// The rows of some of the images.
ImageStatistics rows_of(const ImageStatistics& all, std::span<const std::size_t> places) {
  std::vector<double> rows;
  for (const std::size_t place : places) {
    const std::span<const double> row = all.row(place);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return {.metric = all.metric,
          .images = static_cast<Index>(places.size()),
          .width = all.width,
          .rows = std::make_shared<const std::vector<double>>(std::move(rows)),
          .score = all.score};
}

// The places, among the images of a report, of those of one joined data set.
std::vector<std::size_t> places_of(const DatasetPart& part, std::span<const Index> images) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images[i] >= part.begin && images[i] < part.end) out.push_back(i);
  return out;
}

// Scores each of several joined data sets by itself.
void add_set_scores(const LoadedData& data, std::span<const Index> images,
                    const GroundingContext& context, const Meteor* meteor, Extent extent,
                    RegimeReport& report) {
  for (const DatasetPart& part : data.dataset.parts) {
    RegimeReport own;
    std::vector<Index> own_images;
    for (const std::size_t place : places_of(part, images)) {
      own_images.push_back(images[place]);
      own.captions.push_back(report.captions[place]);
      own.words.push_back(report.words[place]);
    }
    if (own_images.empty()) continue;
    add_text_scores(references_of(data.dataset, own_images), meteor, own);
    add_grounding(own_images, context, own);
    SetScores& set = report.sets.emplace_back();
    set.name = part.name;
    set.images = static_cast<Index>(own_images.size());
    set.corpus = std::move(own.corpus);
    set.marks = std::move(own.marks);
    if (extent == Extent::kFull) set.intervals = headline_intervals(own.metrics);
  }
}

// Scores results by what the texts should be turned into.
void add_sequence_scores(const LoadedData& data, std::span<const Index> images, bool has_maps,
                         RegimeReport& report) {
  if (!data.sequences) return;
  report.marks.clear();  // of texts, the measures of captions are details
  SequenceScores scores(has_maps);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto& expected = data.dataset.images[static_cast<std::size_t>(images[i])].captions;
    scores.add(*data.text(images[i]), split_words(expected.front()), report.words[i],
               report.captions[i]);
  }
  for (ImageStatistics& metric : scores.metrics()) {
    if (const double score = metric.whole(); !std::isnan(score))
      report.corpus.emplace_back(metric.metric, score);
    report.metrics.push_back(std::move(metric));
  }
  report.by_length = scores.by_length();
}

// The report on the chosen images, with nothing else in it yet.
EvaluationReport chosen_images(const LoadedData& data, const EnsembleInputs& inputs,
                               const EvaluationRequest& request) {
  EvaluationReport report;
  report.dataset = data.dataset.name;
  report.split = request.split;
  report.texts = data.sequences.has_value();
  report.search = request.search;
  report.images = evaluation_images(data.dataset, request.split, request.most_images);
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    const std::span<const Index> bad = inputs.of(m).bad_images();
    report.left_out += static_cast<Index>(std::erase_if(report.images, [&](Index image) {
      return std::binary_search(bad.begin(), bad.end(), image);
    }));
  }
  if (report.images.empty()) {
    throw DataError(str(data.dataset.name, ": no image of split ", evaluated_name(request.split),
                        " can be read"));
  }
  const auto name = [&](const Dataset& dataset, Index image) {
    const CaptionedImage& one = dataset.images[static_cast<std::size_t>(image)];
    report.numbers.push_back(one.number);
    report.names.push_back(dataset.numbers_are_places ? one.id : "");
  };
  if (data.sets.empty())
    for (const Index image : report.images) name(data.dataset, image);
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    const DatasetPart& part = data.dataset.parts[s];
    const auto begin = static_cast<Index>(report.numbers.size());
    for (const Index image : report.images)
      if (image >= part.begin && image < part.end) name(data.sets[s].dataset, image - part.begin);
    const auto end = static_cast<Index>(report.numbers.size());
    if (end > begin) report.parts.push_back({.name = part.name, .begin = begin, .end = end});
  }
  return report;
}

// A second pass differs from the first only where regions are drawn.
Index draws_of(Regime regime, const EvaluationRequest& request) {
  return regime == Regime::kSample ? request.region_draws : 1;
}

// The means of the scores that all draws have, and the deviations of these scores.
std::pair<NamedScores, NamedScores> means_of(const std::vector<const NamedScores*>& draws) {
  const auto count = static_cast<double>(draws.size());
  std::pair<NamedScores, NamedScores> out;
  for (const auto& [name, value] : *draws.front()) {
    std::vector<double> values{value};
    for (std::size_t k = 1; k < draws.size(); ++k)
      for (const auto& [other, own] : *draws[k])
        if (other == name) values.push_back(own);
    if (values.size() < draws.size()) continue;
    double sum = 0, square = 0;
    for (const double each : values) sum += each;
    for (const double each : values) square += (each - sum / count) * (each - sum / count);
    out.first.emplace_back(name, sum / count);
    out.second.emplace_back(name, std::sqrt(square / (count - 1)));
  }
  return out;
}

// The captions of the first draw, with the means of the scores that all draws have.
RegimeReport mean_of(std::vector<RegimeReport> draws) {
  RegimeReport out = draws.front();
  out.draws = static_cast<Index>(draws.size());
  if (draws.size() == 1) return out;
  std::vector<const NamedScores*> all;
  for (const RegimeReport& draw : draws) all.push_back(&draw.corpus);
  std::tie(out.corpus, out.deviations) = means_of(all);
  for (std::size_t s = 0; s < out.sets.size(); ++s) {
    std::vector<const NamedScores*> own;
    for (const RegimeReport& draw : draws) own.push_back(&draw.sets[s].corpus);
    out.sets[s].corpus = means_of(own).first;
    out.sets[s].intervals.clear();  // they are of one draw
  }
  return out;
}

// Whether a localizer's maps can be judged. Words that were put together from pieces have no entry
// in the vocabulary, so there are none for them.
bool has_localizer_maps(const Ensemble& models) {
  return models.size() == 1 && !models.vocabulary().has_pieces() && models.model(0).localizer();
}

Regime sampling_regime(const std::vector<Regime>& regimes) {
  const bool draws = std::find(regimes.begin(), regimes.end(), Regime::kSample) != regimes.end();
  return draws ? Regime::kSample : regimes.front();
}

}  // namespace

std::string_view evaluated_name(std::optional<Split> split) {
  return split ? split_name(*split) : "all";
}

std::vector<Index> evaluation_images(const Dataset& dataset, std::optional<Split> split,
                                     Index most) {
  std::vector<Index> images(split ? 0 : dataset.images.size());
  std::iota(images.begin(), images.end(), Index{0});
  if (split) images = images_of(dataset, *split);
  if (images.empty()) {
    std::string others;
    for (const Split other : {Split::kTrain, Split::kVal, Split::kTest}) {
      if (!images_of(dataset, other).empty()) {
        others += str(others.empty() ? "" : ", ", split_name(other));
      }
    }
    throw DataError(str(dataset.name, ": there is no image in split ", evaluated_name(split),
                        "; it has ", others.empty() ? "no images at all" : others));
  }
  if (most == 0 || static_cast<Index>(images.size()) <= most) return images;
  if (dataset.parts.empty()) {
    images.resize(static_cast<std::size_t>(most));
    return images;
  }
  std::vector<Index> out;
  std::size_t before = 0;
  for (const DatasetPart& part : dataset.parts) {
    const auto first = std::lower_bound(images.begin(), images.end(), part.begin);
    const auto count = std::lower_bound(first, images.end(), part.end) - first;
    // Up to here, as large a share of `most` as of the images.
    before += static_cast<std::size_t>(count);
    const auto upto = static_cast<std::size_t>(most) * before / images.size();
    const auto taken = static_cast<std::ptrdiff_t>(
        std::max<std::size_t>(count > 0 ? 1 : 0, upto > out.size() ? upto - out.size() : 0));
    out.insert(out.end(), first, first + std::min(taken, count));
  }
  return out;
}

EvaluationReport evaluate(const Ensemble& models, const LoadedData& data,
                          const EnsembleInputs& inputs, const EvaluationRequest& request) {
  SACCADE_CHECK(!request.regimes.empty(), "[evaluate] no regime to evaluate in");
  SACCADE_CHECK(request.samples == 0 || request.samples >= 2,
                "[evaluate] diversity needs at least 2 samples; got ", request.samples);
  SACCADE_CHECK(!data.scenes || !request.boxes, "[evaluate] scenes have boxes of their own");
  EvaluationReport report = chosen_images(data, inputs, request);
  report.members = models.names();
  report.pieces = models.vocabulary().has_pieces();
  const DatasetInputs& seen = inputs.of(models.shown()[0]);
  const References references = references_of(data.dataset, report.images);
  const Meteor meteor(request.meteor);
  report.meteor_tables = meteor.tables();
  const bool full = request.extent == Extent::kFull;
  const auto count = static_cast<Index>(report.images.size());
  Index passes = (full ? 1 : 0) + (request.samples > 0 ? 1 : 0);
  for (const Regime each : request.regimes) passes += draws_of(each, request);
  const bool attentive = full && models.has_attention();
  const std::vector<Ablation> ablations = attentive && request.ablations
                                              ? std::vector{Ablation::kUniform, Ablation::kShuffled}
                                              : std::vector<Ablation>{};
  passes += static_cast<Index>(ablations.size());
  const bool forces = models.has_attention() && request.extent != Extent::kCaptions;
  const bool localizes = has_localizer_maps(models);
  const NounSource source{.scenes = data.scenes ? &*data.scenes : nullptr, .photos = request.boxes};
  if (source) {
    report.grounding.emplace().boxes = source.description();
    report.grounding->images = std::count_if(report.images.begin(), report.images.end(),
                                             [&](Index image) { return source.knows(image); });
    passes += forces ? 1 : 0;
    passes += forces && localizes ? 1 : 0;
  }
  Index pass = 0;
  const DecodeProgress progress = [&](Index done, Index) {
    if (request.progress) request.progress(pass * count + done, passes * count);
  };
  std::optional<TrainingCaptions> training;
  if (full) {
    training.emplace(data.dataset);
    report.perplexity = measure_perplexity(models, data.dataset, inputs, report.images, progress);
    ++pass;
  }
  const auto run = [&](const SearchOptions& search, const Meteor* meteor_or_none) {
    RegimeReport regime;
    regime.regime = search.regime;
    regime.captions = decode_images(models, inputs, report.images, search, progress);
    ++pass;
    regime.words = words_of(regime.captions, models.vocabulary());
    add_text_scores(references, meteor_or_none, regime);
    if (training && !training->empty())
      regime.corpus.emplace_back("novel_captions", training->novel_share(regime.words));
    add_grounding(report.images, {source, seen}, regime);
    add_sequence_scores(data, report.images, models.has_attention(), regime);
    if (meteor_or_none)
      add_set_scores(data, report.images, {source, seen}, meteor_or_none, request.extent, regime);
    return regime;
  };
  for (const Regime each : request.regimes) {
    SearchOptions search = request.search;
    search.regime = each;
    std::vector<RegimeReport> draws;
    for (Index k = 0; k < draws_of(each, request); ++k, ++search.seed)
      draws.push_back(run(search, &meteor));
    report.regimes.push_back(mean_of(std::move(draws)));
  }
  if (full) {
    const std::vector<ImageTraits> traits = image_traits(data, report.images, source);
    for (RegimeReport& regime : report.regimes) {
      regime.groups = group_scores(regime.metrics, traits);
      if (regime.draws == 1) regime.intervals = headline_intervals(regime.metrics);
      if (regime.grounding) regime.against_centre = regime.grounding->against_centre();
    }
  }
  if (forces && source) {
    SearchOptions search = request.search;
    search.regime = report.regimes.front().regime;
    report.grounding->references = ground_references(
        models, data.dataset, inputs,
        {.images = report.images, .source = source, .search = search, .progress = progress});
    ++pass;
    for (std::size_t s = 0, k = 0; s < data.dataset.parts.size(); ++s) {
      const std::vector<std::size_t> places = places_of(data.dataset.parts[s], report.images);
      if (places.empty()) continue;
      SetScores& set = report.regimes.front().sets[k++];
      for (const ImageStatistics& metric : report.grounding->references->metrics)
        if (const double score = rows_of(metric, places).whole(); !std::isnan(score))
          set.references.emplace_back(metric.metric, score);
    }
    if (localizes) {
      report.grounding->localizer = ground_references(models, data.dataset, inputs,
                                                      {.images = report.images,
                                                       .source = source,
                                                       .search = search,
                                                       .maps = MapsOf::kLocalizer,
                                                       .progress = progress});
      ++pass;
    }
  }
  if (attentive) {
    const RegimeReport& first = report.regimes.front();
    report.attention = AttentionReport{.regime = first.regime,
                                       .health = attention_health(first.captions),
                                       .images = count,
                                       .own = judging_scores(first.corpus),
                                       .ablations = {}};
    SearchOptions search = request.search;
    search.regime = first.regime;
    for (const Ablation ablation : ablations) {
      search.ablation = ablation;
      const RegimeReport other = run(search, nullptr);
      report.attention->ablations.push_back(
          {ablation, judging_scores(other.corpus), map_loss(first.metrics, other.metrics)});
    }
  }
  if (request.samples > 0) {
    SearchOptions search = request.search;
    search.samples = request.samples;
    search.regime = sampling_regime(request.regimes);
    report.samples = score_samples(models, inputs, report.images, references, search, progress);
  }
  if (request.baselines) {
    report.baselines = score_baselines(models.model(0), data.dataset, inputs.of(0), report.images,
                                       {.meteor = &meteor});
  }
  return report;
}

std::map<std::string, double> first_scores(const EvaluationReport& report) {
  const RegimeReport& first = report.regimes.front();
  std::map<std::string, double> out(first.corpus.begin(), first.corpus.end());
  for (const SetScores& set : first.sets)
    for (const auto& [name, score] : set.corpus) out.emplace(set_metric(set.name, name), score);
  return out;
}

}  // namespace saccade
