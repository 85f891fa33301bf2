// What captions call the things of COCO's 80 categories, beside the category's own name.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// The names of a category, plurals left to stemming; empty for a category that is not COCO's.
std::vector<std::string> coco_names(const std::string& category);
// Names that hold a category's name and mean something else ("train station").
std::vector<std::string> names_of_no_category();

}  // namespace saccade
