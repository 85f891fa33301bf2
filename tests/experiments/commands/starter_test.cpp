// The config that `saccade new` writes suits the data, says why, and is right.
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "experiments/commands/start_measure.h"
#include "experiments/commands/starter_config.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/onnx_encoder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

const StarterNetwork kNetwork{.file = "my net.onnx",
                              .layer = "block 5/out:0",
                              .image_size = 320,
                              .grid = {10, 10},
                              .features = 1280,
                              .imagenet_pixels = true};

// `photos` pictures whose captions all have six words; the last of them is another one for each.
OwnData own_data(Index photos, Index per_photo) {
  Dataset dataset;
  for (Index i = 0; i < photos; ++i) {
    CaptionedImage image{.id = str(i, ".jpg"), .number = i, .path = "", .captions = {}};
    for (Index k = 0; k < per_photo; ++k)
      image.captions.push_back(str("a dog runs on the ", i * per_photo + k));
    dataset.images.push_back(std::move(image));
  }
  OwnData out;
  out.form = "a folder of photos with captions in CSV";
  out.config.type = DataKind::kFolder;
  out.config.images = "my photos";
  out.config.annotations = "my photos/K\xC3\xA4tzchen: \"1\".csv";
  out.photos.photos = photos;
  out.makes_val = out.makes_test = true;
  out.config.split = {{.val = 0.1, .test = 0}};
  out.train = photos;
  out.val = photos / 10;
  out.captions = caption_facts(dataset, images_of(dataset, Split::kTrain));
  return out;
}

std::map<std::string, std::string> values_of(const std::vector<Choice>& choices) {
  std::map<std::string, std::string> out;
  for (const Choice& choice : choices) CHECK(out.emplace(choice.key, choice.value).second);
  return out;
}

Index number(const std::map<std::string, std::string>& values, const std::string& key) {
  return std::stoll(values.at(key));
}

// The config in the text, once it has passed all checks.
ExperimentConfig config_in(const std::string& yaml) {
  auto loaded = parse_config<ExperimentConfig>(yaml, "new.yaml");
  refuse_idle(settle(loaded));
  check_config(loaded.config);
  return loaded.config;
}

}  // namespace

TEST_CASE("what is written can be read, whatever the size of the data and the encoder") {
  StarterNetwork both = kNetwork;
  both.earlier = "block 4, [wide]";
  both.earlier_features = 960;
  const std::vector<std::optional<StarterNetwork>> networks{std::nullopt, kNetwork, both};
  for (const Index photos : {2, 20, 200, 2000, 8000}) {
    for (const std::optional<StarterNetwork>& network : networks) {
      const OwnData data = own_data(photos, 5);
      const bool one_layer = network && network->earlier.empty();
      const auto choices = choose("mine", data, network);
      const std::string yaml =
          starter_yaml({"a fact", "a name with\na line end"}, choices, "saccade");
      INFO(yaml);
      const ExperimentConfig config = config_in(yaml);
      CHECK(config.name == "mine");
      CHECK(config.data.images == "my photos");
      CHECK(config.data.annotations == data.config.annotations);
      CHECK(config.data.split.val == 0.1);
      CHECK(config.search.max_length == config.data.max_length);
      // A few val photos do not say when to stop.
      CHECK((config.train.early_stop.patience > 0) == (data.val >= 50));
      CHECK(config.encoder.model == (network ? "my net.onnx" : ""));
      CHECK(config.encoder.layer == (one_layer ? "block 5/out:0" : ""));
      const bool joined = network && !one_layer, many = photos * 5 >= 2000;
      CHECK(config.encoder.layers ==
            (joined ? std::vector<std::string>{"block 4, [wide]", "block 5/out:0"}
                    : std::vector<std::string>{}));
      CHECK(config.encoder.keys ==
            (joined && many ? config.encoder.layers : std::vector<std::string>{}));
      CHECK(config.supervision.localizer.weight == (joined && many ? 1 : 0));
      CHECK_THAT(yaml, Contains("# a fact\n") && Contains("# a name with a line end\n"));
      // Every value that is more than a fact stands below its reason.
      for (const Choice& choice : choices) {
        if (choice.why.empty()) continue;
        const std::string first = choice.why.substr(0, choice.why.find(' '));
        CHECK_THAT(yaml, Contains("# " + first));
      }
      for (std::size_t at = 0; at < yaml.size();) {
        const std::size_t end = yaml.find('\n', at);
        if (yaml.find('#', at) < end) CHECK(end - at <= 100);
        at = end + 1;
      }
    }
  }
}

TEST_CASE("many captions and a network with two layers give the recipe of flickr8k-soft") {
  StarterNetwork network = kNetwork;
  network.earlier = "early";
  network.earlier_features = 960;
  OwnData data = own_data(6000, 5);
  const auto values = values_of(choose("mine", data, network));
  const std::string layers = "[early, \"block 5/out:0\"]";
  CHECK(values.at("encoder.layers") == layers);
  CHECK(values.at("encoder.keys") == layers);
  CHECK(values.at("encoder.image_size") == "320");
  CHECK(values.at("encoder.project") == "512");
  CHECK(values.at("encoder.augment.views") == "2");
  CHECK(values.at("objective.supervision.localizer.weight") == "1");
  CHECK(values.at("objective.supervision.localizer.smoothing") == "0.7");
  CHECK(values.at("objective.supervision.localizer.centre") == "0.15");
  CHECK(values.at("train.captions") == "whole_images");
  CHECK(values.at("optimizer.lr") == "6e-4");

  // What is left out is told with its reason, and so is the size of the features on disk: 6,000
  // photos in two views, 100 regions of 2,240 features of two bytes.
  const auto why = [](const std::vector<Choice>& choices, const std::string& key) {
    for (const Choice& choice : choices)
      if (choice.key == key) return choice.why;
    return std::string();
  };
  CHECK_THAT(why(choose("mine", data, network), "encoder.cache"), Contains("about 5.4 GB"));
  const auto alone = choose("mine", data, kNetwork);
  CHECK_THAT(why(alone, "encoder.layer"), Contains("alone, because the network has no earlier"));
  CHECK_THAT(why(alone, "objective.supervision.localizer.weight"), Contains("gives one layer"));
  CHECK_THAT(
      why(choose("mine", own_data(20, 1), network), "objective.supervision.localizer.weight"),
      Contains("20 captions show each word too seldom"));
  CHECK(values_of(choose("mine", own_data(20, 1), network)).count("train.captions") == 0);
  CHECK(values_of(choose("mine", own_data(20000, 1), network)).count("train.captions") == 0);
  CHECK(values_of(choose("mine", data, std::nullopt))
            .count("objective.supervision.localizer.weight") == 0);
}

TEST_CASE("of a network the last layer with a grid is taken, and an early one of the same grid") {
  const TempFolder folder("starter");
  const std::vector<Index> two{2, 2}, same{1, 1, 1, 1};
  OnnxFile file(320, 320);
  std::string x = "image";
  Index channels = 3;
  const auto add = [&](const std::string& name, Index features, const OnnxAttributes& attributes) {
    x = file.conv(name, x, {features, channels, 3, 3}, attributes);
    x = file.node("Relu", name + "_relu", {x});
    channels = features;
  };
  for (const char* name : {"a", "b", "c", "d"}) add(name, 4, {{"strides", two}, {"pads", same}});
  add("narrow", 8, {{"strides", two}, {"pads", same}});
  const auto find = [&] {
    file.save(folder / "net.onnx", x);
    return find_network(folder / "net.onnx");
  };
  // The last stage has a single layer.
  const StarterNetwork single = find();
  CHECK(single.grid.rows == 10);
  CHECK(single.features == 8);
  CHECK(single.earlier.empty());
  // The first one has less than half as many features as the last.
  add("wide", 24, {{"pads", same}});
  add("middle", 30, {{"pads", same}});
  add("last", 32, {{"pads", same}});
  const StarterNetwork found = find();
  CHECK(found.image_size == 320);
  CHECK(found.features == 32);
  CHECK(found.earlier == "wide_relu");
  CHECK(found.earlier_features == 24);
  CHECK_FALSE(found.layer == found.earlier);
  // Both can be joined.
  const OnnxEncoder encoder({.model = folder / "net.onnx",
                             .layers = {found.earlier, found.layer},
                             .norm = FeatureNorm::kLayerNorm,
                             .image_size = found.image_size});
  CHECK(encoder.grid().features == 56);

  const std::filesystem::path published = data_folder("backbones");
  if (published.empty()) return;
  const StarterNetwork mobilenet = find_network(published / "mobilenet_v2_1.0_224.onnx");
  CHECK(mobilenet.layer == "t168");
  CHECK(mobilenet.earlier == "conv42_relu6");
  CHECK(mobilenet.image_size == 320);
}

TEST_CASE("fewer captions give a smaller decoder, smaller batches and more epochs") {
  TrainingSize before = training_size(30000);
  CHECK(before.width == 512);
  CHECK(before.epochs <= 10);
  for (const Index captions : {5000, 600, 100, 10}) {
    const TrainingSize size = training_size(captions);
    CHECK(size.width <= before.width);
    CHECK(size.batch <= before.batch);
    CHECK(size.epochs > before.epochs);
    CHECK(size.updates <= before.updates);
    before = size;
  }
  CHECK(before.width == 128);
  CHECK(before.batch == 8);
  // A few captions, one or two batches of them, are learned as long: less than 1,200 updates end
  // with the same few words for every photo.
  for (const Index captions : {10, 20, 84, 250, 1250})
    CHECK(training_size(captions).updates >= 1200);
  CHECK(training_size(84).updates < 1300);  // and longer ones know so few by heart
  CHECK(training_size(250).updates >= 2500);
}

TEST_CASE("values follow from the captions") {
  const auto few = values_of(choose("mine", own_data(20, 1), std::nullopt));
  // Leaving out the words that occur once would lose a sixth of the text.
  CHECK(number(few, "data.min_count") == 1);
  CHECK(number(few, "data.max_length") == 8);
  CHECK(few.at("train.best_metric") == "METEOR");
  CHECK(few.at("train.early_stop.patience") == "0");
  CHECK(few.count("train.early_stop.metric") == 0);  // nothing reads it
  CHECK(few.count("data.captions_per_image") == 0);
  CHECK(few.count("data.on_bad_image") == 0);
  CHECK(few.at("encoder.type") == "cnn");

  OwnData data = own_data(600, 7);
  data.captions.occurrences.assign(10, 420);  // each word is frequent
  data.captions.lengths.assign(31, 0);
  data.captions.lengths[12] = 4150;
  data.captions.lengths[30] = 50;  // more than one per cent are longer than 12
  data.photos.missing = {3};
  const auto more = values_of(choose("mine", data, std::nullopt));
  CHECK(number(more, "data.min_count") == 5);
  CHECK(number(more, "data.max_length") == 30);
  CHECK(more.at("train.best_metric") == "CIDEr");
  CHECK(more.at("train.early_stop.metric") == "CIDEr");
  CHECK(number(more, "train.early_stop.patience") >= 4);
  CHECK(more.at("data.captions_per_image") == "0");
  CHECK(more.at("data.on_bad_image") == "skip");
  CHECK(more.at("encoder.augment.flip") == "true");
  data.captions.lengths[30] = 40;
  data.captions.lengths[12] = 4160;
  data.captions.sides = 100;  // captions say left and right
  const auto sides = values_of(choose("mine", data, std::nullopt));
  CHECK(number(sides, "data.max_length") == 12);
  CHECK(sides.count("encoder.augment.flip") == 0);
  data.makes_val = data.makes_test = false;
  CHECK(values_of(choose("mine", data, std::nullopt)).count("data.split.val") == 0);
}

TEST_CASE("own data are recognised, counted and split") {
  const TempFolder folder("starter");
  for (int i = 0; i < 40; ++i)
    write_bytes(folder / str("Foto ", i, ".PNG"), encode_png(test_picture(20, 30)));
  std::string csv = "image,caption\n";
  for (int i = 0; i < 41; ++i) csv += str("Foto ", i, ".PNG,a red dog\n./Foto ", i, ".PNG,Dog\n");
  const std::string file = folder.write("texts.csv", csv).string();
  const OwnData data = look_at_own_data(folder.path().string(), file, {});
  CHECK(data.config.type == DataKind::kFolder);
  CHECK(data.photos.photos == 41);
  CHECK(data.photos.missing == std::vector<Index>{40});
  CHECK(data.train + data.val == 40);
  CHECK(data.val >= 5);
  CHECK(data.makes_val);
  CHECK(data.captions.captions == 2 * data.train);
  CHECK(data.captions.lengths == std::vector<Index>{0, data.train, 0, data.train});
  CHECK(data.captions.occurrences == std::vector<Index>{2 * data.train, data.train, data.train});
  // The config gives the split that was counted.
  DataConfig config = data.config;
  CHECK(load_data(config).dataset.digest == data.loaded.dataset.digest);

  const auto refuse = [&](const std::string& text, const std::string& message) {
    const std::string bad = folder.write("bad", text).string();
    CHECK_THROWS_WITH(look_at_own_data(folder.path().string(), bad, {}), Contains(message));
  };
  refuse("datei;text\na.jpg;A dog\n", "is no captions file that this program knows");
  refuse("[1]", "[0]: expected an object such as");
  refuse("{\"a\": 1}", "expected an object with the keys image");
  refuse("image,caption\nnone.jpg,x\nneither.jpg,x\n", "none of the 2 photos");
  refuse("image,caption\nFoto 1.PNG,x\n", "both are needed");
}

TEST_CASE("captions are predicted by the frequencies of words in other captions") {
  Dataset dataset;
  const auto add = [&](std::vector<std::string> captions) {
    dataset.images.push_back({.id = "x", .path = "", .captions = std::move(captions)});
  };
  add({"A, a b"});
  add({"a c", "!"});
  // Two a, one b and one end, each with one count more, and one for what was never seen: of 8.
  CHECK(frequency_perplexity(dataset, {0}, {1}) ==
        Approx(std::cbrt((8.0 / 3) * (8.0 / 1) * (8.0 / 2))));
  CHECK(std::isnan(frequency_perplexity(dataset, {0}, {})));
  const StartMeasure measure{
      .model = "soft", .photos = 40, .perplexity = 33.84, .frequencies = 226.9};
  CHECK(measure.is_near());
  CHECK_THAT(measure.text(),
             Contains("of 40 of these photos") && Contains("33.8;") && Contains("226.9"));
}

}  // namespace saccade::test
