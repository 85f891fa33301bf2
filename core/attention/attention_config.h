// The section `attention`: how the decoder attends to the image.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/attention/hard_config.h"
#include "core/base/real.h"
#include "core/config/ramp.h"

namespace saccade {

class Section;
inline namespace SACCADE_NUMERIC {
struct AttentionRegistry;
}

// The choices are names of rows: of an AttentionRegistry and of the tables in axes.h.
struct AttentionConfig {
  std::string mechanism = "composed";
  std::string score = "additive";
  std::string scope = "global";
  std::string normalizer = "softmax";
  Ramp temperature = Ramp::constant(1);
  bool learned_scale = false;
  std::string selection = "soft";
  std::int64_t k = 5;
  Ramp gumbel_temperature = Ramp::constant(1);
  std::int64_t heads = 1;
  bool value_projection = false;
  std::int64_t value_width = 0;
  bool output_projection = false;
  std::string gate = "scalar";
  bool sentinel = false;
  std::int64_t hidden = 512;
  std::int64_t radius = 2;
  double pace = 1;
  std::int64_t globals = 1;
  double noise = 1;
  std::int64_t projected = 16;
  HardConfig hard;
  // With the choices that the program added; no value of the config. Null: it added none.
  std::shared_ptr<const AttentionRegistry> registry;

  // Whether a context is a weighted mean of the regions' features as they are, with weights that
  // sum to 1: words can then be mixtures over regions.
  bool contexts_are_regions() const;

  // The width of a context that is made of regions with so many features.
  Index context_width(Index features) const { return value_width > 0 ? value_width : features; }

  // Whether a word's likelihood is a mixture over the regions that hard attention could choose.
  bool mixes_regions() const;

  void fields(Section& v);
};

// Whether words take the region that an observer draws for them (SelectionTraits).
bool draws_regions(const std::string& selection);

}  // namespace saccade
