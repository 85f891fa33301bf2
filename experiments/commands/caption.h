// `saccade caption`: captions of pictures, and where the model attends at each word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/model_session.h"

namespace saccade {

struct CaptionArgs {
  ModelArgs model{};
  std::vector<std::string> images{};
  std::optional<std::string> say{};     // a caption of one's own, instead of a searched one
  std::string watch{};                  // a folder whose pictures are captioned as they appear
  std::optional<Index> alternatives{};  // how many captions are listed for each picture
  bool all_maps = false;                // whether the JSON has the maps of every layer and head
  bool occlusion = false;               // and the effect of every region on every word
  bool self_attention = false;          // whether the page has what regions and words attend to
  std::string page{};                   // an HTML file to write
  bool json = false;
};

// Captions pictures and prints the captions. Pictures that cannot be read are named on stderr and
// left out, and the exit code is that of bad data. A folder is watched until a signal comes
// (stop_signal.h), whose exit code is returned.
int run_caption(const CaptionArgs& args);

}  // namespace saccade
