// The files that show the attention to one picture: a sheet, one panel per word, the raw weights,
// and the alignment matrices; to a text, the weights and the matrices.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/pictures/alignment_maps.h"
#include "experiments/pictures/drawing.h"
#include "experiments/pictures/view_overlays.h"

namespace saccade {

struct OverlayFileOptions {
  Drawing drawing{};
  Matrices matrices = Matrices::kNo;
};

// Writes into a folder, which is created with the first picture that can be drawn. Further pictures
// of the same name get -2, -3 ... appended to it.
class OverlayFiles {
 public:
  OverlayFiles(std::filesystem::path folder, const OverlayFileOptions& options);

  // Writes the files of one picture and returns their paths. NAME is the name of record.image
  // without folders and extension.
  //   NAME.sheet.png   the sheet, in the requested format
  //   NAME.json        the caption with its weights
  //   NAME/01-word.png one panel per word; none where none are wanted
  // Where the record has views, these are drawn instead: one strip per view on the sheet, and
  // panels NAME/01-word.layer-0.head-1.png where there are several views. Class-token maps are
  // drawn as NAME.class-token.sheet.png, each with a scale of its own unless the scale is fixed.
  //
  // Of a text there are no sheets and panels, but NAME.json and the alignment matrices below,
  // whether they are requested or not.
  //
  // If matrices are requested, these are written as PNG and SVG (and PDF, if it is the format):
  //   NAME.alignment, NAME.alignment.head-0 ... with several heads, and
  //   NAME.alignment.layer-0.head-mean.rollout ... of views, if the caption has a word;
  //   NAME.encoder.layer-0.head-0 ... (PNG only, because they are many),
  //   NAME.refine.layer-0.head-0 ... and NAME.words.layer-0.head-0 ... of `encoder`
  //   and of the caption's word_maps().
  // A matrix larger than 256 x 256 is written as PNG only. Files of an earlier caption of the
  // picture are replaced. Throws IoError; BusyError, before anything is written, where NAME.json is
  // no file that overlay wrote.
  std::vector<std::filesystem::path> write(const Overlay& overlay, const CaptionRecord& record,
                                           const CaptionSource& source, const EncoderMaps& encoder);
  // Writes one sheet with the captions of several models, and no other file.
  std::filesystem::path write_strips(const std::string& image, const std::vector<Overlay>& strips);

 private:
  using Paths = std::vector<std::filesystem::path>;
  enum class Vectors { kNo, kYes };
  std::filesystem::path write_sheet(const std::string& place, std::vector<Overlay> strips) const;
  // stem: a name without folders and extension.
  std::string unused_name(const std::string& stem);
  void write_sheets(const std::string& name, const Overlay& overlay, const CaptionRecord& record,
                    const std::vector<ViewOverlay>& views, Paths& paths) const;
  void write_panels(const std::string& name, const std::vector<ViewOverlay>& views,
                    Paths& paths) const;
  // Writes a matrix to the files `place`.png ... of the folder.
  void write_matrix(const std::string& place, const HeatMap& map, Vectors vectors,
                    Paths& paths) const;
  void write_alignments(const std::string& name, const Overlay& overlay,
                        const CaptionRecord& record, Paths& paths) const;
  // Those of the encoder and the decoder by themselves.
  void write_matrices(const std::string& name, const Overlay& overlay, const CaptionRecord& record,
                      const EncoderMaps& encoder, Paths& paths) const;

  std::filesystem::path folder_;
  OverlayFileOptions options_;
  std::set<std::string> names_;
};

// A word or a name as part of a file name: letters and digits of any script, '-', '_' and, but for
// the first place, '.' are kept, and every other character becomes '_'.
std::string file_part(const std::string& text);

}  // namespace saccade
