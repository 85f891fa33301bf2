// What a person's own photos and captions are: their form, and the counts by which `saccade new`
// chooses the values of a config.
#pragma once

#include <string>
#include <vector>

#include "captioning/data/photo_check.h"

namespace saccade {

// The captions of training photos that can be read.
struct CaptionFacts {
  Index captions = 0, words = 0;
  Index least_per_photo = 0, most_per_photo = 0;
  std::vector<Index> lengths;      // [words] -> captions
  std::vector<Index> occurrences;  // of each word that occurs, the most frequent first
  Index sides = 0;                 // captions that say left or right

  // The share of the words' occurrences that are lost with data.min_count at this value.
  double lost_share(Index min_count) const;
  // The number of words that remain.
  Index vocabulary(Index min_count) const;
  // The smallest length that at least this share of the captions does not exceed.
  Index length_of_share(double share) const;
};

struct OwnData {
  std::string form;   // "a folder of photos with a captions.csv", ...
  DataConfig config;  // type and places; the shares of the splits that were made
  LoadedData loaded;
  PhotoCheck photos;
  CaptionFacts captions;
  Index train = 0, val = 0, test = 0;          // photos of the splits that can be read
  bool makes_val = false, makes_test = false;  // the files have no such split
};

// Recognises the form of a captions file by its content, and reads the data. Where the files have
// no val split, the share is chosen that gives enough photos of this data set. Throws DataError for
// a file of no known form, for what cannot be read, and where no photo can be used.
OwnData look_at_own_data(const std::string& photos, const std::string& captions,
                         const PhotoProgress& progress);

// The facts of these images of a data set.
CaptionFacts caption_facts(const Dataset& dataset, const std::vector<Index>& images);

}  // namespace saccade
