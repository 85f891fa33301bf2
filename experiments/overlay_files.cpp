#include "experiments/overlay_files.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "captioning/text/unicode.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostSvgCells = 256 * 256;  // a cell is a hundred bytes of text
constexpr std::size_t kLongestPart = 120;         // bytes; file systems take 255 with what we add

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw IoError(str(folder.string(), ": cannot make this folder: ", error.message(),
                      "; choose another with --out"));
  }
}

// Panels of an earlier caption of the same picture would pass for this one's.
void remove_old_panels(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t digits = name.find_first_not_of("0123456789");
    if (digits != std::string::npos && digits >= 2 && name[digits] == '-' &&
        name.ends_with(".png")) {
      fs::remove(entry.path(), error);
    }
  }
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

Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source) {
  Overlay overlay{.image = std::move(picture),
                  .geometry = record.geometry,
                  .rows = source.grid.rows,
                  .cols = source.grid.cols,
                  .words = {},
                  .caption = caption_text(record.caption, *source.vocabulary)};
  for (const DecodedWord& word : record.caption.words) {
    OverlayWord out{.text = source.vocabulary->word(word.id),
                    .weights = word.attention,
                    .log_probability = static_cast<float>(word.log_prob)};
    if (source.gated) out.gate = static_cast<float>(word.gate);
    if (word.chosen >= 0) out.sampled = word.chosen;
    overlay.words.push_back(std::move(out));
  }
  return overlay;
}

OverlayFiles::OverlayFiles(fs::path folder, const OverlayFileOptions& options)
    : folder_(std::move(folder)), options_(options) {
  make_folder(folder_);
}

std::string OverlayFiles::unused_name(const std::string& image) {
  const std::string stem = file_part(fs::path(image).stem().string());
  std::string name = stem;
  for (int k = 2; !names_.insert(name).second; ++k) name = str(stem, "-", k);
  return name;
}

std::vector<fs::path> OverlayFiles::write(const Overlay& overlay, const CaptionRecord& record,
                                          const CaptionSource& source, const SelfMaps& self) {
  const std::string name = unused_name(record.image);
  std::vector<fs::path> paths = {folder_ / (name + ".sheet.png"), folder_ / (name + ".json")};
  write_png(paths[0], draw_sheet(overlay, options_.drawing));
  write_file(paths[1], caption_json(record, source) + "\n");
  const fs::path panels = folder_ / name;
  make_folder(panels);
  remove_old_panels(panels);
  for (std::size_t i = 0; i < overlay.words.size(); ++i) {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%02zu-", i + 1);
    paths.push_back(panels / (number.data() + file_part(overlay.words[i].text) + ".png"));
  }
  parallel::for_each(static_cast<Index>(overlay.words.size()), [&](Index i) {
    write_png(paths[static_cast<std::size_t>(i) + 2], draw_panel(overlay, i, options_.drawing));
  });
  if (options_.alignment == AlignmentFiles::kNo) return paths;
  const auto write_map = [&](const std::string& place, const HeatMap& map) {
    const HeatMapOptions drawing{.colours = options_.drawing.colours,
                                 .scale = options_.drawing.scale,
                                 .fixed_max = options_.drawing.fixed_max,
                                 .font = options_.drawing.font};
    paths.push_back(folder_ / (name + place + ".png"));
    write_png(paths.back(), draw_heat_map(map, drawing));
    if (map.values.size() > kMostSvgCells) return;
    paths.push_back(folder_ / (name + place + ".svg"));
    write_file(paths.back(), heat_map_svg(map, drawing));
  };
  if (!overlay.words.empty()) {
    const std::vector<HeatMap> maps = make_alignments(overlay, record.caption, source);
    for (std::size_t i = 0; i < maps.size(); ++i)
      write_map(".alignment" + (i == 0 ? "" : str(".head-", i - 1)), maps[i]);
  }
  for (const SelfMap& map : self.regions)
    write_map(str(".refine.layer-", map.layer, ".head-", map.head), make_region_map(overlay, map));
  for (const SelfMap& map : self.words)
    write_map(str(".words.layer-", map.layer, ".head-", map.head), make_word_map(overlay, map));
  return paths;
}

}  // namespace saccade
