// All commands of the program. Each row stands at the end of the command's own file.
#pragma once

#include <array>

#include "experiments/commands/command.h"

namespace saccade {

extern const Command kTrainCommand, kEvaluateCommand, kCaptionCommand, kOverlayCommand,
    kCompareCommand, kReportCommand, kServeCommand, kRunsCommand, kScoreCommand, kNewCommand,
    kDataCommand, kFeaturesCommand, kInspectCommand, kConvertCommand, kListCommand, kConfigCommand;

// In the order of --help.
inline constexpr std::array kAllCommands = {
    &kTrainCommand,    &kEvaluateCommand, &kCaptionCommand, &kOverlayCommand,
    &kCompareCommand,  &kReportCommand,   &kServeCommand,   &kRunsCommand,
    &kScoreCommand,    &kNewCommand,      &kDataCommand,    &kInspectCommand,
    &kFeaturesCommand, &kConvertCommand,  &kListCommand,    &kConfigCommand};

}  // namespace saccade
