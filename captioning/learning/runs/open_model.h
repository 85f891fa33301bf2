// The door to a trained model: from a checkpoint to a model that is open.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "captioning/learning/runs/checkpoint_content.h"

namespace saccade {

struct OpenOptions {
  std::vector<std::string> set{};      // changes of the config that must have an effect
  std::vector<std::string> further{};  // and others behind them, as `search.beam=5`
  std::shared_ptr<const AttentionRegistry> added{};  // as in load_model(), as `overrider` is
  std::string overrider = kCommandLine;
  std::string option{};        // what stands before a key where an error names one: "--set "
  MessageListener listener{};  // of the pipeline
};

// Opens the model of a checkpoint file, whose path is its name. Throws what load_model(),
// refuse_unread() (check_config.h) and pipeline_of() throw.
LoadedModel open_model(const std::filesystem::path& checkpoint, const OpenOptions& options = {});

// Makes what reads for a model, from its config. `option` as above. Throws DataError where a frozen
// encoder's file is missing, or it is not the network, layer or preprocessing that the model was
// trained with; CheckpointError where its grid is not the one that the checkpoint says; and what
// InputPipeline throws.
std::unique_ptr<InputPipeline> pipeline_of(const LoadedModel& loaded,
                                           const MessageListener& listener,
                                           const std::string& option = "");

}  // namespace saccade
