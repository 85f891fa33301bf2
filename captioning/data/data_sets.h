// The data sets that data.type joined puts together.
#pragma once

#include <string>
#include <vector>

#include "captioning/data/data_config.h"
#include "core/config/traits.h"

namespace saccade {

struct NamedDataConfig {
  std::string name;
  DataConfig config;  // as if the set were the only one
};

// The sets of data.sets, in their order; what a set leaves out is that of `config`, but not its
// type and its files. Throws UsageError, with one line for each mistake: fewer than two sets, a set
// without a type or with one that is not read from files, keys that a set cannot have, values that
// are wrong or that nothing reads, names that paths cannot have.
std::vector<NamedDataConfig> joined_sets(const DataConfig& config);

// The key of the first set that stands in the place of a key of `data`: data.sets.coco.images of
// data.images. "" where there is none, and where the sets are not joined.
std::string key_in_set(const DataConfig& config, const std::string& path);

// The shares in which sets of the same names differ, as data.sets.NAME.share; none where one of the
// two is not joined. Throws what joined_sets() throws.
std::vector<Difference> share_differences(const DataConfig& first, const DataConfig& second);

// The files that one set names or could name, whose keys are those of `section`: data or
// data.sets.NAME.
std::vector<NamedFile> files_of_set(const DataConfig& set, const std::string& section,
                                    ImageFolders folders);

// The files that the section `data` names or could name (core/config/traits.h), those of joined
// sets as data.sets.NAME.KEY.
std::vector<NamedFile> data_files(const DataConfig& config,
                                  ImageFolders folders = ImageFolders::kNeeded);

// Whether a key is data.images, data.val_images, or one of these of a set.
bool is_folder_of_images(const std::string& key);

}  // namespace saccade
