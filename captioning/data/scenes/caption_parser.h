// Parses captions of the scenes' language into what each noun phrase demands of an object.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_grammar.h"

namespace saccade {

// What a noun phrase says.
struct Description {
  Phrase phrase;  // word range and noun; its objects are left empty
  std::size_t count = 1;
  ObjectShape shape = ObjectShape::kCircle;
  std::optional<ObjectColour> colour;
  std::optional<ObjectSize> size;
  std::optional<ObjectTexture> texture;

  bool fits(const SceneObject& object) const;
};

struct ParsedCaption {
  std::vector<Description> phrases;
  std::optional<Relation> relation;  // between exactly two phrases; else the phrases are a list
};

// The parse, or nothing and a `problem` naming the first word that does not fit.
std::optional<ParsedCaption> parse_caption(std::span<const std::string> words,
                                           std::string& problem);

}  // namespace saccade
