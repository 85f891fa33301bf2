// The captions of a scene: noun phrases with attributes, counts, lists and spatial relations.
// Those of scenes that move are told in scene_motion.h. Language: phrase = ("a" attributes shape |
// ("two" | "three") attributes shapes), attributes = [size] [colour] [texture]; caption = phrase
// {"and" phrase} | phrase relation phrase.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/data/scenes/scene.h"
#include "core/base/random.h"

namespace saccade {

// A noun phrase: words [begin, end) of a caption, its noun (the last word), and what it names.
struct Phrase {
  std::size_t begin = 0, end = 0;
  std::size_t noun = 0;
  std::vector<std::size_t> objects;  // indices into Scene::objects
};

struct SceneCaption {
  std::vector<std::string> words;
  std::vector<Phrase> phrases;
  std::string text() const;  // the words with one space between
};

enum class Relation : std::uint8_t { kLeft, kRight, kAbove, kBelow };
inline constexpr std::array<std::string_view, 4> kRelationWords = {
    "to the left of", "to the right of", "above", "below"};
inline constexpr std::array<std::string_view, 3> kCountWords = {"a", "two", "three"};

// Whether a is on that side of b: whether their centres differ by more than kRelationMargin * size.
// y points down.
bool holds(Relation relation, const Rect& a, const Rect& b, Index size);

// Up to `count` different true captions of a scene, drawn with `random`. Simple scenes have fewer.
std::vector<SceneCaption> describe(const Scene& scene, std::size_t count, Random& random);

// The boxes of a phrase's objects, in pixels of the picture; of a scene that moves its frames.
std::vector<Rect> boxes_of(const Scene& scene, const Phrase& phrase);

// Every word of the language, each once.
std::vector<std::string> scene_words();

}  // namespace saccade
