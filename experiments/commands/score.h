// `saccade score`: scores captions of any program against references.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/command.h"

namespace saccade {

struct ScoreArgs {
  std::vector<std::string> files;  // REFERENCES RESULTS, or with --against A B
  std::string against;             // references; files are two systems, each one file or several
  std::string judgements;          // CSV; files are the references
  std::string tokenize;            // captions to tokenize instead of scoring
  std::string split;
  std::string lines;      // "names" or "captions"; empty: ask where both are possible
  std::string per_image;  // the file for the scores of single images
  std::string document_frequencies, synonyms, paraphrases;
  bool human = false;
  bool no_meteor = false;
  bool intervals = false;
  bool paired = false;
  bool json = false;
  Index replicates = 10000;
  double level = 0.95;
  Index seed = 0;
};

int run_score(const ScoreArgs& args);
CommandRun bind_score(Options& options);

}  // namespace saccade
