// Scenes that move: nothing meets or leaves the scene, every caption is true, and others are false.
#include "captioning/data/scenes/scene_motion.h"

#include "captioning/data/scenes/scene_renderer.h"
#include "captioning/data/scenes/scene_sampler.h"
#include "captioning/data/scenes/scenes_dataset.h"
#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

const ScenesDataset& moving() {
  static const ScenesDataset out =
      scenes_dataset({.seed = 3, .train = 300, .val = 50, .test = 150, .frames = 8});
  return out;
}

}  // namespace

TEST_CASE("objects of scenes that move stay inside and apart, one moves at a time") {
  std::size_t two = 0;
  for (std::size_t i = 0; i < moving().scenes.size(); ++i) {
    const Scene& scene = moving().scenes[i];
    const auto size = static_cast<double>(scene.size);
    two += scene.events.size() == 2 ? 1U : 0U;
    REQUIRE((scene.events.size() == 1 || scene.events[0].end <= scene.events[1].begin));
    for (const SceneEvent& event : scene.events)
      REQUIRE((event.begin >= 1 && event.end > event.begin && event.end <= scene.frames));
    Scene before = frame_of(scene, 0);
    for (Index t = 0; t < scene.frames; ++t) {
      const Scene now = frame_of(scene, t);
      for (std::size_t a = 0; a < now.objects.size(); ++a) {
        const Rect &box = now.objects[a].box, &was = before.objects[a].box;
        REQUIRE((box.x >= 1 && box.y >= 1 && box.right() <= size - 1 && box.bottom() <= size - 1));
        const bool moves = box.x != was.x || box.y != was.y;
        REQUIRE(moves == std::any_of(scene.events.begin(), scene.events.end(), [&](const auto& e) {
                  return e.object == a && t >= e.begin && t < e.end;
                }));
        for (std::size_t b = 0; b < a; ++b) {
          const Rect& other = now.objects[b].box;
          REQUIRE((box.x >= other.right() || other.x >= box.right() || box.y >= other.bottom() ||
                   other.y >= box.bottom()));
        }
      }
      before = now;
    }
    const bool test = i >= 350;
    REQUIRE(test == std::any_of(scene.objects.begin(), scene.objects.end(), [](const auto& o) {
              return is_held_out({o.shape, o.colour, o.size, o.texture}, UnseenKind::kTexture);
            }));
  }
  CHECK(two > 150);
}

TEST_CASE("captions of scenes that move are true, and contradicted ones are false") {
  for (std::size_t i = 0; i < moving().scenes.size(); ++i) {
    const Scene& scene = moving().scenes[i];
    for (const SceneCaption& caption : moving().captions[i]) {
      INFO(caption.text());
      const CaptionCheck check = check_caption(scene, caption.words);
      REQUIRE(check.verdict == Verdict::kTrue);
      REQUIRE(check.mentions.size() == scene.events.size());
      for (std::size_t e = 0; e < scene.events.size(); ++e) {
        const std::vector<Rect> frames = boxes_of(scene, check.mentions[e]);
        REQUIRE(frames.size() == 1);
        REQUIRE(frames[0].x == static_cast<double>(scene.events[e].begin * scene.size));
        REQUIRE(caption.words[check.mentions[e].noun] ==
                kDirectionWords[static_cast<std::size_t>(scene.events[e].direction)]);
      }
      std::vector<std::string> wrong = caption.words;
      for (std::string& word : wrong)
        word = word == "left"    ? "right"
               : word == "right" ? "left"
               : word == "up"    ? "down"
               : word == "down"  ? "up"
                                 : word;
      if (scene.events.size() == 1) REQUIRE(check_caption(scene, wrong).verdict == Verdict::kFalse);
      wrong.back() = "sideways";
      REQUIRE(check_caption(scene, wrong).verdict == Verdict::kNotParsed);
    }
  }
}

TEST_CASE(
    "the picture of a scene that moves has its frames side by side, and few frames are refused") {
  const Scene& scene = moving().scenes[0];
  const Image all = render_frames(scene), third = render(frame_of(scene, 2));
  REQUIRE((all.height == scene.size && all.width == 8 * scene.size));
  for (Index y = 0; y < scene.size; ++y)
    REQUIRE(std::equal(third.pixel(y, 0), third.pixel(y, 0) + 3 * scene.size,
                       all.pixel(y, 2 * scene.size)));
  CHECK_THROWS_AS(scenes_dataset({.train = 1, .frames = 2}), UsageError);
}

}  // namespace saccade
