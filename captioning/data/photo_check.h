// Looks at the photos of a data set: which are there, and which can be read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "captioning/data/load_data.h"

namespace saccade {

enum class PhotoReading {
  kHeader,  // size and end mark: finds what is no image, and files that are cut short
  kDecode,  // every pixel: finds damage, too
};

struct PhotoCheck {
  Index photos = 0;
  // Images of the data set, in its order.
  std::vector<Index> missing, unreadable;
  std::string first_problem;  // of the first unreadable one: what is wrong with it
  // Why photos are missing, where it shows: the folder is another one, or a file's name is the same
  // in other letters. May be empty. Of joined data sets with their names.
  std::string hint;
  std::vector<PhotoCheck> sets;  // of joined data sets, as Dataset::parts

  Index usable() const { return photos - static_cast<Index>(missing.size() + unreadable.size()); }
};

// Called from the calling thread while photos are read.
using PhotoProgress = std::function<void(Index done, Index total)>;

// Reads all photos with all threads. Drawn scenes and texts have none to read and give a check of
// no photos.
PhotoCheck check_photos(const LoadedData& data, PhotoReading reading,
                        const PhotoProgress& progress = {});

// The images of a split that can be read.
std::vector<Index> usable_images(const PhotoCheck& check, const Dataset& dataset, Split split);

// The names of these images in the data set.
std::vector<std::string> names_of(const Dataset& dataset, const std::vector<Index>& images);

// Whether training reads photos or, where features are given, only pages and drawings show them.
enum class PhotoUse { kTraining, kViews };

// What a person should know of the photos, one line each; the first one counts them.
std::vector<std::string> photo_lines(const PhotoCheck& check, const LoadedData& data,
                                     PhotoReading reading, PhotoUse use = PhotoUse::kTraining);

}  // namespace saccade
