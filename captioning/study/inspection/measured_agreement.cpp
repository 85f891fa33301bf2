#include "captioning/study/inspection/measured_agreement.h"

#include <nlohmann/json.hpp>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "captioning/study/inspection/picture_occlusion.h"
#include "core/base/error.h"
#include "core/base/json_text.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;
using NamedView = std::pair<std::string, MapView>;

// The maps that a model's words have: of the last layer, the mean of all, and the rollout. Regions
// of the grid hold what an encoder has mixed into them, so a rollout, which lies on the picture, is
// compared with the occlusion of the picture alone.
std::vector<NamedView> views_of(const CaptionModel& model, const DecodedCaption& caption,
                                const InputView& input, bool rollout) {
  std::vector<NamedView> views;
  views.emplace_back("last layer", map_views(caption, {}).front());
  if (caption.words.front().parts.size() > 1 && caption.words.front().parts.back().layer.count > 1)
    views.emplace_back("mean of the layers", map_views(caption, {.layer = MapChoice{}}).front());
  if (rollout)
    views.emplace_back("rollout",
                       map_views(caption, {.rollout = true}, encoder_maps(model, input)).front());
  return views;
}

Table::Cell cell_of(const Mean& mean) {
  return mean.count > 0 ? Table::Cell(mean.value()) : Table::Cell();
}

Json mean_json(const Mean& mean) { return mean.count > 0 ? Json(mean.value()) : Json(); }

}  // namespace

AgreementMeasure measure_agreement(const OpenModel& open, const AttentionConfig& attention,
                                   const LoadedData& data, const DatasetInputs& inputs,
                                   const OcclusionRequest& request) {
  const CaptionModel& model = *open.model;
  SearchOptions search = request.search;
  search.samples = 1;
  search.recording.layers = true;
  std::vector<DecodedCaption> captions = decode_images(model, inputs, request.images, search, {});
  const bool rollout = request.rollout && request.occluded == Occluded::kPicture;
  AgreementMeasure measure;
  for (std::size_t i = 0; i < captions.size(); ++i) {
    if (request.progress)
      request.progress(static_cast<Index>(i), static_cast<Index>(captions.size()));
    DecodedCaption& caption = captions[i];
    if (caption.words.empty()) continue;
    const InputBatch input = inputs.batch({&request.images[i], 1});
    if (request.occluded == Occluded::kPicture)
      add_picture_effects(model, *open.pipeline, data.image(request.images[i]), search, caption);
    else
      add_effects(model, attention, input.view(), search, caption);
    measure.add(caption, views_of(model, caption, input.view(), rollout));
  }
  return measure;
}

Table table_of(const AgreementMeasure& measure) {
  Table table{.columns = {{.key = "map"},
                          {.key = "rank_correlation", .label = "rank correlation"},
                          {.key = "same_region", .label = "same region"},
                          {.key = "fall", .label = "log p lost there"}}};
  for (const MapAgreement& one : measure.maps())
    table.add({one.map, cell_of(one.rank), cell_of(one.same_region), cell_of(one.fall)});
  return table;
}

std::string agreement_table(const AgreementMeasure& measure, Occluded occluded) {
  Table table = table_of(measure);
  table.add({"the region of the largest effect", "", 1, cell_of(measure.largest_fall())});
  table.add({"a region by chance", 0, cell_of(measure.chance()), ""});
  table.title =
      str("how the weights of regions agree with what a word's log-probability loses without ",
          occluded == Occluded::kPicture ? "each cell of the picture" : "each region", ": ",
          measure.words(), " words",
          measure.left_out() > 0
              ? str(", and ", measure.left_out(), " that no region changes or that have no map")
              : std::string(),
          "\n\n");
  return to_text(table);
}

Json agreement_json(const AgreementMeasure& measure, Occluded occluded) {
  return {
      {"occluded", enum_name(occluded)},       {"words", measure.words()},
      {"left_out", measure.left_out()},        {"largest_fall", mean_json(measure.largest_fall())},
      {"chance", mean_json(measure.chance())}, {"maps", rows_json(table_of(measure))}};
}

}  // namespace saccade
