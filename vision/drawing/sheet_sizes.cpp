#include "vision/drawing/sheet_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr double kSmallestWord = 5, kLargestWord = 8;  // points
constexpr double kUsualPanel = 1.9;  // centimetres, where nobody chose the number of columns

Index pixels_of_centimetres(double length) {
  return std::lround(length / 2.54 * kPaperPixelsPerInch);
}
Index pixels_of_points(double length) { return std::lround(length / 72 * kPaperPixelsPerInch); }

std::string centimetres(Index pixels) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f",
                2.54 * static_cast<double>(pixels) / kPaperPixelsPerInch);
  return text.data();
}

}  // namespace

SheetSizes sizes_of_letters(Index word_size) {
  SheetSizes out{.word_size = word_size,
                 .small_size = std::max<Index>(11, word_size * 7 / 10),
                 .caption_size = word_size * 5 / 4,
                 .margin = word_size,
                 .gap = word_size * 3 / 4};
  out.label = word_size * 5 / 4 + out.small_size * 3 / 2 + 2;
  return out;
}

SheetSizes paper_sizes(const OverlayOptions& options, Index panels) {
  const Index width = pixels_of_centimetres(options.paper_width);
  const Index fitting = std::max<Index>(1, width / pixels_of_centimetres(kUsualPanel));
  // Panels of chosen columns have one width, however many words a caption has.
  const Index columns = options.columns > 0 ? options.columns : std::min(fitting, panels);
  const Index smallest = pixels_of_points(kSmallestWord);
  for (Index word = pixels_of_points(kLargestWord); word >= smallest; --word) {
    SheetSizes out = sizes_of_letters(word);
    out.margin = word / 4;  // a paper has margins of its own
    out.columns = columns;
    out.page_width = width;
    out.slot = (width - 2 * out.margin - (columns - 1) * out.gap) / columns;
    if (out.slot >= kLabelLetters * word) return out;
  }
  throw UsageError(str("a page of ", options.paper_width, " cm is too narrow for ", columns,
                       " columns: a panel of less than ", centimetres(kLabelLetters * smallest),
                       " cm has no room for its word; choose fewer columns or a wider page"));
}

}  // namespace saccade
