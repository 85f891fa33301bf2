#include "experiments/report/measured_views.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/inspection/gradient_flow.h"
#include "captioning/study/inspection/model_heads.h"
#include "captioning/study/inspection/word_neighbours.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/io/base64.h"
#include "experiments/pictures/spread_images.h"
#include "experiments/report/gradient_views.h"
#include "experiments/report/head_views.h"
#include "experiments/report/word_views.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// From this number of cells on, pixels take less room in the page than vectors.
constexpr std::size_t kMostPageCells = 2048;

Json pictures_json(const std::vector<MeasurePicture>& pictures) {
  Json out = Json::array();
  for (const MeasurePicture& picture : pictures) {
    const bool vector = picture.cells <= kMostPageCells;
    const std::string file = picture.file(vector ? PictureFormat::kSvg : PictureFormat::kPng);
    const std::string bytes =
        base64({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    out.push_back({{"name", picture.name},
                   {"title", picture.title},
                   {"picture", str("data:image/", vector ? "svg+xml" : "png", ";base64,", bytes)}});
  }
  return out;
}

bool has_heads(const ShownModel& model) {
  return !model_heads(*model.loaded->model, model.loaded->config).empty();
}

Json heads_section(const ShownModel& model, const LoadedData& data, const DatasetInputs& inputs,
                   std::span<const Index> images) {
  Json json{{"left_out", heads_left_out(*model.loaded->model, model.loaded->config)}};
  if (!has_heads(model)) return json;
  const HeadProfiles profiles = head_profiles(*model.loaded->model, data.dataset, inputs, images);
  json["table"] = to_json(table_of(profiles));
  json["correlations"] = correlations_json(profiles);
  json["pictures"] = pictures_json(head_pictures(profiles, model.name));
  return json;
}

Json gradients_section(const ShownModel& model, const LoadedData& data, const DatasetInputs& inputs,
                       std::span<const Index> images) {
  const CaptionModel& captioner = *model.loaded->model;
  if (const std::string reason = without_gradient_paths(captioner, model.loaded->config);
      !reason.empty())
    return {{"left_out", reason}};
  const GradientFlow flow = measure_gradient_flow(captioner, data.dataset, inputs, images);
  Json json = flow_json(flow);
  json["table"] = to_json(table_of(flow));
  json["pictures"] = pictures_json(gradient_pictures(flow, model.name, captioner.grid()));
  return json;
}

Json words_section(const ReportRequest& request, const ShownModel& model,
                   const DatasetInputs& inputs, std::span<const Index> images) {
  std::vector<NeighbourRequest> wanted;
  for (const std::string& word : request.measures.words)
    wanted.push_back({.word = word, .captions = {}});
  Json json = Json::array();
  for (const WordNeighbours& words :
       word_neighbours(*model.loaded->model, request.data->dataset, inputs, images, wanted))
    json.push_back(neighbours_json(words));
  return json;
}

}  // namespace

void check_measures(const ReportRequest& request) {
  const ReportMeasures& wanted = request.measures;
  const std::vector<ShownModel>& models = request.models;
  if (wanted.heads && std::none_of(models.begin(), models.end(), has_heads)) {
    const auto left_out =
        heads_left_out(*models.front().loaded->model, models.front().loaded->config);
    throw UsageError("--heads has no effect: no part of any model attends to anything" +
                     (left_out.empty() ? std::string() : " (" + left_out.front() + ")") +
                     "; leave it out");
  }
  const auto reason = [](const ShownModel& model) {
    return without_gradient_paths(*model.loaded->model, model.loaded->config);
  };
  if (wanted.gradients && std::none_of(models.begin(), models.end(),
                                       [&](const auto& model) { return reason(model).empty(); }))
    throw UsageError(str("--gradients has no effect: ", models.front().name, ": ",
                         reason(models.front()), "; leave it out"));
  for (const ShownModel& model : models) {
    try {
      check_words(model.loaded->model->vocabulary(), wanted.words);
    } catch (const UsageError& error) {
      throw UsageError(str("--words: ", model.name, ": ", error.what()));
    }
  }
}

void check_words_shown(const ReportRequest& request, std::span<const Index> images) {
  const std::vector<CaptionedImage>& all = request.data->dataset.images;
  for (const std::string& wanted : request.measures.words) {
    const Words word = tokenize(wanted);
    const bool there = std::any_of(images.begin(), images.end(), [&](Index i) {
      const std::vector<std::string>& captions = all[static_cast<std::size_t>(i)].captions;
      return std::any_of(captions.begin(), captions.end(), [&](const std::string& text) {
        const Words words = tokenize(text);
        return std::find(words.begin(), words.end(), word.front()) != words.end();
      });
    });
    if (!there)
      throw UsageError(str("--words: no caption of the ", images.size(), " images has the word '",
                           wanted, "'; show more with --images, or choose another word"));
  }
}

Json measured_json(const ReportRequest& request, const ShownModel& model,
                   const DatasetInputs& inputs, std::span<const Index> images) {
  const std::vector<Index> some = spread_images({images.begin(), images.end()}, kMeasuredImages);
  const ReportMeasures& wanted = request.measures;
  Json json{{"images", some.size()}};
  if (wanted.heads) json["heads"] = heads_section(model, *request.data, inputs, some);
  if (wanted.gradients) json["gradients"] = gradients_section(model, *request.data, inputs, some);
  if (wanted.words.empty()) return json;
  try {
    json["words"] = words_section(request, model, inputs, images);
  } catch (const UsageError& error) {
    throw UsageError(str("--words: ", error.what()));
  }
  return json;
}

}  // namespace saccade
