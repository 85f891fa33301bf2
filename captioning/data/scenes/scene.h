// Scene: what the built-in data set draws and describes: a few objects on a background. The names
// of shapes, colours, sizes and textures are the words of its language.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/real.h"
#include "vision/images/rect.h"

namespace saccade {

enum class ObjectShape : std::uint8_t { kCircle, kSquare, kTriangle, kStar, kCross, kRing, kHeart };
enum class ObjectColour : std::uint8_t { kRed, kYellow, kGreen, kCyan, kBlue, kPurple };
enum class ObjectSize : std::uint8_t { kSmall, kLarge };
enum class ObjectTexture : std::uint8_t { kPlain, kStriped, kDotted, kCheckered };
enum class BackgroundKind : std::uint8_t { kPlain, kGradient, kNoise, kBlobs };

// The words, in the order of the enumerators. Plain is the texture that captions never mention.
inline constexpr std::array<std::string_view, 7> kShapeWords = {
    "circle", "square", "triangle", "star", "cross", "ring", "heart"};
inline constexpr std::array<std::string_view, 7> kShapePlurals = {
    "circles", "squares", "triangles", "stars", "crosses", "rings", "hearts"};
inline constexpr std::array<std::string_view, 6> kColourWords = {"red",  "yellow", "green",
                                                                 "cyan", "blue",   "purple"};
inline constexpr std::array<std::string_view, 2> kSizeWords = {"small", "large"};
inline constexpr std::array<std::string_view, 4> kTextureWords = {"", "striped", "dotted",
                                                                  "checkered"};

using Rgb = std::array<double, 3>;  // 0..1

struct SceneObject {
  ObjectShape shape = ObjectShape::kCircle;
  ObjectColour colour = ObjectColour::kRed;
  ObjectSize size = ObjectSize::kSmall;
  ObjectTexture texture = ObjectTexture::kPlain;
  Rgb rgb{};  // the tone of its colour in this scene
  Rect box;   // tight, in pixels of the scene
};

struct Background {
  BackgroundKind kind = BackgroundKind::kPlain;
  std::array<Rgb, 2> tones{};  // muted
  double angle = 0;            // of a gradient, radians
  std::uint64_t seed = 0;      // of noise and blobs
};

struct Scene {
  Index size = 64;  // height and width, pixels
  Background background;
  std::vector<SceneObject> objects;
};

}  // namespace saccade
