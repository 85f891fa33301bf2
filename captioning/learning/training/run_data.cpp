#include "captioning/learning/training/run_data.h"

#include <algorithm>

#include "captioning/learning/training/cost_ahead.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/grounding/configured_boxes.h"
#include "core/config/traits.h"
#include "vision/encoders/stored_network.h"
#include "vision/encoders/weights_facts.h"

namespace saccade {

namespace {

// The images of the splits that the request names, in the order of the data set.
std::vector<Index> wanted_images(const LoadedData& loaded, const RunData::Request& request) {
  std::vector<Index> needed;
  const auto add = [&](Split split, Index most) {
    const std::vector<Index> images = evaluation_images(loaded.dataset, split, most);
    needed.insert(needed.end(), images.begin(), images.end());
  };
  for (const Split split : request.splits)
    add(split, split == Split::kVal ? request.most_images : 0);
  if (request.evaluated_split) add(loaded.default_split(), 0);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

// Those and the training images.
std::vector<Index> needed_images(const LoadedData& loaded, const RunData::Request& request) {
  std::vector<Index> needed = wanted_images(loaded, request);
  const std::vector<Index> train = images_of(loaded.dataset, Split::kTrain);
  needed.insert(needed.end(), train.begin(), train.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

std::unique_ptr<DatasetInputs> load_inputs(const LoadedData& loaded, const InputPipeline& pipeline,
                                           const ExperimentConfig& config,
                                           const RunData::Request& request,
                                           const WorkProgress& progress) {
  const auto show = [&](Index done, Index total) {
    if (progress)
      progress(pipeline.frozen()       ? "computing features"
               : pipeline.reads_text() ? "reading texts"
                                       : "reading images",
               done, total);
  };
  return std::make_unique<DatasetInputs>(loaded, pipeline, config.encoder, show,
                                         needed_images(loaded, request), Views::kOfTraining);
}

// Says where published weights were trained on photos that were prepared in another way.
void tell_preparation(const EncoderConfig& config, const MessageListener& listener) {
  const std::string& file = config.weights.empty() ? config.model : config.weights;
  if (file.empty()) return;
  const auto published = config.weights.empty() ? published_pixels(file) : weights_pixels(config);
  if (!published) return;
  const std::string said =
      published->file.empty()
          ? ": weights of torchvision have colours that are normalised"
          : ": its " + published->file + " says that colours are normalised for the network";
  if (published->interpolation && *published->interpolation != config.interpolation)
    warn(listener, str(file, ": its ", published->file, " says that the network was trained on ",
                       enum_name(*published->interpolation),
                       " photos, and encoder.interpolation is ", enum_name(config.interpolation),
                       "; set encoder.interpolation to ", enum_name(*published->interpolation)));
  if (published->pixels && *published->pixels != config.pixels)
    warn(listener,
         str(file, said, " as encoder.pixels ", enum_name(*published->pixels), " does, and it is ",
             enum_name(config.pixels), "; set encoder.pixels to ", enum_name(*published->pixels)));
}

std::unique_ptr<LoadedData> load_announced(const ExperimentConfig& config,
                                           const MessageListener& listener) {
  if (const std::string cost = drawing_cost(config.data); !cost.empty()) inform(listener, cost);
  return std::make_unique<LoadedData>(load_data(config.data, image_folders(config)));
}

}  // namespace

ExperimentConfig with_source_words(ExperimentConfig config, const LoadedData& loaded) {
  config.encoder.words = loaded.source_words();
  return config;
}

RunData::RunData(const ExperimentConfig& config, const Request& request,
                 const MessageListener& listener, const WorkProgress& progress)
    : loaded_(load_announced(config, listener)),
      config_(with_source_words(config, *loaded_)),
      pipeline_(std::make_unique<InputPipeline>(config_.encoder, listener)) {
  if (std::find(request.splits.begin(), request.splits.end(), Split::kVal) != request.splits.end())
    require_validation(*loaded_);
  if (request.checks_stages) check_stages(config, *loaded_);
  tell_preparation(config_.encoder, listener);
  for (const std::string& note : named_notes(loaded_->dataset)) inform(listener, note);
  boxes_ = configured_boxes(config.data, *loaded_, wanted_images(*loaded_, request), listener,
                            request.of_checkpoint ? IsNamed() : named_all);
  if (progress) progress(pipeline_->reads_text() ? "reading texts" : "reading images", 0, 0);
  inputs_ = load_inputs(*loaded_, *pipeline_, config_, request, progress);
  vocabulary_ = training_vocabulary(*loaded_, config.data, config.tokens);
}

bool RunData::serves(const ExperimentConfig& config) const { return same_data(config_, config); }

bool same_data(const ExperimentConfig& a, const ExperimentConfig& b) {
  std::vector<std::string> inputs = paths_with(a, Trait::kInputs);
  const std::vector<std::string> others = paths_with(b, Trait::kInputs);
  inputs.insert(inputs.end(), others.begin(), others.end());
  // A network that a checkpoint held is no value of the config, nor are published tokens.
  const auto network = [](const ExperimentConfig& config) {
    return config.encoder.network ? config.encoder.network->digest : std::string();
  };
  if (network(a) != network(b)) return false;
  const auto tokens = [](const ExperimentConfig& config) {
    return config.tokens ? config.tokens->digest() : std::string();
  };
  if (tokens(a) != tokens(b)) return false;
  const auto differences = config_differences(a, b);
  return std::none_of(differences.begin(), differences.end(), [&](const Difference& d) {
    return std::find(inputs.begin(), inputs.end(), d.path) != inputs.end();
  });
}

}  // namespace saccade
