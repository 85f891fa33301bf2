// Decides whether a generated caption is true of its scene. It understands the language of
// caption_grammar.h, with attributes in any order; anything else is not_parsed. "a red circle"
// means that at least one exists, "two red circles" that exactly two do. The phrases of a list name
// different objects. A relation is true if some choice of the named objects satisfies it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/data/scenes/caption_grammar.h"

namespace saccade {

enum class Verdict : std::uint8_t { kTrue, kFalse, kNotParsed };
inline constexpr std::array<std::string_view, 3> kVerdictNames = {"true", "false", "not_parsed"};

struct CaptionCheck {
  Verdict verdict = Verdict::kNotParsed;
  // The noun phrases with the objects that each can name: those of a true reading or, where there
  // is none, all objects that fit the phrase by itself (possibly none). Empty when the caption is
  // not parsed.
  std::vector<Phrase> mentions;
  std::string reason;  // why it is not true; empty when it is
};

// Judges `words` (any sequence, even an empty one) against the scene.
CaptionCheck check_caption(const Scene& scene, std::span<const std::string> words);

}  // namespace saccade
