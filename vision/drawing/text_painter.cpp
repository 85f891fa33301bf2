#include "vision/drawing/text_painter.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/freetype.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "core/base/error.h"
#include "vision/images/mat_view.h"

namespace saccade {

namespace {

constexpr std::array<const char*, 4> kFontFiles{
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",    // Debian, Ubuntu
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",  // Fedora
    "/usr/share/fonts/TTF/DejaVuSans.ttf",                // Arch
    "/usr/share/fonts/dejavu/DejaVuSans.ttf"};

constexpr int kStrokeFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kStrokeHeight = 30.0;  // pixels per em of the stroke font at scale 1

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// The number of bytes of the UTF-8 character at `at`; 0 when there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    const bool control =
        (length == 1 && (first < 0x20 || first == 0x7F)) ||
        (first == 0xC2 && length == 2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (control)
      out += ' ';
    else
      out.append(text, at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

struct TextPainter::Impl {
  cv::Ptr<cv::freetype::FreeType2> font;  // null: the stroke font is used
};

std::filesystem::path find_font(const std::filesystem::path& font) {
  std::filesystem::path file = font;
  std::error_code ignored;
  for (const char* candidate : kFontFiles)
    if (file.empty() && std::filesystem::is_regular_file(candidate, ignored)) file = candidate;
  return file;
}

std::filesystem::path require_font(const std::filesystem::path& font) {
  const std::filesystem::path file = find_font(font);
  if (file.empty()) throw DataError("there is no font; install the package fonts-dejavu-core");
  return file;
}

void throw_no_font(const std::filesystem::path& file) {
  throw DataError(str(file.string(),
                      ": cannot be loaded as a font; name a .ttf file, or "
                      "install the package fonts-dejavu-core"));
}

TextPainter::TextPainter(const std::filesystem::path& font) : impl_(std::make_unique<Impl>()) {
  const std::filesystem::path file = find_font(font);
  if (file.empty()) return;
  try {
    auto loaded = cv::freetype::createFreeType2();
    loaded->loadFontData(file.string(), 0);
    impl_->font = loaded;
  } catch (const cv::Exception&) {
    throw_no_font(file);
  }
}

TextPainter::~TextPainter() = default;

bool TextPainter::has_font() const { return impl_->font != nullptr; }

Index TextPainter::width(const std::string& text, Index size) const {
  if (text.empty()) return 0;
  int baseline = 0;
  if (impl_->font)
    return impl_->font->getTextSize(text, static_cast<int>(size), -1, &baseline).width;
  const double scale = static_cast<double>(size) / kStrokeHeight;
  return cv::getTextSize(text, kStrokeFont, scale, 1, &baseline).width;
}

void TextPainter::draw(Image& image, const std::string& text, const Place& place) const {
  if (text.empty()) return;
  cv::Mat mat = mat_view(image);
  const cv::Point origin(static_cast<int>(place.x), static_cast<int>(place.y));
  const cv::Scalar colour(place.colour[0], place.colour[1], place.colour[2]);
  if (impl_->font) {
    impl_->font->putText(mat, text, origin, static_cast<int>(place.size), colour, -1, cv::LINE_AA,
                         true);
    return;
  }
  if (!is_ascii(text))
    throw DataError(str("'", text,
                        "' cannot be written without a font; install the package "
                        "fonts-dejavu-core"));
  const double scale = static_cast<double>(place.size) / kStrokeHeight;
  cv::putText(mat, text, origin, kStrokeFont, scale, colour, 1, cv::LINE_AA);
}

std::string TextPainter::fitted(const std::string& text, Index size, Index max_width) const {
  return width(text, size) <= max_width ? text : shortened(text, size, max_width);
}

std::string TextPainter::shortened(const std::string& text, Index size, Index max_width) const {
  const std::string mark = has_font() ? "\xE2\x80\xA6" : "...";
  std::vector<std::size_t> ends{0};  // the places where the text may be cut
  while (ends.back() < text.size())
    ends.push_back(ends.back() + std::max<std::size_t>(character_length(text, ends.back()), 1));
  const auto too_long = std::partition_point(ends.begin() + 1, ends.end(), [&](std::size_t end) {
    return width(text.substr(0, end) + mark, size) <= max_width;
  });
  std::string kept = text.substr(0, *(too_long - 1));
  while (kept.ends_with(' ')) kept.pop_back();
  return kept + mark;
}

std::vector<std::string> TextPainter::wrapped(const std::string& text, const Column& column) const {
  std::vector<std::string> lines;
  std::string line;
  // Summed word by word, because measuring whole lines again and again is slow. The sum lacks what
  // letters keep free beside them, so that a line that is nearly full is measured.
  Index line_width = 0;
  const auto has_room = [&](Index sum, const std::string& word) {
    return sum <= column.max_width && (sum * 10 < column.max_width * 9 ||
                                       width(line + ' ' + word, column.size) <= column.max_width);
  };
  const Index space = column.size * 2 / 5;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const Index word_width = width(word, column.size);
    const bool fits = line.empty() || has_room(line_width + space + word_width, word);
    if (!fits && static_cast<Index>(lines.size()) + 1 == column.max_lines) {
      lines.push_back(shortened(line + ' ' + word, column.size, column.max_width));
      return lines;
    }
    if (!fits) {
      lines.push_back(fitted(line, column.size, column.max_width));
      line.clear();
    }
    line_width = line.empty() ? word_width : line_width + space + word_width;
    line += line.empty() ? word : ' ' + word;
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(fitted(line, column.size, column.max_width));
  return lines;
}

}  // namespace saccade
