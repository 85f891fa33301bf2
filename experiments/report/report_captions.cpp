#include "experiments/report/report_captions.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>

#include "captioning/explorer/explorer_json.h"
#include "captioning/model/decoding/decode_images.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/study/evaluation/attention_health.h"
#include "captioning/study/evaluation/dead_attention.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/scene_scores.h"
#include "captioning/study/evaluation/sequence_scores.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "experiments/report/self_attention.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMapBytes = 55'000;  // for the maps of an image: 50 images stay below 5 MB

// For which captions the maps of single layers and heads are kept; the others have the mean over
// the heads of the last layer.
enum class Detail { kAll, kFirstRegime, kNone };

// One model's captions of all images.
struct ModelCaptions {
  std::vector<Regime> regimes;
  std::vector<std::vector<DecodedCaption>> captions;  // [regime][image]
  std::vector<CaptionScores> scores;                  // [regime], of the images, and then others
  std::vector<Json>
      self;  // [image], self_attention_json() of the first regime; empty if not requested
};

// Images that are not among others, in order.
std::vector<Index> without(std::vector<Index> images, std::vector<Index> others) {
  std::sort(others.begin(), others.end());
  std::erase_if(images,
                [&](Index i) { return std::binary_search(others.begin(), others.end(), i); });
  return images;
}

// Only the words of the alternatives are shown, and maps of all layers and heads take much memory.
void drop_maps(std::vector<DecodedCaption>& alternatives) {
  for (DecodedCaption& caption : alternatives)
    for (DecodedWord& word : caption.words) word.parts = {};
}

// Scores captions against the references of the whole split, so that CIDEr weighs words as in an
// evaluation; for the images of the split that have no caption, a reference takes its place.
// Returns the scores with the captioned images first.
CaptionScores score_in_split(const Dataset& dataset, Split split,
                             const std::vector<Index>& captioned,
                             const std::vector<std::string>& captions) {
  std::vector<std::string> candidates = captions;
  std::vector<std::vector<std::string>> references;
  for (const Index i : captioned)
    references.push_back(dataset.images[static_cast<std::size_t>(i)].captions);
  for (const Index i : without(images_of(dataset, split), captioned)) {
    references.push_back(dataset.images[static_cast<std::size_t>(i)].captions);
    candidates.push_back(references.back().front());
  }
  return score_captions(candidates, references, {});
}

// The statistics with rows of zeros for further images, which are in no group.
ImageStatistics prolonged(ImageStatistics one, Index images) {
  std::vector<double> rows = *one.rows;
  rows.resize(static_cast<std::size_t>(images * one.width), 0);
  one.rows = std::make_shared<const std::vector<double>>(std::move(rows));
  one.images = images;
  return one;
}

}  // namespace

NounSource nouns_of(const ReportRequest& request) {
  const LoadedData& data = *request.data;
  return {.scenes = data.scenes ? &*data.scenes : nullptr, .photos = request.boxes};
}

struct ReportCaptions::Impl {
  const ReportRequest* request;
  std::vector<Index> images;
  // Texts of the split that are not shown and are scored, too: they are cheap.
  std::vector<Index> others;
  std::deque<DatasetInputs> inputs;    // [models]
  std::vector<ModelCaptions> decoded;  // [models]
  Detail detail = Detail::kAll;

  Impl(const ReportRequest& of, std::vector<Index> wanted)
      : request(&of), images(std::move(wanted)) {
    read_inputs();
    if (request->data->sequences && request->score_all_texts)
      others = without(images_of(request->data->dataset, request->split), images);
    for (std::size_t m = 0; m < request->models.size(); ++m) decoded.push_back(decode(m));
    choose_detail();
  }

  const LoadedModel& loaded(std::size_t m) const { return *request->models[m].loaded; }

  void show_progress(std::size_t m, double share, const char* what) const {
    const auto count = static_cast<double>(request->models.size());
    if (request->progress)
      request->progress((static_cast<double>(m) + share) / count,
                        str(request->models[m].name, ": ", what, " ",
                            counted(static_cast<Index>(images.size()),
                                    request->data->sequences ? "text" : "image")));
  }

  // Of the time for a model, about the share that decoding takes: occlusion has a row per region.
  double decoding_share() const { return request->occlusion ? 0.1 : 1; }

  void read_inputs() {
    for (const ShownModel& model : request->models) {
      const std::size_t m = inputs.size();
      inputs.emplace_back(
          *request->data, *model.loaded->pipeline, model.loaded->config.encoder,
          [&](Index done, Index total) {
            show_progress(m, static_cast<double>(done) / static_cast<double>(total), "reading");
          },
          images);
      const std::span<const Index> bad = inputs.back().bad_images();
      std::erase_if(images, [&](Index i) { return std::binary_search(bad.begin(), bad.end(), i); });
    }
    if (images.empty())
      throw DataError(
          request->data->dataset.name +
          ": none of the report's images can be read; check where they are, and give the "
          "place with --data images=PATH");
  }

  ModelCaptions decode(std::size_t m) const {
    const LoadedModel& own = loaded(m);
    ModelCaptions out{
        .regimes = evaluation_regimes(own.config), .captions = {}, .scores = {}, .self = {}};
    SearchOptions search = page_search(own.config, own.model->vocabulary());
    search.recording.words = request->self_attention;
    for (const Regime regime : out.regimes) {
      search.regime = regime;
      const auto before = static_cast<double>(out.captions.size());
      const auto count = static_cast<double>(out.regimes.size());
      out.captions.push_back(
          decode_images(*own.model, inputs[m], images, search, [&](Index done, Index total) {
            const double share = static_cast<double>(done) / static_cast<double>(total);
            show_progress(m, (before + share) / count * decoding_share(), "captioning");
          }));
      for (DecodedCaption& caption : out.captions.back()) drop_maps(caption.others);
      out.scores.push_back(score(m, search, out.captions.back()));
    }
    if (request->occlusion) occlude(m, out);
    for (std::size_t i = 0; request->self_attention && i < images.size(); ++i)
      out.self.push_back(self_attention_json(*own.model, inputs[m].batch({&images[i], 1}).view(),
                                             out.captions.front()[i]));
    return out;
  }

  // Scores the captions of the images and, in the model's own regime, those of the other texts.
  CaptionScores score(std::size_t m, const SearchOptions& search,
                      const std::vector<DecodedCaption>& captions) const {
    const CaptionModel& model = *loaded(m).model;
    const LoadedData& data = *request->data;
    std::vector<Index> captioned = images;
    std::vector<std::string> texts;
    SequenceScores sequences(model.has_attention());
    const auto add = [&](Index i, const DecodedCaption& caption) {
      texts.push_back(caption_text(caption, model.vocabulary()));
      if (!data.sequences) return;
      std::vector<std::string> words;
      for (const DecodedWord& word : caption.words)
        words.push_back(word_text(word, model.vocabulary()));
      const auto& expected = data.dataset.images[static_cast<std::size_t>(i)].captions;
      sequences.add(*data.text(i), split_words(expected.front()), words, caption);
    };
    for (std::size_t i = 0; i < images.size(); ++i) add(images[i], captions[i]);
    if (!others.empty() && search.regime == evaluation_regimes(loaded(m).config).front()) {
      const DatasetInputs further(data, *loaded(m).pipeline, loaded(m).config.encoder, {}, others);
      SearchOptions plain = search;
      plain.alternatives = 1;
      plain.recording = {};
      const std::vector<DecodedCaption> more = decode_images(model, further, others, plain, {});
      for (std::size_t i = 0; i < others.size(); ++i) add(others[i], more[i]);
      captioned.insert(captioned.end(), others.begin(), others.end());
    }
    CaptionScores scores = score_in_split(data.dataset, request->split, captioned, texts);
    if (!data.sequences) return scores;
    // What is right and what is wrong comes first.
    std::vector<ImageStatistics> all;
    for (ImageStatistics& one : sequences.metrics())
      all.push_back(prolonged(std::move(one), scores.metrics[0].images));
    all.insert(all.end(), scores.metrics.begin(), scores.metrics.end());
    scores.metrics = std::move(all);
    return scores;
  }

  // Adds the effects of regions to the captions of the model's own regime.
  void occlude(std::size_t m, ModelCaptions& of) const {
    const LoadedModel& own = loaded(m);
    SearchOptions search = page_search(own.config, own.model->vocabulary());
    search.regime = of.regimes.front();
    for (std::size_t i = 0; i < images.size(); ++i) {
      const InputBatch input = inputs[m].batch({&images[i], 1});
      add_effects(*own.model, own.config.attention, input.view(), search, of.captions.front()[i]);
      const double done = static_cast<double>(i + 1) / static_cast<double>(images.size());
      show_progress(m, decoding_share() + (1 - decoding_share()) * done, "removing each region of");
    }
  }

  void choose_detail() {
    std::size_t all = 0, first = 0;
    for (std::size_t m = 0; m < decoded.size(); ++m) {
      const auto regions = static_cast<std::size_t>(loaded(m).model->grid().cells());
      const ViewCount count = view_count(loaded(m));
      const auto views =
          static_cast<std::size_t>(count.several() ? count.layers * count.heads + 1 : 1);
      for (std::size_t r = 0; r < decoded[m].regimes.size(); ++r)
        for (const DecodedCaption& caption : decoded[m].captions[r]) {
          const std::size_t one = caption.words.size() * regions;
          all += one * views;
          first += r == 0 ? one * views : one;
        }
    }
    if (all > kMapBytes * images.size()) detail = Detail::kFirstRegime;
    if (first > kMapBytes * images.size()) detail = Detail::kNone;
  }

  // Adds whether the caption is true, for a scene, and the boxes of its nouns, where they are
  // known.
  void add_nouns(Json& json, std::size_t m, const DecodedCaption& caption, std::size_t i) const {
    const NounSource source = nouns_of(*request);
    if (!source.knows(images[i])) return;
    const Geometry geometry = inputs[m].geometry(images[i]);
    std::vector<std::string> words;
    for (const DecodedWord& word : caption.words)
      words.push_back(word_text(word, loaded(m).model->vocabulary()));
    if (source.scenes) {
      const Scene& scene = source.scenes->scenes[static_cast<std::size_t>(images[i])];
      const Verdict verdict = read_scene_caption(scene, words, geometry).verdict;
      json["verdict"] = kVerdictNames[static_cast<std::size_t>(verdict)];
    }
    json["nouns"] = Json::array();
    for (const NamedObjects& noun : source.nouns(images[i], words, geometry)) {
      Json one = {{"word", noun.word}, {"boxes", Json::array()}};
      for (const Rect& box : noun.boxes) one["boxes"].push_back(rectangle_json(box, geometry));
      if (loaded(m).model->has_attention() && !noun.boxes.empty()) {
        const AttentionMap& map = caption.words[noun.word].map;
        const AttentionGrid cells = cells_of(map.layout, geometry);
        const auto hit = [&](double tolerance) {
          return pointing_share(map.weights, cells, noun.seen,
                                {.tolerance = tolerance, .mask = map.mask}) >= 0.5;
        };
        one["hit"] = hit(PointingOptions{}.tolerance);
        one["centre"] = hit(0);
      }
      json["nouns"].push_back(std::move(one));
    }
  }

  Json regime_json(std::size_t m, std::size_t r, std::size_t i) const {
    const DecodedCaption& caption = decoded[m].captions[r][i];
    const bool single = detail == Detail::kAll || (detail == Detail::kFirstRegime && r == 0);
    Json json = page_caption(
        loaded(m),
        {.image = request->data->dataset.images[static_cast<std::size_t>(images[i])].id,
         .caption = caption,
         .geometry = inputs[m].geometry(images[i])},
        decoded[m].regimes[r], single ? MapDetail::kSingle : MapDetail::kDefault);
    const CaptionScores& scores = decoded[m].scores[r];
    for (std::size_t k = 0; k < scores.metrics.size(); ++k) {
      const std::string& name = scores.metrics[k].metric;
      // Of a text the result is right or wrong, and n-grams would tell little of its few words.
      const bool tells = !request->data->sequences ||
                         metric(name).group != MetricGroup::kCaptions || name == request->worst;
      if (tells && (metric(name).measured_by & kMeasuredForEachImage) != 0)
        json["scores"][name] = rounded(scores.of_image(k, i));
    }
    add_nouns(json, m, caption, i);
    return json;
  }
};

ReportCaptions::ReportCaptions(const ReportRequest& request, std::vector<Index> images)
    : impl_(std::make_unique<Impl>(request, std::move(images))) {}
ReportCaptions::~ReportCaptions() = default;

const std::vector<Index>& ReportCaptions::images() const { return impl_->images; }

Json ReportCaptions::model_json(std::size_t model) const {
  const LoadedModel& own = impl_->loaded(model);
  Json json =
      model_facts(own, impl_->request->models[model].name, impl_->request->models[model].seed);
  const ModelCaptions& captions = impl_->decoded[model];
  for (std::size_t r = 0; r < captions.regimes.size(); ++r) {
    if (!own.model->has_attention()) break;
    const std::string name(enum_name(captions.regimes[r]));
    const AttentionHealth health = attention_health(captions.captions[r]);
    for (const auto& [measure, value] : health.scores())
      json["health"][name][measure] = rounded(value);
    const auto dead = dead_attention(
        {.regime = captions.regimes[r], .health = health, .own = {}, .ablations = {}});
    if (dead && r == 0) json["dead"] = *dead;
  }
  return json;
}

// The groups of the images that are captioned. The scores know the whole split, whose other images
// come after these and belong to no group.
Json ReportCaptions::groups_json() const {
  Json out = Json::array();
  const ReportRequest& request = *impl_->request;
  std::vector<Index> captioned = impl_->images;
  captioned.insert(captioned.end(), impl_->others.begin(), impl_->others.end());
  std::vector<ImageTraits> traits = image_traits(*request.data, captioned, nouns_of(request));
  for (const ModelCaptions& captions : impl_->decoded) {
    const std::vector<ImageStatistics>& metrics = captions.scores[0].metrics;
    for (ImageTraits& trait : traits)
      trait.values.resize(static_cast<std::size_t>(metrics[0].images),
                          std::numeric_limits<double>::quiet_NaN());
    out.push_back(saccade::groups_json(group_scores(metrics, traits)));
  }
  return out;
}

Json ReportCaptions::caption_json(std::size_t model, std::size_t i) const {
  Json json;
  const std::vector<Regime>& regimes = impl_->decoded[model].regimes;
  for (std::size_t r = 0; r < regimes.size(); ++r)
    json["regimes"][std::string(enum_name(regimes[r]))] = impl_->regime_json(model, r, i);
  const std::vector<Json>& self = impl_->decoded[model].self;
  if (!self.empty() && !self[i].is_null()) json["self_attention"] = self[i];
  return json;
}

std::size_t ReportCaptions::grouped() const { return impl_->images.size() + impl_->others.size(); }

const DatasetInputs& ReportCaptions::inputs(std::size_t model) const {
  return impl_->inputs[model];
}

std::string ReportCaptions::left_out() const {
  if (impl_->detail == Detail::kAll) return "";
  return impl_->detail == Detail::kFirstRegime
             ? "To keep this file small, it has the maps of single layers and heads for the first "
               "regime of each model only; a report about fewer models has all of them."
             : "To keep this file small, the maps of single layers and heads are left out; a "
               "report "
               "about fewer models has them.";
}

}  // namespace saccade
