// Captions single pictures or texts, any of which may be unreadable, in blocks that bound memory.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/search/search.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"
#include "vision/images/geometry.h"
#include "vision/images/image.h"

namespace saccade {

// What a model describes: a picture, or the tokens of a text and the picture of them.
struct Source {
  Image picture;
  std::vector<std::string> tokens{};

  Source(Image p) : picture(std::move(p)) {}  // NOLINT(google-explicit-constructor)
  explicit Source(std::vector<std::string> text);
};

struct Photo {
  Index number = 0;                 // among the pictures of the request
  Image picture;                    // empty unless the request keeps pictures
  std::vector<std::string> tokens;  // of a text; empty for a picture
  Geometry geometry;                // of the grid of the attention maps
  DecodedCaption caption;
  std::vector<InputBatch> inputs;  // [members]: what each member of the ensemble saw
};

struct PhotoRequest {
  Index count = 0, first = 0;
  // Reads the picture, or the text, of a number in [first, first + count); called from many
  // threads. What it says to the listener is shown, picture by picture, on stderr. The random draws
  // of a caption depend on the number.
  std::function<Source(Index, const MessageListener&)> read;
  SearchOptions search{};
  std::span<const int> say{};  // a caption of one's own (said_caption.h); empty: one is searched
  bool keep_pictures = false;
  // Whether a remark is written, once, when a model of drawn scenes gets another picture.
  bool remarks = true;
};

// Captions pictures and passes them to `take` in order. A picture or a text that cannot be read is
// named on stderr and left out. Returns the exit code of the first such error, or kOk.
ExitCode caption_photos(const ModelSession& session, const PhotoRequest& request,
                        const std::function<void(Photo&)>& take);

// What the command line names, for a model: texts as they are, and pictures as named_pictures()
// finds them.
struct NamedSources {
  std::vector<std::string> names;
  std::function<Source(Index, const MessageListener&)> read;
};
NamedSources named_sources(const ModelSession& session, const std::vector<std::string>& names);

// Throws UsageError where a member reads texts; `what` needs pictures.
void require_pictures(const ModelSession& session, const std::string& what);

// What should be known of a model's captions of pictures that are not of its own data; "" where
// there is nothing.
std::string remark_on_data(const std::string& model, const ExperimentConfig& config);

// Pictures as the command line names them: files, and folders, which stand for all pictures in
// them, in the order of their names. Tells on stderr of pictures in a folder that are not read.
// Throws UsageError for a folder without pictures.
std::vector<std::string> named_pictures(const std::vector<std::string>& names);

}  // namespace saccade
