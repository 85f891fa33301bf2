#include "experiments/commands/score.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <utility>

#include "captioning/data/reader_support.h"
#include "captioning/metrics/meteor/meteor.h"
#include "captioning/scoring/caption_files.h"
#include "captioning/scoring/human.h"
#include "captioning/scoring/judgements.h"
#include "captioning/scoring/match.h"
#include "captioning/scoring/score_report.h"
#include "captioning/text/ptb_tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/atomic_file.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"
#include "experiments/process/paraphrase_place.h"
#include "experiments/process/plain_text.h"

namespace saccade {

namespace {

// Candidates and references as METEOR sees them.
std::vector<std::string> texts_of(const MatchedCaptions& matched) {
  std::vector<std::string> references, out;
  for (const auto& image : matched.references)
    references.insert(references.end(), image.begin(), image.end());
  for (const auto* captions : {&matched.candidates, &std::as_const(references)})
    for (const Words& words : ptb_words(*captions)) out.push_back(join_words(words));
  return out;
}

// The metrics to compute, with METEOR's tables loaded.
struct Scorer {
  std::unique_ptr<Meteor> meteor;
  ScoringOptions options;

  // `matched` is all that will be scored, where that is known: METEOR then keeps only the
  // paraphrases of its words.
  explicit Scorer(const ScoreArgs& args, const MatchedCaptions* matched = nullptr) {
    if (!args.no_meteor) {
      const std::filesystem::path paraphrases = paraphrase_table(args.paraphrases);
      const std::vector<std::string> texts = matched == nullptr || paraphrases.empty()
                                                 ? std::vector<std::string>()
                                                 : texts_of(*matched);
      meteor = std::make_unique<Meteor>(
          MeteorOptions{.synonyms = args.synonyms, .paraphrases = paraphrases, .texts = texts});
    }
    options = {.meteor = meteor.get(), .document_frequencies = args.document_frequencies};
  }
  std::string tables() const { return meteor ? meteor->tables() : ""; }
  // For reports that have no place for it.
  void show_tables() const {
    if (meteor) log::info(plain_text(meteor->tables()));
  }
};

void print(const ScoreArgs& args, const std::string& json, const std::string& table) {
  std::cout << (args.json ? json : table) << std::flush;
}

void show(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) log::warn(plain_text(note));
}

LineReading line_reading(const ScoreArgs& args) {
  if (args.lines.empty()) return LineReading::kAsk;
  if (args.lines == "names") return LineReading::kNames;
  if (args.lines == "captions") return LineReading::kCaptions;
  throw UsageError(str("--lines must be names or captions; got '", args.lines, "'"));
}

// What a file was read as is said where it can be scored, because a wrong guess would give wrong
// scores.
void show_form(const std::string& line) { log::info(plain_text(line)); }

CaptionFile references_of(const ScoreArgs& args, const std::string& path) {
  CaptionFile references = read_references(
      path, args.split.empty() ? std::nullopt : std::optional(parse_split(args.split)),
      line_reading(args));
  show(references.notes);
  return references;
}

MatchedCaptions matched_captions(const ScoreArgs& args, const CaptionFile& references,
                                 const std::string& path) {
  MatchedCaptions matched = match(references, read_results(path, line_reading(args)));
  show(matched.notes);
  return matched;
}

Resampling resampling_of(const ScoreArgs& args) {
  return {.replicates = args.replicates,
          .level = args.level,
          .seed = static_cast<std::uint64_t>(args.seed)};
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
    captions.push_back(line.text);
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
  const Scorer scorer(args, &matched);
  const CaptionScores scores =
      score_captions(matched.candidates, matched.references, scorer.options);
  for (const std::string& line : matched.forms) show_form(line);
  if (!args.per_image.empty()) {
    write_file(args.per_image, per_image_json(scores, matched, references));
    log::info("wrote " + args.per_image);
  }
  ScoreReport report{
      .scores = &scores, .meteor_tables = scorer.tables(), .intervals = {}, .level = args.level};
  if (args.intervals) report.intervals = bootstrap(scores.metrics, resampling_of(args));
  print(args, score_json(report), score_table(report));
  return static_cast<int>(ExitCode::kOk);
}

// The file of this name or, where there is none, several files with commas between their names.
std::vector<std::string> runs_of(const std::string& argument) {
  namespace fs = std::filesystem;
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

// The scores of several results files on the same images, as runs with the seeds first_seed,
// first_seed + 1, ...
std::vector<SeedRun> score_runs(const ScoreArgs& args, const std::vector<std::string>& paths,
                                std::int64_t first_seed, const CaptionFile& references,
                                const Scorer& scorer, std::vector<std::size_t>& images) {
  std::vector<SeedRun> out;
  for (const std::string& path : paths) {
    const MatchedCaptions matched = matched_captions(args, references, path);
    const bool first = images.empty();
    if (first) images = matched.images;
    if (images != matched.images) {
      throw DataError(path +
                      ": captions other images than the first results file; all files of a "
                      "comparison need captions of the same images");
    }
    out.push_back(
        {.seed = first_seed + static_cast<std::int64_t>(out.size()),
         .metrics =
             score_captions(matched.candidates, matched.references, scorer.options).metrics});
    if (first) show_form(matched.forms[0]);
    show_form(matched.forms[1]);
  }
  return out;
}

int score_pair(const ScoreArgs& args) {
  need_files(args, 2, "two results, A and B, beside --against REFERENCES");
  const CaptionFile references = references_of(args, args.against);
  const Scorer scorer(args);
  const std::vector<std::string> names_a = runs_of(args.files[0]), names_b = runs_of(args.files[1]);
  std::vector<std::size_t> images;
  if (args.paired && names_a.size() != names_b.size()) {
    throw UsageError(str("--paired needs as many runs for A as for B; got ", names_a.size(),
                         " and ", names_b.size()));
  }
  const std::vector<SeedRun> a = score_runs(args, names_a, 0, references, scorer, images);
  // Runs are paired only if --paired declares that they have the same seeds, in this order.
  const std::int64_t first_b = args.paired ? 0 : static_cast<std::int64_t>(names_a.size());
  const std::vector<SeedRun> b = score_runs(args, names_b, first_b, references, scorer, images);
  scorer.show_tables();
  const Resampling resampling = resampling_of(args);
  const auto count = static_cast<Index>(images.size());
  if (a.size() == 1 && b.size() == 1) {
    const PairedReport report{
        .a = names_a[0],
        .b = names_b[0],
        .images = count,
        .resampling = resampling,
        .differences = paired_bootstrap(a[0].metrics, b[0].metrics, resampling),
        .randomisation =
            randomisation_test(a[0].metrics, b[0].metrics,
                               {.replicates = resampling.replicates, .seed = resampling.seed})};
    print(args, paired_json(report), paired_table(report));
  } else {
    const SeedReport report{.a = names_a,
                            .b = names_b,
                            .images = count,
                            .resampling = resampling,
                            .spread_a = across_seeds(a, resampling),
                            .spread_b = across_seeds(b, resampling),
                            .differences = compare_seeds(a, b, resampling)};
    print(args, seeds_json(report), seeds_table(report));
  }
  return static_cast<int>(ExitCode::kOk);
}

int score_against_people(const ScoreArgs& args) {
  need_files(args, 1, "REFERENCES beside --judgements");
  const CaptionFile references = references_of(args, args.files[0]);
  const std::vector<JudgedCaption> judgements = read_judgements(args.judgements);
  const Scorer scorer(args);
  const auto agreement = score_judgements(references, judgements, scorer.options);
  scorer.show_tables();
  show_form(form_line("references", references));
  print(args, judgements_json(agreement, judgements.size()),
        judgements_table(agreement, judgements.size()));
  return static_cast<int>(ExitCode::kOk);
}

int score_people(const ScoreArgs& args) {
  need_files(args, 1, "REFERENCES beside --human");
  const CaptionFile references = references_of(args, args.files[0]);
  const Scorer scorer(args);
  const HumanScores scores = score_humans(references, scorer.options);
  scorer.show_tables();
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

int run_score(const ScoreArgs& args) {
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
  if (args.paired && args.against.empty())
    throw UsageError("score: --paired needs --against, which compares two systems");
  if (args.no_meteor && !(args.synonyms.empty() && args.paraphrases.empty())) {
    throw UsageError("score: --synonyms and --paraphrases are METEOR's; leave out --no-meteor");
  }
  if (!args.tokenize.empty()) return score_tokens(args);
  if (!args.against.empty()) return score_pair(args);
  if (!args.judgements.empty()) return score_against_people(args);
  if (args.human) return score_people(args);
  return score_one(args);
}

CommandRun bind_score(Options& options) {
  const auto args = std::make_shared<ScoreArgs>();
  options.arguments("files", args->files,
                    "references and results; with --against the results of two systems; with "
                    "--judgements or --human only references; with --tokenize none",
                    "FILE");
  options.flag("--json", args->json, "print one JSON object");
  options.text("--per-image", args->per_image, "write the scores of every image as JSON", "FILE");
  options.flag("--intervals", args->intervals,
               "add bootstrap confidence intervals over images to the scores");
  options.text("--against", args->against,
               "compare the results of two systems on these references; a,b,c as results are the "
               "runs of one system with several seeds",
               "REFERENCES");
  options.flag("--paired", args->paired,
               "with --against: the runs of both systems have the same seeds, in the same order");
  options.text("--judgements", args->judgements,
               "rank correlation between each metric and people's scores; FILE is a CSV with the "
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
  options.text("--paraphrases", args->paraphrases,
               "METEOR's table of paraphrases (paraphrase-en.gz), or none; without this, "
               "SACCADE_PARAPHRASES names it, or it is that of an installed pycocoevalcap",
               "FILE");
  options.text("--document-frequencies", args->document_frequencies,
               "add a CIDEr that weights words by the document frequencies of this JSON file",
               "FILE");
  options.count("--replicates", args->replicates,
                "number of resamples of the bootstrap and the randomisation test (default: 10000)",
                1);
  options.number("--level", args->level, "level of the confidence intervals (default: 0.95)",
                 "SHARE");
  options.count("--seed", args->seed, "seed of the resampling (default: 0)", 0);
  return [args] { return run_score(*args); };
}

}  // namespace saccade
