// The choices of `encoder.type`: one enumerator for each line of the registry, and onnx.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class EncoderKind {
#define SACCADE_ENCODER(name, enumerator, ...) enumerator,
#include "vision/encoders/encoders.def"
#undef SACCADE_ENCODER
  kOnnx
};
constexpr auto enum_table(EncoderKind) {
  using enum EncoderKind;
  return enum_rows<EncoderKind>({
#define SACCADE_ENCODER(name, enumerator, what, ...) {enumerator, #name, what},
#include "vision/encoders/encoders.def"
#undef SACCADE_ENCODER
      {kOnnx, "onnx", "a frozen pretrained network from an ONNX file"},
  });
}

}  // namespace saccade
