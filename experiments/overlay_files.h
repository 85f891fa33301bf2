// The files of one picture's attention: a sheet, a panel a word, the raw weights, the alignment.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/alignment_maps.h"
#include "experiments/drawing_options.h"
#include "experiments/view_overlays.h"

namespace saccade {

struct OverlayFileOptions {
  Drawing drawing{};
  Matrices matrices = Matrices::kNo;
};

// Writes below a folder, which it makes for the first picture that could be drawn. Pictures of the
// same name get -2, -3 ... behind it.
class OverlayFiles {
 public:
  OverlayFiles(std::filesystem::path folder, const OverlayFileOptions& options);

  // Writes NAME.sheet.png, NAME.json and NAME/01-word.png ... in the format asked for (as a film
  // NAME.apng, without panels); where the record has views they are
  // what is drawn, several one under the other on the sheet and as NAME/01-word.layer-0.head-1.png
  // ...; of class-token maps NAME.class-token.sheet.png, each map in its own scale unless that is
  // fixed. Where matrices are asked for and there is a word also NAME.alignment.png and
  // NAME.alignment.svg, with several heads NAME.alignment.head-0.png ..., of views
  // NAME.alignment.layer-0.head-mean.rollout.png ..., and of the maps
  // NAME.encoder.layer-0.head-0.png ... (without SVG: they are many),
  // NAME.refine.layer-0.head-0.png
  // ... and NAME.words.layer-0.head-0.png ... (a matrix larger than 256 x 256 as PNG only); .pdf
  // beside .svg where that is the format. NAME is
  // that of record.image without folders and extension. Returns the paths. Throws IoError.
  std::vector<std::filesystem::path> write(const Overlay& overlay, const CaptionRecord& record,
                                           const CaptionSource& source, const CaptionMaps& maps);
  // One sheet (or film) of what several models said of the image, and nothing else.
  std::filesystem::path write_strips(const std::string& image, const std::vector<Overlay>& strips);

 private:
  using Paths = std::vector<std::filesystem::path>;
  enum class Vectors { kNo, kYes };
  std::filesystem::path write_sheet(const std::string& place,
                                    const std::vector<Overlay>& strips) const;
  std::string unused_name(const std::string& image);
  void write_sheets(const std::string& name, const Overlay& overlay, const CaptionRecord& record,
                    const std::vector<ViewOverlay>& views, Paths& paths) const;
  void write_panels(const std::string& name, const std::vector<ViewOverlay>& views,
                    Paths& paths) const;
  // A matrix as NAME and `place` behind it.
  void write_matrix(const std::string& place, const HeatMap& map, Vectors vectors,
                    Paths& paths) const;
  void write_matrices(const std::string& name, const Overlay& overlay, const CaptionRecord& record,
                      const CaptionSource& source, const CaptionMaps& maps, Paths& paths) const;

  std::filesystem::path folder_;
  OverlayFileOptions options_;
  std::set<std::string> names_;
};

// A word or a name as part of a file's name: letters and digits of any script, else '_'.
std::string file_part(const std::string& text);

}  // namespace saccade
