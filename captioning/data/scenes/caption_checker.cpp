#include "captioning/data/scenes/caption_checker.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_grammar.h"
#include "captioning/data/scenes/scene_motion.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// What a noun phrase demands.
struct Description {
  Phrase phrase;  // the range of its words and its noun; its objects are left empty
  std::size_t count = 1;
  ObjectShape shape = ObjectShape::kCircle;
  std::optional<ObjectColour> colour;
  std::optional<ObjectSize> size;
  std::optional<ObjectTexture> texture;

  bool fits(const SceneObject& object) const {
    return object.shape == shape && (!colour || object.colour == *colour) &&
           (!size || object.size == *size) && (!texture || object.texture == *texture);
  }
};

struct ParsedCaption {
  std::vector<Description> phrases;
  std::optional<Relation> relation;  // of exactly two phrases; without one, the phrases are a list
};

template <std::size_t N>
std::optional<std::size_t> find(const std::array<std::string_view, N>& names,
                                const std::string& word) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end() || word.empty()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// Reads a caption in the language of scenes.
class Parser {
 public:
  explicit Parser(std::span<const std::string> words) : words_(words) {}

  std::optional<ParsedCaption> parse() {
    ParsedCaption out;
    if (!phrase(out)) return std::nullopt;
    if (done()) return out;
    if ((out.relation = relation())) {
      if (!phrase(out)) return std::nullopt;
    } else {
      while (take("and")) {
        if (!phrase(out)) return std::nullopt;
      }
    }
    if (!done()) return fail("the end"), std::nullopt;
    return out;
  }
  const std::string& problem() const { return problem_; }

 private:
  bool done() const { return next_ == words_.size(); }
  bool fail(std::string_view expected) {
    problem_ =
        done() ? str("the caption ends where ", expected, " was expected")
               : str("word ", next_ + 1, ": expected ", expected, ", got '", words_[next_], "'");
    return false;
  }
  bool take(std::string_view word) {
    if (done() || words_[next_] != word) return false;
    ++next_;
    return true;
  }
  template <class Enum, std::size_t N>
  bool attribute(const std::array<std::string_view, N>& names, std::optional<Enum>& value) {
    if (done() || value) return false;
    const auto index = find(names, words_[next_]);
    if (!index) return false;
    value = static_cast<Enum>(*index);
    ++next_;
    return true;
  }

  bool phrase(ParsedCaption& out) {
    Description description;
    description.phrase.begin = next_;
    const auto count = done() ? std::nullopt : find(kCountWords, words_[next_]);
    if (!count) return fail("'a', 'two' or 'three'");
    description.count = *count + 1;
    ++next_;
    while (attribute(kSizeWords, description.size) || attribute(kColourWords, description.colour) ||
           attribute(kTextureWords, description.texture)) {
    }
    std::optional<ObjectShape> shape;
    if (!attribute(description.count == 1 ? kShapeWords : kShapePlurals, shape)) {
      return fail(description.count == 1 ? "an attribute or a shape" : "an attribute or shapes");
    }
    description.shape = *shape;
    description.phrase.end = next_;
    description.phrase.noun = next_ - 1;
    out.phrases.push_back(std::move(description));
    return true;
  }

  std::optional<Relation> relation() {
    if (take("above")) return Relation::kAbove;
    if (take("below")) return Relation::kBelow;
    const std::size_t start = next_;
    if (take("to") && take("the")) {
      const bool left = take("left");
      if ((left || take("right")) && take("of")) return left ? Relation::kLeft : Relation::kRight;
    }
    next_ = start;
    return std::nullopt;
  }

  std::span<const std::string> words_;
  std::size_t next_ = 0;
  std::string problem_;
};

// The parsed caption, or nothing and a `problem` that names the first word that does not fit.
std::optional<ParsedCaption> parse_caption(std::span<const std::string> words,
                                           std::string& problem) {
  Parser parser(words);
  auto out = parser.parse();
  problem = parser.problem();
  return out;
}

using Objects = std::vector<std::size_t>;

std::string text_of(std::span<const std::string> words, const Phrase& phrase) {
  std::string out;
  for (std::size_t i = phrase.begin; i < phrase.end; ++i) {
    out += (out.empty() ? "" : " ") + words[i];
  }
  return out;
}

// The ways to read a phrase: as each fitting object alone, or as all of them together.
std::vector<Objects> readings(const Description& description, const Objects& fitting) {
  if (description.count > 1) {
    return fitting.size() == description.count ? std::vector<Objects>{fitting}
                                               : std::vector<Objects>{};
  }
  std::vector<Objects> out;
  for (const std::size_t i : fitting) out.push_back({i});
  return out;
}

bool disjoint(const Objects& a, const Objects& b) {
  return std::none_of(a.begin(), a.end(),
                      [&](std::size_t i) { return std::find(b.begin(), b.end(), i) != b.end(); });
}

void add(Objects& to, const Objects& from) {
  for (const std::size_t i : from) {
    if (std::find(to.begin(), to.end(), i) == to.end()) to.push_back(i);
  }
  std::sort(to.begin(), to.end());
}

// Tries every choice of one reading per phrase in which no object is named twice, and keeps the
// objects that true choices name. There are at most as many phrases as objects, so the choices are
// few.
struct ReadingSearch {
  const Scene& scene;
  const ParsedCaption& parsed;
  const std::vector<std::vector<Objects>>& choices;
  std::vector<Objects> named;  // per phrase, the objects of all true choices
  bool found = false;
  std::vector<Objects> chosen;

  void run(std::size_t phrase) {
    if (phrase == choices.size()) {
      if (!relation_holds()) return;
      found = true;
      for (std::size_t i = 0; i < chosen.size(); ++i) add(named[i], chosen[i]);
      return;
    }
    for (const Objects& reading : choices[phrase]) {
      const bool free = std::all_of(chosen.begin(), chosen.end(),
                                    [&](const Objects& other) { return disjoint(reading, other); });
      if (!free) continue;
      chosen.push_back(reading);
      run(phrase + 1);
      chosen.pop_back();
    }
  }

  bool relation_holds() const {
    if (!parsed.relation) return true;
    return std::all_of(chosen[0].begin(), chosen[0].end(), [&](std::size_t i) {
      return std::all_of(chosen[1].begin(), chosen[1].end(), [&](std::size_t j) {
        return holds(*parsed.relation, scene.objects[i].box, scene.objects[j].box, scene.size);
      });
    });
  }
};

}  // namespace

CaptionCheck check_caption(const Scene& scene, std::span<const std::string> words) {
  if (scene.moves()) return check_motion(scene, words);
  CaptionCheck out;
  const auto parsed = parse_caption(words, out.reason);
  if (!parsed) return out;
  out.verdict = Verdict::kFalse;
  std::vector<std::vector<Objects>> choices;
  for (const Description& description : parsed->phrases) {
    Phrase mention = description.phrase;
    for (std::size_t i = 0; i < scene.objects.size(); ++i) {
      if (description.fits(scene.objects[i])) mention.objects.push_back(i);
    }
    choices.push_back(readings(description, mention.objects));
    if (choices.back().empty() && out.reason.empty()) {
      out.reason = str("'", text_of(words, mention), "': ", mention.objects.size(),
                       mention.objects.size() == 1 ? " object fits" : " objects fit");
    }
    out.mentions.push_back(std::move(mention));
  }
  if (!out.reason.empty()) return out;
  if (choices.size() > scene.objects.size()) {
    out.reason = str(choices.size(), " phrases for ", scene.objects.size(), " objects");
    return out;
  }
  ReadingSearch search{
      .scene = scene, .parsed = *parsed, .choices = choices, .named = {}, .chosen = {}};
  search.named.resize(choices.size());
  search.run(0);
  if (!search.found) {
    out.reason = parsed->relation ? str("nothing named is ",
                                        kRelationWords[static_cast<std::size_t>(*parsed->relation)],
                                        " the other")
                                  : std::string("two phrases name the same object");
    return out;
  }
  out.verdict = Verdict::kTrue;
  for (std::size_t i = 0; i < out.mentions.size(); ++i) out.mentions[i].objects = search.named[i];
  return out;
}

}  // namespace saccade
