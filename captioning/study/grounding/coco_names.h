// What captions call the things of COCO's 80 categories, beside the name of the category.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// The names of a category, without plurals, which stemming finds; empty for a category that is not
// COCO's.
std::vector<std::string> coco_names(const std::string& category);
// The names of all categories that are a single word, "dog" and "puppy", each once, in alphabetical
// order.
std::vector<std::string> coco_single_words();
// Names that contain a category's name and mean something else ("train station").
std::vector<std::string> names_of_no_category();

}  // namespace saccade
