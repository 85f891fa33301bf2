// Text on pictures: DejaVu Sans through FreeType, which can write any language. Where no font is
// installed, only plain ASCII can be written. Internal to vision/drawing.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vision/drawing/colour.h"
#include "vision/images/image.h"

namespace saccade {

// Returns the path of `font`, or of DejaVu Sans in the folders where distributions install it when
// `font` is empty. The result is empty when it is not installed.
std::filesystem::path find_font(const std::filesystem::path& font);
// The same; throws DataError when there is no font.
std::filesystem::path require_font(const std::filesystem::path& font);
[[noreturn]] void throw_no_font(const std::filesystem::path& file);

// Used by one thread at a time.
class TextPainter {
 public:
  // `font` is as for find_font. Throws DataError when a font that was named cannot be loaded.
  explicit TextPainter(const std::filesystem::path& font);
  ~TextPainter();

  // Whether every character can be written; otherwise only ASCII can.
  bool has_font() const;
  // Pixels from the left edge of the text to its right edge, for letters of `size` pixels.
  Index width(const std::string& text, Index size) const;
  // Draws the text with its baseline at y. Throws DataError for text that needs a missing font.
  struct Place {
    Index x = 0, y = 0, size = 16;
    Colour colour{};
  };
  void draw(Image& image, const std::string& text, const Place& place) const;

  // The text, or as much of it as fits, followed by an ellipsis.
  std::string fitted(const std::string& text, Index size, Index max_width) const;
  // The text broken at spaces into lines that fit; an ellipsis ends the last line when max_lines
  // are not enough.
  struct Column {
    Index size = 16, max_width = 0, max_lines = 1;
  };
  std::vector<std::string> wrapped(const std::string& text, const Column& column) const;

 private:
  // As much of the text as fits, always followed by an ellipsis.
  std::string shortened(const std::string& text, Index size, Index max_width) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Text as it may be drawn: control characters become spaces, and bytes that are not UTF-8 become
// U+FFFD.
std::string printable(const std::string& text);

}  // namespace saccade
