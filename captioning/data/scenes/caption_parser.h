// Parses captions in the scenes' language into what each noun phrase demands of an object.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_grammar.h"

namespace saccade {

// What a noun phrase demands.
struct Description {
  Phrase phrase;  // the range of its words and its noun; its objects are left empty
  std::size_t count = 1;
  ObjectShape shape = ObjectShape::kCircle;
  std::optional<ObjectColour> colour;
  std::optional<ObjectSize> size;
  std::optional<ObjectTexture> texture;

  bool fits(const SceneObject& object) const;
};

struct ParsedCaption {
  std::vector<Description> phrases;
  std::optional<Relation> relation;  // of exactly two phrases; without one, the phrases are a list
};

// The parsed caption, or nothing and a `problem` that names the first word that does not fit.
std::optional<ParsedCaption> parse_caption(std::span<const std::string> words,
                                           std::string& problem);

}  // namespace saccade
