// The caption on which the captions of several images agree most.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/metrics/cider.h"
#include "core/base/real.h"

namespace saccade {

// The captions of some images, as they are compared: PTB words, with these images' document
// frequencies.
class CaptionConsensus {
 public:
  explicit CaptionConsensus(std::span<const std::vector<std::string>> captions);

  struct Place {
    std::size_t image = 0, caption = 0;
    bool operator==(const Place&) const = default;
  };
  // Of all captions of these images (places in what the constructor got), the one with the highest
  // mean CIDEr-D to the others; of equal ones, the first. Devlin et al. 2015, "Exploring nearest
  // neighbor approaches for image captioning" (arXiv:1505.04467), average over the most similar
  // captions only. There must be a caption.
  Place of(std::span<const Index> images) const;

 private:
  std::vector<std::vector<CountedCaption>> counted_;
  DocumentFrequencies frequencies_;
};

}  // namespace saccade
