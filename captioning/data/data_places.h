// The files and folders that a config names: which of them are missing, and where to get them.
#pragma once

#include <string>
#include <vector>

#include "captioning/data/data_config.h"

namespace saccade {

struct NamedFile;  // core/config/traits.h

// Whether a key names boxes: data.boxes, or data.sets.NAME.boxes.
bool is_key_of_boxes(const std::string& key);

// "data.annotations: dataset_flickr8k.json is missing; /usr/share/saccade/configs/README.md
// says where to get it" (data_guide() in core/base/own_place.h).
std::string missing_text(const NamedFile& file);

// Such a line, or one that says what is wrong, where a file or folder that a config names does not
// exist, or is a file instead of a folder; "" where it can be used, as far as its kind shows.
std::string problem_of_place(const NamedFile& file);

// One such line for each file and folder of the data set that the config names and that does not
// exist, or that is a file instead of a folder; data.boxes is left out, which not everybody reads.
// Throws UsageError that names every key which the data set needs and the config leaves empty.
std::vector<std::string> missing_places(const DataConfig& config,
                                        ImageFolders folders = ImageFolders::kNeeded);

}  // namespace saccade
