#include "experiments/commands/tuned_config.h"

#include <algorithm>
#include <initializer_list>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/config/node.h"
#include "core/io/checkpoint.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

bool begins_with_any(const std::string& key, std::initializer_list<const char*> beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* one) { return key.starts_with(one); });
}

// The key of the file from which the encoder's network comes.
std::string file_key(const EncoderConfig& encoder) {
  return encoder_traits(encoder).reads_onnx_file ? "encoder.model" : "encoder.weights";
}

// The file of the encoder's network; "" where the checkpoint holds all that is needed.
std::string network_file(const TunedModel& model, const std::string& encoder) {
  const EncoderConfig& before = model.config.encoder;
  const bool onnx = encoder_traits(before).reads_onnx_file;
  if (!encoder.empty()) {
    if (onnx) return encoder;
    throw UsageError(str("--encoder has no effect: the encoder of ", model.given,
                         " reads no ONNX file; leave it out"));
  }
  // The weights of a network that is trained are in the checkpoint, but not what an ONNX file says
  // of its layers.
  if (is_frozen(before) ? model.has_network : !onnx) return "";
  const std::string& file = onnx ? before.model : before.weights;
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file;
  throw DataError(str("--from ", model.given, ": does not hold the network of its encoder, and ",
                      file, " is missing; ",
                      onnx ? "name its file with --encoder" : "put the file there"));
}

// What the model is made of, by the values that are not the program's defaults.
void choose_model(const TunedModel& model, const std::string& encoder, std::vector<Choice>& out) {
  const std::string file = network_file(model, encoder), key = file_key(model.config.encoder);
  const std::vector<std::string> unread = unread_options(model.config);
  std::string why = str("encoder, attention and decoder are those of ", model.given,
                        ", whose weights fit no others");
  if (is_frozen(model.config.encoder) && file.empty())
    why += "; the encoder's network is in the checkpoint, too";
  bool in_encoder = true;
  const auto end_encoder = [&] {
    if (in_encoder && !file.empty()) out.push_back({key, yaml_text(file), ""});
    if (in_encoder && is_frozen(model.config.encoder))
      out.push_back(
          {"encoder.cache", "runs/cache", "features are computed once and kept in this folder"});
    in_encoder = false;
  };
  for (const Difference& value : config_differences(ExperimentConfig(), model.config)) {
    const std::string& path = value.path;
    if (!begins_with_any(path, {"encoder.", "attention.", "decoder.", "objective."})) continue;
    // Where files are, vectors of words, and what only a first training needs.
    const bool is_place = path == "encoder.model" || path == "encoder.weights" ||
                          path == "encoder.cache" ||
                          (path == "encoder.weights_strict" && file.empty());
    if (is_place ||
        begins_with_any(path, {"decoder.embeddings.", "objective.supervision.",
                               "objective.self_critical.", "objective.scheduled_sampling"}))
      continue;
    if (std::ranges::find(unread, path) != unread.end()) continue;
    if (!path.starts_with("encoder.")) end_encoder();
    out.push_back({path, value.second, why});
    why.clear();
  }
  end_encoder();
}

void choose_start(const TunedModel& model, std::vector<Choice>& out) {
  out.push_back(
      {"train.init_from", yaml_text(model.given),
       "the first weights; words that it does not know start anew, and words that these captions "
       "lack are lost to it"});
}

// How the weights go on: as if they were new. With fewer and smaller steps, models of other photos
// than those that they knew ended while they still improved. Where nothing is left to learn, the
// start is kept as the best checkpoint.
void choose_tuning(const std::vector<Choice>& plain, const TunedModel& model,
                   std::vector<Choice>& out) {
  for (const Choice& one : plain) {
    if (!begins_with_any(one.key,
                         {"objective.label_smoothing", "optimizer.", "train.stop",
                          "train.validate_every", "train.checkpoint_every", "train.early_stop."}))
      continue;
    // The model's own value, where it has one, is not that of a new model.
    std::erase_if(out, [&](const Choice& other) { return other.key == one.key; });
    out.push_back({one.key, one.value,
                   one.key == "optimizer.lr" ? "steps as of a new model, which learn other photos "
                                               "better than small ones do"
                                             : one.why});
  }
  choose_start(model, out);
}

}  // namespace

TunedModel read_tuned_model(const std::string& given, const std::filesystem::path& checkpoint) {
  const Archive archive = load_archive(checkpoint);
  TunedModel model{.given = given,
                   .config = stored_config(archive, {}),
                   .has_network = !network_digest(archive).empty()};
  if (model.config.data.vocabulary != VocabularyKind::kWords)
    throw UsageError(str("--from ", given,
                         ": its vocabulary is of pieces of words, which other captions do not "
                         "share; take a checkpoint with data.vocabulary words"));
  return model;
}

std::vector<Choice> choose_tuned(const std::string& name, const OwnData& data,
                                 const TunedModel& model, const std::string& encoder) {
  std::vector<Choice> out;
  const std::vector<Choice> plain = choose(name, data, std::nullopt);
  for (const Choice& one : plain)
    if (one.key == "name" || one.key.starts_with("data.")) out.push_back(one);
  choose_model(model, encoder, out);
  choose_tuning(plain, model, out);
  for (const Choice& one : plain)
    for (const char* key : {"train.batch", "train.captions", "train.shard", "train.best_metric",
                            "train.validate_images"})
      if (one.key == key) out.push_back(one);
  // Without forbidden words, which own captions may lack.
  const std::vector<std::string> unread = unread_options(model.config);
  for (const Difference& value : config_differences(ExperimentConfig(), model.config))
    if (value.path.starts_with("search.") && value.path != "search.max_length" &&
        !value.path.starts_with("search.forbidden") &&
        std::ranges::find(unread, value.path) == unread.end())
      out.push_back({value.path, value.second, ""});
  for (const Choice& one : plain)
    if (one.key == "search.max_length") out.push_back(one);
  return out;
}

}  // namespace saccade
