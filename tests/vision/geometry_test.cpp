// From the photo to the network's input and back: the same cell, whatever was cut or mirrored.
#include "vision/geometry.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/vision/pictures.h"
#include "vision/augment.h"

namespace saccade {
namespace {

// A picture that is black but for a white box.
Image spot(Index height, Index width, const Rect& box) {
  Image image(height, width);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x)
      if (static_cast<double>(x) >= box.x && static_cast<double>(x) < box.right() &&
          static_cast<double>(y) >= box.y && static_cast<double>(y) < box.bottom())
        std::fill(image.pixel(y, x), image.pixel(y, x) + 3, std::uint8_t{255});
  return image;
}

// The brightest cell of a network image under a grid.
Index brightest(const Image& image, Index rows, Index cols) {
  std::vector<double> light(static_cast<std::size_t>(rows * cols));
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x)
      light[static_cast<std::size_t>(y * rows / image.height * cols + x * cols / image.width)] +=
          image.pixel(y, x)[0];
  return std::max_element(light.begin(), light.end()) - light.begin();
}

TEST_CASE("prepare: sizes, and what the network saw") {
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

TEST_CASE("extreme pictures keep their shape") {
  for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {1, 900}, {900, 1}, {3, 5}}) {
    for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop}) {
      const Prepared out =
          prepare(Image(height, width, 77), {.height = 32, .width = 32, .mode = mode});
      CHECK(difference(out.image, Image(32, 32, 77)) == 0);
    }
  }
}

TEST_CASE("a cell's box lands in that cell") {
  int wrong = 0, checked = 0;
  Random random({.seed = 3, .stream = Stream::kTest});
  for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop}) {
    for (const auto& [rows, cols] : {std::pair<Index, Index>{7, 7}, {1, 49}, {4, 9}}) {
      for (const auto& [height, width] : {std::pair<Index, Index>{240, 360}, {500, 200}}) {
        Geometry geometry =
            plan_geometry(height, width, {.height = 196, .width = 196, .mode = mode});
        for (int i = 0; i < 4; ++i) {
          geometry.mirrored = i % 2 == 1;
          const auto cell =
              static_cast<Index>(random.below(static_cast<std::uint64_t>(rows * cols)));
          const Rect box = cell_box(geometry, rows, cols, cell);
          ++checked;
          if (brightest(render_input(spot(height, width, box), geometry), rows, cols) != cell)
            ++wrong;
          if (cell_at(geometry, rows, cols, box.x + box.width / 2, box.y + box.height / 2) != cell)
            ++wrong;
        }
      }
    }
  }
  CHECK(checked == 48);
  CHECK(wrong == 0);
  const Geometry crop =
      plan_geometry(100, 200, {.height = 50, .width = 50, .mode = ResizeMode::kCrop});
  CHECK(cell_at(crop, 5, 5, 49, 50) == -1);
  CHECK(cell_at(crop, 5, 5, 151, 50) == -1);
  CHECK_THROWS_AS(cell_box(crop, 5, 5, 25), ShapeError);
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

TEST_CASE("augmentation: keyed, kept in the geometry, and off when it is off") {
  const Image image = test_picture(60, 80);
  const PrepareOptions options{.height = 32, .width = 32, .mode = ResizeMode::kCrop};
  const AugmentOptions all{.flip = 0.5,
                           .smallest_crop = 0.6,
                           .shift = 0.2,
                           .brightness = 0.3,
                           .contrast = 0.3,
                           .saturation = 0.3};
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
        image, options, {.flip = 0.5, .smallest_crop = 0.6, .shift = 0.2}, key(epoch, 2));
    REQUIRE(plain.geometry.seen.x == out.geometry.seen.x);  // colour does not move the crop
    REQUIRE(render_input(image, plain.geometry).rgb == plain.image.rgb);
  }
  CHECK(mirrored > 30);
  CHECK(mirrored < 70);
  CHECK(outside > 0);
  CHECK(same == 0);
  CHECK_THROWS_AS(prepare_augmented(image, options, {.flip = 1.5}, key(0, 0)), UsageError);
  CHECK_THROWS_AS(prepare_augmented(image, options, {.shift = std::nan("")}, key(0, 0)),
                  UsageError);
}

}  // namespace
}  // namespace saccade
