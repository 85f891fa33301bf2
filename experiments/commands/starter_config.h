// The config that `saccade new` writes: values that suit a person's own data, each with its reason.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "captioning/data/own_data.h"
#include "captioning/learning/config/experiment_config.h"
#include "core/base/grid_size.h"

namespace saccade {

// What the file says beside its values.
struct StarterHead {
  std::string name;         // of the experiment
  std::string command;      // the command line that wrote the file
  std::string advice = "";  // whether a trained model is a good start; may be empty
};

// A frozen network from an ONNX file, and which of its layers make up the grid; or one as model
// hubs publish it, with its last layer.
struct StarterNetwork {
  std::string file, layer;
  Index image_size = 0;
  GridSize grid{};
  Index features = 0;
  bool imagenet_pixels = false;  // the file is PyTorch's, whose networks take such pixels
  // A layer at the beginning of the same stage that can be joined with `layer`; "" if there is
  // none.
  std::string earlier{};
  Index earlier_features = 0;
  // Of a hub's network: what it is, the file that says how photos are prepared ("" where none
  // does), and its keys of the section encoder.
  std::string what{}, told{};
  std::vector<std::pair<std::string, std::string>> hub{};
};

// Finds the layers of a network that suit as a grid: the last one that still has rows and columns,
// and the first activation on the same grid that has at least half as many features and further
// convolutions behind it. In the MobileNetV2 of configs/ these are its t168 and conv42_relu6.
// Weights of a hub are a folder or a file that is no ONNX file. Throws DataError where there is no
// network that can be run, or it has no such last layer.
StarterNetwork find_network(const std::string& file);

// How long to train: the data decide.
struct TrainingSize {
  Index batch = 0, epochs = 0, updates = 0, width = 0;
};
TrainingSize training_size(Index captions);
// The same for a published captioner, which has learned captions before.
TrainingSize tuned_size(Index captions);

// The YAML file of a model with new weights, whose encoder is this network or a small CNN.
std::string starter_yaml(const StarterHead& head, const OwnData& data,
                         const std::optional<StarterNetwork>& network);

// The checkpoint that a run starts from.
struct TunedModel {
  std::string given;  // as the user named it
  ExperimentConfig config;
  bool has_network = false;  // it holds the network of its frozen encoder
  bool published = false;    // its words are the tokens of a published captioner
};

// Reads what the config needs of a checkpoint or of a published captioner's folder. Throws what
// load_archive(), stored_config() and read_published() throw, and UsageError where its vocabulary
// is of pieces of words that were learned from captions.
TunedModel read_tuned_model(const std::string& given, const std::filesystem::path& checkpoint);

// The YAML file of a model that goes on with a person's own photos: what it is made of is the
// checkpoint's, by the values that are not the program's defaults. `encoder` is the ONNX file of
// the checkpoint's encoder, or "": the network that the checkpoint holds, or the file that its
// config names. Throws DataError where there is neither, and UsageError where an encoder that reads
// no such file got one.
std::string tuned_yaml(const StarterHead& head, const OwnData& data, const TunedModel& model,
                       const std::string& encoder);

}  // namespace saccade
