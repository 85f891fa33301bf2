#include "captioning/data/scenes/scene_regions.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "captioning/data/scenes/scene_motion.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/io/base64.h"
#include "core/io/safetensors.h"

namespace saccade {

namespace {

struct SceneRegions {
  std::vector<Rect> boxes;      // in pixels of the scene
  std::vector<float> features;  // [boxes, kSceneFeatures]
};

constexpr std::uint64_t kMatrix = 3000, kBoxes = 3001;  // steps of random numbers
constexpr double kNoise = 0.25;  // standard deviation, beside numbers around 1
constexpr double kShift = 0.06;  // of an edge, as a share of the box
constexpr std::size_t kAttributes =
    kShapeWords.size() + kColourWords.size() + kSizeWords.size() + kTextureWords.size() + 1;

// [rows, width]
std::vector<double> matrix_of(std::uint64_t seed, std::size_t rows, Index width) {
  Random random({.seed = seed, .stream = Stream::kScenes, .step = kMatrix});
  std::vector<double> matrix(rows * static_cast<std::size_t>(width));
  for (double& number : matrix) number = random.normal();
  return matrix;
}

// Which attributes an object has; of background the last.
std::vector<std::size_t> attributes_of(const SceneObject* object) {
  if (object == nullptr) return {kAttributes - 1};
  const std::size_t colours = kShapeWords.size(), sizes = colours + kColourWords.size(),
                    textures = sizes + kSizeWords.size();
  return {static_cast<std::size_t>(object->shape),
          colours + static_cast<std::size_t>(object->colour),
          sizes + static_cast<std::size_t>(object->size),
          textures + static_cast<std::size_t>(object->texture)};
}

Rect common_part(const Rect& a, const Rect& b) {
  const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

// A box of the background that meets objects in little of its area; after some attempts, any.
Rect background_box(const Scene& scene, Random& random) {
  constexpr int kAttempts = 20;
  constexpr double kLittle = 0.1, kLeast = 0.15, kMost = 0.4;
  const auto size = static_cast<double>(scene.size);
  Rect box;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    box.width = size * (kLeast + (kMost - kLeast) * random.uniform());
    box.height = size * (kLeast + (kMost - kLeast) * random.uniform());
    box.x = (size - box.width) * random.uniform();
    box.y = (size - box.height) * random.uniform();
    const bool free =
        std::all_of(scene.objects.begin(), scene.objects.end(), [&](const SceneObject& object) {
          const Rect both = common_part(box, object.box);
          return both.empty() || both.width * both.height < kLittle * box.width * box.height;
        });
    if (free) break;
  }
  return box;
}

Rect shifted(const Rect& box, double size, Random& random) {
  const auto edge = [&](double at, double extent) {
    return std::clamp(at + kShift * extent * (2 * random.uniform() - 1), 0.0, size);
  };
  const double left = edge(box.x, box.width), top = edge(box.y, box.height),
               right = edge(box.right(), box.width), bottom = edge(box.bottom(), box.height);
  return {left, top, right - left, bottom - top};
}

SceneRegions regions_of(const Scene& scene, const std::vector<double>& matrix, Random random) {
  std::vector<const SceneObject*> objects;
  for (const SceneObject& object : scene.objects) objects.push_back(&object);
  const std::uint64_t distractors = 2 + random.below(3);
  objects.resize(objects.size() + distractors, nullptr);
  random.shuffle(objects);
  SceneRegions out;
  for (const SceneObject* object : objects) {
    const Rect box = object != nullptr ? object->box : background_box(scene, random);
    out.boxes.push_back(shifted(box, static_cast<double>(scene.size), random));
    const std::vector<std::size_t> attributes = attributes_of(object);
    for (Index d = 0; d < kSceneFeatures; ++d) {
      double number = kNoise * random.normal();
      for (const std::size_t attribute : attributes)
        number += matrix[attribute * kSceneFeatures + static_cast<std::size_t>(d)];
      out.features.push_back(static_cast<float>(std::max(number, 0.0)));
    }
  }
  return out;
}

Random random_of(std::uint64_t seed, std::uint64_t sample) {
  return Random({.seed = seed, .stream = Stream::kScenes, .step = kBoxes, .sample = sample});
}

std::string coded(std::span<const float> numbers) {
  return base64({reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace

std::string scene_regions_table(const ScenesDataset& scenes, std::uint64_t seed) {
  const std::vector<double> matrix = matrix_of(seed, kAttributes, kSceneFeatures);
  std::string out;
  for (std::size_t i = 0; i < scenes.scenes.size(); ++i) {
    const Scene& scene = scenes.scenes[i];
    const CaptionedImage& image = scenes.dataset.images[i];
    // The id has split and number in it, so that a larger data set begins with the smaller one.
    const SceneRegions regions = regions_of(scene, matrix, random_of(seed, name_key(image.id)));
    std::vector<float> edges;
    for (const Rect& box : regions.boxes)
      for (const double edge : {box.x, box.y, box.right(), box.bottom()})
        edges.push_back(static_cast<float>(edge));
    out += str(image.id, '\t', scene.size, '\t', scene.size, '\t', regions.boxes.size(), '\t',
               coded(edges), '\t', coded(regions.features), '\n');
  }
  return out;
}

namespace {

// The frames of one scene [frames, kFrameFeatures]: in the first half of the columns what is seen,
// in the second how it moves. Rows of the matrix are attributes, and behind them, for each of
// right, left, down and up, those of what moves so.
std::vector<float> frame_features(const Scene& scene, const std::vector<double>& matrix,
                                  Random random) {
  constexpr double kWay = 0.06;  // of the scene in a frame, which counts as 1
  constexpr std::size_t kAll = kFrameFeatures, kHalf = kAll / 2;
  std::vector<float> out;
  Scene before = frame_of(scene, 0);
  for (Index t = 0; t < scene.frames; ++t) {
    Scene now = frame_of(scene, t);
    std::vector<double> sums(kAll);
    for (double& sum : sums) sum = kNoise * random.normal();
    const auto add = [&](std::size_t row, double by, std::size_t from) {
      for (std::size_t d = from; d < from + kHalf; ++d) sums[d] += by * matrix[row * kAll + d];
    };
    for (std::size_t i = 0; i < now.objects.size(); ++i) {
      const double unit = kWay * static_cast<double>(scene.size);
      const double x = (now.objects[i].box.x - before.objects[i].box.x) / unit,
                   y = (now.objects[i].box.y - before.objects[i].box.y) / unit;
      const std::array ways{x, -x, y, -y};
      for (const std::size_t attribute : attributes_of(&now.objects[i])) {
        add(attribute, 1, 0);
        for (std::size_t k = 0; k < ways.size(); ++k)
          add((k + 1) * kAttributes + attribute, std::max(ways[k], 0.0), kHalf);
      }
    }
    for (const double sum : sums) out.push_back(static_cast<float>(std::max(sum, 0.0)));
    before = std::move(now);
  }
  return out;
}

}  // namespace

void write_scene_frames(const std::filesystem::path& file, const ScenesDataset& scenes,
                        std::uint64_t seed) {
  const std::vector<double> matrix = matrix_of(seed, 5 * kAttributes, kFrameFeatures);
  std::vector<std::vector<float>> features;
  std::vector<float> times;
  for (Index t = 0; t < scenes.scenes.front().frames; ++t)
    times.push_back(static_cast<float>(static_cast<double>(t) / kSceneFrameRate));
  std::vector<SafetensorsArray> arrays;
  for (std::size_t i = 0; i < scenes.scenes.size(); ++i) {
    const std::string& id = scenes.dataset.images[i].id;
    features.push_back(frame_features(scenes.scenes[i], matrix, random_of(seed, name_key(id))));
    arrays.push_back({.name = id + "_features",
                      .type = "F32",
                      .shape = {scenes.scenes[i].frames, kFrameFeatures},
                      .bytes = std::as_bytes(std::span(features.back()))});
    arrays.push_back({.name = id + "_times",
                      .type = "F32",
                      .shape = {scenes.scenes[i].frames},
                      .bytes = std::as_bytes(std::span(times))});
  }
  save_safetensors(file, std::move(arrays), {});
}

}  // namespace saccade
