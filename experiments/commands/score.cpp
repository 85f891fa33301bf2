#include "experiments/commands/score.h"

#include <iostream>
#include <utility>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/scores/human.h"
#include "captioning/scoring/scores/judgements.h"
#include "captioning/scoring/scores/score_report.h"
#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/options/meteor_tables.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"

namespace saccade {

namespace {

// For reports that have no place for it.
void show_tables(const ChosenMetrics& metrics) {
  if (metrics.meteor) log::info(plain_text(metrics.meteor->tables()));
}

void print(const ScoreArgs& args, const std::string& json, const std::string& table) {
  std::cout << (args.json ? json : table) << std::flush;
}

void show(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) log::warn(plain_text(note));
}

// What a file was read as is said where it can be scored, because a wrong guess would give wrong
// scores.
void show_form(const std::string& line) { log::info(plain_text(line)); }

MatchedCaptions matched_captions(const ScoreArgs& args, const CaptionFile& references,
                                 const std::string& path) {
  MatchedCaptions matched = match(references, read_results(path, args.line_reading()));
  show(matched.notes);
  return matched;
}

void need_files(const ScoreArgs& args, std::size_t count, const char* what) {
  if (args.files.size() != count) {
    throw UsageError(str("score needs ", what, "; got ", args.files.size(),
                         args.files.size() == 1 ? " file" : " files",
                         " (see saccade score --help)"));
  }
}

int score_tokens(const ScoreArgs& args) {
  need_files(args, 0, "no files beside --tokenize");
  std::vector<std::string> captions;
  for (const TextLine& line : lines_of(read_text(args.tokenize, "captions"), args.tokenize)) {
    captions.push_back(plain_caption(line.text).text);
  }
  std::string out;
  for (const Words& tokens : ptb_tokenize(captions)) out += join_words(tokens) + "\n";
  std::cout << out << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

int score_one(const ScoreArgs& args) {
  need_files(args, 2, "REFERENCES and RESULTS");
  if (!args.per_image.empty())
    check_output("--per-image", args.per_image, OutputKind::kImageScores, args.files);
  const CaptionFile references = references_of(args, args.files[0]);
  const MatchedCaptions matched = matched_captions(args, references, args.files[1]);
  const ChosenMetrics metrics(args);
  const CaptionScores scores =
      score_captions(matched.candidates, matched.references, metrics.options);
  for (const std::string& line : matched.forms) show_form(line);
  if (!args.per_image.empty()) {
    write_file(args.per_image, per_image_json(scores, matched, references));
    log::info("wrote " + args.per_image);
  }
  ScoreReport report{
      .scores = &scores, .meteor_tables = metrics.tables(), .intervals = {}, .level = args.level};
  if (args.intervals) report.intervals = bootstrap(scores.metrics, args.resampling());
  print(args, score_json(report), score_table(report));
  return static_cast<int>(ExitCode::kOk);
}

int score_against_people(const ScoreArgs& args) {
  need_files(args, 1, "REFERENCES beside --judgements");
  const CaptionFile references = references_of(args, args.files[0]);
  const Judgements judgements = read_judgements(args.judgements);
  const ChosenMetrics metrics(args);
  Resampling resampling = args.resampling();
  constexpr Index kUsual = 1000;  // a rank correlation takes as long as sorting
  if (!args.replicates_given) resampling.replicates = kUsual;
  const Agreement agreement =
      score_judgements(references, judgements.captions, metrics.options, resampling);
  show_tables(metrics);
  show_form(form_line("references", references));
  show_form(judgements.form);
  print(args, judgements_json(agreement), judgements_table(agreement));
  return static_cast<int>(ExitCode::kOk);
}

int score_people(const ScoreArgs& args) {
  need_files(args, 1, "REFERENCES beside --human");
  const CaptionFile references = references_of(args, args.files[0]);
  const ChosenMetrics metrics(args);
  const HumanScores scores = score_humans(references, metrics.options);
  show_tables(metrics);
  show_form(form_line("references", references));
  if (scores.left_out > 0) {
    show(
        {str(references.path, ": ", counted(scores.left_out, "image has", "images have"),
             " fewer than two references and ", scores.left_out == 1 ? "is" : "are", " left out")});
  }
  print(args, human_json(scores), human_table(scores));
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

LineReading ScoreArgs::line_reading() const {
  if (lines.empty()) return LineReading::kAsk;
  if (lines == "names") return LineReading::kNames;
  if (lines == "captions") return LineReading::kCaptions;
  throw UsageError(str("--lines must be names or captions; got '", lines, "'"));
}

ChosenMetrics::ChosenMetrics(const ScoreArgs& args) {
  if (!args.no_meteor) {
    MeteorOptions tables = meteor_options(args.paraphrases);
    tables.synonyms = args.synonyms;
    meteor = std::make_unique<Meteor>(tables);
  }
  options = {.meteor = meteor.get(), .document_frequencies = args.document_frequencies};
}

CaptionFile references_of(const ScoreArgs& args, const std::string& path) {
  CaptionFile references = read_references(
      path, args.split.empty() ? std::nullopt : std::optional(parse_split(args.split)),
      args.line_reading());
  show(references.notes);
  return references;
}

namespace {

int run_score(const ScoreArgs& args, int (*against)(const ScoreArgs&)) {
  const int modes = (args.tokenize.empty() ? 0 : 1) + (args.against.empty() ? 0 : 1) +
                    (args.judgements.empty() ? 0 : 1) + (args.human ? 1 : 0);
  constexpr Index kMostReplicates = 1000000;  // each takes 8 bytes per metric
  if (args.replicates > kMostReplicates) {
    throw UsageError(
        str("--replicates must be at most ", kMostReplicates, "; got ", args.replicates));
  }
  if (!(args.level > 0 && args.level < 1))
    throw UsageError(str("--level must lie between 0 and 1; got ", args.level));
  if (modes > 1) {
    throw UsageError(
        "score: --tokenize, --against, --judgements and --human exclude each other; give one of "
        "them");
  }
  if (!args.per_image.empty() && modes > 0) {
    throw UsageError(
        "score: --per-image needs REFERENCES and RESULTS, and none of the other modes");
  }
  if (args.intervals && modes > 0) {
    throw UsageError(
        "score: --intervals needs REFERENCES and RESULTS; a comparison with --against has "
        "intervals "
        "of its own");
  }
  for (const auto& [given, option] :
       {std::pair{args.paired, "--paired"}, std::pair{!args.latex.empty(), "--latex"},
        std::pair{!args.primary.empty(), "--primary"},
        std::pair{!args.margins.empty(), "--margin"}})
    if (given && args.against.empty())
      throw UsageError(str("score: ", option, " needs --against, which compares systems"));
  if (args.no_meteor && !(args.synonyms.empty() && args.paraphrases.empty())) {
    throw UsageError("score: --synonyms and --paraphrases are METEOR's; leave out --no-meteor");
  }
  if (!args.tokenize.empty()) return score_tokens(args);
  if (!args.against.empty()) return against(args);
  if (!args.judgements.empty()) return score_against_people(args);
  if (args.human) return score_people(args);
  return score_one(args);
}

}  // namespace

CommandRun bind_score(Options& options, int (*against)(const ScoreArgs&)) {
  const auto args = std::make_shared<ScoreArgs>();
  options.arguments(
      "files", args->files,
      "references and results; with --against the results of two systems or more, the "
      "first of which the others are tested against; with --judgements or --human "
      "only references; with --tokenize none",
      "FILE");
  options.flag("--json", args->json, "print one JSON object");
  options.text("--per-image", args->per_image, "write the scores of every image as JSON", "FILE");
  options.flag("--intervals", args->intervals,
               "add bootstrap confidence intervals over images to the scores");
  options.text("--against", args->against,
               "compare the results of systems on these references as compare does; a,b,c as "
               "results are the runs of one system with several seeds",
               "REFERENCES");
  options.flag("--paired", args->paired,
               "with --against: the runs of all systems have the same seeds, in the same order");
  options.text("--primary", args->primary,
               "with --against: the metric that was declared before, so that the verdict is "
               "corrected for no other",
               "METRIC");
  options.repeatable("--margin", args->margins,
                     "with --against: a difference that would not matter; says whether systems are "
                     "equal within it",
                     "METRIC=VALUE");
  options.text("--latex", args->latex, "with --against: write the table for LaTeX", "FILE");
  options.text("--judgements", args->judgements,
               "correlation between each metric and people's scores; FILE is a table with the "
               "columns image, caption and score",
               "FILE");
  options.flag("--human", args->human,
               "score people: each reference against the other references of its image");
  options.text("--tokenize", args->tokenize,
               "score nothing, but print the Penn Treebank tokens of each line of FILE", "FILE");
  options.text("--split", args->split,
               "use only the references of this split (train, val or test), where they have splits",
               "SPLIT");
  options.text("--lines", args->lines,
               "names or captions: what lines of text begin with, where both are possible, such as "
               "'2 dogs run'",
               "KIND");
  options.flag("--no-meteor", args->no_meteor, "leave METEOR out");
  options.text("--synonyms", args->synonyms,
               "take METEOR's synonyms from this table instead of the built-in one", "FILE");
  add_paraphrases_option(options, args->paraphrases);
  options.text("--document-frequencies", args->document_frequencies,
               "add a CIDEr that weights words by the document frequencies of this JSON file",
               "FILE");
  options.count("--replicates", args->replicates,
                "number of resamples of the bootstrap and the randomisation test (default: 10000; "
                "with --judgements 1000)",
                1);
  options.number("--level", args->level, "level of the confidence intervals (default: 0.95)",
                 "SHARE");
  options.count("--seed", args->seed, "seed of the resampling (default: 0)", 0);
  return [args, options, against] {
    args->replicates_given = options.given("--replicates");
    return run_score(*args, against);
  };
}

}  // namespace saccade
