// Text on pictures: DejaVu Sans through FreeType, so that any language is written; where no font is
// installed, plain ASCII only. Internal to vision.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vision/colour.h"
#include "vision/image.h"

namespace saccade {

// The font itself, or DejaVu Sans where distributions put it; empty where it is not installed.
std::filesystem::path find_font(const std::filesystem::path& font);
// The same; throws DataError where there is none.
std::filesystem::path require_font(const std::filesystem::path& font);
[[noreturn]] void throw_no_font(const std::filesystem::path& file);

// For one thread at a time.
class TextPainter {
 public:
  // The font is as for find_font. Throws DataError when one that was named cannot be loaded.
  explicit TextPainter(const std::filesystem::path& font);
  ~TextPainter();

  // Whether every character can be written; otherwise only ASCII.
  bool has_font() const;
  // Pixels from the left edge of the text to its right edge, for letters of `size` pixels.
  Index width(const std::string& text, Index size) const;
  // Draws the text with its baseline at y. Throws DataError for text that needs a missing font.
  struct Place {
    Index x = 0, y = 0, size = 16;
    Colour colour{};
  };
  void draw(Image& image, const std::string& text, const Place& place) const;

  // The text, or as much of it as fits with an ellipsis.
  std::string fitted(const std::string& text, Index size, Index max_width) const;
  // The text broken at spaces into lines that fit; an ellipsis where max_lines end.
  struct Column {
    Index size = 16, max_width = 0, max_lines = 1;
  };
  std::vector<std::string> wrapped(const std::string& text, const Column& column) const;

 private:
  // As much of the text as fits, and an ellipsis in any case.
  std::string shortened(const std::string& text, Index size, Index max_width) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Text as it may be drawn: control characters become spaces, and what is not UTF-8 becomes U+FFFD.
std::string printable(const std::string& text);

}  // namespace saccade
