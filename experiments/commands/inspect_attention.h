// `saccade inspect --heads`, `--gradients`, `--occlusion`, `--patches` and `--word`: measures what
// a model's attention does on validation images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct InspectAttentionArgs {
  std::string checkpoint{};
  std::vector<std::string> data{};  // `images=/new/place`: keys below `data` to change
  std::vector<std::string> set{};   // other values of the checkpoint's config: encoder.model=PLACE
  bool heads = false, gradients = false, patches = false;
  std::string occlusion{};              // what is removed, regions or picture; empty for none
  std::string word{};                   // whose neighbours are shown; empty for none
  std::vector<std::string> captions{};  // in which it is looked at; empty: those of the images
  std::optional<Index> images{};        // the first so many of the validation split; empty: 8
  bool json = false;
  std::string out{};  // the folder for pictures of what is measured; empty for none

  // Whether anything is to be measured.
  bool any() const { return heads || gradients || patches || !occlusion.empty() || !word.empty(); }
};

// Prints a table of all heads, the flow of gradients to the regions, the agreement of maps with the
// occlusion of regions, the norms of the encoder's
// patches, and the words near a word, as far as they are asked for. Throws UsageError where the
// model has nothing of the kind.
int run_inspect_attention(const InspectAttentionArgs& args);

}  // namespace saccade
