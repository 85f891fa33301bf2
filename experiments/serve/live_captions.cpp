#include "experiments/serve/live_captions.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "captioning/decoding/decode_images.h"
#include "captioning/maps/caption_json.h"
#include "captioning/maps/caption_text.h"
#include "core/parallel/kernel_parts.h"
#include "experiments/process/log.h"
#include "experiments/report/explorer_json.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kPhotoPixels = 640;  // the longest side

// What one model returns for a photo.
struct PhotoCaptions {
  Json json;
  std::string caption;  // in the first regime
};

PhotoCaptions caption_photo(const ReportModel& model, const Image& picture) {
  const parallel::SplitKernels split;
  InputBatch input(model.pipeline->shape(), 1);
  const Geometry geometry = model.pipeline->run(picture, input.values_of(0));
  input.set_area(0, picture_area(geometry));
  const auto load = [&](Index, std::size_t, std::span<float> out) {
    std::copy(input.values_of(0).begin(), input.values_of(0).end(), out.begin());
    return input.area(0);
  };
  const LoadedModel& loaded = *model.loaded;
  PhotoCaptions out;
  SearchOptions search = page_search(loaded);
  for (const Regime regime : evaluation_regimes(loaded.config)) {
    search.regime = regime;
    std::vector<DecodedCaption> captions =
        decode(*loaded.model, {.count = 1, .load = load, .search = search});
    Json& regimes = out.json["regimes"];
    if (regimes.empty()) out.caption = caption_text(captions[0], loaded.model->vocabulary());
    regimes[std::string(enum_name(regime))] =
        page_caption(loaded, {.image = "", .caption = std::move(captions[0]), .geometry = geometry},
                     regime, MapDetail::kSingle);
  }
  return out;
}

}  // namespace

std::string LiveCaptions::models_json(Index max_upload) const {
  Json json = {{"schema_version", 1}};
  for (const ReportModel& model : models_) json["models"].push_back(model_facts(model));
  json["colours"] = colours_text();
  json["max_upload"] = max_upload;
  return json_line(json);
}

std::string LiveCaptions::caption_json(std::span<const std::uint8_t> bytes) const {
  const auto start = std::chrono::steady_clock::now();
  const Image picture = decode_image(bytes, "the picture", log::show);
  Json json = {{"schema_version", 2}};
  for (const ReportModel& model : models_) {
    PhotoCaptions captions = caption_photo(model, picture);
    json["captions"][model.name] = captions.caption;
    json["models"].push_back(std::move(captions.json));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  json["seconds"] = rounded(seconds.count());
  json.update(photo_json(picture, kPhotoPixels));
  return json_line(json);
}

}  // namespace saccade
