// The config that `saccade new --from` writes: a model that was trained before goes on with a
// person's own photos. What the model is made of is the checkpoint's, the data are the person's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/learning/config/experiment_config.h"
#include "experiments/commands/starter_config.h"

namespace saccade {

// The checkpoint that a run starts from.
struct TunedModel {
  std::string given;  // as the user named it
  ExperimentConfig config;
  bool has_network = false;  // it holds the network of its frozen encoder
};

// Reads what the config needs of a checkpoint. Throws what load_archive() and stored_config()
// throw, and UsageError where its vocabulary is not of words.
TunedModel read_tuned_model(const std::string& given, const std::filesystem::path& checkpoint);

// All values of the config, in the order of its sections. `encoder` is the ONNX file of the
// checkpoint's encoder, or "": the network that the checkpoint holds, or the file that its config
// names. Throws DataError where there is neither, and UsageError where an encoder that reads no
// such file got one.
std::vector<Choice> choose_tuned(const std::string& name, const OwnData& data,
                                 const TunedModel& model, const std::string& encoder);

}  // namespace saccade
