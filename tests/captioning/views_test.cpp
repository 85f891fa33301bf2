// Views of training photos for a frozen encoder: made once, from memory and from a cache, with the
// geometry of the view that was loaded.
#include "captioning/learning/training/training_set.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;
using test::TempFolder;
using Values = std::vector<float>;

// A small frozen network from a file, 4 training photos and 2 of validation.
class Photos {
 public:
  Photos() {
    test::save_small_onnx(folder_ / "small.onnx");
    DataConfig scenes;
    scenes.scenes = {.train = 4, .val = 2, .test = 1, .size = 40, .objects_max = 2};
    data = load_data(scenes);
    config.type = "onnx_native";
    config.frozen_stages = -1;
    config.model = (folder_ / "small.onnx").string();
    config.layer = "last";
    config.image_size = 32;
    config.augment = {.flip = true, .shift = 3, .scale = 0.7, .color = 0.2, .views = 3};
  }
  std::string cache() const { return (folder_ / "cache").string(); }
  DatasetInputs inputs(const InputPipeline& pipeline, Index& computed,
                       Views views = Views::kOfTraining) const {
    return {data, pipeline, config, [&](Index, Index) { ++computed; }, {}, views};
  }

  LoadedData data;
  EncoderConfig config;

 private:
  TempFolder folder_{"views"};
};

struct SeenView {
  Values values;
  Geometry seen;
};

SeenView loaded(const DatasetInputs& inputs, Index image, std::uint64_t seed) {
  SeenView out{.values = Values(static_cast<std::size_t>(inputs.shape().size())), .seen = {}};
  out.seen = inputs.load_augmented(image, {.seed = seed, .stream = Stream::kAugment}, out.values);
  return out;
}

Values plain(const DatasetInputs& inputs, Index image) {
  Values out(static_cast<std::size_t>(inputs.shape().size()));
  inputs.load(image, out);
  return out;
}

}  // namespace

TEST_CASE("views are the photo as it is and changed photos, each with its own geometry") {
  Photos photos;
  for (const ResizeMode resize : {ResizeMode::kSquash, ResizeMode::kPad}) {
    photos.config.resize = resize;
    photos.config.augment.color = 0;  // so that the geometry describes the whole change
    const InputPipeline pipeline(photos.config);
    REQUIRE(pipeline.views() == 3);
    Index computed = 0;
    const DatasetInputs inputs = photos.inputs(pipeline, computed);
    CHECK(inputs.views() == 3);
    std::set<Values> met;
    bool mirrored = false;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const SeenView view = loaded(inputs, 2, seed);
      met.insert(view.values);
      mirrored = mirrored || view.seen.mirrored;
      // The features are those of the part of the photo that the geometry names.
      const Image seen =
          render_input(photos.data.image(2), view.seen, pipeline.preparation().padding);
      Values again(view.values.size());
      pipeline.encode(seen, picture_area(view.seen), again);
      REQUIRE(view.values == again);
      CHECK(loaded(inputs, 2, seed).values == view.values);
    }
    CHECK(met.size() == 3);
    CHECK(mirrored);
    CHECK(met.contains(plain(inputs, 2)));
    // Photos of validation are never changed.
    const auto val = images_of(photos.data.dataset, Split::kVal).front();
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      CHECK(loaded(inputs, val, seed).values == plain(inputs, val));
  }
}

TEST_CASE("a cache of views adds to the plain one, and grows") {
  Photos photos;
  const InputPipeline three(photos.config);
  Index computed = 0;
  const DatasetInputs memory = photos.inputs(three, computed);
  photos.config.cache = photos.cache();
  photos.config.augment.views = 0;
  photos.config.augment = {};
  {
    const InputPipeline pipeline(photos.config);
    computed = 0;
    const DatasetInputs without = photos.inputs(pipeline, computed);
    CHECK(computed == 7);
    CHECK(without.views() == 1);
  }
  photos.config.augment = {.flip = true, .shift = 3, .scale = 0.7, .color = 0.2, .views = 2};
  const auto computed_of = [&](Index views, Views which) {
    photos.config.augment.views = views;
    const InputPipeline pipeline(photos.config);
    computed = 0;
    const DatasetInputs inputs = photos.inputs(pipeline, computed, which);
    CHECK(inputs.views() == (which == Views::kOfTraining ? views : 1));
    return computed;
  };
  CHECK(computed_of(2, Views::kPlain) == 0);
  CHECK(computed_of(2, Views::kOfTraining) == 4);  // for four training photos, and no others
  CHECK(computed_of(3, Views::kOfTraining) == 4);
  CHECK(computed_of(2, Views::kOfTraining) == 0);
  const DatasetInputs cached = photos.inputs(three, computed);
  CHECK(computed == 0);
  for (const Index image : {0, 3})
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const SeenView from_file = loaded(cached, image, seed), held = loaded(memory, image, seed);
      CHECK(from_file.values == held.values);
      CHECK(from_file.seen.seen.x == held.seen.seen.x);
      CHECK(from_file.seen.mirrored == held.seen.mirrored);
    }
  // Other changes make other views.
  photos.config.augment.scale = 0.8;
  CHECK(computed_of(3, Views::kOfTraining) == 8);
}

TEST_CASE("views in 16-bit floats are the same from memory and from a cache") {
  Photos photos;
  photos.config.half = true;
  const InputPipeline pipeline(photos.config);
  Index computed = 0;
  const DatasetInputs memory = photos.inputs(pipeline, computed);
  photos.config.cache = photos.cache();
  const DatasetInputs cached = photos.inputs(pipeline, computed);
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    CHECK(loaded(cached, 1, seed).values == loaded(memory, 1, seed).values);
}

TEST_CASE(
    "the view that a caption is trained with is a function of seed, epoch, image and caption") {
  Photos photos;
  const InputPipeline pipeline(photos.config);
  Index computed = 0;
  const DatasetInputs inputs = photos.inputs(pipeline, computed);
  DataConfig words;
  words.min_count = 1;
  const Vocabulary vocabulary = training_vocabulary(photos.data, words);
  const TrainingSet set(photos.data, words, vocabulary, {});
  const auto batch_of = [&](std::uint64_t seed, Index epoch) {
    const std::vector<PlanItem> items(set.items().begin(), set.items().end());
    return make_batch(deal(items, 100), set, inputs, seed, epoch);
  };
  const auto seen = [](const TrainBatch& batch) {
    std::vector<double> out;
    for (const Geometry& geometry : batch.shards[0].seen)
      out.push_back(geometry.seen.x + (geometry.mirrored ? 1000 : 0));
    return out;
  };
  const TrainBatch once = batch_of(1, 0), again = batch_of(1, 0);
  CHECK(seen(once) == seen(again));
  CHECK(std::equal(once.shards[0].inputs.view().values.span().begin(),
                   once.shards[0].inputs.view().values.span().end(),
                   again.shards[0].inputs.view().values.span().begin()));
  CHECK(seen(once) != seen(batch_of(1, 1)));
  CHECK(seen(once) != seen(batch_of(2, 0)));
  // The captions of one photo do not all have the same view.
  std::set<double> of_first;
  for (std::size_t c = 0; c < once.shards[0].images.size(); ++c)
    if (once.shards[0].images[c] == 0) of_first.insert(seen(once)[c]);
  CHECK(of_first.size() > 1);
}

TEST_CASE("views that do not differ are refused with a remedy") {
  Photos photos;
  AugmentConfig& augment = photos.config.augment;
  augment.views = 1;
  CHECK_THROWS_WITH(InputPipeline(photos.config), Contains("set encoder.augment.views"));
  augment = {.views = 4};
  CHECK_THROWS_WITH(InputPipeline(photos.config), Contains("nothing makes one view differ"));
  augment = {.flip = true, .views = 4};
  CHECK_THROWS_WITH(InputPipeline(photos.config), Contains("alone makes 2 different ones"));
  augment.views = 2;
  CHECK(InputPipeline(photos.config).views() == 2);
}

}  // namespace saccade
