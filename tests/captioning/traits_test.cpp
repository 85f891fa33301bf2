// What config fields say about themselves to those who continue, compare and check runs.
#include "core/config/traits.h"

#include <iterator>

#include "captioning/learning/config/experiment_config.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using Paths = std::set<std::string>;

Paths paths(Trait trait, const std::vector<std::string>& overrides = {}) {
  const auto loaded = parse_config<ExperimentConfig>("name: x", "e.yaml", overrides);
  const std::vector<std::string> found = paths_with(loaded.config, trait);
  return {found.begin(), found.end()};
}

// The paths of a text, between which there is a space.
Paths listed(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The paths that one of two sets has and the other has not.
Paths changed(const Paths& a, const Paths& b) {
  Paths out;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                std::inserter(out, out.end()));
  return out;
}

// The paths of the values of a section.
Paths below(const std::string& section) {
  Paths out;
  for (const FieldInfo& row : describe_config<ExperimentConfig>())
    if (row.type != "section" && row.path.starts_with(section + ".")) out.insert(row.path);
  return out;
}

std::string needed_by(const std::string& key, const std::vector<std::string>& overrides) {
  const auto loaded = parse_config<ExperimentConfig>("name: x", "e.yaml", overrides);
  for (const NamedFile& file : named_files(loaded.config))
    if (file.key == key) return file.needed_by;
  return "not read";
}

}  // namespace

TEST_CASE("these values may change when a run goes on, and no others") {
  Paths expected = listed(
      "name threads data.annotations data.images data.max_megapixels data.tokens "
      "data.splits data.val_annotations data.val_images data.boxes data.sets "
      "encoder.model encoder.cache encoder.features.path train.gradient_groups train.stop "
      "train.checkpoint_every "
      "train.keep "
      "train.prefetch train.watch_maps train.watch_images");
  for (const char* section : {"search", "maps", "compare", "train.early_stop"})
    expected.merge(below(section));
  const Paths plain = paths(Trait::kMayChange);
  CHECK(plain == expected);

  const auto differ = [&](const std::vector<std::string>& overrides) {
    return changed(plain, paths(Trait::kMayChange, overrides));
  };
  CHECK(differ({"objective.supervision.boxes=0.5"}) == Paths{"data.boxes", "data.sets"});
  CHECK(differ({"optimizer.schedule=cosine"}) == Paths{"train.stop"});
  CHECK(differ({"optimizer.schedule=cosine", "objective.self_critical.start=1e"}).empty());
  CHECK(differ({"encoder.frozen_stages=-1"}) == Paths{"encoder.weights", "encoder.weights_strict"});
}

TEST_CASE("what the model alone reads is no input, unless the network is frozen") {
  Paths expected = below("data");
  expected.merge(below("encoder"));
  Paths network = {
      "encoder.channels",      "encoder.heads",   "encoder.activation",    "encoder.lr",
      "encoder.frozen_stages", "encoder.weights", "encoder.weights_strict"};
  network.merge(below("encoder.vit"));
  Paths model = {"encoder.keys",          "encoder.values",          "encoder.project",
                 "encoder.positions",     "encoder.feature_dropout", "encoder.region_dropout",
                 "encoder.text.width",    "encoder.text.layers",     "encoder.text.heads",
                 "encoder.text.multiple", "encoder.text.dropout",    "encoder.placeless"};
  model.merge(below("encoder.refine"));
  for (const Paths& left_out : {network, model})
    for (const std::string& path : left_out) expected.erase(path);
  expected.insert("precision");  // of the features of a frozen network
  CHECK(paths(Trait::kInputs) == expected);

  expected.insert(network.begin(), network.end());
  CHECK(paths(Trait::kInputs, {"encoder.frozen_stages=-1"}) == expected);
  expected.insert("encoder.positions");
  CHECK(paths(Trait::kInputs, {"encoder.type=vit", "encoder.frozen_stages=-1"}) == expected);
  CHECK(paths(Trait::kInputs, {"encoder.type=features"}) == expected);
}

TEST_CASE("every text of a config is the name of something or a file that is looked for") {
  // A new text has to be entered here, or to be declared as a file.
  const Paths names = {
      "name",  // of saccade's own things, and a folder that is made where it misses
      "encoder.layer",
      "encoder.cache",
      "train.best_metric",
      "train.early_stop.metric",
      "search.prompt",
      "compare.against",
      "compare.primary",
      "encoder.features.array",    // of a file
      "encoder.features.pooled"};  // of a file, or a file of its own
  Paths texts;
  for (const FieldInfo& row : describe_config<ExperimentConfig>())
    if (row.type == "text") texts.insert(row.path);
  CHECK(changed(texts, paths(Trait::kFile)) == names);
}

TEST_CASE("every option that is a file is among the named files of a config that reads it") {
  const std::vector<std::string> readers = {
      "data.type=coco",           "data.type=flickr8k",   "encoder.type=onnx_native",
      "encoder.type=vgg19",       "train.init_from=run",  "decoder.embeddings.source=file",
      "decoder.type=transformer", "encoder.type=features"};
  for (const std::string& path : paths(Trait::kFile)) {
    INFO(path);
    CHECK(std::any_of(readers.begin(), readers.end(), [&](const std::string& reader) {
      const auto loaded = parse_config<ExperimentConfig>(
          "name: x", "e.yaml", std::vector<std::string>{reader, path + "=a b.txt"});
      const std::vector<NamedFile> files = named_files(loaded.config);
      return std::any_of(files.begin(), files.end(), [&](const NamedFile& file) {
        return file.key == path && file.path == "a b.txt";
      });
    }));
  }
}

TEST_CASE("a file is named where it is read, with the choice that needs it") {
  CHECK(needed_by("data.annotations", {}) == "not read");
  CHECK(needed_by("data.annotations", {"data.type=coco"}) == "data.type coco");
  CHECK(needed_by("data.annotations", {"data.type=folder"}).empty());
  CHECK(needed_by("data.val_images", {"data.type=coco"}).empty());
  CHECK(needed_by("data.val_images", {"data.type=coco", "data.val_annotations=v.json"}) ==
        "data.val_annotations v.json");
  CHECK(needed_by("encoder.model", {"encoder.type=onnx_native"}) == "encoder.type onnx_native");
  CHECK(needed_by("encoder.features.path", {"encoder.type=features"}) == "encoder.type features");
  CHECK(needed_by("encoder.weights", {"encoder.type=vgg19"}).empty());
  CHECK(needed_by("encoder.weights", {"encoder.type=vgg19", "encoder.frozen_stages=-1"}) ==
        "encoder.frozen_stages -1");
  CHECK(needed_by("encoder.weights", {"encoder.type=onnx_native", "encoder.frozen_stages=-1"})
            .empty());
  CHECK(needed_by("decoder.embeddings.file", {"decoder.embeddings.source=file"}) ==
        "decoder.embeddings.source file");

  // The path in the file list is the one that was given, below whatever section it was bound.
  DataConfig data;
  data.type = DataKind::kFolder;
  data.images = "my photos";
  const std::vector<NamedFile> files = named_files(data, "data");
  REQUIRE(files.size() == 3);
  CHECK(files[1].key == "data.images");
  CHECK(files[1].path == "my photos");
  CHECK(files[1].doc == "folder of the images; with encoder.type features it may be left out");
}

}  // namespace saccade
