#include "experiments/commands/inspect_occlusion.h"

#include <nlohmann/json.hpp>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/scoring/scores/text_table.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "captioning/study/inspection/picture_occlusion.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"
#include "experiments/options/map_options.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;
using NamedView = std::pair<std::string, MapView>;

// The maps that a model's words have: of the last layer, the mean of all, and the rollout. Regions
// of the grid hold what an encoder has mixed into them, so a rollout, which lies on the picture, is
// compared with the occlusion of the picture alone.
std::vector<NamedView> views_of(const ModelSession& session, const DecodedCaption& caption,
                                const InputView& input, Occluded occluded) {
  std::vector<NamedView> views;
  views.emplace_back("last layer", map_views(caption, {}).front());
  if (caption.words.front().parts.size() > 1 && caption.words.front().parts.back().layer.count > 1)
    views.emplace_back("mean of the layers", map_views(caption, {.layer = MapChoice{}}).front());
  if (occluded == Occluded::kPicture && can_roll_out(session.config()))
    views.emplace_back(
        "rollout",
        map_views(caption, {.rollout = true}, encoder_maps(session.model(), input)).front());
  return views;
}

Json mean_json(const Mean& mean) { return mean.count > 0 ? Json(mean.value()) : Json(); }

std::string mean_text(const Mean& mean) { return mean.count > 0 ? fixed(mean.value()) : "-"; }

}  // namespace

AgreementMeasure measure_agreement(const ModelSession& session, const LoadedData& data,
                                   const DatasetInputs& inputs, const OcclusionRequest& request) {
  if (!session.models().has_attention())
    throw UsageError("--occlusion: the model has no attention (attention.score is none)");
  const CaptionModel& model = session.model();
  SearchOptions search =
      search_options(session.config(), session.config().search, model.vocabulary());
  search.regime = session.regimes("").front();
  search.samples = 1;
  search.recording.layers = true;
  std::vector<DecodedCaption> captions =
      decode_images(session.models(), inputs, request.images, search, {});
  AgreementMeasure measure;
  for (std::size_t i = 0; i < captions.size(); ++i) {
    if (request.progress)
      request.progress(static_cast<Index>(i), static_cast<Index>(captions.size()));
    DecodedCaption& caption = captions[i];
    if (caption.words.empty()) continue;
    const InputBatch input = inputs.batch({&request.images[i], 1});
    if (request.occluded == Occluded::kPicture)
      add_picture_effects(model, session.pipeline(), data.image(request.images[i]), search,
                          caption);
    else
      add_effects(model, session.config().attention, input.view(), search, caption);
    measure.add(caption, views_of(session, caption, input.view(), request.occluded));
  }
  return measure;
}

std::string agreement_table(const AgreementMeasure& measure, Occluded occluded) {
  const bool picture = occluded == Occluded::kPicture;
  TextTable table;
  table.add({"map", "rank correlation", "same region", "log p lost there"});
  for (const MapAgreement& one : measure.maps())
    table.add({one.map, mean_text(one.rank), mean_text(one.same_region), mean_text(one.fall)});
  table.add({"the region of the largest effect", "", "1", mean_text(measure.largest_fall())});
  table.add({"a region by chance", "0", mean_text(measure.chance()), ""});
  return str("how the weights of regions agree with what a word's log-probability loses without ",
             picture ? "each cell of the picture" : "each region of the grid", ": ",
             measure.words(), " words",
             measure.left_out() > 0
                 ? str(", and ", measure.left_out(), " that no region changes or that have no map")
                 : std::string(),
             "\n\n", table.text());
}

Json agreement_json(const AgreementMeasure& measure, Occluded occluded) {
  Json maps = Json::array();
  for (const MapAgreement& one : measure.maps())
    maps.push_back({{"map", one.map},
                    {"rank_correlation", mean_json(one.rank)},
                    {"same_region", mean_json(one.same_region)},
                    {"fall", mean_json(one.fall)}});
  return {
      {"occluded", enum_name(occluded)},       {"words", measure.words()},
      {"left_out", measure.left_out()},        {"largest_fall", mean_json(measure.largest_fall())},
      {"chance", mean_json(measure.chance())}, {"maps", std::move(maps)}};
}

}  // namespace saccade
