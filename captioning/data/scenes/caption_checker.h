// Says whether a generated caption is true of its scene. Understands the language of
// caption_grammar.h with attributes in any order; anything else is not_parsed.
// Reading: "a red circle" - at least one exists; "two red circles" - exactly two do; in a list,
// phrases name different objects; a relation - some choice of the named objects satisfies it.
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
  // The noun phrases with the objects each can name: those of a true reading, or, where there is
  // none, all that fit the phrase by themselves (maybe no object). Empty when not parsed.
  std::vector<Phrase> mentions;
  std::string reason;  // why not true; empty when true
};

// Judges `words` (any sequence, also empty) against the scene.
CaptionCheck check_caption(const Scene& scene, std::span<const std::string> words);

}  // namespace saccade
