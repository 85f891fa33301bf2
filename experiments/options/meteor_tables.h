// Where the program finds METEOR's table of paraphrases (paraphrase-en.gz), which is not part of
// the project: coco-caption and pycocoevalcap have it, and their METEOR uses it.
#pragma once

#include <string>
#include <vector>

#include "captioning/scoring/metrics/meteor/meteor.h"
#include "experiments/options/options.h"

namespace saccade {

// What the environment says of places: SACCADE_PARAPHRASES; PYTHONPATH; VIRTUAL_ENV and
// CONDA_PREFIX; HOME; XDG_CACHE_HOME. Each may be "".
struct MeteorPlaces {
  std::string table, packages;
  std::vector<std::string> roots;
  std::string home, caches;
};
void set_meteor_places(const MeteorPlaces& places);

// Declares --paraphrases.
void add_paraphrases_option(Options& options, std::string& paraphrases);

// METEOR with the table that `option` names; where it is "", with the one of the environment
// variable SACCADE_PARAPHRASES, and else with paraphrase-en.gz in saccade's folder of the user's
// cache, or that of a pycocoevalcap which is installed for Python: below the folders of PYTHONPATH,
// VIRTUAL_ENV and CONDA_PREFIX, the user's own packages and the system's. Without a table where
// there is none, and where the option or the variable is "none". The index is kept in that folder
// of the cache.
MeteorOptions meteor_options(const std::string& option);

}  // namespace saccade
