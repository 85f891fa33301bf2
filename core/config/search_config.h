// The section `search`: how captions are decoded.
#pragma once

#include <cstdint>

#include "core/config/choices.h"
#include "core/config/constraint.h"

namespace saccade {

struct SearchConfig {
  SearchMode mode = SearchMode::kBeam;
  std::int64_t beam = 3;
  std::int64_t max_length = 20;
  double length_normalization = 0;
  double temperature = 1;

  template <class V>
  void fields(V& v) {
    v.field("mode", mode, "how captions are decoded");
    v.field("beam", beam, "hypotheses kept (beam)", between(1, 1000));
    v.field("max_length", max_length, "longest caption in words", between(1, 1000));
    v.field("length_normalization", length_normalization,
            "log p is divided by length^this; 0 = off", between(0, 10));
    v.field("temperature", temperature, "divides the logits (sample)",
            {.min = 0, .max = 1000, .min_open = true});
  }
};

}  // namespace saccade
