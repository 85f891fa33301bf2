// `saccade score --against`: compares systems by their captions, as compare does with arms.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "captioning/scoring/files/match.h"
#include "captioning/scoring/scores/score_rows.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/score.h"
#include "experiments/compare/comparison_files.h"
#include "experiments/compare/comparison_marks.h"
#include "experiments/compare/comparison_report.h"
#include "experiments/compare/verdict.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

struct System {
  std::string name;
  std::vector<std::string> files;  // one per run
};

// The file of this name or, where there is none, several files with commas between their names.
std::vector<std::string> files_of(const std::string& argument) {
  std::error_code error;
  if (fs::exists(argument, error)) return {argument};
  std::vector<std::string> out;
  std::set<fs::path> files;
  for (std::size_t at = 0; at <= argument.size();) {
    const std::size_t comma = std::min(argument.find(',', at), argument.size());
    out.push_back(argument.substr(at, comma - at));
    if (out.back().empty()) {
      throw UsageError(str("score: '", argument,
                           "' holds an empty name; write the files of several runs as "
                           "a.json,b.json"));
    }
    const fs::path file = fs::weakly_canonical(out.back(), error);
    if (!files.insert(error ? fs::path(out.back()) : file).second) {
      throw UsageError(str("score: ", out.back(), " is there twice in '", argument,
                           "'; name one file for each run"));
    }
    at = comma + 1;
  }
  return out;
}

// The systems of the command line: called by the stem of their (first) file where these differ, and
// else by the argument.
std::vector<System> systems_of(const ScoreArgs& args) {
  if (args.files.size() < 2)
    throw UsageError(
        str("score needs the results of two systems or more beside --against "
            "REFERENCES; got ",
            counted(std::ssize(args.files), "file"), " (see saccade score --help)"));
  std::vector<System> out;
  std::set<std::string> names;
  for (const std::string& argument : args.files) {
    out.push_back({"", files_of(argument)});
    out.back().name = fs::path(out.back().files[0]).stem().string();
    names.insert(out.back().name);
    if (args.paired && out.back().files.size() != out.front().files.size())
      throw UsageError(str("--paired needs as many runs for every system; got ",
                           out.front().files.size(), " and ", out.back().files.size()));
  }
  for (std::size_t s = 0; s < out.size(); ++s)
    if (names.size() < out.size()) out[s].name = args.files[s];
  return out;
}

// A run of a system: the scores of a file of captions, which has to caption the same images as
// those before it.
SeedResult scored_file(const std::string& path, const ScoreArgs& args,
                       const CaptionFile& references, const ScoringOptions& options,
                       std::vector<std::size_t>& images, std::vector<std::string>& captions) {
  const MatchedCaptions matched = match(references, read_results(path, args.line_reading()));
  for (const std::string& note : matched.notes) log::warn(plain_text(note));
  if (images.empty()) {
    images = matched.images;
    log::info(plain_text(matched.forms[0]));
  }
  log::info(plain_text(matched.forms[1]));
  if (images != matched.images) {
    throw DataError(path +
                    ": captions other images than the first results file; all files of a "
                    "comparison need captions of the same images");
  }
  captions = matched.candidates;
  const CaptionScores scores = score_captions(matched.candidates, matched.references, options);
  SeedResult out;
  out.regimes = {{Regime::kExpectation, scores.corpus(), scores.metrics, scores.marks}};
  return out;
}

Comparison compared(const ScoreArgs& args, const std::vector<System>& systems,
                    const CaptionFile& references, const ScoringOptions& options) {
  Comparison out;
  out.dataset = references.path;
  out.regimes = false;
  std::vector<std::size_t> images;
  std::int64_t seed = 0;
  std::map<std::vector<std::string>, std::string> files;  // by their captions
  for (const System& system : systems) {
    ArmResult& arm = out.arms.emplace_back();
    arm.arm.name = system.name;
    // Runs are paired only if --paired declares that they have the same seeds, in this order.
    if (args.paired) seed = 0;
    for (const std::string& file : system.files) {
      std::vector<std::string> captions;
      arm.seeds.push_back(scored_file(file, args, references, options, images, captions));
      if (const auto [same, fresh] = files.emplace(std::move(captions), file); !fresh)
        log::warn(plain_text(
            str(file, ": has the captions of ", same->second, " again; is one file given twice?")));
      arm.seeds.back().seed = seed++;
    }
  }
  out.images = std::ssize(images);
  return out;
}

std::string systems_json(const Comparison& comparison, const Judgement& judgement,
                         const std::vector<System>& systems) {
  const Resampling& resampling = judgement.options.resampling;
  nlohmann::ordered_json json = {{"schema_version", 2},
                                 {"n_images", comparison.images},
                                 {"against", systems.front().name},
                                 {"replicates", resampling.replicates},
                                 {"level", resampling.level},
                                 {"seed", resampling.seed},
                                 {"verdict", verdict(judgement)}};
  if (!judgement.options.primary.empty()) json["primary"] = judgement.options.primary;
  if (!comparison.meteor_tables.empty()) json["meteor_tables"] = comparison.meteor_tables;
  if (const auto marks = marks_of(comparison); !marks.empty()) json["marks"] = marks_json(marks);
  json["systems"] = nlohmann::ordered_json::array();
  const std::vector<Row> rows = rows_of(comparison);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    json["systems"].push_back({{"name", systems[s].name},
                               {"files", systems[s].files},
                               {"corpus", corpus_json(rows[s], judgement)}});
  }
  return json_text(json);
}

int score_against(const ScoreArgs& args) {
  if (!args.latex.empty()) check_output("--latex", args.latex, OutputKind::kLatex, args.files);
  const CaptionFile references = references_of(args, args.against);
  const ChosenMetrics metrics(args);
  const JudgeOptions judging = judge_options(args.primary, args.margins, args.resampling());
  if (!judging.primary.empty() || !judging.margins.empty())
    require_metrics(judging, judged_captions(metrics.options));
  const std::vector<System> systems = systems_of(args);
  Comparison comparison = compared(args, systems, references, metrics.options);
  comparison.meteor_tables = metrics.tables();
  const Judgement judgement = judge(comparison, judging);
  if (!args.latex.empty()) {
    write_file(args.latex, comparison_latex(comparison, judgement));
    log::info("wrote " + args.latex);
  }
  if (args.json) {
    std::cout << systems_json(comparison, judgement, systems) << std::flush;
    return static_cast<int>(ExitCode::kOk);
  }
  std::string files;
  for (const System& system : systems) {
    files += system.name + ":";
    for (const std::string& file : system.files) files += " " + file;
    files += "\n";
  }
  std::cout << files
            << comparison_table(comparison, judgement, {.columns = 100, .shown = Shown::kAll})
            << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

const Command kScoreCommand =
    score_command([](Options& options) { return bind_score(options, score_against); });

}  // namespace saccade
