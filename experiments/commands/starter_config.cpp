#include "experiments/commands/starter_config.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/learning/runs/stored_vocabulary.h"
#include "captioning/model/model.h"
#include "captioning/model/published/published_captioner.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/own_place.h"
#include "core/base/plain_text.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/config/node.h"
#include "core/io/checkpoint.h"
#include "experiments/commands/config_template.h"
#include "experiments/commands/inspect_weights.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/onnx/producer.h"
#include "vision/encoders/onnx_layers.h"
#include "vision/encoders/weights_facts.h"

namespace saccade {

namespace {

// What supervises attention and scores wide features is worth its weights only with many captions.
// Flickr8k, where it was measured, has 30,000.
constexpr Index kManyCaptions = 2000;

// Of fewer val photos, scores jump from one validation to the next. With 60 photos of Flickr8k,
// ROUGE-L of 10 val photos was best at a tenth of the training, for "a man a a a" to all of them,
// and four validations without gain ended the run there.
constexpr Index kEnoughVal = 50;

// Where data are few, words that occur once make up much of the text; a word that is left out is a
// gap in its sentence.
Index min_count_for(const CaptionFacts& facts) {
  constexpr double kMostLost = 0.05;
  for (const Index count : {5, 3, 2})
    if (facts.lost_share(count) <= kMostLost) return count;
  return 1;
}

// A value of a template, or none.
std::optional<std::string> when(bool wanted, std::string value = "") {
  return wanted ? std::optional(std::move(value)) : std::nullopt;
}

// The values that the data decide, alone or with the network.
TemplateValues starter_values(const StarterHead& head, const OwnData& data,
                              const std::optional<StarterNetwork>& network,
                              const TrainingSize& size) {
  const DataConfig& config = data.config;
  const CaptionFacts& facts = data.captions;
  const bool many = facts.captions >= kManyCaptions, wide = size.width >= 512;
  const bool joins = network && !network->earlier.empty(), few_val = data.val < kEnoughVal;
  const Index bad = data.photos.photos - data.photos.usable(), min_count = min_count_for(facts),
              every = std::max<Index>(1, size.epochs / 15);
  const std::string captions = counted(facts.captions, "training caption"),
                    least = str(facts.least_per_photo), most = str(facts.most_per_photo);
  const auto percent = [&](Index count) {
    return str(std::round(1000 * facts.lost_share(count)) / 10, " %");
  };
  const auto file = [](const std::string& name) { return when(!name.empty(), yaml_text(name)); };
  const auto lines = [](const std::vector<std::string>& items, const char* between) {
    return when(!items.empty(), join(items, between, plain_text));
  };
  return {
      {"command", plain_text(head.command)},
      {"form", data.form},
      {"photos", counted(std::ssize(data.loaded.dataset.images), "photo")},
      {"train", str(data.train)},
      {"val", str(data.val)},
      {"test", str(data.test)},
      {"photo_lines", lines(photo_lines(data.photos, data.loaded, PhotoReading::kHeader), "\n# ")},
      {"captions", captions},
      {"per_photo", least == most ? least : least + " to " + most},
      {"longest", str(facts.lengths.size() - 1)},
      {"half", str(facts.length_of_share(0.5))},
      {"words", str(facts.vocabulary(1))},
      {"once", str(facts.vocabulary(1) - facts.vocabulary(2))},
      {"notes", lines(data.loaded.dataset.notes, "\n# note: ")},
      {"few", when(facts.captions < 100)},
      {"advice", when(!head.advice.empty(), plain_text(head.advice))},
      {"name", yaml_text(head.name)},
      {"type", std::string(enum_name(config.type))},
      {"images", yaml_text(config.images)},
      {"annotations", file(config.annotations)},
      {"tokens", file(config.tokens)},
      {"splits", file(config.splits)},
      {"bad", when(bad > 0, counted(bad, "photo is", "photos are"))},
      {"makes_split", when(data.makes_val || (data.makes_test && config.split.test > 0))},
      {"val_share", when(data.makes_val, str(config.split.val))},
      {"test_share", when(data.makes_test && config.split.test > 0, str(config.split.test))},
      {"most", when(facts.most_per_photo > DataConfig().captions_per_image, most)},
      {"min_count", str(min_count)},
      {"known", str(facts.vocabulary(min_count))},
      {"lost_once", when(min_count == 1, percent(2))},
      {"lost", when(min_count > 1, percent(min_count))},
      {"max_length", str(std::clamp<Index>(facts.length_of_share(0.99), 8, 60))},
      {"guide", data_guide()},
      {"flips", when(100 * facts.sides <= facts.captions)},  // hardly a caption says left or right
      {"many", when(many)},
      {"width", str(size.width)},
      {"network", when(network.has_value())},
      {"localizes", when(joins && many)},
      {"from", std::nullopt},
      {"anew", std::nullopt},
      {"published", std::nullopt},
      {"search", std::nullopt},
      {"lr", wide ? "6e-4" : "1e-3"},
      {"final_lr", "1e-5"},
      {"most_tokens", std::nullopt},
      {"warmup", str(std::clamp<Index>(size.updates / 10, 10, 300))},
      {"ema", when(size.updates >= 400, many ? "0.999" : "0.99")},
      {"batch", str(size.batch)},
      {"whole_images", when(facts.captions >= 10000 && facts.most_per_photo > 1)},
      {"shard", when(size.batch < 32, str(size.batch / 2))},
      {"updates", str(size.updates)},
      {"epochs", str(size.epochs)},
      {"every", when(every > 1, str(every))},
      {"few_val", when(few_val, counted(data.val, "val photo"))},
      {"patience", when(!few_val, str(std::max<Index>(4, (size.epochs / every + 2) / 3)))},
      {"validated", when(data.val > 300, "200")}};
}

// The values of a network and of its layers: two, where it offers them, by the recipe of
// flickr8k-soft.yaml.
void add_network(const StarterNetwork& network, const OwnData& data, TemplateValues& values) {
  const bool joins = !network.earlier.empty();
  for (const char* key : {"weights", "image_width", "resize", "resize_side", "interpolation",
                          "input_mean", "input_scale", "told"})
    values[key] = std::nullopt;
  const Index views = values.at("flips") ? 2 : 1;
  constexpr double kBytes = 2;  // of a 16-bit number
  const double features = static_cast<double>(network.features + network.earlier_features);
  values["model"] = yaml_text(network.file);
  values["regions"] =
      str(network.grid.rows, " x ", network.grid.cols, " regions of ", network.features);
  values["layer"] = when(!joins, yaml_text(network.layer));
  values["layers"] =
      when(joins, "[" + yaml_text(network.earlier) + ", " + yaml_text(network.layer) + "]");
  values["earlier"] = str(network.earlier_features);
  values["image_size"] = str(network.image_size);
  values["pixels"] = network.imagenet_pixels ? "imagenet" : "plain";
  values["cache"] =
      data_size(kBytes * static_cast<double>(data.train * views * network.grid.cells()) * features);
  if (network.hub.empty()) return;
  values["network"] = plain_text(network.what);
  values["told"] = when(!network.told.empty(), plain_text(network.told));
  values["pixels"] = std::nullopt;
  for (const auto& [key, value] : network.hub)
    if (key != "type") values[key] = key == "weights" ? yaml_text(value) : value;
}

// The values of a published captioner, whose tokens and lengths are its own.
void add_published(const ExperimentConfig& before, const CaptionFacts& facts,
                   TemplateValues& values) {
  values["published"] = "";
  for (const char* key : {"min_count", "lost", "lost_once", "ema"}) values[key] = std::nullopt;
  values["lr"] = "3e-5";
  values["final_lr"] = "1e-6";
  constexpr Index kTokensOfWord = 2;
  values["most_tokens"] = str(std::clamp<Index>(
      kTokensOfWord * std::stoll(*values["max_length"]),
      std::min(before.search.max_length, before.decoder.longest - 1), before.decoder.longest - 1));
  if (facts.captions >= kManyCaptions || before.encoder.frozen_stages != 0 ||
      is_frozen(before.encoder))
    return;
  const CaptionModel model = CaptionModel::declared(before, Vocabulary(), {});
  values["frozen_stages"] = str(model.encoder()->stages().size());
}

// The file: the data, what the model is made of, and its training.
std::string whole_yaml(const std::string& model, const TemplateValues& values) {
  std::string yaml =
      filled(config_templates::data, values) + model + filled(config_templates::training, values);
  yaml.pop_back();  // an empty line stands behind each template
  return yaml;
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
  // The weights of a network that is trained are in the checkpoint, but not what an ONNX file or a
  // hub says of its layers.
  const bool told_by_file = onnx || before.type == "hub";
  if (is_frozen(before) ? model.has_network : !told_by_file) return "";
  const std::string& file = onnx ? before.model : before.weights;
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file;
  throw DataError(str("--from ", model.given, ": does not hold the network of its encoder, and ",
                      file, " is missing; ",
                      onnx ? "name its file with --encoder" : "put the file there"));
}

bool begins_with_any(const std::string& key, std::initializer_list<const char*> beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* one) { return key.starts_with(one); });
}

// The values of a model that a config of other data takes over. `file`: its network comes from one.
std::vector<Difference> kept_values(const ExperimentConfig& config, bool file) {
  const std::vector<std::string> unread = unread_options(config);
  std::vector<Difference> values = config_differences(ExperimentConfig(), config);
  std::erase_if(values, [&](const Difference& value) {
    if (value.path == "encoder.weights_strict" && file) return false;
    // Where files are, vectors of words, what only a first training needs, what the own captions
    // decide, forbidden words, which they may lack, and objects to name, for which each validation
    // would read its photos once more.
    return begins_with_any(value.path,
                           {"encoder.model", "encoder.weights", "encoder.cache",
                            "decoder.embeddings.", "decoder.weights", "decoder.frozen",
                            "objective.supervision.", "objective.self_critical.",
                            "objective.scheduled_sampling", "objective.label_smoothing",
                            "search.max_length", "search.forbidden", "search.name_objects"}) ||
           std::ranges::find(unread, value.path) != unread.end();
  });
  return values;
}

// The values of one section as the lines below its name, or none.
std::optional<std::string> section_lines(const std::vector<Difference>& values,
                                         const std::string& section) {
  std::string out, before;
  for (const auto& [path, first, second] : values) {
    if (!path.starts_with(section + ".")) continue;
    std::size_t begin = section.size() + 1;
    std::string indent = "\n  ";
    for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
      if (!before.starts_with(path.substr(0, dot + 1)))
        out += indent + path.substr(begin, dot - begin) + ":";
      indent += "  ";
    }
    out += indent + path.substr(begin) + ": " + second;
    before = path;
  }
  return out.empty() ? std::nullopt : std::optional(out.substr(1));
}

// A product is the end of the activation x sigmoid(x).
bool has_activation(const OnnxLayer& layer) {
  for (const char* type : {"Relu", "Clip", "Elu", "Swish", "Mish", "Mul"})
    if (layer.type.find(type) != std::string::npos) return true;
  return false;
}

// Sets the earlier layer of a network whose last layer is known.
void find_earlier(const std::vector<OnnxLayer>& layers, StarterNetwork& found) {
  const OnnxLayer* earlier = nullptr;
  for (const OnnxLayer& layer : layers) {
    if (layer.shape.empty() || layer.shape[2] != found.grid.rows ||
        layer.shape[3] != found.grid.cols)
      continue;
    if (!earlier && has_activation(layer) && 2 * layer.shape[1] >= found.features) {
      earlier = &layer;
    } else if (earlier && layer.type.starts_with("Conv")) {
      found.earlier = earlier->name;
      found.earlier_features = earlier->shape[1];
      return;
    }
  }
}

}  // namespace

namespace {

StarterNetwork find_hub_network(const std::string& path) {
  NetworkFacts facts = network_facts(path, 0);
  if (!facts.problem.empty()) throw DataError(facts.problem);
  return {.file = path,
          .layer = "",
          .image_size = facts.height,
          .grid = {.rows = facts.grid.rows, .cols = facts.grid.cols},
          .features = facts.grid.features,
          .what = std::move(facts.what),
          .told = std::move(facts.pixels),
          .hub = std::move(facts.config)};
}

}  // namespace

StarterNetwork find_network(const std::string& file) {
  std::error_code error;
  const std::filesystem::path place = file;
  const bool missing = !std::filesystem::exists(place, error) && !error;
  if (std::filesystem::is_directory(place, error) || are_weights(file) ||
      (missing && place.extension() != ".onnx"))
    return find_hub_network(file);          // which says what is missing
  constexpr Index kFewest = 3, kMost = 32;  // rows or columns
  const auto fits = [](Index extent) { return extent >= kFewest && extent <= kMost; };
  // A network of fixed input size can be run at that size alone.
  for (const Index image_size : {320, 224, 299, 256}) {
    StarterNetwork found{.file = file, .layer = "", .image_size = image_size};
    const std::vector<OnnxLayer> layers = list_onnx_layers(file, image_size);
    for (const OnnxLayer& layer : layers) {
      if (layer.shape.empty() || !fits(layer.shape[2]) || !fits(layer.shape[3])) continue;
      found.layer = layer.name;
      found.features = layer.shape[1];
      found.grid = {.rows = layer.shape[2], .cols = layer.shape[3]};
    }
    if (found.layer.empty()) continue;
    find_earlier(layers, found);
    found.imagenet_pixels = onnx_producer(file) == "pytorch";
    return found;
  }
  throw DataError(file +
                  ": no layer of this network is a grid of rows and columns; take a convolutional "
                  "network (saccade inspect lists the layers of a file)");
}

TrainingSize training_size(Index captions) {
  TrainingSize out;
  out.width = captions >= 20000 ? 512 : captions >= 2000 ? 256 : 128;
  out.batch = captions >= 10000 ? 64 : captions >= 2000 ? 32 : captions >= 300 ? 16 : 8;
  // Measured with 20, 60 and 300 photos of Flickr8k by CIDEr on 150 other photos: 500 updates of 60
  // photos (250 captions) give .10 and few words, 1,200 give .14 and 2,500 give .18; 300 photos
  // gain up to 2,500, too (.23 after 1,000, .28). 20 photos have .09, .15 and .11: their captions
  // are known by heart after 1,200.
  const Index wanted = captions >= 10000 ? 4500 : captions >= 200 ? 2500 : 1200;
  const Index per_epoch = (captions + out.batch - 1) / out.batch;
  out.epochs = std::clamp<Index>((wanted + per_epoch - 1) / per_epoch, 9, 800);
  out.updates = out.epochs * per_epoch;
  return out;
}

TrainingSize tuned_size(Index captions) {
  constexpr Index kUpdates = 500, kFewestEpochs = 3, kMostEpochs = 40;
  TrainingSize out{.batch = captions >= kManyCaptions ? Index{16} : Index{8}, .width = 128};
  const Index per_epoch = (captions + out.batch - 1) / out.batch;
  out.epochs = std::clamp((kUpdates + per_epoch - 1) / per_epoch, kFewestEpochs, kMostEpochs);
  out.updates = out.epochs * per_epoch;
  return out;
}

std::string starter_yaml(const StarterHead& head, const OwnData& data,
                         const std::optional<StarterNetwork>& network) {
  TemplateValues values =
      starter_values(head, data, network, training_size(data.captions.captions));
  if (network) add_network(*network, data, values);
  return whole_yaml(filled(!network               ? config_templates::small_cnn
                           : network->hub.empty() ? config_templates::onnx_network
                                                  : config_templates::hub_network,
                           values) +
                        filled(config_templates::new_decoder, values),
                    values);
}

TunedModel read_tuned_model(const std::string& given, const std::filesystem::path& checkpoint) {
  if (is_published_captioner(checkpoint))
    return {.given = given, .config = published_config(checkpoint), .published = true};
  const Archive archive = load_archive(checkpoint);
  TunedModel model{.given = given,
                   .config = stored_config(archive, {}),
                   .has_network = !network_digest(archive).empty(),
                   .published = read_vocabulary(archive).published() != nullptr};
  if (!model.published && model.config.data.vocabulary != VocabularyKind::kWords)
    throw UsageError(str("--from ", given,
                         ": its vocabulary is of pieces of words, which other captions do not "
                         "share; take a checkpoint with data.vocabulary words"));
  return model;
}

// The schedule is that of new weights. With fewer and smaller steps, models of other photos than
// those that they knew ended while they still improved. Where nothing is left to learn, the start
// is kept as the best checkpoint.
std::string tuned_yaml(const StarterHead& head, const OwnData& data, const TunedModel& model,
                       const std::string& encoder) {
  const CaptionFacts& facts = data.captions;
  TemplateValues values =
      starter_values(head, data, std::nullopt,
                     model.published ? tuned_size(facts.captions) : training_size(facts.captions));
  const std::string file = network_file(model, encoder);
  const bool onnx = encoder_traits(model.config.encoder).reads_onnx_file;
  const bool frozen = is_frozen(model.config.encoder);
  values["from"] = yaml_text(model.given);
  values["frozen_stages"] = std::nullopt;
  values["anew"] = when(!model.published);
  if (model.published) add_published(model.config, facts, values);
  values["model"] = when(onnx && !file.empty(), yaml_text(file));
  values["weights"] = when(!onnx && !file.empty(), yaml_text(file));
  values["frozen"] = when(frozen);
  values["holds_network"] = when(frozen && file.empty());
  const std::vector<Difference> kept = kept_values(model.config, !file.empty());
  for (const char* section : {"encoder", "attention", "decoder", "objective", "search"})
    values[section] = section_lines(kept, section);
  return whole_yaml(filled(config_templates::tuned_model, values), values);
}

}  // namespace saccade
