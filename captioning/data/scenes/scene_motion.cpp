#include "captioning/data/scenes/scene_motion.h"

#include <algorithm>
#include <optional>

#include "captioning/data/scenes/caption_parser.h"
#include "captioning/data/scenes/scene_renderer.h"
#include "captioning/data/scenes/scene_sampler.h"
#include "core/base/error.h"
#include "vision/images/film_strip.h"

namespace saccade {

namespace {

constexpr double kLeastWay = 0.12, kMostWay = 0.25;  // of an event, as shares of the scene
constexpr double kGap = 1.0 / 32;                    // between objects

// The box that lies this far in a direction.
Rect moved(Rect box, Direction direction, double way) {
  switch (direction) {
    case Direction::kLeft:
      box.x -= way;
      break;
    case Direction::kRight:
      box.x += way;
      break;
    case Direction::kUp:
      box.y -= way;
      break;
    case Direction::kDown:
      box.y += way;
      break;
  }
  return box;
}

// How much of an event's way lies behind its object in a frame, from 0 to 1.
double progress(const SceneEvent& event, Index frame) {
  const auto length = static_cast<double>(event.end - event.begin);
  return std::clamp(static_cast<double>(frame - event.begin + 1) / length, 0.0, 1.0);
}

Rect around(const Rect& a, const Rect& b) {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

bool meet(const Rect& a, const Rect& b, double gap) {
  return a.x < b.right() + gap && b.x < a.right() + gap && a.y < b.bottom() + gap &&
         b.y < a.bottom() + gap;
}

// Whether an object of `boxes` can move so far without leaving the scene or meeting another.
bool free_way(std::span<const Rect> boxes, const SceneEvent& event, double size) {
  const Rect &from = boxes[event.object], to = moved(from, event.direction, event.way);
  const double edge = size / 64;
  if (to.x < edge || to.y < edge || to.right() > size - edge || to.bottom() > size - edge)
    return false;
  const Rect swept = around(from, to);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (i != event.object && meet(swept, boxes[i], kGap * size)) return false;
  return true;
}

// Chooses what moves where, from those that can; false: nothing can.
bool choose_way(std::span<const Rect> boxes, double size, Random& random, SceneEvent& event) {
  std::vector<SceneEvent> free;
  for (std::size_t object = 0; object < boxes.size(); ++object)
    for (std::size_t d = 0; d < kDirectionWords.size(); ++d) {
      SceneEvent one = event;
      one.object = object;
      one.direction = static_cast<Direction>(d);
      one.way = size * (kLeastWay + (kMostWay - kLeastWay) * random.uniform());
      if (!free_way(boxes, one, size)) one.way = size * kLeastWay;
      if (free_way(boxes, one, size)) free.push_back(one);
    }
  if (free.empty()) return false;
  event = free[random.below(free.size())];
  return true;
}

bool sample_events(Scene& scene, Random& random) {
  scene.events.clear();
  constexpr Index kForTwo = 5;  // frames
  const auto count = scene.frames < kForTwo ? Index{1} : 1 + static_cast<Index>(random.below(2));
  const Index slot = (scene.frames - 1) / count;
  std::vector<Rect> boxes;
  for (const SceneObject& object : scene.objects) boxes.push_back(object.box);
  for (Index i = 0; i < count; ++i) {
    const Index length = std::min(slot, 2 + static_cast<Index>(random.below(2)));
    SceneEvent event;
    event.begin = 1 + i * slot +
                  static_cast<Index>(random.below(static_cast<std::uint64_t>(slot - length + 1)));
    event.end = event.begin + length;
    if (!choose_way(boxes, static_cast<double>(scene.size), random, event)) return false;
    boxes[event.object] = moved(boxes[event.object], event.direction, event.way);
    scene.events.push_back(event);
  }
  return true;
}

void append_word(std::vector<std::string>& words, std::string_view word) {
  if (!word.empty()) words.emplace_back(word);
}

struct ToldEvent {
  Description what;
  Direction direction;
  Phrase phrase;
};

// The events that a caption tells, or nothing and the first word that does not fit.
std::optional<std::vector<ToldEvent>> parse_events(std::span<const std::string> words,
                                                   std::string& problem) {
  std::vector<ToldEvent> out;
  std::size_t begin = 0;
  const auto fail = [&](std::size_t at, const std::string& expected) {
    problem = at < words.size()
                  ? str("word ", at + 1, ": expected ", expected, ", got '", words[at], "'")
                  : str("the caption ends where ", expected, " was expected");
    return std::nullopt;
  };
  for (;;) {
    const auto verb =
        std::find(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), kMotionVerb);
    const auto at = static_cast<std::size_t>(verb - words.begin());
    const auto noun = parse_caption(words.subspan(begin, at - begin), problem);
    if (!noun) return std::nullopt;
    if (noun->phrases.size() != 1 || noun->phrases[0].count != 1)
      return fail(begin, "one object that moves");
    if (at == words.size()) return fail(at, str("'", kMotionVerb, "'"));
    const auto direction = at + 1 < words.size() ? std::find(kDirectionWords.begin(),
                                                             kDirectionWords.end(), words[at + 1])
                                                 : kDirectionWords.end();
    if (direction == kDirectionWords.end()) return fail(at + 1, "a direction");
    out.push_back({.what = noun->phrases[0],
                   .direction = static_cast<Direction>(direction - kDirectionWords.begin()),
                   .phrase = {.begin = at, .end = at + 2, .noun = at + 1, .objects = {}}});
    begin = at + 2;
    if (begin == words.size()) return out;
    if (words[begin] != kMotionJoin) return fail(begin, str("'", kMotionJoin, "'"));
    ++begin;
  }
}

}  // namespace

void add_motion(Scene& scene, Index frames, UnseenKind unseen, Random& random) {
  scene.frames = frames;
  while (!sample_events(scene, random)) {
    SACCADE_ASSERT(scene.objects.size() > 1, "a single object cannot move");
    const auto known =
        std::find_if(scene.objects.rbegin(), scene.objects.rend(), [&](const SceneObject& object) {
          return !is_held_out({object.shape, object.colour, object.size, object.texture}, unseen);
        });
    scene.objects.erase(known == scene.objects.rend() ? scene.objects.end() - 1
                                                      : std::next(known).base());
  }
}

Scene frame_of(const Scene& scene, Index frame) {
  Scene out = scene;
  out.frames = 1;
  out.events.clear();
  for (const SceneEvent& event : scene.events) {
    Rect& box = out.objects[event.object].box;
    box = moved(box, event.direction, event.way * progress(event, frame));
  }
  return out;
}

Image render_frames(const Scene& scene) {
  std::vector<Image> frames;
  for (Index t = 0; t < scene.frames; ++t) frames.push_back(render(frame_of(scene, t)));
  return film_strip(frames);
}

std::vector<SceneCaption> describe_motion(const Scene& scene, std::size_t count, Random& random) {
  std::vector<SceneCaption> out;
  for (std::size_t attempt = 0; attempt < 4 * count && out.size() < count; ++attempt) {
    SceneCaption caption;
    for (std::size_t e = 0; e < scene.events.size(); ++e) {
      const SceneObject& object = scene.objects[scene.events[e].object];
      if (e > 0) append_word(caption.words, kMotionJoin);
      append_word(caption.words, kCountWords[0]);
      if (random.uniform() < 0.35)
        append_word(caption.words, kSizeWords[static_cast<std::size_t>(object.size)]);
      append_word(caption.words, kColourWords[static_cast<std::size_t>(object.colour)]);
      if (random.uniform() < 0.35)
        append_word(caption.words, kTextureWords[static_cast<std::size_t>(object.texture)]);
      append_word(caption.words, kShapeWords[static_cast<std::size_t>(object.shape)]);
      const std::size_t verb = caption.words.size();
      append_word(caption.words, kMotionVerb);
      append_word(caption.words,
                  kDirectionWords[static_cast<std::size_t>(scene.events[e].direction)]);
      caption.phrases.push_back({.begin = verb, .end = verb + 2, .noun = verb + 1, .objects = {e}});
    }
    const bool said = std::any_of(out.begin(), out.end(), [&](const SceneCaption& other) {
      return other.words == caption.words;
    });
    if (!said) out.push_back(std::move(caption));
  }
  return out;
}

std::vector<Rect> frames_of(const Scene& scene, const Phrase& phrase) {
  const auto size = static_cast<double>(scene.size);
  std::vector<Rect> out;
  for (const std::size_t e : phrase.objects) {
    const SceneEvent& event = scene.events[e];
    out.push_back({static_cast<double>(event.begin) * size, 0,
                   static_cast<double>(event.end - event.begin) * size, size});
  }
  return out;
}

CaptionCheck check_motion(const Scene& scene, std::span<const std::string> words) {
  CaptionCheck out;
  const auto told = parse_events(words, out.reason);
  if (!told) return out;
  const auto fits = [&](const ToldEvent& one, const SceneEvent& event) {
    return one.direction == event.direction && one.what.fits(scene.objects[event.object]);
  };
  std::vector<std::size_t> matched;
  std::size_t next = 0;
  for (const ToldEvent& one : *told) {
    Phrase mention = one.phrase;
    for (std::size_t e = 0; e < scene.events.size(); ++e)
      if (fits(one, scene.events[e])) mention.objects.push_back(e);
    while (next < scene.events.size() && !fits(one, scene.events[next])) ++next;
    if (next < scene.events.size()) {
      matched.push_back(next++);
    } else if (out.reason.empty()) {
      out.reason = str("word ", one.phrase.noun + 1, ": nothing moves so then");
    }
    out.mentions.push_back(std::move(mention));
  }
  out.verdict = out.reason.empty() ? Verdict::kTrue : Verdict::kFalse;
  for (std::size_t i = 0; out.reason.empty() && i < matched.size(); ++i)
    out.mentions[i].objects = {matched[i]};
  return out;
}

}  // namespace saccade
