// The config that `saccade new` writes suits the data, says why, and is right.
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "core/base/error.h"
#include "experiments/commands/config_template.h"
#include "experiments/commands/start_measure.h"
#include "experiments/commands/starter_config.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/frozen_network.h"

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
  out.loaded.dataset = std::move(dataset);
  return out;
}

using Values = std::map<std::string, std::string>;

// The config, once it has passed all checks.
ExperimentConfig config_in(const std::string& yaml) {
  INFO(yaml);
  auto loaded = parse_config<ExperimentConfig>(yaml, "new.yaml");
  refuse_idle(settle(loaded), loaded.config.data);
  check_config(loaded.config);
  return loaded.config;
}

std::string yaml_of(const OwnData& data, const std::optional<StarterNetwork>& network) {
  return starter_yaml({.name = "mine", .command = "saccade new a\nb", .advice = "advice"}, data,
                      network);
}

Values values_of(const OwnData& data, const std::optional<StarterNetwork>& network = {}) {
  Values out;
  for (const Choice& choice : choices_in(yaml_of(data, network)))
    CHECK(out.emplace(choice.key, choice.value).second);
  return out;
}

// `wanted` has "" for a key that is left out.
void check_values(const Values& values, const Values& wanted) {
  for (const auto& [key, value] : wanted) {
    INFO(key);
    CHECK((values.count(key) == 0 ? "" : values.at(key)) == value);
  }
}

}  // namespace

TEST_CASE("a template is filled and its lines stay or go with their comments") {
  const std::string_view text =
      "# head of {a}\n# {b}\n\none:\n  # why {a}\n  # or {b}\n  # and {?b}\n  two: {a} # {!b}\n"
      "  # gone\n  three: {b}\nfour: {!a}\n  five: [{a}, {a}] {?a}\n{lines}\n";
  const TemplateValues values{
      {"a", "{b} x"}, {"b", std::nullopt}, {"lines", "six: 6\nseven:\n  eight: \"a: b\""}};
  const std::string yaml = filled(text, values);
  CHECK(yaml ==
        "# head of {b} x\n\none:\n  # why {b} x\n  two: {b} x #\n  five: [{b} x, {b} x]\n"
        "six: 6\nseven:\n  eight: \"a: b\"\n");
  std::string choices;
  for (const Choice& one : choices_in(yaml)) choices += one.key + "=" + one.value + one.why + "\n";
  CHECK(choices ==
        "one.two={b} x #why {b} x\none.five=[{b} x, {b} x]\nsix=6\nseven.eight=\"a: b\"\n");
  CHECK_THROWS_WITH(filled("a: {c}", values), Contains("a value 'c'"));
}

TEST_CASE("what is written can be read, whatever the size of the data and the encoder") {
  StarterNetwork both = kNetwork;
  both.earlier = "block 4, [wide]";
  both.earlier_features = 960;
  const std::vector<std::optional<StarterNetwork>> networks{std::nullopt, kNetwork, both};
  for (const Index photos : {2, 20, 200, 2000, 8000}) {
    for (const std::optional<StarterNetwork>& network : networks) {
      OwnData data = own_data(photos, 5);
      data.loaded.dataset.notes = {"a fact", "a name with\na line end"};
      const bool one_layer = network && network->earlier.empty();
      const std::string yaml = yaml_of(data, network);
      const ExperimentConfig config = config_in(yaml);
      CHECK(config.name == "mine");
      CHECK(config.data.images == "my photos");
      CHECK(config.data.annotations == data.config.annotations);
      CHECK(config.data.split.val == 0.1);
      CHECK(config.search.max_length == config.data.max_length);
      // A few val photos do not say when to stop.
      CHECK((config.train.early_stop.patience > 0) == (data.val >= 50));
      CHECK(config.encoder.model == (network ? "my net.onnx" : ""));
      CHECK(is_frozen(config.encoder) == network.has_value());
      CHECK(config.encoder.layer == (one_layer ? "block 5/out:0" : ""));
      const bool joined = network && !one_layer, many = photos * 5 >= 2000;
      CHECK(config.encoder.layers ==
            (joined ? std::vector<std::string>{"block 4, [wide]", "block 5/out:0"}
                    : std::vector<std::string>{}));
      CHECK(config.encoder.keys ==
            (joined && many ? config.encoder.layers : std::vector<std::string>{}));
      CHECK(config.supervision.localizer.weight == (joined && many ? 1 : 0));
      CHECK_THAT(yaml, Contains("# Written by: saccade new a b\n") && Contains("\n# advice\n\n") &&
                           Contains("# note: a fact\n# note: a name with a line end\n"));
      // Nothing of the templates is left.
      CHECK(yaml.find_first_of("{}") == std::string::npos);
      CHECK(yaml.ends_with(str("  max_length: ", config.search.max_length, "\n")));
    }
  }
}

TEST_CASE("many captions and a network with two layers give the recipe of flickr8k-soft") {
  StarterNetwork network = kNetwork;
  network.earlier = "early";
  network.earlier_features = 960;
  const OwnData data = own_data(6000, 5);
  const Values values = values_of(data, network);
  const std::string layers = "[early, \"block 5/out:0\"]";
  check_values(values, {{"encoder.layers", layers},
                        {"encoder.keys", layers},
                        {"encoder.image_size", "320"},
                        {"encoder.project", "512"},
                        {"encoder.augment.views", "2"},
                        {"objective.supervision.localizer.weight", "1"},
                        {"objective.supervision.localizer.smoothing", "0.7"},
                        {"objective.supervision.localizer.centre", "0.15"},
                        {"train.captions", "whole_images"},
                        {"optimizer.lr", "6e-4"}});

  // What is left out is told with its reason, and so is the size of the features on disk: 6,000
  // photos in two views, 100 regions of 2,240 features of two bytes.
  CHECK_THAT(yaml_of(data, network), Contains("about 5.4 GB"));
  CHECK_THAT(yaml_of(data, kNetwork), Contains("no earlier layer of this grid") &&
                                          Contains("it was measured with two\n") &&
                                          Contains("localizer:\n      # no localizer"));
  check_values(values_of(own_data(20, 1), network),
               {{"objective.supervision.localizer.weight", "0"}, {"train.captions", ""}});
  check_values(values_of(own_data(20000, 1), network), {{"train.captions", ""}});
  check_values(values_of(data), {{"objective.supervision.localizer.weight", ""}});
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
  EncoderConfig joined;
  joined.type = "onnx_native";
  joined.frozen_stages = -1;
  joined.model = (folder / "net.onnx").string();
  joined.layers = {found.earlier, found.layer};
  joined.image_size = found.image_size;
  CHECK(FrozenNetwork(joined, ResizeMode::kSquash, {}).grid().features == 56);

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
  // Leaving out the words that occur once would lose a sixth of the text. Without an end by
  // validations, nothing reads their metric.
  check_values(values_of(own_data(20, 1)), {{"data.min_count", "1"},
                                            {"data.max_length", "8"},
                                            {"data.captions_per_image", ""},
                                            {"data.on_bad_image", ""},
                                            {"encoder.type", "cnn"},
                                            {"train.best_metric", "METEOR"},
                                            {"train.early_stop.metric", ""},
                                            {"train.early_stop.patience", "0"}});
  OwnData data = own_data(600, 7);
  data.captions.occurrences.assign(10, 420);  // each word is frequent
  data.captions.lengths.assign(31, 0);
  data.captions.lengths[12] = 4150;
  data.captions.lengths[30] = 50;  // more than one per cent are longer than 12
  data.photos.missing = {3};
  const Values more = values_of(data);
  check_values(more, {{"data.min_count", "5"},
                      {"data.max_length", "30"},
                      {"data.captions_per_image", "0"},
                      {"data.on_bad_image", "skip"},
                      {"encoder.augment.flip", "true"},
                      {"train.best_metric", "CIDEr"},
                      {"train.early_stop.metric", "CIDEr"}});
  CHECK(std::stoi(more.at("train.early_stop.patience")) >= 4);
  data.captions.lengths[30] = 40;
  data.captions.lengths[12] = 4160;
  data.captions.sides = 100;  // captions say left and right
  data.makes_val = data.makes_test = false;
  check_values(values_of(data),
               {{"data.max_length", "12"}, {"encoder.augment.flip", ""}, {"data.split.val", ""}});
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
  refuse("[1]", "[0]: expected an object such as");
  refuse("{\"a\": 1}", "expected an object with the keys image");
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
