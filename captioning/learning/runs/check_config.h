// Finds mistakes in a config that lie in the combination of several values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config/idle.h"

namespace saccade {

struct DataConfig;
struct ExperimentConfig;
struct LoadedData;

// Throws UsageError on values that are valid alone and not together, before any data is read or any
// arm is trained. Paths are not checked here but where the files are opened: a command line may
// still give them.
void check_config(const ExperimentConfig& config);

// Throws UsageError on values that do not fit the captions, which are at hand: a warm-up or a
// second stage for which training on so many is too short. Throws DataError where no image is val.
void check_with_data(const ExperimentConfig& config, const LoadedData& data);

// Throws UsageError, with one line for each option, on options that are set and never read. Where
// `data` joins sets that have such a key of their own, the line says so.
void refuse_idle(const std::vector<IdleOption>& idle, const DataConfig& data);

// Throws UsageError on overrides (`search.beam=5`) of options that the config, which has them
// already, does not read. `option` stands before an override on a command line ("--set "), which
// leaves out `section` ("data." with "--data ").
void refuse_unread(std::span<const std::string> overrides, const ExperimentConfig& config,
                   const std::string& option = "", const std::string& section = "");

// Makes a config ready to be trained by itself. Options that it inherited and does not read get
// their defaults again (core/config/idle.h); other options that nothing reads are refused as above.
// Two configs are treated more leniently: one with arms, which may read the options, and that of a
// run which is resumed (`of_a_run`), which an older version may have written. In these only options
// of the command line are refused, and all others get their defaults again.
void settle_alone(Loaded<ExperimentConfig>& loaded, bool of_a_run);

}  // namespace saccade
