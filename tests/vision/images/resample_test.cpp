// Bilinear and bicubic resampling give the levels of PIL (tests/golden/make_resample.py), and area
// stays what it was.
#include <nlohmann/json.hpp>

#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/published_preprocessing.h"
#include "vision/images/augment.h"
#include "vision/images/geometry.h"

namespace saccade {
namespace {

Image golden_picture() {
  Image image(29, 41);
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x)
      for (Index c = 0; c < 3; ++c)
        image.pixel(y, x)[c] =
            static_cast<std::uint8_t>((7 * x + 13 * y + 50 * c + 5 * (x * y % 31)) % 256);
  return image;
}

TEST_CASE(
    "bilinear and bicubic give the levels of PIL, where a picture shrinks and where it grows") {
  const Image picture = golden_picture();
  int cases = 0;
  for (const nlohmann::json& gold : test::read_json(SACCADE_GOLDEN_RESAMPLE)) {
    const auto name = gold["interpolation"].get<std::string>();
    const Index height = gold["height"], width = gold["width"];
    INFO(name << " to " << height << " x " << width);
    const Image got =
        prepare(picture, {.height = height,
                          .width = width,
                          .interpolation = name == "bilinear" ? Interpolation::kBilinear
                                                              : Interpolation::kBicubic})
            .image;
    std::size_t at = 0;
    int wrong = 0;
    for (Index y = 0; y < height; y += 2)  // every second row and third column is kept
      for (Index x = 0; x < width; x += 3)
        for (Index c = 0; c < 3; ++c)
          if (got.pixel(y, x)[c] != gold["levels"][at++].get<int>()) ++wrong;
    CHECK(at == gold["levels"].size());
    CHECK(wrong == 0);
    ++cases;
  }
  CHECK(cases == 12);
}

TEST_CASE(
    "an even picture stays as it is, and padding keeps its colour, whatever the interpolation") {
  for (const Interpolation interpolation :
       {Interpolation::kArea, Interpolation::kBilinear, Interpolation::kBicubic}) {
    INFO(enum_name(interpolation));
    for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop, ResizeMode::kPad})
      for (const auto& [height, width] :
           {std::pair<Index, Index>{1, 1}, {1, 900}, {700, 1}, {3, 5}, {300, 200}}) {
        const PrepareOptions options{.height = 32,
                                     .width = 24,
                                     .mode = mode,
                                     .padding = PaddingColour{77, 77, 77},
                                     .interpolation = interpolation};
        const Image picture(height, width, 77);
        CHECK(difference(prepare(picture, options).image, Image(32, 24, 77)) == 0);
        const AugmentOptions changes{.flip = 0.5, .scale = 0.5};
        const Random random({.seed = 1, .stream = Stream::kTest});
        CHECK(difference(prepare_augmented(picture, options, changes, random).image,
                         Image(32, 24, 77)) == 0);
      }
  }
}

TEST_CASE("the interpolation counts: fine stripes are grey with antialiasing") {
  Image stripes(64, 64);
  for (Index y = 0; y < 64; ++y)
    for (Index x = 0; x < 64; x += 2) std::fill_n(stripes.pixel(y, x), 3, std::uint8_t{255});
  for (const Interpolation interpolation : {Interpolation::kBilinear, Interpolation::kBicubic}) {
    const Image small =
        prepare(stripes, {.height = 8, .width = 8, .interpolation = interpolation}).image;
    for (Index x = 1; x < 7; ++x) CHECK(std::abs(int{small.pixel(4, x)[0]} - 128) <= 2);
  }
}

TEST_CASE(
    "weights tell the interpolation that they were trained with, by the files of three hubs") {
  const auto told = [](const char* file, const std::string& text) -> std::string {
    const test::TempFolder folder("preprocessing");
    folder.write(file, text);
    const auto found = published_interpolation(folder / "model.safetensors");
    return found ? str(enum_name(found->interpolation), " of ", found->file) : "nothing";
  };
  CHECK(told("preprocessor_config.json", R"({"resample": 2})") ==
        "bilinear of preprocessor_config.json");
  CHECK(told("preprocessor_config.json", R"({"resample": 3})") ==
        "bicubic of preprocessor_config.json");
  CHECK(told("config.json", R"({"pretrained_cfg": {"interpolation": "bicubic"}})") ==
        "bicubic of config.json");
  CHECK(told("open_clip_config.json", R"({"preprocess_cfg": {"interpolation": "bilinear"}})") ==
        "bilinear of open_clip_config.json");
  for (const char* text : {R"({"resample": 0})", R"({"resample": [3]})", "{}", "[3]", "3", "", "{",
                           R"({"pretrained_cfg": 3})"}) {
    CHECK(told("preprocessor_config.json", text) == "nothing");
    CHECK(told("config.json", text) == "nothing");
  }
}

}  // namespace
}  // namespace saccade
