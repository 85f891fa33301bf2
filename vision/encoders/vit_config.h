// The section `encoder.vit`: a vision transformer (encoder.type vit, hybrid).
#pragma once

#include <cstdint>
#include <optional>

#include "core/attention/sequence/block_attention.h"
#include "core/attention/sequence/norm_placement.h"
#include "core/base/enum_names.h"

namespace saccade {

class Section;

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
  BlockAttention attention = {.path = "encoder.vit.attention"};
  NormPlacement norm = NormPlacement::kPre;
  std::int64_t multiple = 4;
  bool class_token = true;
  std::int64_t registers = 0;
  double dropout = 0;
  VitStart start = VitStart::kGlorot;

  void fields(Section& v);
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
