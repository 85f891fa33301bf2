// The precision of a config becomes that of the process.
#pragma once

#include <filesystem>

#include "captioning/learning/config/experiment_config.h"
#include "core/base/messages.h"

namespace saccade {

// Before a run trains: sets what products compute with (set_precision), and config.precision to it
// where that is auto. Auto takes what the newest checkpoint in the directory of the run says, if
// there is one, and else bf16 if it is measured to be faster here; over ranks, the first one's word
// counts. Says what auto took. Throws UsageError for bf16 on a processor without it.
void use_precision(ExperimentConfig& config, const std::filesystem::path& run,
                   const MessageListener& listener = {});

// The same before a trained model writes captions. On a processor without bf16, and in a process
// that opens models of both precisions, it takes f32 and warns.
void use_model_precision(PrecisionChoice precision, const std::string& model,
                         const MessageListener& listener = {});

}  // namespace saccade
