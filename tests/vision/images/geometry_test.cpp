// From the photo to the network's input and back: the same cell, however the photo was cut or
// mirrored.
#include "vision/images/geometry.h"

#include <nlohmann/json.hpp>

#include "core/base/enum_names.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/published_preprocessing.h"
#include "vision/images/augment.h"

namespace saccade {
namespace {

// A black picture with a white box.
Image spot(Index height, Index width, const Rect& box) {
  Image image(height, width);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x)
      if (static_cast<double>(x) >= box.x && static_cast<double>(x) < box.right() &&
          static_cast<double>(y) >= box.y && static_cast<double>(y) < box.bottom())
        std::fill(image.pixel(y, x), image.pixel(y, x) + 3, std::uint8_t{255});
  return image;
}

// The brightest cell of a grid on a network image.
Index brightest(const Image& image, Index rows, Index cols) {
  std::vector<double> light(static_cast<std::size_t>(rows * cols));
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x)
      light[static_cast<std::size_t>(y * rows / image.height * cols + x * cols / image.width)] +=
          image.pixel(y, x)[0];
  return std::max_element(light.begin(), light.end()) - light.begin();
}

TEST_CASE("prepare gives the network's size and the part of the photo that the network sees") {
  const Image image = test_picture(300, 400);
  const Prepared squash = prepare(image, {.height = 64, .width = 96});
  CHECK(squash.image.height == 64);
  CHECK(squash.image.width == 96);
  CHECK(squash.geometry.seen.width == 400);
  CHECK(squash.geometry.seen.height == 300);
  const Prepared crop = prepare(image, {.height = 64, .width = 64, .mode = ResizeMode::kCrop});
  CHECK(crop.geometry.seen.x == 50);
  CHECK(crop.geometry.seen.y == 0);
  CHECK(crop.geometry.seen.width == 300);
  CHECK(crop.geometry.seen.height == 300);
  const Geometry tall = plan_geometry(7, 3, {.height = 8, .width = 8, .mode = ResizeMode::kCrop});
  CHECK(tall.seen.y == 2);
  CHECK(tall.seen.height == 3);
  CHECK(prepare(image, {.height = 300, .width = 400}).image.rgb == image.rgb);
  CHECK_THROWS_AS(prepare(image, {.height = 0, .width = 8}), ShapeError);
}

TEST_CASE("the box of a cell in the photo lies in that cell of the network's image") {
  int wrong = 0, checked = 0;
  Random random({.seed = 3, .stream = Stream::kTest});
  for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop, ResizeMode::kPad}) {
    for (const auto& [rows, cols] : {std::pair<Index, Index>{7, 7}, {1, 49}, {4, 9}}) {
      for (const auto& [height, width] : {std::pair<Index, Index>{240, 360}, {500, 200}}) {
        Geometry geometry =
            plan_geometry(height, width, {.height = 196, .width = 196, .mode = mode});
        for (int i = 0; i < 4; ++i) {
          geometry.mirrored = i % 2 == 1;
          const CellBlock cells = picture_cells(picture_area(geometry), {rows, cols});
          auto cell = static_cast<Index>(random.below(static_cast<std::uint64_t>(rows * cols)));
          if (mode == ResizeMode::kPad)  // only these cells show the picture
            cell = std::clamp(cell / cols, cells.top, cells.bottom - 1) * cols +
                   std::clamp(cell % cols, cells.left, cells.right - 1);
          const Rect box = cell_box(geometry, {rows, cols}, cell);
          ++checked;
          if (brightest(render_input(spot(height, width, box), geometry, PaddingColour{}), rows,
                        cols) != cell)
            ++wrong;
          if (cell_at(geometry, {rows, cols}, box.x + box.width / 2, box.y + box.height / 2) !=
              cell)
            ++wrong;
        }
      }
    }
  }
  CHECK(checked == 72);
  CHECK(wrong == 0);
  const Geometry crop =
      plan_geometry(100, 200, {.height = 50, .width = 50, .mode = ResizeMode::kCrop});
  CHECK(cell_at(crop, {5, 5}, 49, 50) == -1);
  CHECK(cell_at(crop, {5, 5}, 151, 50) == -1);
  CHECK_THROWS_AS(cell_box(crop, {5, 5}, 25), ShapeError);
}

TEST_CASE("a padded picture is whole, in the middle and the same as without padding") {
  const PaddingColour blue{10, 20, 200};
  struct Case {
    Index height, width, top, left, rows, cols;  // of the picture, in an input of 64 x 96
  };
  for (const Case& c :
       {Case{300, 100, 0, 37, 64, 21}, Case{100, 300, 16, 0, 32, 96}, Case{50, 50, 0, 16, 64, 64},
        Case{128, 192, 0, 0, 64, 96}, Case{1, 900, 31, 0, 1, 96}, Case{900, 1, 0, 47, 64, 1}}) {
    CAPTURE(c.height, c.width);
    const Image image = test_picture(c.height, c.width);
    const PrepareOptions options{
        .height = 64, .width = 96, .mode = ResizeMode::kPad, .padding = blue};
    const Prepared out = prepare(image, options);
    const Image alone = prepare(image, {.height = c.rows, .width = c.cols}).image;
    int wrong = 0;
    for (Index y = 0; y < 64; ++y)
      for (Index x = 0; x < 96; ++x) {
        const bool inside = y >= c.top && y < c.top + c.rows && x >= c.left && x < c.left + c.cols;
        const std::uint8_t* expected = inside ? alone.pixel(y - c.top, x - c.left) : blue.data();
        wrong += std::equal(expected, expected + 3, out.image.pixel(y, x)) ? 0 : 1;
      }
    CHECK(wrong == 0);
    const PictureArea area = picture_area(out.geometry);
    CHECK(area.left * 96 == Approx(static_cast<double>(c.left)).margin(1e-9));
    CHECK(area.top * 64 == Approx(static_cast<double>(c.top)).margin(1e-9));
    CHECK(area.right * 96 == Approx(static_cast<double>(c.left + c.cols)));
    CHECK(area.bottom * 64 == Approx(static_cast<double>(c.top + c.rows)));
  }
}

TEST_CASE("cells that show any of the picture count") {
  const auto marks = [](Index height, Index width, Index rows, Index cols, bool mirrored = false) {
    Geometry geometry =
        plan_geometry(height, width, {.height = 64, .width = 64, .mode = ResizeMode::kPad});
    geometry.mirrored = mirrored;
    std::vector<std::uint8_t> mask;
    add_mask(picture_area(geometry), {rows, cols}, mask);
    return mask;
  };
  using Marks = std::vector<std::uint8_t>;
  // The picture has the pixels 24 .. 39 of 64: a part of the two middle columns of four, and
  // exactly two columns of eight.
  CHECK(marks(128, 32, 1, 4) == Marks{0, 1, 1, 0});
  CHECK(marks(128, 32, 1, 8) == Marks{0, 0, 0, 1, 1, 0, 0, 0});
  CHECK(marks(32, 128, 4, 2) == Marks{0, 0, 1, 1, 1, 1, 0, 0});
  CHECK(marks(77, 77, 3, 3) == Marks(9, 1));
  // 17 pixels from pixel 23: a part of a cell is enough. When mirrored, the cell is on the other
  // side.
  CHECK(marks(64, 17, 1, 8) == Marks{0, 0, 1, 1, 1, 0, 0, 0});
  CHECK(marks(64, 17, 1, 8, true) == Marks{0, 0, 0, 1, 1, 1, 0, 0});
  CHECK(marks(1, 5000, 4, 4) == Marks{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  // A squashed or cropped picture has no padding.
  for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop}) {
    Geometry geometry = plan_geometry(128, 32, {.height = 64, .width = 64, .mode = mode});
    geometry.seen.x -= 10;
    const PictureArea area = picture_area(geometry);
    CHECK((area.left == 0 && area.top == 0 && area.right == 1 && area.bottom == 1));
  }
}

TEST_CASE("padding becomes 0 in the input, as nearly as 8 bits can") {
  const Normalization imagenet{.mean = {123.675F, 116.28F, 103.53F},
                               .scale = {1 / 58.395F, 1 / 57.12F, 1 / 57.375F}};
  const Prepared out = prepare(
      Image(10, 30, 255),
      {.height = 30, .width = 30, .mode = ResizeMode::kPad, .padding = padding_of(imagenet)});
  std::vector<Real> values(30 * 30 * 3);
  pixels_to_input(out.image, imagenet, values.data());
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(values[c]) < 0.5 / 57);
  CHECK(values[15 * 30 * 3] > 2);
}

TEST_CASE("augmentation keeps the colour of padding, and its geometry follows the picture") {
  const Image image = test_picture(60, 20);
  const PaddingColour blue{10, 20, 200};
  const PrepareOptions options{
      .height = 64, .width = 64, .mode = ResizeMode::kPad, .padding = blue};
  const AugmentOptions all{.flip = 0.5, .shift_x = 0.5, .shift_y = 0.5, .color = 0.5};
  int wrong = 0, moved = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Random random({.seed = 2, .stream = Stream::kAugment, .step = i});
    const Prepared out = prepare_augmented(image, options, all, random);
    const CellBlock pixels = picture_cells(picture_area(out.geometry), {64, 64});
    moved += pixels.left != 21;
    Index blues = 0;
    for (Index y = 0; y < 64; ++y)
      for (Index x = 0; x < 64; ++x) {
        const bool is_blue = std::equal(blue.begin(), blue.end(), out.image.pixel(y, x));
        // A pixel on the edge of the picture, which it only partly covers, may have either colour.
        const bool edge =
            y == pixels.top || y == pixels.bottom - 1 || x == pixels.left || x == pixels.right - 1;
        if (!edge && is_blue == pixels.has(y, x)) ++wrong;
        blues += is_blue;
      }
    CHECK(blues < 64 * 64);
  }
  CHECK(wrong == 0);
  CHECK(moved > 40);
  CHECK(prepare_augmented(image, options, {}, Random({.seed = 1})).image.rgb ==
        prepare(image, options).image.rgb);
}

TEST_CASE("pixels_to_input is (pixel - mean) * scale") {
  Image image(1, 2);
  image.rgb = {0, 255, 51, 10, 20, 30};
  std::vector<Real> out(6);
  pixels_to_input(image, {.mean = {0, 127.5f, 51}, .scale = {1, 1 / 127.5f, 2}}, out.data());
  CHECK(out[0] == 0);
  CHECK(out[1] == Approx(1));
  CHECK(out[2] == 0);
  CHECK(out[5] == -42);
}

TEST_CASE("augmentation depends on its key, is recorded in the geometry, and can be switched off") {
  const Image image = test_picture(60, 80);
  const PrepareOptions options{.height = 32, .width = 32, .mode = ResizeMode::kCrop};
  const AugmentOptions all{.flip = 0.5, .scale = 0.6, .shift_x = 0.2, .shift_y = 0.2, .color = 0.3};
  const auto key = [](std::uint64_t epoch, std::uint64_t sample) {
    return Random({.seed = 9, .stream = Stream::kAugment, .step = epoch, .sample = sample});
  };
  CHECK(prepare_augmented(image, options, {}, key(1, 1)).image.rgb ==
        prepare(image, options).image.rgb);
  CHECK(prepare_augmented(image, options, all, key(1, 2)).image.rgb ==
        prepare_augmented(image, options, all, key(1, 2)).image.rgb);
  int mirrored = 0, same = 0, outside = 0;
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    const Prepared out = prepare_augmented(image, options, all, key(epoch, 2));
    mirrored += out.geometry.mirrored;
    same += out.image.rgb == prepare(image, options).image.rgb;
    outside += out.geometry.seen.y < 0;
    REQUIRE(out.geometry.seen.width >= 0.59 * 60);
    REQUIRE(out.geometry.seen.width <= 60);
    const Prepared plain = prepare_augmented(
        image, options, {.flip = 0.5, .scale = 0.6, .shift_x = 0.2, .shift_y = 0.2}, key(epoch, 2));
    REQUIRE(plain.geometry.seen.x == out.geometry.seen.x);  // colour does not move the crop
    REQUIRE(render_input(image, plain.geometry).rgb == plain.image.rgb);
  }
  CHECK(mirrored > 30);
  CHECK(mirrored < 70);
  CHECK(outside > 0);
  CHECK(same == 0);
  CHECK_THROWS_AS(prepare_augmented(image, options, {.flip = 1.5}, key(0, 0)), UsageError);
  CHECK_THROWS_AS(prepare_augmented(image, options, {.shift_x = std::nan("")}, key(0, 0)),
                  UsageError);
}

// Bilinear and bicubic resampling give the levels of PIL (tests/golden/make_resample.py), and area
// stays what it was.

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
  for (const auto& [interpolation, name, doc] : enum_table(Interpolation{})) {
    INFO(name);
    for (const auto& [mode, mode_name, mode_doc] : enum_table(ResizeMode{}))
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
    const auto found = published_pixels(folder / "model.safetensors");
    return found && found->interpolation
               ? str(enum_name(*found->interpolation), " of ", found->file)
               : "nothing";
  };
  CHECK(told("preprocessor_config.json", R"({"resample": 2})") ==
        "bilinear of preprocessor_config.json");
  CHECK(told("preprocessor_config.json", R"({"resample": 3})") ==
        "bicubic of preprocessor_config.json");
  CHECK(told("config.json", R"({"pretrained_cfg": {"interpolation": "bicubic"}})") ==
        "bicubic of config.json");
  CHECK(told("open_clip_config.json", R"({"preprocess_cfg": {"interpolation": "bilinear"}})") ==
        "bilinear of open_clip_config.json");
  for (const char* file : {"preprocessor_config.json", "config.json"}) {
    for (const char* text :
         {R"({"resample": 7})", R"({"resample": [3]})", "{}", R"({"pretrained_cfg": 3})"})
      CHECK(told(file, text) == "nothing");
    for (const char* damaged : {"[3]", "3", "", "{"})
      CHECK_THROWS_AS(told(file, damaged), DataError);
  }
}

TEST_CASE("weights tell how pictures are cut and colours normalised, by the files of three hubs") {
  struct Case {
    const char *file, *text, *lines;
  };
  const std::string imagenet =
      R"("image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225])";
  for (
      const auto& [file, text, lines] :
      {Case{
           "preprocessor_config.json",
           R"({"size": {"height": 32, "width": 48}, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})",
           "32 x 48 squash 0 plain 127.5 127.5"},
       {"preprocessor_config.json", R"({"size": 32, "crop_size": 24})",
        "24 x 24 center 32 no colours"},
       {"preprocessor_config.json", R"({"size": 32, "image_processor_type": "ViTImageProcessor"})",
        "32 x 32 squash 0 no colours"},
       {"preprocessor_config.json",
        R"({"size": {"shortest_edge": 36}, "crop_size": {"height": 32, "width": 32}, "do_center_crop": true})",
        "32 x 32 center 36 no colours"},
       {"preprocessor_config.json",
        R"({"size": {"height": 36, "width": 36}, "crop_size": {"height": 32, "width": 32}})",
        "32 x 32 squash_center 36 no colours"},
       {"preprocessor_config.json", R"({"size": {"shortest_edge": 224}, "crop_pct": 0.875})",
        "224 x 224 center 256 no colours"},
       {"preprocessor_config.json", R"({"size": {"shortest_edge": 384}, "crop_pct": 0.875})",
        "384 x 384 squash 0 no colours"},
       {"config.json",
        R"({"pretrained_cfg": {"input_size": [3, 224, 224], "crop_pct": 0.95, "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711]}})",
        "224 x 224 center_even 235 clip"},
       {"config.json",
        R"({"pretrained_cfg": {"input_size": [3, 224, 224], "crop_pct": 1.0, "crop_mode": "squash", "mean": [0.1, 0.2, 0.3], "std": [1, 1, 1]}})",
        "224 x 224 squash 0 colours of its own"},
       {"open_clip_config.json",
        R"({"model_cfg": {"vision_cfg": {"image_size": 64}}, "preprocess_cfg": {}})",
        "64 x 64 center_even 0 clip"},
       {"preprocessor_config.json", R"({"size": {"height": -3, "width": "x"}})",
        "0 x 0 - 0 no colours"}}) {
    const test::TempFolder folder("preprocessing");
    folder.write(file, text);
    const auto found = published_pixels(folder.path());
    REQUIRE(found);
    std::string colours = found->colours ? "colours of its own" : "no colours";
    if (found->pixels) colours = enum_name(*found->pixels);
    if (found->pixels == PixelScale::kPlain)
      colours += str(" ", found->input_mean, " ", found->input_scale);
    CHECK(str(found->height, " x ", found->width, " ",
              found->resize ? enum_name(*found->resize) : "-", " ", found->resize_side, " ",
              colours) == lines);
  }
}

TEST_CASE("a picture whose centre is cut behind resizing has the geometry of what is seen") {
  for (const ResizeMode mode :
       {ResizeMode::kCenter, ResizeMode::kCenterEven, ResizeMode::kSquashCenter})
    for (const auto& [height, width] : {std::pair<Index, Index>{60, 80}, {81, 40}, {33, 33}}) {
      INFO(enum_name(mode) << " of " << height << " x " << width);
      const PrepareOptions options{.height = 24,
                                   .width = 24,
                                   .mode = mode,
                                   .interpolation = Interpolation::kBicubic,
                                   .side = 30};
      Image image(height, width);
      for (Index y = 0; y < height; ++y)
        for (Index x = 0; x < width; ++x)
          image.pixel(y, x)[0] = static_cast<std::uint8_t>(255 * x / width),
                         image.pixel(y, x)[1] = static_cast<std::uint8_t>(255 * y / height);
      const Prepared made = prepare(image, options);
      CHECK((made.geometry.seen.x >= 0 && made.geometry.seen.y >= 0));
      CHECK((made.geometry.seen.right() <= static_cast<double>(width) + 1e-9 &&
             made.geometry.seen.bottom() <= static_cast<double>(height) + 1e-9));
      // The colour of a cell is that of the place that the geometry says.
      for (const Index cell : {Index{0}, Index{7}, Index{15}}) {
        const Rect box = cell_box(made.geometry, {4, 4}, cell);
        const std::uint8_t* pixel = made.image.pixel(cell / 4 * 6 + 3, cell % 4 * 6 + 3);
        CHECK(std::abs(pixel[0] - 255 * (box.x + box.width / 2) / static_cast<double>(width)) < 8);
        CHECK(std::abs(pixel[1] - 255 * (box.y + box.height / 2) / static_cast<double>(height)) <
              8);
      }
      CHECK(render_input(image, made.geometry, kGreyPadding, Interpolation::kBicubic).rgb ==
            made.image.rgb);
    }
}

TEST_CASE("a cut picture has the pixels of the whole one, and a long one takes no more memory") {
  for (const auto& row : enum_table(Interpolation{})) {
    INFO(row.name);
    const auto made = [&](const Image& image, Index cols, Index rows, ResizeMode mode) {
      return prepare(image, {rows, cols, mode, kGreyPadding, row.value, 20}).image;
    };
    const Image image = test_picture(90, 37), whole = made(image, 20, 48, ResizeMode::kSquash);
    const Image cut = made(image, 16, 16, ResizeMode::kCenter);
    CHECK(std::equal(cut.pixel(8, 0), cut.pixel(8, 15) + 3, whole.pixel(24, 2)));
    CHECK(made(Image(9'000'000, 1), 16, 16, ResizeMode::kCenter).rgb == Image(16, 16).rgb);
  }
}

}  // namespace
}  // namespace saccade
