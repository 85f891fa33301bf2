// Captions of single pictures, which may each fail to be read, in blocks that bound memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "captioning/search/search.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"
#include "vision/geometry.h"
#include "vision/image.h"

namespace saccade {

struct Photo {
  Index number = 0;   // of the request's pictures
  Image picture;      // empty unless it was asked for
  Geometry geometry;  // of the grid that attention is told on
  DecodedCaption caption;
  std::vector<InputBatch> inputs;  // by member, of the one image: what each saw
};

struct PhotoRequest {
  Index count = 0, first = 0;
  // The picture of a number [first, first + count), on which a caption's draws depend; called from
  // many threads.
  std::function<Image(Index)> read;
  SearchOptions search{};
  bool keep_pictures = false;
};

// Captions pictures and hands them on in order. One that cannot be read is named on stderr and left
// out. Returns the exit code of the first such error, or kOk.
ExitCode caption_photos(const ModelSession& session, const PhotoRequest& request,
                        const std::function<void(Photo&)>& take);

}  // namespace saccade
