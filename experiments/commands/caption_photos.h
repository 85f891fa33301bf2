// Captions single pictures or texts, any of which may be unreadable, in blocks that bound memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoding/photo.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"

namespace saccade {

struct PhotoRequest {
  Index count = 0, first = 0;
  Photos::Read read;  // the warnings are shown, picture by picture, on stderr
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
  Photos::Read read;
};
// `features` names the file or folder with the features of these pictures (ModelArgs::features);
// empty: there are none, or they are in the files of a model's config. Throws UsageError where it
// is of one photo and several are named.
NamedSources named_sources(const ModelSession& session, const std::vector<std::string>& names,
                           const std::string& features = "");

// Tells on stderr what the caption of an image lacks of what was asked (DecodedCaption::unmet).
void warn_unmet(const std::string& image, const DecodedCaption& caption);

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
