// A matrix of numbers as picture files: what measures of models are drawn into.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vision/drawing/heat_map.h"

namespace saccade {

// A number as a heat map takes it: what is not known or below 0 is drawn as 0.
float drawn_number(double value);

// Writes NAME.png and, where the matrix has at most 65,536 cells, NAME.svg into a folder, which is
// created if it does not exist, and appends their paths. `full` is the number that is full heat;
// without it the largest of the matrix is. Throws IoError.
void write_matrix_files(const std::filesystem::path& folder, const std::string& name,
                        const HeatMap& map, std::optional<double> full,
                        std::vector<std::filesystem::path>& paths);

}  // namespace saccade
