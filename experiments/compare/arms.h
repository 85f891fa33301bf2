// The arms of a comparison: each named arm in every combination of the values of the axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "captioning/learning/config/experiment_config.h"
#include "core/base/error.h"
#include "core/config/idle.h"

namespace saccade {

struct Arm {
  std::string name;    // "gated, beam=3": its own name and its values on the axes; the name of the
                       // experiment where there is neither
  std::string folder;  // the name as that of a folder, unique among the arms
  std::vector<std::pair<std::string, std::string>> values;  // config path and value, its own first
  ExperimentConfig config;
  std::vector<IdleOption> idle{};  // options that it sets, or that all arms have, and never reads
};

// Two arms of a comparison are the same experiment.
class EqualArmsError : public UsageError {
 public:
  explicit EqualArmsError(const std::string& what) : UsageError(what) {}
};

// The arms of config.compare: the named arms in their order and, for each, the combinations of the
// axes with the last axis varying fastest. An option that an arm inherits from the config and does
// not read gets its default in that arm, if another arm reads it. Throws UsageError on a path that
// is not a config value or that both an arm and an axis set, on a value that does not fit, on a
// seed that is listed twice, where compare.against names no arm, and where the folder of an arm
// would be a file of the comparison, and EqualArmsError on two equal arms.
std::vector<Arm> expand_arms(const LoadedConfig& base);

// Whether one config path is the other one or a section that contains it.
bool overlapping_paths(const std::string& a, const std::string& b);

// The mistakes of several arms: each line once, after the names of the arms that have it, unless
// all have it.
class ArmMistakes {
 public:
  explicit ArmMistakes(const std::vector<Arm>& arms) : all_(arms.size()) {}
  // Adds the lines of a message; one that begins with a space belongs to the line before. A mistake
  // of all arms has no arm ("").
  void add(const std::string& arm, const std::string& text, ExitCode code);
  // Throws Error with all lines, if there are any, and the exit code of the first message that is
  // about more than a value of the config; else UsageError.
  void raise() const;

 private:
  struct Mistake {
    std::string text;
    std::vector<std::string> arms;
  };
  std::size_t all_;
  std::vector<Mistake> mistakes_;
  ExitCode code_ = ExitCode::kUsage;
};

// Runs check_config on every arm and refuses idle options. Throws one UsageError with the lines of
// ArmMistakes.
void check_arms(const std::vector<Arm>& arms);

}  // namespace saccade
