#include "captioning/data/scenes/caption_grammar.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "captioning/data/scenes/scene_motion.h"
#include "captioning/data/scenes/scene_sampler.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

// Objects that are named together: all of one shape, or all of one shape and colour.
struct Group {
  std::vector<std::size_t> objects;
  bool one_colour = true;
};

template <class Enum>
std::size_t at(Enum value) {
  return static_cast<std::size_t>(value);
}

void append(std::vector<std::string>& words, std::string_view text) {
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) words.push_back(word);
}

// Writes a group's phrase. Size and texture are named sometimes, where all its objects share them.
// The colour is always named if only it distinguishes the group from other objects of its shape.
void say(const Scene& scene, const Group& group, Random& random, SceneCaption& caption) {
  const SceneObject& first = scene.objects[group.objects.front()];
  const auto all = [&](auto member) {
    return std::all_of(group.objects.begin(), group.objects.end(),
                       [&](std::size_t i) { return scene.objects[i].*member == first.*member; });
  };
  const bool with_size = random.uniform() < 0.35 && all(&SceneObject::size);
  const bool with_texture = random.uniform() < 0.35 && all(&SceneObject::texture) &&
                            first.texture != ObjectTexture::kPlain;
  const auto of_shape = static_cast<std::size_t>(
      std::count_if(scene.objects.begin(), scene.objects.end(),
                    [&](const SceneObject& object) { return object.shape == first.shape; }));
  const bool with_colour =
      group.one_colour && (of_shape > group.objects.size() || random.uniform() < 0.75);
  Phrase phrase;
  phrase.begin = caption.words.size();
  phrase.objects = group.objects;
  const std::size_t count = group.objects.size();
  append(caption.words, kCountWords[count - 1]);
  if (with_size) append(caption.words, kSizeWords[at(first.size)]);
  if (with_colour) append(caption.words, kColourWords[at(first.colour)]);
  if (with_texture) append(caption.words, kTextureWords[at(first.texture)]);
  append(caption.words, (count == 1 ? kShapeWords : kShapePlurals)[at(first.shape)]);
  phrase.end = caption.words.size();
  phrase.noun = phrase.end - 1;
  caption.phrases.push_back(std::move(phrase));
}

// Puts equal objects into groups. Objects of one shape but several colours become one group half
// the time.
std::vector<Group> make_groups(const Scene& scene, Random& random) {
  std::vector<Group> groups;
  std::array<std::optional<bool>, kShapeWords.size()> by_shape;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const SceneObject& object = scene.objects[i];
    std::optional<bool>& together = by_shape[at(object.shape)];
    if (!together) together = random.uniform() < 0.5;
    const auto same = [&](const Group& group) {
      const SceneObject& other = scene.objects[group.objects.front()];
      return other.shape == object.shape && (*together || other.colour == object.colour);
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({.objects = {i}});
    } else {
      if (scene.objects[found->objects.front()].colour != object.colour) found->one_colour = false;
      found->objects.push_back(i);
    }
  }
  // From left to right, as one reads.
  const auto left = [&](const Group& group) {
    double sum = 0;
    for (const std::size_t i : group.objects) sum += scene.objects[i].box.centre_x();
    return sum / static_cast<double>(group.objects.size());
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const Group& a, const Group& b) { return left(a) < left(b); });
  return groups;
}

// The relation that a person would name first: along the axis on which every pair is farthest
// apart.
std::optional<Relation> natural_relation(const Scene& scene, const Group& a, const Group& b) {
  std::optional<Relation> common;
  for (const std::size_t i : a.objects) {
    for (const std::size_t j : b.objects) {
      const Rect &p = scene.objects[i].box, &q = scene.objects[j].box;
      const double dx = p.centre_x() - q.centre_x(), dy = p.centre_y() - q.centre_y();
      const Relation relation = std::abs(dx) >= std::abs(dy)
                                    ? (dx < 0 ? Relation::kLeft : Relation::kRight)
                                    : (dy < 0 ? Relation::kAbove : Relation::kBelow);
      if (!holds(relation, p, q, scene.size)) return std::nullopt;
      if (common && *common != relation) return std::nullopt;
      common = relation;
    }
  }
  return common;
}

SceneCaption describe_once(const Scene& scene, Random& random) {
  const std::vector<Group> groups = make_groups(scene, random);
  SceneCaption caption;
  if (groups.size() > 1 && random.uniform() < 0.5) {
    const std::size_t a = random.below(groups.size());
    const std::size_t b = (a + 1 + random.below(groups.size() - 1)) % groups.size();
    if (const auto relation = natural_relation(scene, groups[a], groups[b])) {
      say(scene, groups[a], random, caption);
      append(caption.words, kRelationWords[at(*relation)]);
      say(scene, groups[b], random, caption);
      return caption;
    }
  }
  for (const Group& group : groups) {
    if (!caption.words.empty()) append(caption.words, "and");
    say(scene, group, random, caption);
  }
  return caption;
}

}  // namespace

std::string SceneCaption::text() const { return join(words, " "); }

bool holds(Relation relation, const Rect& a, const Rect& b, Index size) {
  const double margin = kRelationMargin * static_cast<double>(size);
  const double dx = a.centre_x() - b.centre_x(), dy = a.centre_y() - b.centre_y();
  switch (relation) {
    case Relation::kLeft:
      return dx < -margin;
    case Relation::kRight:
      return dx > margin;
    case Relation::kAbove:
      return dy < -margin;
    case Relation::kBelow:
      return dy > margin;
  }
  return false;
}

std::vector<SceneCaption> describe(const Scene& scene, std::size_t count, Random& random) {
  if (scene.moves()) return describe_motion(scene, count, random);
  std::vector<SceneCaption> out;
  // A scene with one object has two to four different captions: this stops when no new ones turn
  // up.
  for (std::size_t attempt = 0; attempt < 4 * count && out.size() < count; ++attempt) {
    SceneCaption caption = describe_once(scene, random);
    const bool fresh = std::none_of(out.begin(), out.end(), [&](const SceneCaption& other) {
      return other.words == caption.words;
    });
    if (fresh) out.push_back(std::move(caption));
  }
  return out;
}

std::vector<Rect> boxes_of(const Scene& scene, const Phrase& phrase) {
  if (scene.moves()) return frames_of(scene, phrase);
  std::vector<Rect> out;
  for (const std::size_t i : phrase.objects) out.push_back(scene.objects[i].box);
  return out;
}

std::vector<std::string> scene_words() {
  std::vector<std::string> out;
  const auto add = [&](std::string_view text) {
    std::vector<std::string> words;
    append(words, text);
    for (const std::string& word : words) {
      if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
    }
  };
  for (const std::string_view word : kCountWords) add(word);
  for (const std::string_view word : kSizeWords) add(word);
  for (const std::string_view word : kColourWords) add(word);
  for (const std::string_view word : kTextureWords) add(word);
  for (const std::string_view word : kShapeWords) add(word);
  for (const std::string_view word : kShapePlurals) add(word);
  for (const std::string_view word : kRelationWords) add(word);
  add("and");
  return out;
}

}  // namespace saccade
