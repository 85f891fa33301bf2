// The profiles of all heads of a captioner (core/attention/head_profile.h) over some images.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "core/attention/head_profile.h"

namespace saccade {

enum class HeadPlace {
  kRefine,   // of a refinement block: regions attend to regions, in reading order
  kDecoder,  // of the decoder: words, in order, attend to regions
};
constexpr auto enum_table(HeadPlace) {
  return enum_rows<HeadPlace>({{HeadPlace::kRefine, "refine", "regions attend to regions"},
                               {HeadPlace::kDecoder, "decoder", "words attend to regions"}});
}

struct ProfiledHead {
  HeadPlace place = HeadPlace::kRefine;
  Index layer = 0, head = 0;  // from 0
  Index columns = 0;          // L, the number of what the rows attend to
  HeadProfile profile;
};

// First the heads of a refinement, by layer, over one map per image. Then those of the decoder, by
// layer, where it has several layers or heads: over one map per image, that of its first caption
// with words under teacher forcing, the end included. A refinement that weighs other things than
// regions (linformer's mixtures) has no profiles. Throws ShapeError without images.
std::vector<ProfiledHead> head_profiles(const CaptionModel& model, const Dataset& dataset,
                                        const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade
