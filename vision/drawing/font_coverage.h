// Which characters a font cannot write. They are drawn as empty boxes.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace saccade {

// The characters of the text for which a font has no glyph. `font` is as for the drawings: a file,
// or empty for DejaVu Sans. Empty where no font is installed or the file is no font.
std::set<std::string> missing_glyphs(const std::filesystem::path& font, const std::string& text);

}  // namespace saccade
