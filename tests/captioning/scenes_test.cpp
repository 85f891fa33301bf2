// Scenes: drawn as promised and always the same; every caption is true, and contradicted ones are
// false.
#include <tuple>

#include "captioning/data/scenes/caption_checker.h"
#include "captioning/data/scenes/scene_renderer.h"
#include "captioning/data/scenes/scene_sampler.h"
#include "captioning/data/scenes/scenes_dataset.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

const ScenesDataset& scenes() {
  static const ScenesDataset out =
      scenes_dataset({.seed = 7, .train = 2000, .val = 200, .test = 800});
  return out;
}

std::string_view colour_of(const SceneObject& object) {
  return kColourWords[static_cast<std::size_t>(object.colour)];
}
std::string_view shape_of(const SceneObject& object) {
  return kShapeWords[static_cast<std::size_t>(object.shape)];
}

bool close_colour(const std::uint8_t* a, const std::uint8_t* b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) < 12;
}

}  // namespace

TEST_CASE("objects are inside, do not overlap, and are clearly on one side of each other") {
  std::size_t textured = 0, several = 0;
  for (const Scene& scene : scenes().scenes) {
    const double size = static_cast<double>(scene.size);
    REQUIRE(!scene.objects.empty());
    REQUIRE(scene.objects.size() <= 3);
    several += scene.objects.size() > 1 ? 1U : 0U;
    for (const SceneObject& object : scene.objects) {
      const Rect& a = object.box;
      REQUIRE((a.x >= 1 && a.y >= 1 && a.right() <= size - 1 && a.bottom() <= size - 1));
      REQUIRE((a.width >= 12 && a.height >= 12));
      REQUIRE((object.size == ObjectSize::kLarge) == (a.width > 18));
      textured += object.texture != ObjectTexture::kPlain ? 1U : 0U;
      REQUIRE((object.texture == ObjectTexture::kPlain || object.size == ObjectSize::kLarge));
      for (const SceneObject& other : scene.objects) {
        if (&other == &object) continue;
        const Rect& b = other.box;
        const bool overlap = a.x < b.right() + 6 && b.x < a.right() + 6 && a.y < b.bottom() + 6 &&
                             b.y < a.bottom() + 6;
        REQUIRE(!overlap);
        REQUIRE((object.shape == other.shape || object.colour != other.colour));
        for (const double d : {a.centre_x() - b.centre_x(), a.centre_y() - b.centre_y()}) {
          REQUIRE((std::abs(d) <= size / 32 || std::abs(d) >= size * 3 / 32));
        }
      }
    }
  }
  CHECK(textured > 500);
  CHECK(several > 1500);
}

TEST_CASE("held-out combinations are in every test scene and in no other") {
  for (const auto& row : enum_table(UnseenKind{})) {
    INFO(row.name);
    const ScenesDataset data =
        scenes_dataset({.train = 5000, .val = 100, .test = 300, .unseen = row.value});
    std::set<std::tuple<ObjectShape, ObjectColour, ObjectSize, ObjectTexture>> seen;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < data.scenes.size(); ++i) {
      bool any = false;
      for (const SceneObject& o : data.scenes[i].objects) {
        const ObjectKind kind = {
            .shape = o.shape, .colour = o.colour, .size = o.size, .texture = o.texture};
        any = any || is_held_out(kind, row.value);
        if (data.dataset.images[i].split != Split::kTest)
          seen.insert({o.shape, o.colour, o.size, o.texture});
      }
      wrong += any != (data.dataset.images[i].split == Split::kTest) ? 1U : 0U;
    }
    CHECK(wrong == 0);
    // Everything else is shown: 7 shapes in 6 colours, small and plain or large in 4 textures.
    const std::size_t held_out = row.value == UnseenKind::kTexture ? 12
                                 : row.value == UnseenKind::kSize  ? 6 * 4
                                                                   : 6 * 5;
    CHECK(seen.size() == 7 * 6 * 5 - held_out);
  }
}

TEST_CASE("scenes depend on seed, split and number only") {
  const ScenesDataset again = scenes_dataset({.seed = 7, .train = 50, .val = 20, .test = 20});
  const ScenesDataset other = scenes_dataset({.seed = 8, .train = 50, .val = 20, .test = 20});
  for (std::size_t i = 0; i < 50; ++i) {
    REQUIRE(again.dataset.images[i].captions == scenes().dataset.images[i].captions);
    REQUIRE(render(again.scenes[i]).rgb == render(scenes().scenes[i]).rgb);
  }
  REQUIRE(again.dataset.images[70].captions == scenes().dataset.images[2200].captions);
  CHECK(again.dataset.images[0].captions != other.dataset.images[0].captions);
  CHECK(again.dataset.digest != other.dataset.digest);
  CHECK(again.dataset.digest != scenes().dataset.digest);
  CHECK(scenes_dataset({.seed = 7, .train = 50, .val = 20, .test = 20}).dataset.digest ==
        again.dataset.digest);
}

TEST_CASE("an object fills its box and nothing outside it") {
  for (std::size_t shape = 0; shape < kShapeWords.size(); ++shape) {
    for (const Index size : {64, 200}) {
      Scene scene;
      scene.size = size;
      scene.background.tones[0] = {0.5, 0.5, 0.5};
      const Image empty = render(scene);
      const double unit = static_cast<double>(size) / 64;
      scene.objects.push_back({.shape = static_cast<ObjectShape>(shape),
                               .rgb = {0.9, 0.1, 0.1},
                               .box = {10.25 * unit, 20.5 * unit, 24 * unit, 24 * unit}});
      const Image image = render(scene);
      double left = 1e9, right = -1, top = 1e9, bottom = -1;
      for (Index y = 0; y < size; ++y) {
        for (Index x = 0; x < size; ++x) {
          if (close_colour(image.pixel(y, x), empty.pixel(y, x))) continue;
          left = std::min(left, static_cast<double>(x));
          right = std::max(right, static_cast<double>(x + 1));
          top = std::min(top, static_cast<double>(y));
          bottom = std::max(bottom, static_cast<double>(y + 1));
        }
      }
      INFO(kShapeWords[shape] << " at " << size);
      const Rect& box = scene.objects[0].box;
      const double slack = 1 + 0.03 * box.width;  // the points of a star are thin
      CHECK((left > box.x - 1 && left < box.x + slack));
      CHECK((right < box.right() + 1 && right > box.right() - slack));
      CHECK((top > box.y - 1 && top < box.y + slack));
      CHECK((bottom < box.bottom() + 1 && bottom > box.bottom() - slack));
    }
  }
}

TEST_CASE(
    "every caption is true of its scene, and its phrases name the objects they were made for") {
  const std::vector<std::string> language = scene_words();
  const std::set<std::string> words(language.begin(), language.end());
  CHECK(words.size() == language.size());
  CHECK(words.size() <= 40);
  for (std::size_t i = 0; i < scenes().scenes.size(); ++i) {
    REQUIRE(!scenes().captions[i].empty());
    for (const SceneCaption& caption : scenes().captions[i]) {
      const CaptionCheck check = check_caption(scenes().scenes[i], caption.words);
      INFO(caption.text() << ": " << check.reason);
      REQUIRE(check.verdict == Verdict::kTrue);
      REQUIRE(check.mentions.size() == caption.phrases.size());
      for (std::size_t k = 0; k < check.mentions.size(); ++k) {
        const Phrase &written = caption.phrases[k], &parsed = check.mentions[k];
        REQUIRE((written.begin == parsed.begin && written.end == parsed.end &&
                 written.noun == parsed.noun));
        REQUIRE(written.objects == parsed.objects);
        REQUIRE(boxes_of(scenes().scenes[i], written).size() == written.objects.size());
      }
      for (const std::string& word : caption.words) REQUIRE(words.count(word) == 1);
    }
  }
}

TEST_CASE("a caption that its scene contradicts is false") {
  std::size_t colours = 0, shapes = 0, counts = 0, relations = 0;
  for (std::size_t i = 0; i < scenes().scenes.size(); ++i) {
    const Scene& scene = scenes().scenes[i];
    std::string colour, shape;  // those that no object has
    for (const std::string_view word : kColourWords) {
      const auto& all = scene.objects;
      if (std::none_of(all.begin(), all.end(), [&](const auto& o) { return colour_of(o) == word; }))
        colour = word;
    }
    for (const std::string_view word : kShapeWords) {
      const auto& all = scene.objects;
      if (std::none_of(all.begin(), all.end(), [&](const auto& o) { return shape_of(o) == word; }))
        shape = word;
    }
    const auto expect_false = [&](const std::vector<std::string>& words, std::size_t& counter) {
      const CaptionCheck check = check_caption(scene, words);
      SceneCaption caption;
      caption.words = words;
      INFO(caption.text());
      REQUIRE(check.verdict == Verdict::kFalse);
      REQUIRE(!check.reason.empty());
      ++counter;
    };
    for (const SceneCaption& caption : scenes().captions[i]) {
      for (const Phrase& phrase : caption.phrases) {
        auto words = caption.words;
        for (std::size_t w = phrase.begin; w < phrase.end; ++w) {
          if (std::find(kColourWords.begin(), kColourWords.end(), words[w]) == kColourWords.end())
            continue;
          words[w] = colour;
          expect_false(words, colours);
          words = caption.words;
        }
        if (phrase.objects.size() == 1) {
          words[phrase.noun] = shape;
          expect_false(words, shapes);
        } else {
          words[phrase.begin] = phrase.objects.size() == 2 ? "three" : "two";
          expect_false(words, counts);
        }
      }
      static const std::vector<std::pair<std::string, std::string>> opposites = {
          {"left", "right"}, {"right", "left"}, {"above", "below"}, {"below", "above"}};
      for (const auto& [one, other] : opposites) {
        const auto found = std::find(caption.words.begin(), caption.words.end(), one);
        if (found == caption.words.end()) continue;
        auto words = caption.words;
        words[static_cast<std::size_t>(found - caption.words.begin())] = other;
        expect_false(words, relations);
      }
    }
  }
  CHECK(std::min({colours, shapes, counts, relations}) > 1000);
}

TEST_CASE("the checker agrees with a plain reading of every simple claim") {
  const auto split = [](const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  };
  std::size_t agreed_true = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const Scene& scene = scenes().scenes[i];
    std::vector<std::string> names;
    for (const std::string_view colour : kColourWords) {
      for (const std::string_view shape : kShapeWords) names.push_back(str(colour, " ", shape));
    }
    const auto is = [&](const SceneObject& o, const std::string& name) {
      return str(colour_of(o), " ", shape_of(o)) == name;
    };
    for (const std::string& a : names) {
      const auto fits = [&](const SceneObject& o) { return is(o, a); };
      const auto count = std::count_if(scene.objects.begin(), scene.objects.end(), fits);
      REQUIRE((check_caption(scene, split("a " + a)).verdict == Verdict::kTrue) == (count >= 1));
      const std::string plural = a + (a.ends_with("cross") ? "es" : "s");
      REQUIRE((check_caption(scene, split("two " + plural)).verdict == Verdict::kTrue) ==
              (count == 2));
      for (const std::string& b : names) {
        bool left = false, below = false;
        for (const SceneObject& p : scene.objects) {
          for (const SceneObject& q : scene.objects) {
            if (&p == &q || !is(p, a) || !is(q, b)) continue;
            left = left || p.box.centre_x() + 4 < q.box.centre_x();
            below = below || p.box.centre_y() > q.box.centre_y() + 4;
          }
        }
        const auto truth = [&](const char* relation) {
          return check_caption(scene, split("a " + a + relation + b)).verdict == Verdict::kTrue;
        };
        if (left != truth(" to the left of a ") || below != truth(" below a ")) {
          FAIL("a " << a << " and a " << b << " in scene " << i);
        }
        agreed_true += (left ? 1U : 0U) + (below ? 1U : 0U);
      }
    }
  }
  CHECK(agreed_true > 50);
}

TEST_CASE("lists name different objects") {
  Scene scene;
  scene.objects = {{.shape = ObjectShape::kCircle, .box = {5, 5, 14, 14}},
                   {.shape = ObjectShape::kStar, .box = {40, 40, 14, 14}}};
  const auto verdict = [&](std::vector<std::string> words) {
    return check_caption(scene, words).verdict;
  };
  CHECK(verdict({"a", "circle", "and", "a", "star"}) == Verdict::kTrue);
  CHECK(verdict({"a", "star", "and", "a", "red", "circle"}) == Verdict::kTrue);
  CHECK(verdict({"a", "circle", "and", "a", "circle"}) == Verdict::kFalse);
  CHECK(verdict({"a", "circle", "and", "a", "star", "and", "a", "star"}) == Verdict::kFalse);
  CHECK(verdict({"a", "small", "red", "star"}) == Verdict::kTrue);
  CHECK(verdict({"a", "red", "small", "star"}) == Verdict::kTrue);
  CHECK(verdict({"a", "red", "red", "star"}) == Verdict::kNotParsed);
  CHECK(verdict({"a", "stars"}) == Verdict::kNotParsed);
  CHECK(verdict({"two", "star"}) == Verdict::kNotParsed);
  CHECK(verdict({"a", "star", "to", "the", "left", "a", "circle"}) == Verdict::kNotParsed);
  CHECK(verdict({"a", "star", "above"}) == Verdict::kNotParsed);
  CHECK(verdict({}) == Verdict::kNotParsed);
}

TEST_CASE("any word sequence gets a verdict") {
  std::vector<std::string> words = scene_words();
  words.insert(words.end(), {"<unk>", "", "dog", "\xff"});
  Random random({.seed = 3});
  std::size_t parsed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<std::string> caption(random.below(12));
    for (std::string& word : caption) word = words[random.below(words.size())];
    const CaptionCheck check = check_caption(scenes().scenes[random.below(100)], caption);
    parsed += check.verdict != Verdict::kNotParsed ? 1U : 0U;
    REQUIRE((check.verdict == Verdict::kTrue) == check.reason.empty());
  }
  CHECK(parsed < 500);
  const std::vector<std::string> endless(10000, "and");
  CHECK(check_caption(scenes().scenes[0], endless).verdict == Verdict::kNotParsed);
}

TEST_CASE("scenes refuse options out of range") {
  CHECK_THROWS_AS(scenes_dataset({.train = 0, .val = 0, .test = 0}), UsageError);
  CHECK_THROWS_AS(scenes_dataset({.train = -1}), UsageError);
  CHECK_THROWS_AS(scenes_dataset({.size = 8}), UsageError);
  CHECK_THROWS_AS(scenes_dataset({.objects_max = 4}), UsageError);
  CHECK_THROWS_AS(scenes_dataset({.captions = 0}), UsageError);
}

}  // namespace saccade
