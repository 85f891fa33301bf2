// A caption of one's own, which a model is made to say instead of searching one (`--say`): where it
// looks for these words, and how probable they are to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/model_session.h"

namespace saccade {

class Options;

void add_say_option(Options& options, std::optional<std::string>& say);

// The words of `say` as entries of the models' vocabulary; empty where nothing is said. Words that
// the vocabulary lacks stand there as <unk> and are named in a warning. Throws UsageError where it
// has no words, where the models know none of them, and where the command line also has options of
// a search, which then have no effect.
std::vector<int> said_words(const std::optional<std::string>& say, const ModelArgs& args,
                            const ModelSession& session);

}  // namespace saccade
