#include "captioning/data/scenes/caption_parser.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

namespace {

template <std::size_t N>
std::optional<std::size_t> find(const std::array<std::string_view, N>& names,
                                const std::string& word) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end() || word.empty()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

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

}  // namespace

bool Description::fits(const SceneObject& object) const {
  return object.shape == shape && (!colour || object.colour == *colour) &&
         (!size || object.size == *size) && (!texture || object.texture == *texture);
}

std::optional<ParsedCaption> parse_caption(std::span<const std::string> words,
                                           std::string& problem) {
  Parser parser(words);
  auto out = parser.parse();
  problem = parser.problem();
  return out;
}

}  // namespace saccade
