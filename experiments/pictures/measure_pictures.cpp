#include "experiments/pictures/matrix_files.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace saccade {

namespace {

constexpr std::size_t kMostMatrixCells = 65536;  // a cell takes a hundred bytes of text

}  // namespace

float drawn_number(double value) {
  return std::isfinite(value) ? static_cast<float>(std::max(value, 0.0)) : 0.0F;
}

void write_matrix_files(const std::filesystem::path& folder, const std::string& name,
                        const HeatMap& map, std::optional<double> full,
                        std::vector<std::filesystem::path>& paths) {
  HeatMapOptions options{.scale = full ? HeatScale::kFixed : HeatScale::kShared, .font = {}};
  if (full) options.fixed_max = *full;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_io_error("make the directory", folder, error.value());
  std::vector<PictureFormat> formats{PictureFormat::kPng};
  if (map.values.size() <= kMostMatrixCells) formats.push_back(PictureFormat::kSvg);
  for (const PictureFormat format : formats) {
    paths.push_back(folder / str(name, ".", enum_name(format)));
    write_file(paths.back(), heat_map_file(map, options, format));
  }
}

}  // namespace saccade
