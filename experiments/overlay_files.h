// The files of one picture's attention: a sheet, a panel a word, the raw weights, the alignment.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/alignment_maps.h"

namespace saccade {

// A caption as the overlay drawing takes it. Throws ShapeError when weights and grid do not fit.
Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source);

enum class AlignmentFiles { kNo, kYes };

struct OverlayFileOptions {
  OverlayOptions drawing{};
  AlignmentFiles alignment = AlignmentFiles::kNo;
};

// Writes below a folder, which it makes. Pictures of the same name get -2, -3 ... behind it.
class OverlayFiles {
 public:
  // Throws IoError when the folder cannot be made.
  OverlayFiles(std::filesystem::path folder, const OverlayFileOptions& options);

  // Writes NAME.sheet.png, NAME.json and NAME/01-word.png ..., and where they are asked for and
  // there is a word NAME.alignment.png and NAME.alignment.svg, with several heads also
  // NAME.alignment.head-0.png ..., and of the self maps NAME.refine.layer-0.head-0.png ... and
  // NAME.words.layer-0.head-0.png ... (a matrix larger than 256 x 256 as PNG only); NAME is that of
  // record.image without folders and extension. Returns the paths. Throws IoError.
  std::vector<std::filesystem::path> write(const Overlay& overlay, const CaptionRecord& record,
                                           const CaptionSource& source, const SelfMaps& self);

 private:
  std::string unused_name(const std::string& image);

  std::filesystem::path folder_;
  OverlayFileOptions options_;
  std::set<std::string> names_;
};

// A word or a name as part of a file's name: letters and digits of any script, else '_'.
std::string file_part(const std::string& text);

}  // namespace saccade
