#include "experiments/commands/starter_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/own_place.h"
#include "core/config/node.h"
#include "experiments/process/plain_text.h"
#include "vision/encoders/onnx/producer.h"
#include "vision/encoders/onnx_layers.h"

namespace saccade {

namespace {

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

std::string decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

// Where data are few, words that occur once make up much of the text; a word that is left out is a
// gap in its sentence.
Index min_count_for(const CaptionFacts& facts) {
  constexpr double kMostLost = 0.05;
  for (const Index count : {5, 3, 2})
    if (facts.lost_share(count) <= kMostLost) return count;
  return 1;
}

// Collects choices.
class ChoiceList {
 public:
  void fact(const std::string& key, const std::string& value) { add(key, value, ""); }
  void add(const std::string& key, const std::string& value, const std::string& why) {
    out_.push_back({key, value, why});
  }
  void add(const std::string& key, Index value, const std::string& why) {
    add(key, std::to_string(value), why);
  }
  std::vector<Choice> take() { return std::move(out_); }

 private:
  std::vector<Choice> out_;
};

void choose_data(const OwnData& data, ChoiceList& out) {
  const DataConfig& config = data.config;
  const CaptionFacts& facts = data.captions;
  out.fact("data.type", std::string(enum_name(config.type)));
  out.fact("data.images", yaml_text(config.images));
  if (!config.annotations.empty()) out.fact("data.annotations", yaml_text(config.annotations));
  if (!config.tokens.empty()) out.fact("data.tokens", yaml_text(config.tokens));
  if (!config.splits.empty()) out.fact("data.splits", yaml_text(config.splits));
  const Index bad = data.photos.photos - data.photos.usable();
  if (bad > 0)
    out.add("data.on_bad_image", "skip",
            str(counted(bad, "photo is", "photos are"),
                " missing or cannot be read; fail would stop at the first"));
  const std::string stays =
      "; a hash of the names chooses, so that the split stays when photos are added";
  if (data.makes_val)
    out.add("data.split.val", decimal(config.split.val),
            str("the files have no val split; this share of the photos is ", data.val, stays));
  if (data.makes_test && config.split.test > 0)
    out.add("data.split.test", decimal(config.split.test),
            str("the files have no test split; this share is ", counted(data.test, "photo"),
                " for a last evaluation"));
  if (facts.most_per_photo > DataConfig().captions_per_image)
    out.add("data.captions_per_image", 0,
            str("all captions are learned; some photos have ", facts.most_per_photo));
  const Index min_count = min_count_for(facts);
  out.add("data.min_count", min_count,
          min_count == 1
              ? str("every word is learned: leaving out those that occur once would lose ",
                    percent(facts.lost_share(2)), " of the text")
              : str("words that occur ", min_count, " times are learned, ",
                    facts.vocabulary(min_count), " of ", facts.vocabulary(1), "; the others are ",
                    percent(facts.lost_share(min_count)), " of the text"));
  const Index longest = std::clamp<Index>(facts.length_of_share(0.99), 8, 60);
  out.add("data.max_length", longest,
          "99 % of the training captions have no more words; longer ones are cut");
}

// What supervises attention and scores wide features is worth its weights only with many captions.
// Flickr8k, where it was measured, has 30,000.
constexpr Index kManyCaptions = 2000;

// The layers of the grid: two, where the network offers them, by the recipe of flickr8k-soft.yaml.
void choose_layers(const StarterNetwork& network, const CaptionFacts& facts, ChoiceList& out) {
  const std::string regions =
      str(network.grid.rows, " x ", network.grid.cols, " regions of ", network.features);
  if (network.earlier.empty()) {
    out.add("encoder.layer", yaml_text(network.layer),
            str("the network's last layer that is a grid: ", regions,
                " features; alone, because the network has no earlier layer of this grid that "
                "could be joined with it"));
    return;
  }
  const std::string layers =
      "[" + yaml_text(network.earlier) + ", " + yaml_text(network.layer) + "]";
  out.add("encoder.layers", layers,
          str("the network's last layer that is a grid, ", regions,
              " features, joined with an earlier one of ", network.earlier_features,
              " features; each is normalised. With a MobileNetV2 on Flickr8k the maps of such a "
              "grid lie on things, where those of the last layer alone do not (",
              data_guide(), ")"));
  if (facts.captions >= kManyCaptions)
    out.add("encoder.keys", layers, "attention scores these features as they are");
}

// The size of the features on disk, "5.4 GB".
std::string cache_size(const StarterNetwork& network, Index photos, Index views) {
  constexpr double kBytes = 2;  // of a 16-bit number
  return data_size(kBytes * static_cast<double>(photos * views * network.grid.cells()) *
                   static_cast<double>(network.features + network.earlier_features));
}

void choose_network(const StarterNetwork& network, const OwnData& data, bool flips,
                    const TrainingSize& size, ChoiceList& out) {
  constexpr Index kViews = 2, kLarge = 320;
  out.fact("encoder.type", "onnx");
  out.fact("encoder.model", yaml_text(network.file));
  choose_layers(network, data.captions, out);
  out.add("encoder.image_size", network.image_size,
          network.image_size >= kLarge
              ? "larger photos than most networks are trained on: a region then sees a part of the "
                "photo and not all of it"
              : str("the file takes no larger photos, such as ", kLarge,
                    ", in which a region would see less of the photo"));
  out.add("encoder.pixels", network.imagenet_pixels ? "imagenet" : "plain",
          network.imagenet_pixels
              ? "the file was written by PyTorch, and torchvision's networks are trained on such "
                "pixels; check what the network's page says"
              : "pixels from -1 to 1, as networks of TensorFlow take them; those of PyTorch need "
                "imagenet; check what the network's page says");
  out.add("encoder.project", size.width,
          "contexts are made of fewer numbers, of which captions can teach what they mean");
  out.add("encoder.cache", "runs/cache",
          str("features are computed once and kept in this folder, about ",
              cache_size(network, data.train, flips ? kViews : 1), " of the training photos"));
  out.fact("encoder.half", "true");
  if (flips)
    out.add("encoder.augment.views", kViews,
            "each photo is also learned mirrored, because hardly a caption says left or right");
}

void choose_encoder(const OwnData& data, const std::optional<StarterNetwork>& network,
                    const TrainingSize& size, ChoiceList& out) {
  const bool flips = 100 * data.captions.sides <= data.captions.captions;
  if (network) {
    choose_network(*network, data, flips, size, out);
  } else {
    out.add("encoder.type", "cnn",
            "a small network that needs no file and is trained from scratch; it learns colours and "
            "simple shapes, not what things are. A pretrained network describes photos far better: "
            "saccade new --encoder NETWORK.onnx (" +
                data_guide() + " says where to get one)");
    out.fact("encoder.image_size", "64");
    out.fact("encoder.channels", "[24, 48, 64, 96]");
    out.fact("encoder.positions", "coordinates");
    out.add("encoder.augment.shift", 4, "each epoch sees the photos slightly moved");
  }
  if (flips)
    out.add("encoder.augment.flip", "true",
            network ? "" : "and mirrored, because hardly a caption says left or right");
}

// A localizer, where there are regions of a pretrained network and captions to learn from.
void choose_supervision(const CaptionFacts& facts, const std::optional<StarterNetwork>& network,
                        ChoiceList& out) {
  if (!network) return;
  const std::string section = "objective.supervision.localizer.";
  const std::string what =
      "a localizer learns from the captions alone which regions go with which words, and pulls "
      "maps there";
  if (network->earlier.empty() || facts.captions < kManyCaptions) {
    out.add(section + "weight", "0",
            str(what, "; none here: it was measured with two layers and 30,000 captions, and ",
                network->earlier.empty()
                    ? std::string("this network gives one layer")
                    : str(counted(facts.captions, "caption"), " show each word too seldom")));
    return;
  }
  out.add(section + "weight", 1,
          what + ". With Flickr8k, maps lie more on things and captions are as good or better (" +
              data_guide() + ")");
  out.fact(section + "smoothing", "0.7");
  out.add(section + "centre", "0.15", "people put what they photograph in the middle");
}

// By which numbers of the val photos a checkpoint is kept, and whether they may end the run.
void choose_best(const OwnData& data, Index validations, ChoiceList& out) {
  // Of so few photos, scores jump from one validation to the next. With 60 photos of Flickr8k,
  // ROUGE-L of 10 val photos was best at a tenth of the training, for "a man a a a" to all of them,
  // and four validations without gain ended the run there.
  constexpr Index kEnough = 50;
  const bool many = data.val >= kEnough;
  const std::string metric = many ? "CIDEr" : "METEOR";
  out.add("train.best_metric", metric,
          many ? "the checkpoint that describes the val photos best is kept"
               : str("with ", counted(data.val, "val photo"),
                     ", it judges each photo by itself and counts the words that a caption lacks; "
                     "CIDEr weighs words by how rare they are among the val photos, and ROUGE-L "
                     "prefers \"a man a a a\" to sentences"));
  if (!many) {
    out.add("train.early_stop.patience", "0",
            str("training does not end early: scores of ", counted(data.val, "photo"),
                " rise and fall by chance, and models of few photos go on to improve until the "
                "learning rate has become small"));
    return;
  }
  constexpr Index kLeast = 4;
  out.fact("train.early_stop.metric", metric);
  out.add("train.early_stop.patience", std::max(kLeast, (validations + 2) / 3),
          "training ends after so many validations without gain, before it learns by heart");
}

void choose_training(const OwnData& data, const std::optional<StarterNetwork>& network,
                     const TrainingSize& size, ChoiceList& out) {
  const std::string captions = counted(data.captions.captions, "training caption");
  out.fact("attention.score", "additive");
  out.fact("attention.gate", "scalar");
  out.fact("attention.hidden", std::to_string(size.width));
  out.fact("decoder.type", "lstm");
  out.add("decoder.hidden", size.width,
          str(captions, size.width < 512 ? " fill no wider decoder; it would learn them by heart"
                                         : " are enough for the full width"));
  out.fact("decoder.embedding", std::to_string(size.width));
  out.fact("decoder.init_hidden", std::to_string(size.width));
  out.add("decoder.dropout", "0.5", "against learning by heart");
  out.fact("objective.doubly_stochastic", "0");
  out.add("objective.label_smoothing", "0.1", "against learning by heart");
  choose_supervision(data.captions, network, out);
  out.fact("optimizer.type", "adam");
  out.fact("optimizer.lr", size.width < 512 ? "1e-3" : "6e-4");
  out.fact("optimizer.clip_norm", "5");
  out.fact("optimizer.schedule", "cosine");
  out.fact("optimizer.warmup", std::to_string(std::clamp<Index>(size.updates / 10, 10, 300)));
  out.fact("optimizer.final_lr", "1e-5");
  if (size.updates >= 400)
    out.add("optimizer.ema", data.captions.captions >= kManyCaptions ? "0.999" : "0.99",
            "the model is the average of the weights of the last updates");
  out.add("train.batch", size.batch, str("captions per update, of ", captions));
  constexpr Index kLongEpoch = 10000;
  if (data.captions.captions >= kLongEpoch && data.captions.most_per_photo > 1)
    out.add("train.captions", "whole_images",
            "the captions of a photo are learned together, which takes half of the time");
  if (size.batch < 32) out.fact("train.shard", std::to_string(size.batch / 2));
  out.add(
      "train.stop", str(size.epochs, "e"),
      str("about ", size.updates,
          " updates; few captions need more epochs, because fewer updates end with the same few "
          "words for every photo"));
  const Index every = std::max<Index>(1, size.epochs / 15);
  if (every > 1) {
    out.add("train.validate_every", str(every, "e"), "about 15 validations; epochs are short");
    out.fact("train.checkpoint_every", str(every, "e"));
  }
  choose_best(data, size.epochs / every, out);
  constexpr Index kMostValidated = 300;
  if (data.val > kMostValidated)
    out.add("train.validate_images", 200, "a validation of all val photos takes long");
  out.fact("search.beam", "3");
  out.add("search.max_length", std::clamp<Index>(data.captions.length_of_share(0.99), 8, 60),
          "as data.max_length");
}

std::vector<std::string> parts_of(const std::string& key) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t dot = std::min(key.find('.', at), key.size());
    parts.push_back(key.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

// The text as comments of at most 100 columns. The name of a file may contain a line feed.
std::string comment(const std::string& written, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  const std::string text = plain_text(written);
  const std::string begin = std::string(indent, ' ') + "#";
  std::string out, line = begin;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kColumns && line.size() > begin.size()) {
      out += line + "\n";
      line = begin;
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + "\n";
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
    if (layer.shape.size() != 4 || layer.shape[2] != found.grid.rows ||
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

StarterNetwork find_network(const std::string& file) {
  constexpr Index kFewest = 3, kMost = 32;  // rows or columns
  const auto fits = [](Index extent) { return extent >= kFewest && extent <= kMost; };
  // A network of fixed input size can be run at that size alone.
  for (const Index image_size : {320, 224, 299, 256}) {
    StarterNetwork found{.file = file, .layer = "", .image_size = image_size};
    const std::vector<OnnxLayer> layers = list_onnx_layers(file, image_size);
    for (const OnnxLayer& layer : layers) {
      if (!layer.onnx || layer.shape.size() != 4) continue;
      if (!fits(layer.shape[2]) || !fits(layer.shape[3])) continue;
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

std::vector<Choice> choose(const std::string& name, const OwnData& data,
                           const std::optional<StarterNetwork>& network) {
  const TrainingSize size = training_size(data.captions.captions);
  ChoiceList out;
  out.fact("name", yaml_text(name));
  choose_data(data, out);
  choose_encoder(data, network, size, out);
  choose_training(data, network, size, out);
  return out.take();
}

std::string starter_yaml(const std::vector<std::string>& facts, const std::vector<Choice>& choices,
                         const std::string& command) {
  std::string out = comment("Written by: " + command, 0);
  out += comment("Every value may be changed; `saccade list config` explains all of them.", 0);
  for (const std::string& fact : facts) out += comment(fact, 0);
  std::vector<std::string> open;  // the sections around the last value
  for (const Choice& choice : choices) {
    const std::vector<std::string> parts = parts_of(choice.key);
    std::size_t shared = 0;
    while (shared < open.size() && shared + 1 < parts.size() && open[shared] == parts[shared])
      ++shared;
    open.assign(parts.begin(), parts.end() - 1);
    for (std::size_t i = shared; i < open.size(); ++i)
      out += std::string(2 * i, ' ') + open[i] + ":\n";
    const std::size_t indent = 2 * open.size();
    if (!choice.why.empty()) out += comment(choice.why, indent);
    out += std::string(indent, ' ') + parts.back() + ": " + choice.value + "\n";
  }
  return out;
}

}  // namespace saccade
