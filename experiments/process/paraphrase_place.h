// Where the program finds METEOR's table of paraphrases (paraphrase-en.gz), which is not part of
// the project: coco-caption and pycocoevalcap have it, and their METEOR uses it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

// What the environment says of places: SACCADE_PARAPHRASES; PYTHONPATH; VIRTUAL_ENV and
// CONDA_PREFIX; HOME. Each may be "".
struct PythonPlaces {
  std::string table, packages;
  std::vector<std::string> roots;
  std::string home;
};
void set_python_places(const PythonPlaces& places);

// The table that `option` names; where it is "", the one of the environment variable
// SACCADE_PARAPHRASES, and else that of a pycocoevalcap which is installed for Python: below the
// folders of PYTHONPATH, VIRTUAL_ENV and CONDA_PREFIX, the user's own packages and the system's.
// Empty where there is none, and where the option or the variable is "none".
std::filesystem::path paraphrase_table(const std::string& option);

}  // namespace saccade
