// The captions of an epoch.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class CaptionsPerEpoch { kAll, kOnePerImage, kWholeImages };
constexpr auto enum_table(CaptionsPerEpoch) {
  using enum CaptionsPerEpoch;
  return enum_rows<CaptionsPerEpoch>({
      {kAll, "all", "every caption once per epoch"},
      {kOnePerImage, "one_per_image",
       "one caption of every image per epoch; all of them are used before one is repeated"},
      {kWholeImages, "whole_images",
       "every caption once per epoch, those of an image together in one shard, so that the image "
       "is encoded once for all of them"},
  });
}

}  // namespace saccade
