#include "experiments/report/report_captions.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "captioning/evaluation/attention_health.h"
#include "captioning/evaluation/caption_json.h"
#include "captioning/evaluation/caption_maps.h"
#include "captioning/evaluation/dead_attention.h"
#include "captioning/evaluation/decode_images.h"
#include "captioning/evaluation/scene_scores.h"
#include "captioning/whole_words.h"
#include "experiments/report/packed_maps.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kAlternatives = 5;         // captions of a beam that are listed, at most
constexpr std::size_t kMapBytes = 55'000;  // of an image's maps, so that 50 images stay below 5 MB
constexpr const char* kShownScores[] = {"Bleu_1", "Bleu_4", "ROUGE_L", "CIDEr"};

// Of which captions the maps of single layers and heads are kept; of the others there is the mean
// over heads of the last layer.
enum class Detail { kAll, kFirstRegime, kNone };

// Four digits are what a page shows.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json rectangle(double x, double y, double w, double h, const Geometry& geometry) {
  const auto width = static_cast<double>(geometry.original_width);
  const auto height = static_cast<double>(geometry.original_height);
  return Json::array(
      {rounded(x / width), rounded(y / height), rounded(w / width), rounded(h / height)});
}

// One model's captions of all images.
struct Spoken {
  std::vector<Regime> regimes;
  std::vector<std::vector<DecodedCaption>> captions;  // [regime][image]
  std::vector<CaptionScores> scores;                  // [regime], of the images
};

bool has_views(const LoadedModel& loaded) {
  const ExperimentConfig& config = loaded.config;
  const bool several =
      config.decoder.type == DecoderKind::kTransformer || config.attention.heads > 1;
  return several && loaded.model->has_attention() && !loaded.model->vocabulary().subwords();
}

Index layers_of(const LoadedModel& loaded) {
  return loaded.config.decoder.type == DecoderKind::kTransformer ? loaded.config.decoder.layers : 1;
}

// Candidates against the references of the whole split, so that CIDEr weighs words as it does in an
// evaluation; images that are not shown stand for themselves. Returns the scores of `shown`.
CaptionScores score_shown(const Dataset& dataset, Split split, const std::vector<Index>& shown,
                          const std::vector<std::string>& captions) {
  std::vector<std::string> candidates = captions;
  std::vector<std::vector<std::string>> references;
  for (const Index i : shown)
    references.push_back(dataset.images[static_cast<std::size_t>(i)].captions);
  for (const Index i : images_of(dataset, split)) {
    if (std::find(shown.begin(), shown.end(), i) != shown.end()) continue;
    references.push_back(dataset.images[static_cast<std::size_t>(i)].captions);
    candidates.push_back(references.back().front());
  }
  return score_captions(candidates, references, {});
}

}  // namespace

struct ReportCaptions::Impl {
  const ReportRequest* request;
  std::vector<Index> images;
  std::deque<DatasetInputs> inputs;  // of each model
  std::vector<Spoken> spoken;        // of each model
  Detail detail = Detail::kAll;

  Impl(const ReportRequest& of, std::vector<Index> wanted)
      : request(&of), images(std::move(wanted)) {
    read_inputs();
    for (std::size_t m = 0; m < request->models.size(); ++m) spoken.push_back(speak(m));
    choose_detail();
  }

  const LoadedModel& loaded(std::size_t m) const { return *request->models[m].loaded; }

  void show_progress(std::size_t m, double share) const {
    const auto count = static_cast<double>(request->models.size());
    if (request->progress) request->progress((static_cast<double>(m) + share) / count);
  }

  void read_inputs() {
    for (const ReportModel& model : request->models) {
      inputs.emplace_back(*request->data, *model.pipeline, model.loaded->config.encoder,
                          DatasetInputs::Progress(), images);
      const std::span<const Index> bad = inputs.back().bad_images();
      std::erase_if(images, [&](Index i) { return std::binary_search(bad.begin(), bad.end(), i); });
    }
    if (images.empty())
      throw DataError(request->data->dataset.name + ": no image of the report can be read");
  }

  Spoken speak(std::size_t m) const {
    const LoadedModel& own = loaded(m);
    Spoken out{.regimes = evaluation_regimes(own.config), .captions = {}, .scores = {}};
    SearchOptions search = search_options(own.config, own.model->vocabulary());
    if (search.mode == SearchMode::kBeam)
      search.alternatives = std::min(search.beam, kAlternatives);
    for (const Regime regime : out.regimes) {
      search.regime = regime;
      const auto before = static_cast<double>(out.captions.size());
      const auto count = static_cast<double>(out.regimes.size());
      out.captions.push_back(
          decode_images(*own.model, inputs[m], images, search, [&](Index done, Index total) {
            const double share = static_cast<double>(done) / static_cast<double>(total);
            show_progress(m, (before + share) / count);
          }));
      std::vector<std::string> texts;
      for (const DecodedCaption& caption : out.captions.back())
        texts.push_back(caption_text(caption, own.model->vocabulary()));
      out.scores.push_back(score_shown(request->data->dataset, request->split, images, texts));
    }
    return out;
  }

  void choose_detail() {
    std::size_t all = 0, first = 0;
    for (std::size_t m = 0; m < spoken.size(); ++m) {
      const auto regions = static_cast<std::size_t>(loaded(m).model->grid().regions());
      const auto views =
          has_views(loaded(m))
              ? static_cast<std::size_t>(layers_of(loaded(m)) * loaded(m).config.attention.heads)
              : 1;
      for (std::size_t r = 0; r < spoken[m].regimes.size(); ++r)
        for (const DecodedCaption& caption : spoken[m].captions[r]) {
          const std::size_t one = caption.words.size() * regions;
          all += one * views;
          first += r == 0 ? one * views : one;
        }
    }
    if (all > kMapBytes * images.size()) detail = Detail::kFirstRegime;
    if (first > kMapBytes * images.size()) detail = Detail::kNone;
  }

  MapStack maps_of(std::size_t m, std::size_t r, std::size_t i) const {
    const DecodedCaption& caption = spoken[m].captions[r][i];
    MapStack out;
    const bool kept = detail == Detail::kAll || (detail == Detail::kFirstRegime && r == 0);
    if (kept && has_views(loaded(m)) && !caption.words.empty()) {
      const InputBatch input = inputs[m].batch(std::span(&images[i], 1));
      const CaptionMaps maps = caption_maps(*loaded(m).model, input.view(), caption);
      for (const LayerMap& look : maps.looks) {
        out.layers = std::max(out.layers, look.layer + 1);
        out.heads = std::max(out.heads, look.head + 1);
      }
      for (Index t = 0; t < static_cast<Index>(caption.words.size()); ++t) {
        auto& word = out.words.emplace_back();
        for (const LayerMap& look : maps.looks) {
          const ConstView weights = look.weights.view();
          word.emplace_back(weights.row(t), weights.row(t) + weights.cols());
        }
      }
      return out;
    }
    for (const DecodedWord& word : caption.words) out.words.push_back({word.attention});
    return out;
  }

  void add_maps(Json& json, std::size_t m, std::size_t r, std::size_t i) const {
    if (!loaded(m).model->has_attention()) return;
    const MapStack maps = maps_of(m, r, i);
    const PackedMaps packed = pack_maps(maps);
    json["layers"] = maps.layers;
    json["heads"] = maps.heads;
    json["low"] = packed.low;
    json["high"] = packed.high;
    json["maps"] = packed.bytes;
    json["entropy"] = Json::array();
    for (const DecodedWord& word : spoken[m].captions[r][i].words) {
      const auto entropy = map_entropy(word.attention);
      json["entropy"].push_back(entropy ? Json(rounded(*entropy)) : Json());
    }
  }

  void add_words(Json& json, std::size_t m, const DecodedCaption& caption) const {
    const AttentionConfig& attention = loaded(m).config.attention;
    json["words"] = Json::array();
    json["p"] = Json::array();
    for (const DecodedWord& word : caption.words) {
      json["words"].push_back(word_text(word, loaded(m).model->vocabulary()));
      json["p"].push_back(rounded(std::exp(word.log_prob)));
      if (attention.gate != GateKind::kNone) json["gate"].push_back(rounded(word.gate));
      if (attention.sentinel) json["sentinel"].push_back(rounded(word.sentinel));
    }
    const auto chose = [](const DecodedWord& word) { return word.chosen >= 0; };
    if (std::any_of(caption.words.begin(), caption.words.end(), chose))
      for (const DecodedWord& word : caption.words) {
        Json cells = Json::array();  // one a look
        for (const int cell : word.choices) cells.push_back(cell);
        if (cells.empty()) cells.push_back(word.chosen);
        json["chosen"].push_back(std::move(cells));
      }
  }

  void add_scene(Json& json, std::size_t m, const DecodedCaption& caption, std::size_t i) const {
    if (!request->data->scenes) return;
    const Scene& scene = request->data->scenes->scenes[static_cast<std::size_t>(images[i])];
    const Geometry geometry = inputs[m].geometry(images[i]);
    std::vector<std::string> words;
    for (const DecodedWord& word : caption.words)
      words.push_back(word_text(word, loaded(m).model->vocabulary()));
    const SceneReading reading = read_scene_caption(scene, words, geometry);
    json["verdict"] = kVerdictNames[static_cast<std::size_t>(reading.verdict)];
    json["nouns"] = Json::array();
    const AttentionGrid cells = cells_of(loaded(m).model->grid(), geometry);
    for (const NamedObjects& noun : reading.nouns) {
      Json one = {{"word", noun.word}, {"boxes", Json::array()}};
      for (const Box& box : noun.boxes)
        one["boxes"].push_back(rectangle(box.x, box.y, box.w, box.h, geometry));
      if (loaded(m).model->has_attention() && !noun.boxes.empty()) {
        const std::vector<float>& weights = caption.words[noun.word].attention;
        one["hit"] = points_at(weights, cells, noun.seen, {.counts = caption.counts});
        one["centre"] =
            points_at(weights, cells, noun.seen, {.tolerance = 0, .counts = caption.counts});
      }
      json["nouns"].push_back(std::move(one));
    }
  }

  Json regime_json(std::size_t m, std::size_t r, std::size_t i) const {
    const DecodedCaption& caption = spoken[m].captions[r][i];
    const Vocabulary& vocabulary = loaded(m).model->vocabulary();
    Json json;
    add_words(json, m, caption);
    add_maps(json, m, r, i);
    json["finished"] = caption.finished;
    json["logprob"] = rounded(caption.log_prob);
    for (const DecodedCaption& other : caption.others)
      json["others"].push_back({caption_text(other, vocabulary), rounded(other.log_prob)});
    const CaptionScores& scores = spoken[m].scores[r];
    for (std::size_t k = 0; k < scores.metrics.size(); ++k)
      for (const char* name : kShownScores)
        if (scores.metrics[k].metric == name) json["scores"][name] = rounded(scores.of_image(k, i));
    add_scene(json, m, caption, i);
    return json;
  }
};

ReportCaptions::ReportCaptions(const ReportRequest& request, std::vector<Index> images)
    : impl_(std::make_unique<Impl>(request, std::move(images))) {}
ReportCaptions::~ReportCaptions() = default;

const std::vector<Index>& ReportCaptions::images() const { return impl_->images; }

Json ReportCaptions::model_json(std::size_t model) const {
  const ReportModel& about = impl_->request->models[model];
  const LoadedModel& own = *about.loaded;
  Json json = {{"name", about.name},
               {"checkpoint", about.checkpoint.string()},
               {"update", own.state.update},
               {"parameters", own.model->parameters().number_count()},
               {"attention", own.model->has_attention()},
               {"gate", own.config.attention.gate != GateKind::kNone},
               {"sentinel", own.config.attention.sentinel},
               {"selection", enum_name(own.config.attention.selection)},
               {"rows", own.model->grid().rows},
               {"cols", own.model->grid().cols},
               {"layers", has_views(own) ? layers_of(own) : 1},
               {"heads", has_views(own) ? own.config.attention.heads : 1}};
  const Spoken& spoken = impl_->spoken[model];
  for (std::size_t r = 0; r < spoken.regimes.size(); ++r) {
    const std::string name(enum_name(spoken.regimes[r]));
    json["regimes"].push_back(name);
    if (!own.model->has_attention()) continue;
    const AttentionHealth health = attention_health(spoken.captions[r]);
    for (const auto& [measure, value] : health.scores())
      json["health"][name][measure] = rounded(value);
    const auto dead =
        dead_attention({.regime = spoken.regimes[r], .health = health, .own = {}, .ablations = {}});
    if (dead && r == 0) json["dead"] = *dead;
  }
  return json;
}

Json ReportCaptions::caption_json(std::size_t model, std::size_t i) const {
  const Geometry geometry = impl_->inputs[model].geometry(impl_->images[i]);
  const Rect& seen = geometry.seen;
  Json json = {{"seen", rectangle(seen.x, seen.y, seen.width, seen.height, geometry)}};
  const std::vector<Regime>& regimes = impl_->spoken[model].regimes;
  for (std::size_t r = 0; r < regimes.size(); ++r)
    json["regimes"][std::string(enum_name(regimes[r]))] = impl_->regime_json(model, r, i);
  return json;
}

std::string ReportCaptions::left_out() const {
  if (impl_->detail == Detail::kAll) return "";
  return impl_->detail == Detail::kFirstRegime
             ? "Maps of single layers and heads are here for each model's first regime only, to "
               "keep this file small; a report of fewer models has them all."
             : "Maps of single layers and heads are left out to keep this file small; a report of "
               "fewer models has them.";
}

}  // namespace saccade
