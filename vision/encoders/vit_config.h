// The section `encoder.vit`: a vision transformer (encoder.type vit, hybrid).
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/enum_names.h"
#include "core/config/constraint.h"

namespace saccade {

// The widths of Touvron et al. 2021 (tiny, small) and Dosovitskiy et al. 2021 (base).
enum class VitSize { kTiny, kSmall, kBase };
constexpr auto enum_table(VitSize) {
  using enum VitSize;
  return enum_rows<VitSize>({
      {kTiny, "tiny", "width 192, 12 layers, 3 heads"},
      {kSmall, "small", "width 384, 12 layers, 6 heads"},
      {kBase, "base", "width 768, 12 layers, 12 heads"},
  });
}

// How self-attention is initialised.
enum class VitStart { kGlorot, kMimetic };
constexpr auto enum_table(VitStart) {
  using enum VitStart;
  return enum_rows<VitStart>({
      {kGlorot, "glorot", "all weights are drawn independently"},
      {kMimetic, "mimetic",
       "keys start with the weights of the queries, so that tokens first attend to similar tokens, "
       "above all their neighbours (after Trockman & Kolter 2023)"},
  });
}

struct VitConfig {
  VitSize size = VitSize::kTiny;
  std::optional<std::int64_t> width, layers, heads;
  std::int64_t patch = 16;
  std::int64_t overlap = 0;
  std::int64_t multiple = 4;
  bool class_token = true;
  std::int64_t registers = 0;
  double dropout = 0;
  VitStart start = VitStart::kGlorot;

  template <class V>
  void fields(V& v) {
    v.field("size", size, "gives width, layers and heads where they are null");
    v.field("width", width, "width of a token", between(1, 65536));
    v.field("layers", layers, "blocks of self-attention and a dense network", between(1, 128));
    v.field("heads", heads, "maps per block", between(1, 256));
    v.field("patch", patch, "side of a patch: pixels (vit), cells of the CNN's grid (hybrid)",
            between(1, 256));
    v.field("overlap", overlap,
            "how far the embedding of a patch sees into its neighbours, in the unit of `patch`",
            between(0, 256));
    v.field("multiple", multiple, "hidden width of the dense networks, as a multiple of the width",
            between(1, 64));
    v.field("class_token", class_token, "an additional token, for the image as a whole");
    v.field("registers", registers,
            "number of additional tokens without a place in the picture (Darcet et al. 2024)",
            between(0, 256));
    v.field("dropout", dropout, "share of units that are dropped in training",
            between_open_end(0, 1));
    v.field("start", start, "initial weights of self-attention");
  }
};

// The widths of the config, with those of its size where they are null.
struct VitWidths {
  std::int64_t width, layers, heads;
};
constexpr VitWidths resolved(const VitConfig& config) {
  VitWidths sized{.width = 192, .layers = 12, .heads = 3};
  if (config.size == VitSize::kSmall) sized = {.width = 384, .layers = 12, .heads = 6};
  if (config.size == VitSize::kBase) sized = {.width = 768, .layers = 12, .heads = 12};
  return {.width = config.width.value_or(sized.width),
          .layers = config.layers.value_or(sized.layers),
          .heads = config.heads.value_or(sized.heads)};
}

}  // namespace saccade
