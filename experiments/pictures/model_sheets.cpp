#include "experiments/pictures/model_sheets.h"

#include <algorithm>
#include <filesystem>

#include "captioning/model/maps/caption_record.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "experiments/pictures/overlay_files.h"
#include "experiments/pictures/shown_picture.h"
#include "experiments/pictures/spread_images.h"

namespace saccade {

namespace fs = std::filesystem;

ModelSheets::ModelSheets(const LoadedData& data, std::vector<Index> evaluated, std::size_t count)
    : data_(&data),
      images_(spread_images(std::move(evaluated), count)),
      overlays_(images_.size()) {}

void ModelSheets::add(const std::string& title, const CaptionModel& model,
                      const DatasetInputs& inputs, const EvaluationReport& report) {
  const RegimeReport& regime = report.regimes.front();
  const CaptionSource source{
      .vocabulary = &model.vocabulary(), .layout = {model.grid()}, .regime = regime.regime};
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const auto found = std::find(report.images.begin(), report.images.end(), images_[i]);
    if (found == report.images.end()) continue;  // the image could not be read
    const auto at = static_cast<std::size_t>(found - report.images.begin());
    const CaptionRecord record{
        .image = data_->dataset.images[static_cast<std::size_t>(images_[i])].id,
        .caption = regime.captions[at],
        .geometry = inputs.geometry(images_[i])};
    if (record.caption.words.empty()) continue;
    Overlay overlay = make_overlay(shown_picture(*data_, inputs, images_[i]), record, source);
    overlay.title = title + ", " + std::string(enum_name(regime.regime));
    overlays_[i].push_back(std::move(overlay));
  }
}

std::vector<ModelSheets::Sheet> ModelSheets::draw(const OverlayOptions& options) const {
  std::vector<Sheet> sheets;
  for (std::size_t i = 0; i < images_.size(); ++i)
    if (!overlays_[i].empty())
      sheets.push_back({data_->dataset.images[static_cast<std::size_t>(images_[i])].id,
                        draw_sheet(overlays_[i], options)});
  return sheets;
}

std::vector<fs::path> ModelSheets::write(const fs::path& folder) const {
  std::vector<fs::path> paths;
  for (const Sheet& sheet : draw({})) {
    make_folders(folder);
    paths.push_back(folder / (file_part(sheet.image) + ".png"));
    write_png(paths.back(), sheet.picture);
  }
  return paths;
}

}  // namespace saccade
