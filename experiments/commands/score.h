// `saccade score`: scores captions of any program against references.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/statistics/resampling.h"
#include "experiments/commands/command.h"

namespace saccade {

struct ScoreArgs {
  std::vector<std::string> files;  // REFERENCES RESULTS, or with --against SYSTEM SYSTEM ...
  std::string against;             // references; files are systems, each one file or several
  std::string primary, latex;      // with --against
  std::vector<std::string> margins;
  std::string judgements;  // CSV; files are the references
  std::string tokenize;    // captions to tokenize instead of scoring
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
  bool replicates_given = false;
  double level = 0.95;
  Index seed = 0;

  // How lines are read that may begin with a name. Throws UsageError for another word of `lines`.
  LineReading line_reading() const;
  Resampling resampling() const {
    return {.replicates = replicates, .level = level, .seed = static_cast<std::uint64_t>(seed)};
  }
};

// The metrics that the command line asks for, with METEOR's tables loaded.
struct ChosenMetrics {
  std::unique_ptr<Meteor> meteor;
  ScoringOptions options;

  explicit ChosenMetrics(const ScoreArgs& args);
  std::string tables() const { return meteor ? meteor->tables() : ""; }
};

// Reads the references in `path` as the command line says, and shows what is to be said of them.
CaptionFile references_of(const ScoreArgs& args, const std::string& path);

// Declares the options; `against` does what --against asks for.
CommandRun bind_score(Options& options, int (*against)(const ScoreArgs&));

// The row of the command. That of the full program (commands.h) compares systems, which needs what
// judges the arms of experiments; the program that only scores hands this over.
constexpr Command score_command(CommandRun (*bind)(Options&)) {
  return {"score",
          "score captions of any program against references",
          "saccade score captions_val2014.json results.json --json",
          bind,
          /*over_ranks=*/false,
          /*reads_configs=*/false};
}

}  // namespace saccade
