// Pictures of what is measured of a model, for files and for pages: a matrix of numbers, or the
// numbers of the regions at their places.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vision/drawing/grid_maps.h"
#include "vision/drawing/heat_map.h"

namespace saccade {

// A number as these pictures take it: what is below 0 is drawn as 0, and NaN is not known.
float drawn_number(double value);

struct MeasurePicture {
  std::string name;       // of its files: "heads.profiles"
  std::string title;      // what it shows, without the name of the model
  std::size_t cells = 0;  // how many numbers it has
  // The file.
  std::function<std::string(PictureFormat)> file;
};

// `title` is written above the drawing, behind the name of the model. Without `full`, the number
// that is full heat, the largest of the matrix is.
MeasurePicture matrix_picture(const std::string& name, const std::string& model, HeatMap map,
                              std::optional<double> full);
MeasurePicture grid_picture(const std::string& name, const std::string& model, GridMaps maps);

// Writes NAME.png and, where a picture has at most 65,536 cells, NAME.svg into a folder, which is
// created if it does not exist. Returns the paths. Throws IoError.
std::vector<std::filesystem::path> write_pictures(const std::filesystem::path& folder,
                                                  std::span<const MeasurePicture> pictures);

}  // namespace saccade
