#include "experiments/pictures/measure_pictures.h"

#include <algorithm>
#include <cmath>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kMostMatrixCells = 65536;  // a cell takes a hundred bytes of text

}  // namespace

float drawn_number(double value) {
  return static_cast<float>(std::isnan(value) ? value : std::max(value, 0.0));
}

MeasurePicture matrix_picture(const std::string& name, const std::string& model, HeatMap map,
                              std::optional<double> full) {
  HeatMapOptions options{.scale = full ? HeatScale::kFixed : HeatScale::kShared, .font = {}};
  if (full) options.fixed_max = *full;
  MeasurePicture out{.name = name, .title = map.title, .cells = map.values.size(), .file = {}};
  map.title = model + ", " + map.title;
  out.file = [map = std::move(map), options](PictureFormat format) {
    return heat_map_file(map, options, format);
  };
  return out;
}

MeasurePicture grid_picture(const std::string& name, const std::string& model, GridMaps maps) {
  MeasurePicture out{.name = name, .title = maps.title, .cells = maps.values.size(), .file = {}};
  maps.title = model + ", " + maps.title;
  out.file = [maps = std::move(maps)](PictureFormat format) {
    return grid_maps_file(maps, format);
  };
  return out;
}

std::vector<std::filesystem::path> write_pictures(const std::filesystem::path& folder,
                                                  std::span<const MeasurePicture> pictures) {
  make_folders(folder);
  std::vector<std::filesystem::path> paths;
  for (const MeasurePicture& picture : pictures)
    for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kSvg}) {
      if (format == PictureFormat::kSvg && picture.cells > kMostMatrixCells) continue;
      paths.push_back(folder / str(picture.name, ".", enum_name(format)));
      write_file(paths.back(), picture.file(format));
    }
  return paths;
}

}  // namespace saccade
