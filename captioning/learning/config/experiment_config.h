// The config of an experiment: plain structs with defaults, whose fields are documented once. A
// value's meaning beyond its range is checked by the part that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "captioning/data/data_config.h"
#include "captioning/learning/config/train_config.h"
#include "captioning/learning/objectives/objective_config.h"
#include "captioning/model/model_config.h"
#include "captioning/model/search/search_config.h"
#include "core/base/enum_names.h"
#include "core/config/axes.h"
#include "core/config/named_values.h"
#include "core/config/stop.h"

namespace saccade {

class Section;
template <class T>
struct Loaded;  // core/config/config.h

struct CompareConfig {
  NamedValuesList arms;
  Axes axes;
  std::vector<std::int64_t> seeds = {1};
  std::string against, primary;
  std::vector<std::string> margins;  // "CIDEr=0.02"
  Axes tune;
  std::optional<Stop> tune_stop;

  void fields(Section& v);
};

// What the operands of matrix products and convolutions are rounded to (core/kernels/precision.h).
enum class PrecisionChoice { kAuto, kF32, kBf16 };
constexpr auto enum_table(PrecisionChoice) {
  using enum PrecisionChoice;
  return enum_rows<PrecisionChoice>({
      {kAuto, "auto", "the faster one of the two on this processor, measured when a run begins"},
      {kF32, "f32", "nothing is rounded: 32-bit floats"},
      {kBf16, "bf16",
       "operands are rounded to 16 bits (bfloat16); sums, weights, losses and the optimizer keep "
       "32; "
       "needs AVX-512 BF16"},
  });
}

struct ExperimentConfig : ModelConfig {
  std::string name = "experiment";
  std::int64_t threads = 0;
  PrecisionChoice precision = PrecisionChoice::kF32;
  DataConfig data;
  ObjectiveConfig objective;
  OptimizerConfig optimizer;
  TrainConfig train;
  SearchConfig search;
  CompareConfig compare;

  void fields(Section& v);
};

// Whether a run has weights of a decoder that was trained elsewhere to start from.
bool starts_from_weights(const ExperimentConfig& config);

// What its encoder makes of the folders of images: features of files stand for photos.
ImageFolders image_folders(const ExperimentConfig& config);

using LoadedConfig = Loaded<ExperimentConfig>;

// The values that differ between the config of a run and that of its continuation, and that decide
// what an update does: one line each, "\n  path was old, is new"; "" when the run can go on.
std::string deciding_changes(const ExperimentConfig& before, const ExperimentConfig& now);

}  // namespace saccade
