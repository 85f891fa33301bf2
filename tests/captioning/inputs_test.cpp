// From a config to a data set, and from its images to a model's inputs.
#include "captioning/model/inputs.h"

#include <cstdlib>
#include <iostream>

#include "core/base/own_place.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"

namespace saccade::test {
namespace {

using Values = std::vector<float>;

DataConfig small_scenes() {
  DataConfig config;
  config.scenes = {.train = 6, .val = 4, .test = 3, .size = 32, .objects_max = 2};
  return config;
}

EncoderConfig small_cnn() {
  EncoderConfig config;
  config.image_size = 16;
  config.channels = {4, 4, 4, 4};
  return config;
}

// Six captioned PNG files. "c.png" is cut short.
class Folder {
 public:
  Folder() {
    std::string csv = "image,caption,split\n";
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      const std::string file = std::string(name) + ".png";
      std::vector<std::uint8_t> bytes =
          encode_png(test_picture(20, 30, static_cast<std::uint64_t>(name[0])));
      if (file == "c.png") bytes.resize(bytes.size() / 2);
      write_bytes(folder_ / file, bytes);
      const std::string split = name[0] < 'e' ? "train" : "val";
      for (const char* caption : {"one thing", "another thing", "a third"})
        csv += file + "," + caption + "," + split + "\n";
    }
    folder_.write("captions.csv", csv);
  }

  DataConfig config() const {
    DataConfig config;
    config.type = DataKind::kFolder;
    config.images = folder_.path().string();
    return config;
  }
  const TempFolder& files() const { return folder_; }

 private:
  TempFolder folder_{"inputs"};
};

Values loaded(const DatasetInputs& inputs, Index image) {
  Values out(static_cast<std::size_t>(inputs.shape().size()));
  inputs.load(image, out);
  return out;
}

Values run(const InputPipeline& pipeline, const Image& image) {
  Values out(static_cast<std::size_t>(pipeline.shape().size()));
  pipeline.run(image, out);
  return out;
}

TEST_CASE("scenes: limited data sets are prefixes, and every image has its scene and captions") {
  const LoadedData all = load_data(small_scenes());
  REQUIRE(all.scenes);
  CHECK(all.dataset.images.size() == 13);
  CHECK(all.default_split() == Split::kTest);
  DataConfig config = small_scenes();
  config.limit_train = 2;
  config.limit_val = 1;
  const LoadedData few = load_data(config);
  CHECK(images_of(few.dataset, Split::kTrain).size() == 2);
  CHECK(images_of(few.dataset, Split::kVal).size() == 1);
  CHECK(images_of(few.dataset, Split::kTest).size() == 3);
  CHECK(few.dataset.images[1].captions == all.dataset.images[1].captions);
  CHECK(few.image(1).rgb == all.image(1).rgb);
  for (std::size_t i = 0; i < few.dataset.images.size(); ++i) {
    CHECK(few.dataset.images[i].captions.size() == few.scenes->captions[i].size());
  }
  CHECK_THROWS_AS(few.image(6), ShapeError);
}

TEST_CASE("captions_per_image limits training captions and never references") {
  const Folder folder;
  DataConfig config = folder.config();
  config.captions_per_image = 2;
  const LoadedData data = load_data(config);
  for (const CaptionedImage& image : data.dataset.images) {
    CHECK(image.captions.size() == (image.split == Split::kTrain ? 2U : 3U));
  }
  CHECK_FALSE(data.dataset.notes.empty());
  config.captions_per_image = 0;
  CHECK(load_data(config).dataset.digest != data.dataset.digest);
}

TEST_CASE("a config without data is refused with all keys that it needs") {
  DataConfig config;
  config.type = DataKind::kFlickr8k;
  const std::string message = message_of<UsageError>([&] { load_data(config); });
  CHECK(message.find("data.images, data.tokens;") != std::string::npos);
  config.type = DataKind::kFolder;
  config.images = "/nowhere/at/all";
  CHECK(message_of<DataError>([&] { load_data(config); }) ==
        "data.images: /nowhere/at/all is missing; check the path; " + data_guide() +
            " says where published data and networks are");
}

TEST_CASE("the pixels of a data set are those of the pipeline") {
  const LoadedData data = load_data(small_scenes());
  const InputPipeline pipeline(small_cnn());
  Index last = 0;
  const DatasetInputs inputs(data, pipeline, small_cnn(), [&](Index done, Index total) {
    CHECK(total == 13);
    last = done;
  });
  CHECK(last == 13);
  CHECK(inputs.shape() == Shape{16, 16, 3});
  for (const Index i : {0, 7, 12}) CHECK(loaded(inputs, i) == run(pipeline, data.image(i)));
  CHECK(inputs.geometry(7).original_width == 32);
  CHECK(inputs.bad_images().empty());
  // (pixel - mean) / scale
  const Values white = run(pipeline, Image(8, 8, 255));
  CHECK(white[5] == Approx(1));
  // Nothing is random without augmentation.
  Values out(white.size());
  inputs.load_augmented(3, {.seed = 9}, out);
  CHECK(out == loaded(inputs, 3));
  CHECK_THROWS_AS(inputs.load(13, out), ShapeError);
  CHECK_THROWS_AS(inputs.load(0, std::span(out).first(5)), ShapeError);
}

TEST_CASE("augmented pixels are a function of their key, and validation has none") {
  EncoderConfig config = small_cnn();
  config.augment = {.flip = true, .shift = 3, .color = 0.3};
  const LoadedData data = load_data(small_scenes());
  const InputPipeline pipeline(config);
  const DatasetInputs inputs(data, pipeline, config, {});
  const auto augmented = [&](std::uint64_t seed) {
    Values out(static_cast<std::size_t>(inputs.shape().size()));
    inputs.load_augmented(2, {.seed = seed, .stream = Stream::kAugment}, out);
    return out;
  };
  CHECK(augmented(1) == augmented(1));
  CHECK(augmented(1) != augmented(2));
  CHECK(loaded(inputs, 2) == run(pipeline, data.image(2)));
}

TEST_CASE("a shift has the same number of pixels on both axes, also if the input is not a square") {
  constexpr Index kHeight = 24, kWidth = 60, kShift = 4;
  // Red encodes the column, green the row.
  Image image(kHeight, kWidth, 0);
  for (Index y = 0; y < kHeight; ++y)
    for (Index x = 0; x < kWidth; ++x) {
      image.pixel(y, x)[0] = static_cast<std::uint8_t>(4 * x);
      image.pixel(y, x)[1] = static_cast<std::uint8_t>(4 * y);
    }
  const TempFolder folder{"shift"};
  write_bytes(folder / "a.png", encode_png(image));
  write_bytes(folder / "b.png", encode_png(image));
  folder.write("captions.csv", "image,caption,split\na.png,one,train\nb.png,one,val\n");
  DataConfig data_config;
  data_config.type = DataKind::kFolder;
  data_config.images = folder.path().string();
  const LoadedData data = load_data(data_config);
  EncoderConfig config = small_cnn();
  config.image_size = kHeight;
  config.image_width = kWidth;
  config.augment.shift = kShift;
  const InputPipeline pipeline(config);
  const DatasetInputs inputs(data, pipeline, config, {});
  const std::size_t middle = static_cast<std::size_t>((kHeight / 2 * kWidth + kWidth / 2) * 3);
  const Values plain = loaded(inputs, 0);
  const float pixel = plain[middle + 3] - plain[middle];  // one column to the right
  float across = 0, down = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Values out(plain.size());
    inputs.load_augmented(0, {.seed = seed, .stream = Stream::kAugment}, out);
    across = std::max(across, std::abs(out[middle] - plain[middle]) / pixel);
    down = std::max(down, std::abs(out[middle + 1] - plain[middle + 1]) / pixel);
  }
  CHECK(across == Approx(kShift).margin(0.01));
  CHECK(down == Approx(kShift).margin(0.01));
}

TEST_CASE("an image that cannot be read stops the work or is left out and counted") {
  const Folder folder;
  const InputPipeline pipeline(small_cnn());
  const LoadedData strict = load_data(folder.config());
  CHECK(message_of<DataError>([&] {
          DatasetInputs(strict, pipeline, small_cnn(), {});
        }).find("c.png: ") != std::string::npos);
  // The remedy is named.
  CHECK(message_of<DataError>([&] {
          DatasetInputs(strict, pipeline, small_cnn(), {});
        }).find("data.on_bad_image=skip") != std::string::npos);
  DataConfig config = folder.config();
  config.on_bad_image = BadImage::kSkip;
  const LoadedData data = load_data(config);
  const DatasetInputs inputs(data, pipeline, small_cnn(), {});
  REQUIRE(inputs.bad_images().size() == 1);
  CHECK(inputs.bad_images()[0] == 2);
  CHECK(loaded(inputs, 3) == run(pipeline, data.image(3)));
  CHECK_THROWS_AS(loaded(inputs, 2), ShapeError);
  // Only the requested images are read.
  const DatasetInputs some(strict, pipeline, small_cnn(), {}, std::vector<Index>{5, 1});
  CHECK(loaded(some, 5) == run(pipeline, strict.image(5)));
  CHECK_THROWS_AS(loaded(some, 0), ShapeError);
  CHECK(message_of<DataError>([&] {
          DatasetInputs(data, pipeline, small_cnn(), {}, std::vector<Index>{2});
        }).find("none of 1 images") != std::string::npos);
}

TEST_CASE("encoders that cannot be built are refused by the name of their key") {
  EncoderConfig config;
  config.type = "onnx_native";
  config.frozen_stages = -1;
  CHECK(message_of<UsageError>([&] { InputPipeline{config}; }).find("encoder.model") !=
        std::string::npos);
  config.augment.flip = true;
  CHECK(message_of<UsageError>([&] { InputPipeline{config}; }).find("encoder.augment") == 0);
  config = small_cnn();
  config.augment.shift = 9;
  CHECK(message_of<UsageError>([&] { InputPipeline{config}; }).find("encoder.augment.shift") == 0);
}

TEST_CASE("frozen features are the same from memory, from the cache, and for one photo") {
  const std::filesystem::path backbones = test::data_folder("backbones");
  if (backbones.empty()) return;
  const Folder folder;
  DataConfig data_config = folder.config();
  data_config.on_bad_image = BadImage::kSkip;
  const LoadedData data = load_data(data_config);
  EncoderConfig config;
  config.type = "onnx_native";
  config.frozen_stages = -1;
  config.model = (backbones / "mobilenet_v1_0.25_128.onnx").string();
  config.layer = "t83";
  config.image_size = 128;
  const InputPipeline pipeline(config);
  CHECK(pipeline.frozen_grid() == GridShape{{4, 4}, 256});
  const DatasetInputs exact(data, pipeline, config, {});
  CHECK(loaded(exact, 4) == run(pipeline, data.image(4)));

  config.half = true;
  const DatasetInputs memory(data, pipeline, config, {});
  config.cache = (folder.files() / "cache").string();
  const auto count = [](Index& calls) { return [&calls](Index, Index) { ++calls; }; };
  Index first = 0, second = 0;
  { const DatasetInputs filled(data, pipeline, config, count(first), std::vector<Index>{0, 1}); }
  CHECK(first == 2);
  const DatasetInputs cached(data, pipeline, config, count(second));
  CHECK(second == 3);  // the others, without the bad one
  REQUIRE(cached.bad_images().size() == 1);
  CHECK(cached.bad_images()[0] == 2);
  for (const Index i : {0, 1, 3, 4, 5}) {
    CHECK(loaded(cached, i) == loaded(memory, i));
    CHECK(loaded(cached, i) != loaded(exact, i));
    CHECK(cached.geometry(i).original_width == 30);
  }
}

}  // namespace
}  // namespace saccade::test
