#include "experiments/report/write_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/data/scenes/scene_motion.h"
#include "captioning/explorer/explorer_json.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/evaluation/worst_images.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "core/io/base64.h"
#include "experiments/pictures/shown_picture.h"
#include "experiments/pictures/spread_images.h"
#include "experiments/process/version.h"
#include "experiments/report/measured_views.h"
#include "experiments/report/report_captions.h"
#include "experiments/report/report_data.h"
#include "experiments/report/report_page.h"
#include "experiments/report/report_runs.h"
#include "experiments/runs/manifest.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kReportPhotoPixels = 320;  // the longest side

std::string object_label(const SceneObject& object) {
  std::string label;
  for (const std::string_view word : {kSizeWords[static_cast<std::size_t>(object.size)],
                                      kColourWords[static_cast<std::size_t>(object.colour)],
                                      kTextureWords[static_cast<std::size_t>(object.texture)],
                                      kShapeWords[static_cast<std::size_t>(object.shape)]})
    if (!word.empty()) label += (label.empty() ? "" : " ") + std::string(word);
  return label;
}

Json objects_json(const Scene& scene) {
  const auto size = static_cast<double>(scene.size), frames = static_cast<double>(scene.frames);
  Json out = Json::array();
  for (Index t = 0; t < scene.frames; ++t)
    for (const SceneObject& object : frame_of(scene, t).objects) {
      const Rect& box = object.box;
      out.push_back({{"label", t == 0 ? object_label(object) : ""},  // named once
                     {"box",
                      {(box.x / size + static_cast<double>(t)) / frames, box.y / size,
                       box.width / size / frames, box.height / size}}});
    }
  return out;
}

Json image_json(const LoadedData& data, const DatasetInputs& inputs, Index i) {
  const CaptionedImage& about = data.dataset.images[static_cast<std::size_t>(i)];
  Json json = {{"id", about.id}, {"references", about.captions}};
  const SourceText* text = data.text(i);
  if (text) json["tokens"] = text->tokens;
  json.update(
      photo_json(shown_picture(data, inputs, i), text ? kPageTextPixels : kReportPhotoPixels));
  if (data.scenes) json["objects"] = objects_json(data.scenes->scenes[static_cast<std::size_t>(i)]);
  return json;
}

Json images_json(const ReportRequest& request, const ReportCaptions& captions) {
  Json images = Json::array();
  for (std::size_t i = 0; i < captions.images().size(); ++i) {
    Json image = image_json(*request.data, captions.inputs(0), captions.images()[i]);
    for (std::size_t m = 0; m < request.models.size(); ++m)
      image["models"].push_back(captions.caption_json(m, i));
    images.push_back(std::move(image));
  }
  return images;
}

// Throws UsageError where the first model or the data set has nothing by which to find the worst.
void check_worst(const ReportRequest& request) {
  const std::string& measure = request.worst;
  const std::vector<std::string> names = worst_measures();
  if (std::find(names.begin(), names.end(), measure) == names.end())
    throw UsageError(str("--worst: there is no measure '", measure, "'",
                         did_you_mean(measure, names), "; choose one of ", join(names, ", ")));
  const ShownModel& model = request.models.front();
  if ((measure == kWorstPointing || measure == kWorstEntropy) &&
      !model.loaded->model->has_attention())
    throw UsageError(
        str("--worst ", measure, ": ", model.name, ", the first model, has no attention"));
  if (measure == kWorstPointing && !nouns_of(request))
    throw UsageError("--worst pointing needs the boxes of objects; name them with --boxes");
}

// The images of the request, in the order of the data set.
std::vector<Index> shown_images(const ReportRequest& request) {
  std::vector<Index> images = evaluation_images(request.data->dataset, request.split, 0);
  const auto most = static_cast<std::size_t>(request.images);
  if (request.worst.empty()) return spread_images(std::move(images), most);
  check_worst(request);
  const ShownModel& model = request.models.front();
  const LoadedModel& loaded = *model.loaded;
  const std::string of_all = str(" all ", counted(static_cast<Index>(images.size()), "image"),
                                 " for --worst ", request.worst);
  images = worst_images(
      loaded, loaded.config.encoder, *request.data, std::move(images),
      {.measure = request.worst,
       .most = most,
       .search = search_options(loaded.config, loaded.config.search, loaded.model->vocabulary()),
       .nouns = nouns_of(request),
       .progress = [&](const char* what, double done) {
         if (request.progress) request.progress(done, model.name + ": " + what + of_all);
       }});
  if (images.empty())
    throw UsageError(str("--worst ", request.worst, ": no image of the split can be judged by it"));
  std::sort(images.begin(), images.end());
  return images;
}

// What the maps of regions and words among themselves take of the page.
double self_attention_bytes(const Json& images) {
  std::size_t bytes = 0;
  for (const Json& image : images)
    for (const Json& model : image["models"])
      if (model.contains("self_attention")) bytes += model["self_attention"].dump().size();
  return static_cast<double>(bytes);
}

// `captions` may be null: then there are no images.
Json page_data(const ReportRequest& request, const ReportCaptions* captions) {
  const Dataset& dataset = request.data->dataset;
  Json json = {{"schema_version", 2},
               {"title", request.title},
               {"dataset", dataset.name},
               {"digest", dataset.digest},
               {"split", split_name(request.split)},
               {"split_images", images_of(dataset, request.split).size()},
               {"texts", request.data->sequences.has_value()},
               {"command", command_line()},
               {"version", version_number()},
               {"heat", heat_json()},
               {"boxes", nouns_of(request).description()},
               {"occlusion", request.occlusion},
               {"remarks", request.remarks}};
  if (!request.worst.empty()) json["worst"] = request.worst;
  if (const std::string missing = captions ? captions->left_out() : ""; !missing.empty())
    json["remarks"].push_back(missing);
  for (std::size_t m = 0; m < request.models.size(); ++m) {
    json["models"].push_back(captions
                                 ? captions->model_json(m)
                                 : model_facts(*request.models[m].loaded, request.models[m].name,
                                               request.models[m].seed));
    const auto& directory = request.models[m].directory;
    json["models"].back()["manifest"] =
        directory.empty() ? Json() : json_file(directory / "manifest.json");
    if (!captions || !request.measures.any()) continue;
    if (request.progress)
      request.progress(static_cast<double>(m) / static_cast<double>(request.models.size()),
                       request.models[m].name + ": measuring what is inside");
    json["models"].back()["measured"] =
        measured_json(request, request.models[m], captions->inputs(m), captions->images());
  }
  json["config"] = config_rows(request.models);
  json["curves"] = Json::array();
  for (const ReportRun& run : request.runs) json["curves"].push_back(curve_json(run));
  json["comparison"] = request.comparison.empty() ? Json() : json_file(request.comparison);
  json["groups"] = captions ? captions->groups_json() : Json();
  json["grouped"] = captions ? captions->grouped() : 0;
  json["images"] = captions ? images_json(request, *captions) : Json::array();
  if (request.self_attention) {
    const double bytes = self_attention_bytes(json["images"]);
    json["self_attention"] = bytes > 0;
    if (bytes > 0)
      json["remarks"].push_back(str("The maps of regions and words among themselves take ",
                                    std::ceil(bytes / 1e5) / 10, " MB of this file."));
  }
  return json;
}

}  // namespace

Json report_data(const ReportRequest& request, ReportContent content) {
  if (content == ReportContent::kFacts) return page_data(request, nullptr);
  check_measures(request);
  const std::vector<Index> images = shown_images(request);
  check_words_shown(request, images);
  const ReportCaptions captions(request, images);
  return page_data(request, &captions);
}

ReportSummary write_report(const ReportRequest& request, const std::filesystem::path& out) {
  const Json data = report_data(request, ReportContent::kAll);
  // Captions and paths may hold bytes that are not UTF-8; dump() replaces them.
  const std::string page = report_page(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  write_file(out, page);
  return {.images = static_cast<Index>(data.at("images").size()),
          .models = request.models.size(),
          .bytes = page.size(),
          .self_attention = data.value("self_attention", false)};
}

}  // namespace saccade
