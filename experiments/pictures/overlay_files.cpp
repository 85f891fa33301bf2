#include "experiments/pictures/overlay_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "captioning/model/maps/caption_json.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/unicode.h"
#include "core/parallel/parallel.h"
#include "experiments/process/output_file.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostVectorCells = 256 * 256;  // a cell takes a hundred bytes of text
constexpr std::size_t kLongestPart = 120;  // bytes; file systems take 255, suffixes included

// Panels of an earlier caption of the same picture would be mistaken for those of this caption.
// Those of other formats belong to a sheet of their format, which stays as well. Where the earlier
// caption is not there, the folder is not known to be one of panels, and nothing is removed.
void remove_old_panels(const fs::path& folder, PictureFormat format) {
  constexpr std::size_t kFewest = 2, kMost = 3;  // digits of the number of a word
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t digits = name.find_first_not_of("0123456789");
    if (digits >= kFewest && digits <= kMost && name[digits] == '-' &&
        entry.path().extension() == str(".", enum_name(format)))
      old.push_back(entry.path());
  }
  for (const fs::path& panel : old) fs::remove(panel, error);
}

// A text is no path.
std::string stem_of(const std::string& image, const Overlay& overlay) {
  return overlay.tokens.empty() ? fs::path(image).stem().string() : image;
}

}  // namespace

std::string file_part(const std::string& text) {
  std::string out;
  for (const unicode::CodePoint point : unicode::decode(text)) {
    const bool plain = unicode::is_word_character(point) || point == '-' || point == '_' ||
                       (point == '.' && !out.empty());
    std::string piece;
    unicode::append(piece, plain ? point : '_');
    if (out.size() + piece.size() > kLongestPart) break;
    out += piece;
  }
  return out.empty() ? "_" : out;
}

OverlayFiles::OverlayFiles(fs::path folder, const OverlayFileOptions& options)
    : folder_(std::move(folder)), options_(options) {}

std::string OverlayFiles::unused_name(const std::string& stem) {
  const std::string first = file_part(stem);
  std::string name = first;
  for (int k = 2; !names_.insert(name).second; ++k) name = str(first, "-", k);
  return name;
}

fs::path OverlayFiles::write_sheet(const std::string& place, std::vector<Overlay> strips) const {
  const PictureFormat format = options_.drawing.format;
  OverlayOptions drawing = options_.drawing.options;
  if (!options_.drawing.words.empty()) {
    // Full heat is that of the whole captions, as in the panels of single words.
    double most = 0;
    for (const Overlay& strip : strips) most = std::max(most, largest_weight(strip));
    if (drawing.scale == HeatScale::kShared && most > 0) {
      drawing.scale = HeatScale::kFixed;
      drawing.fixed_max = most;
    }
    for (Overlay& strip : strips) strip = only_words(std::move(strip), options_.drawing.words);
  }
  const fs::path path = folder_ / str(place, ".sheet.", enum_name(format));
  const std::string file = sheet_file(strips, drawing, format);
  make_folders(folder_);
  write_file(path, file);
  return path;
}

fs::path OverlayFiles::write_strips(const std::string& image, const std::vector<Overlay>& strips) {
  return write_sheet(unused_name(stem_of(image, strips.at(0))), strips);
}

void OverlayFiles::write_sheets(const std::string& name, const Overlay& overlay,
                                const CaptionRecord& record, const std::vector<ViewOverlay>& views,
                                Paths& paths) const {
  std::vector<Overlay> strips;
  for (const ViewOverlay& view : views) strips.push_back(view.overlay);
  paths.push_back(write_sheet(name, strips));
  if (record.class_token.empty()) return;
  OverlayFiles each = *this;
  each.options_.drawing.words.clear();
  HeatScale& scale = each.options_.drawing.options.scale;
  if (scale == HeatScale::kShared) scale = HeatScale::kPerWord;
  paths.push_back(each.write_sheet(name + ".class-token", {class_token_overlay(overlay, record)}));
}

void OverlayFiles::write_panels(const std::string& name, const std::vector<ViewOverlay>& views,
                                Paths& paths) const {
  const PictureFormat format = options_.drawing.format;
  const fs::path panels = folder_ / name;
  if (!options_.drawing.panels) return;
  make_folders(panels);
  for (const auto& [suffix, overlay] : views) {
    const std::size_t first = paths.size();
    std::vector<Index> drawn;
    for (std::size_t i = 0; i < overlay.words.size(); ++i) {
      if (!is_drawn(overlay.words[i], options_.drawing.words)) continue;
      drawn.push_back(static_cast<Index>(i));
      std::array<char, 32> number{};
      std::snprintf(number.data(), number.size(), "%02zu-", i + 1);
      paths.push_back(panels / str(number.data(), file_part(overlay.words[i].text), suffix, ".",
                                   enum_name(format)));
    }
    const auto* each = &overlay;  // a lambda cannot capture a structured binding
    const OverlayFileOptions& how = options_;
    parallel::for_each(static_cast<Index>(drawn.size()), [&, each](Index i) {
      const auto k = static_cast<std::size_t>(i);
      write_file(paths[first + k],
                 panel_file(*each, drawn[k], how.drawing.options, how.drawing.format));
    });
  }
}

void OverlayFiles::write_matrix(const std::string& place, const HeatMap& map, Vectors vectors,
                                Paths& paths) const {
  const PictureFormat format = options_.drawing.format;
  const OverlayOptions& how = options_.drawing.options;
  const HeatMapOptions drawing{
      .colours = how.colours, .scale = how.scale, .fixed_max = how.fixed_max, .font = how.font};
  std::vector<PictureFormat> formats{PictureFormat::kPng};
  if (vectors == Vectors::kYes && map.values.size() <= kMostVectorCells) {
    formats.push_back(PictureFormat::kSvg);
    if (format == PictureFormat::kPdf) formats.push_back(format);
  }
  for (const PictureFormat one : formats) {
    paths.push_back(folder_ / str(place, ".", enum_name(one)));
    write_file(paths.back(), heat_map_file(map, drawing, one));
  }
}

void OverlayFiles::write_alignments(const std::string& name, const Overlay& overlay,
                                    const CaptionRecord& record, Paths& paths) const {
  if (overlay.words.empty()) return;
  const std::vector<HeatMap> own = make_alignments(overlay, record.caption);
  for (std::size_t i = 0; i < own.size(); ++i)
    write_matrix(name + ".alignment" + (i == 0 ? "" : str(".head-", i - 1)), own[i], Vectors::kYes,
                 paths);
  for (const MapView& view : record.views)
    write_matrix(name + ".alignment" + view_suffix(view[0]), make_view_map(overlay, view),
                 Vectors::kYes, paths);
}

void OverlayFiles::write_matrices(const std::string& name, const Overlay& overlay,
                                  const CaptionRecord& record, const EncoderMaps& encoder,
                                  Paths& paths) const {
  const auto place = [&](const char* part, const LayerMap& map) {
    return str(name, part, "layer-", map.layer, ".head-", map.head);
  };
  for (const LayerMap& map : encoder.tokens)
    write_matrix(place(".encoder.", map),
                 make_region_map(overlay, map, encoder.layout, encoder.placeless), Vectors::kNo,
                 paths);
  for (const LayerMap& map : encoder.regions)
    write_matrix(place(".refine.", map), make_region_map(overlay, map, encoder.layout),
                 Vectors::kYes, paths);
  for (const LayerMap& map : word_maps(record.caption))
    write_matrix(place(".words.", map), make_word_map(overlay, map), Vectors::kYes, paths);
}

std::vector<fs::path> OverlayFiles::write(const Overlay& overlay, const CaptionRecord& record,
                                          const CaptionSource& source, const EncoderMaps& encoder) {
  const std::string name = unused_name(stem_of(record.image, overlay));
  const bool text = !overlay.tokens.empty(), matrices = options_.matrices == Matrices::kYes;
  const std::vector<ViewOverlay> views = view_overlays(overlay, record, options_.drawing.measure);
  const fs::path caption = folder_ / (name + ".json");
  check_output("--out", caption, OutputKind::kMaps);
  std::error_code error;
  if (!text && fs::exists(caption, error))
    remove_old_panels(folder_ / name, options_.drawing.format);
  Paths paths;
  if (text)
    make_folders(folder_);
  else
    write_sheets(name, overlay, record, views, paths);
  paths.push_back(caption);
  write_file(caption, json_line(caption_json(record, source)) + "\n");
  if (!text) write_panels(name, views, paths);
  if (text || matrices) write_alignments(name, overlay, record, paths);
  if (matrices) write_matrices(name, overlay, record, encoder, paths);
  return paths;
}

}  // namespace saccade
