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

enum class Direction : std::uint8_t { kLeft, kRight, kUp, kDown };
inline constexpr std::array<std::string_view, 4> kDirectionWords = {"left", "right", "up", "down"};
inline constexpr std::string_view kMotionVerb = "moves", kMotionJoin = "then";

// An object moves in the frames [begin, end); before and after it stands still.
struct SceneEvent {
  std::size_t object = 0;
  Direction direction = Direction::kLeft;
  double way = 0;  // pixels of the scene
  Index begin = 0, end = 0;
};

struct Scene {
  Index size = 64;  // height and width, pixels
  Background background;
  std::vector<SceneObject> objects;  // as they stand in the first frame
  Index frames = 1;                  // side by side in the picture of a scene that moves
  std::vector<SceneEvent> events{};  // in the order of time; none where the scene stands still

  bool moves() const { return frames > 1; }
};

}  // namespace saccade
