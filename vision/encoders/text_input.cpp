#include "vision/encoders/text_input.h"

#include "core/base/error.h"
#include "core/ops/linear.h"

namespace saccade {

std::vector<int> token_numbers(ConstView input, const EncoderConfig& config) {
  const auto known = static_cast<Index>(config.words.size());
  SACCADE_CHECK(input.shape.rank() == 2 && input.shape[1] == config.text.length,
                "[text] made for [B, ", config.text.length, "] tokens; got ", input.shape);
  std::vector<int> out;
  for (const Real number : input.span()) {
    SACCADE_CHECK(number >= 0 && number <= static_cast<Real>(known), "[text] number ", number,
                  " of ", known, " tokens");
    out.push_back(static_cast<int>(number));
  }
  return out;
}

std::vector<Index> text_lengths(std::span<const PictureArea> areas, Index batch, Index length) {
  std::vector<Index> out(static_cast<std::size_t>(batch), length);
  if (areas.empty()) return out;
  SACCADE_CHECK(static_cast<Index>(areas.size()) == batch, "[text] ", areas.size(), " areas for ",
                batch, " texts");
  for (std::size_t i = 0; i < areas.size(); ++i)
    out[i] = picture_cells(areas[i], {.rows = 1, .cols = length}).right;
  return out;
}

TokenVectors::TokenVectors(const ParamScope& scope, const EncoderConfig& config)
    : table_(scope.declare("words",
                           {static_cast<Index>(config.words.size()) + 1, config.text.width},
                           Init::normal(0.5))) {}

Var TokenVectors::operator()(Tape& tape, std::span<const int> tokens) const {
  return ops::embedding(tape.parameter(table_), tokens);
}

}  // namespace saccade
