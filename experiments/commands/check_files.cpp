#include "experiments/commands/check_files.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>

#include "captioning/data/data_places.h"
#include "captioning/data/data_sets.h"
#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/training/run_data.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/own_place.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// Whether a key names weights to start from, which may be a model's name.
bool is_key_of_weights(const std::string& key) {
  return key == "train.init_from" || key == "decoder.weights";
}

// Why the file that a config names cannot be used; "" if it is there. A checkpoint may be named as
// a model.
std::string problem_of(const NamedFile& file) {
  std::string problem = problem_of_place(file);
  if (problem.empty() || !is_key_of_weights(file.key) || !may_name_model(file.path)) return problem;
  try {
    checkpoint_of(file.path);
    return "";
  } catch (const CheckpointError& unknown) {
    return str(file.key, ": ", unknown.what());
  }
}

// The boxes of a file that belongs to the data set, or to the set that its key names.
std::string found_boxes(const NamedFile& file, const LoadedData& data) {
  const Dataset* dataset = &data.dataset;
  for (std::size_t s = 0; s < data.sets.size(); ++s)
    if (file.key == str("data.sets.", data.dataset.parts[s].name, ".boxes"))
      dataset = &data.sets[s].dataset;
  std::vector<Index> all(dataset->images.size());
  std::iota(all.begin(), all.end(), Index{0});
  const auto boxes = read_photo_boxes(file.path, *dataset, all);
  const auto known =
      std::count_if(all.begin(), all.end(), [&](Index image) { return boxes->knows(image); });
  return "boxes of " + counted(static_cast<Index>(known), "image");
}

std::string found_vectors(const ExperimentConfig& config, const LoadedData& data) {
  const WordVectors vectors =
      read_word_vectors(config.decoder.embeddings.file, training_vocabulary(data, config.data),
                        config.decoder.embedding);
  return str("vectors of ", vectors.count(), " of the ", vectors.words(), " words",
             vectors.case_remark());
}

std::string found_network(const ExperimentConfig& config) {
  const InputPipeline pipeline(config.encoder);
  if (!pipeline.frozen()) return "";  // training reads it once there is a model
  const GridShape grid = pipeline.frozen_grid();
  CaptionModel::check(config, grid);
  set_learning_rates(config, CaptionModel::declared(config, Vocabulary(), grid).parameters());
  return grid_text(grid);
}

// The same data, but few of them where they are drawn: their kinds of words and pictures are those
// of all.
DataConfig few_drawn(DataConfig config) {
  constexpr std::int64_t kFew = 50;
  for (std::int64_t* count :
       {&config.scenes.train, &config.scenes.val, &config.scenes.test, &config.sequences.train,
        &config.sequences.val, &config.sequences.test})
    *count = std::min(*count, kFew);
  return config;
}

// Throws what training would throw where the checkpoint train.init_from does not fit the model.
void check_first_weights(ExperimentConfig config, const LoadedData& data) {
  if (!starts_from_weights(config)) return;
  config = with_source_words(std::move(config), data);
  take_first_parts(config, {}, given_model_folders());
  const InputPipeline pipeline(config.encoder);
  const FrozenEncoder* frozen = pipeline.frozen();
  CaptionModel model(config, training_vocabulary(data, config.data, config.tokens),
                     pipeline.frozen_grid());
  set_learning_rates(config, model.parameters());
  take_first_weights(config,
                     {.name = data.dataset.name,
                      .digest = data.dataset.digest,
                      .encoder = frozen ? frozen->digest() : ""},
                     model, given_model_folders());
}

}  // namespace

std::string grid_text(const GridShape& grid) {
  if (grid.in_time)
    return str("up to ", grid.cols, " frames of ", grid.features, " features in a film or a sound");
  if (grid.scattered)
    return str("up to ", grid.cols, " regions of ", grid.features, " features in a photo");
  return str(grid.rows, " x ", grid.cols, " regions of ", grid.features, " features");
}

void check_contents(const ExperimentConfig& config, const LoadedData& data,
                    std::vector<CheckedFile>& files) {
  for (CheckedFile& one : files) {
    if (one.state != FileState::kThere) continue;
    try {
      if (is_key_of_boxes(one.file.key))
        one.contents = found_boxes(one.file, data);
      else if (one.file.key == "decoder.embeddings.file")
        one.contents = found_vectors(config, data);
      else if (one.file.key == "encoder.model" || one.file.key == "encoder.weights" ||
               one.file.key == "encoder.features.path")
        one.contents = found_network(config);
    } catch (const Error& error) {
      one.state = FileState::kUnusable;
      one.problem = str(one.file.key, ": ", error.what());
    }
  }
}

std::vector<CheckedFile> checked_files(const ExperimentConfig& config) {
  std::vector<CheckedFile> out;
  std::vector<NamedFile> named = named_files(config);
  if (config.data.type == DataKind::kJoined)
    for (NamedFile& file : data_files(config.data, image_folders(config)))
      named.push_back(std::move(file));
  bool has_boxes = std::any_of(named.begin(), named.end(), [](const NamedFile& file) {
    return is_key_of_boxes(file.key) && !file.path.empty();
  });
  for (NamedFile& file : named) {
    // This loss belongs to a higher layer than the key, whose declaration cannot name it.
    const double boxes = config.supervision.boxes;
    if (is_key_of_boxes(file.key) && boxes > 0 && !has_boxes) {
      file.needed_by = str("objective.supervision.boxes ", boxes);
      has_boxes = true;  // those of one data set are enough
    }
    if (file.key == "encoder.model" && takes_network(config)) continue;
    if (image_folders(config) == ImageFolders::kMayLack && is_folder_of_images(file.key))
      file.needed_by.clear();
    if (file.path.empty() && file.needed_by.empty()) continue;
    CheckedFile one{.file = std::move(file), .problem = {}};
    if (one.file.path.empty()) {
      one.state = FileState::kNotGiven;
      one.problem = str(one.file.key, " is not given and ", one.file.needed_by,
                        " needs it; give it in the file or on the command line (", data_guide(),
                        " says where published data and networks are)");
    } else if (one.problem = problem_of(one.file); !one.problem.empty()) {
      std::error_code error;
      one.state = std::filesystem::exists(one.file.path, error) ? FileState::kUnusable
                                                                : FileState::kMissing;
    }
    out.push_back(std::move(one));
  }
  return out;
}

void check_files(const std::vector<Arm>& arms) {
  ArmMistakes missing(arms);
  std::set<std::string> reported;
  for (const Arm& arm : arms)
    for (const CheckedFile& one : checked_files(arm.config)) {
      if (one.state == FileState::kThere || !reported.insert(one.problem).second) continue;
      if (one.state == FileState::kNotGiven)
        log::warn(one.problem);
      else
        missing.add("", one.problem,
                    is_key_of_weights(one.file.key) ? ExitCode::kCheckpoint : ExitCode::kData);
    }
  missing.raise();
}

void check_with_files(const std::vector<Arm>& arms) {
  std::optional<LoadedData> data;
  const ExperimentConfig* of = nullptr;  // whose data they are
  ArmMistakes wrong(arms);
  for (const Arm& arm : arms) {
    std::vector<CheckedFile> files = checked_files(arm.config);
    if (std::any_of(files.begin(), files.end(),
                    [](const CheckedFile& one) { return one.state != FileState::kThere; }))
      continue;
    try {
      const bool drawn = data_files(arm.config.data).empty();
      // Of data that are made by the program, check_config knows all that matters without weights.
      if (drawn && !starts_from_weights(arm.config)) {
        if (!files.empty() && is_frozen(arm.config.encoder)) found_network(arm.config);
        continue;
      }
      if (!data || !same_data(*of, arm.config))
        data = load_data(few_drawn(arm.config.data), image_folders(arm.config));
      of = &arm.config;
      if (!drawn) {
        check_with_data(arm.config, *data);
        check_contents(arm.config, *data, files);
        for (const CheckedFile& one : files)
          if (one.state == FileState::kUnusable) throw DataError(one.problem);
        if (arm.config.data.vocabulary != VocabularyKind::kPublished)
          training_vocabulary(*data, arm.config.data);  // throws where it is empty
      }
      check_first_weights(arm.config, *data);
    } catch (const Error& error) {
      wrong.add(arm.name, error.what(), error.code());
    }
  }
  wrong.raise();
}

}  // namespace saccade
