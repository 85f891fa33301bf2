// Captions single pictures, any of which may be unreadable, in blocks that bound memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "captioning/search/search.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"
#include "vision/images/geometry.h"
#include "vision/images/image.h"

namespace saccade {

struct Photo {
  Index number = 0;   // among the pictures of the request
  Image picture;      // empty unless the request keeps pictures
  Geometry geometry;  // of the grid of the attention maps
  DecodedCaption caption;
  std::vector<InputBatch> inputs;  // [members]: what each member of the ensemble saw
};

struct PhotoRequest {
  Index count = 0, first = 0;
  // Reads the picture of a number in [first, first + count); called from many threads. What it says
  // to the listener is shown, picture by picture, on stderr. The random draws of a caption depend
  // on the number.
  std::function<Image(Index, const MessageListener&)> read;
  SearchOptions search{};
  bool keep_pictures = false;
  // Whether a remark is written, once, when a model of drawn scenes gets another picture.
  bool remarks = true;
};

// Captions pictures and passes them to `take` in order. A picture that cannot be read is named on
// stderr and left out. Returns the exit code of the first such error, or kOk.
ExitCode caption_photos(const ModelSession& session, const PhotoRequest& request,
                        const std::function<void(Photo&)>& take);

// What should be known of a model's captions of pictures that are not of its own data; "" where
// there is nothing.
std::string remark_on_data(const std::string& model, const ExperimentConfig& config);

// Pictures as the command line names them: files, and folders, which stand for all pictures in
// them, in the order of their names. Tells on stderr of pictures in a folder that are not read.
// Throws UsageError for a folder without pictures.
std::vector<std::string> named_pictures(const std::vector<std::string>& names);

}  // namespace saccade
