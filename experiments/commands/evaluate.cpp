#include "experiments/commands/evaluate.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "captioning/data/data_sets.h"
#include "captioning/learning/runs/member_inputs.h"
#include "captioning/model/search/must_words.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/commands/commands.h"
#include "experiments/options/given_boxes.h"
#include "experiments/options/meteor_tables.h"
#include "experiments/pictures/group_charts.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"
#include "experiments/process/progress.h"

namespace saccade {

namespace {

// Warns if a model is evaluated on other data than it was trained on.
void compare_data(const DataIdentity& trained, const Dataset& dataset) {
  if (trained.name != dataset.name) {
    log::info(str("the model was trained on the data set ", trained.name,
                  " and is evaluated on another one, ", dataset.name));
  } else if (trained.digest != dataset.digest) {
    log::info(str("the data set ", dataset.name, " has changed since the model was trained on it"));
  }
}

struct EvaluatedData {
  LoadedData data;
  std::optional<Split> split;  // nothing: all images
};

// The data set, and the split that --split names. Without it: the data set's own default; but all
// images where --data names a data set that no member was trained on and whose files have no
// splits, because the splits that training would make of it mean nothing then.
EvaluatedData evaluated_data(const EvaluateArgs& args, const ModelSession& session) {
  constexpr const char* kAll = "all";
  if (args.split == kAll && args.baselines)
    throw UsageError(
        "--baselines takes the captions of training images, and --split all leaves none; name "
        "another split");
  EvaluatedData out{load_data(session), std::nullopt};
  DataConfig as_it_is = session.config().data;
  as_it_is.split = {{.val = 0, .test = 0}};
  const ImageFolders folders = image_folders(session.config());
  if (args.split == kAll) {  // no word on splits that are made and not looked at
    if (!out.data.is_drawn()) out.data.dataset.notes = load_data(as_it_is, folders).dataset.notes;
    return out;
  }
  out.split = args.split.empty() ? out.data.default_split() : parse_split(args.split);
  const auto& members = session.members();
  const bool own = args.model.data.empty() ||
                   std::any_of(members.begin(), members.end(), [&](const auto& member) {
                     return member.data.digest == out.data.dataset.digest;
                   });
  if (!args.split.empty() || own || args.baselines || out.data.is_drawn()) return out;
  LoadedData data = load_data(as_it_is, folders);
  if (images_of(data.dataset, Split::kTrain).size() < data.dataset.images.size()) return out;
  log::info(str(data.dataset.name, ": the files have no splits, and the model was not trained on ",
                "them: all ", counted(static_cast<Index>(data.dataset.images.size()), "image"),
                " are evaluated (--split all; --split val is what training would hold back)"));
  return {std::move(data), std::nullopt};
}

// Refuses boxes where there is no map to judge by them, and for scenes.
void check_boxes(const ModelSession& session, const std::string& boxes) {
  refuse_boxes_of_scenes(boxes, session.config().data);
  if (!session.models().has_attention())
    throw UsageError(
        "--boxes: the model has no attention (attention.score is none), so there are no maps to "
        "judge; leave the option out");
}

// `results.json`, or `results.argmax.json` where several regimes are written, and
// `results.coco.json` or `results.argmax.coco.json` of one of several data sets (`set`).
std::filesystem::path results_path(const std::string& out, const std::vector<Regime>& regimes,
                                   Regime regime, const std::string& set) {
  std::filesystem::path path(out);
  const std::string extension = path.extension().string();
  std::string ending;
  if (regimes.size() > 1) ending += "." + std::string(enum_name(regime));
  if (!set.empty()) ending += "." + set;
  if (ending.empty()) return path;
  return path.replace_extension().concat(ending + extension);
}

// The names by which results are told apart: those of joined data sets, or "".
std::vector<std::string> names_of_results(const DataConfig& config) {
  if (config.type != DataKind::kJoined) return {""};
  std::vector<std::string> names;
  for (const NamedDataConfig& set : joined_sets(config)) names.push_back(set.name);
  return names;
}

// Writes the captions, those of each joined data set with the ids of its own files.
void write_results(const EvaluateArgs& args, const EvaluationReport& report,
                   const std::vector<Regime>& regimes) {
  const auto write = [&](const RegimeReport& regime, const std::string& set,
                         const DatasetPart* part) {
    const std::filesystem::path path = results_path(args.out, regimes, regime.regime, set);
    write_file(path, coco_results(report, regime, part));
    log::info("wrote " + path.string());
  };
  for (const RegimeReport& regime : report.regimes) {
    if (report.parts.empty()) write(regime, "", nullptr);
    for (const DatasetPart& part : report.parts) write(regime, part.name, &part);
  }
}

// Refuses, before anything is captioned, to write results over a file that is not made of results.
void check_results(const EvaluateArgs& args, const ModelSession& session,
                   const std::vector<Regime>& regimes) {
  std::vector<std::string> inputs = {args.model.checkpoint, args.boxes};
  for (const NamedFile& file : data_files(session.config().data)) inputs.push_back(file.path);
  for (const Regime regime : regimes)
    for (const std::string& set : names_of_results(session.config().data))
      check_output("--out", results_path(args.out, regimes, regime, set), OutputKind::kResults,
                   inputs);
}

SearchOptions search_of(const EvaluateArgs& args, const ModelSession& session,
                        const Dataset& dataset) {
  const SearchConfig& config = session.config().search;
  const Vocabulary& vocabulary = session.model().vocabulary();
  SearchOptions search = search_options(session.config(), config, vocabulary);
  if (args.model.must_from.empty()) return search;
  if (config.mode != SearchMode::kBeam || config.groups > 1)
    throw UsageError("--must-from needs search.mode beam and search.groups 1, as search.must does");
  std::vector<std::string> ids;
  for (const CaptionedImage& image : dataset.images) ids.push_back(image.id);
  add_must_of_images(search.must, args.model.must_from, ids, vocabulary, config);
  return search;
}

// Tells how many captions lack what was asked of them.
void tell_unmet(const EvaluationReport& report) {
  for (const RegimeReport& regime : report.regimes) {
    const Index count = std::count_if(regime.captions.begin(), regime.captions.end(),
                                      [](const DecodedCaption& c) { return !c.unmet.empty(); });
    if (count > 0)
      log::warn(str(counted(count, "caption lacks", "captions lack"),
                    " something that was asked of them (search.must, --must-from): no caption has "
                    "it that search.max_length and the other values of search allow"));
  }
}

}  // namespace

int run_evaluate(const EvaluateArgs& args) {
  if (args.samples == 1) {
    throw UsageError("--samples: diversity needs several captions; draw at least 2 for each image");
  }
  refuse_training_values(args.model);
  ModelSession session(args.model);
  std::vector<std::string> without = session.heads_without();
  check_search(session.config().search, session.config().data,
               args.samples > 0 ? Draws::kAlways : Draws::kByMode);
  const std::vector<Regime> regimes = session.regimes(args.model.regime);
  if (!args.out.empty()) check_results(args, session, regimes);
  const EvaluatedData evaluated = evaluated_data(args, session);
  const LoadedData& data = evaluated.data;
  const std::optional<Split> split = evaluated.split;
  for (const LoadedModel& member : session.members()) compare_data(member.data, data.dataset);
  for (const std::string& note : named_notes(data.dataset)) log::info(note);
  std::unique_ptr<PhotoBoxes> boxes;
  if (!args.boxes.empty()) check_boxes(session, args.boxes);
  if (session.models().has_attention())
    boxes = given_boxes(args.boxes, session.config().data, data,
                        evaluation_images(data.dataset, split, args.images), named_in(session));
  EvaluationReport report;
  {
    Progress progress("evaluating");
    const MemberInputs inputs(
        session.members(), data, progress.counting("images read"),
        images_to_read(data.dataset, evaluation_images(data.dataset, split, args.images),
                       args.baselines));
    const EvaluationRequest request{.split = split,
                                    .most_images = args.images,
                                    .search = search_of(args, session, data.dataset),
                                    .regimes = regimes,
                                    .region_draws = args.region_draws,
                                    .samples = args.samples,
                                    .baselines = args.baselines,
                                    .ablations = !args.no_ablations,
                                    .boxes = boxes.get(),
                                    .meteor = meteor_options(args.paraphrases),
                                    .progress = progress.counting("captions")};
    NamedScores whole;
    if (!without.empty()) {
      whole = scores_of_whole(session.models(), data, inputs.all(), request);
      session.remove_heads();
    }
    report = evaluate(session.models(), data, inputs.all(), request);
    if (!without.empty())
      report.without = RemovedHeads{.names = std::move(without), .whole = std::move(whole)};
  }
  if (!parallel::is_first_rank()) return static_cast<int>(ExitCode::kOk);
  tell_unmet(report);
  if (!args.out.empty()) write_results(args, report, regimes);
  if (!args.plots.empty()) {
    const std::vector<std::filesystem::path> plots = write_group_charts(report, args.plots);
    for (const std::filesystem::path& path : plots) log::info("wrote " + path.string());
    if (plots.empty())
      log::warn(str("--plots: nothing was drawn, because easy and hard ",
                    report.texts ? "texts" : "images", " need ",
                    needed_groups(report.texts ? "texts" : "images")));
  }
  if (report.attention) {
    const auto dead = dead_attention(*report.attention);
    if (dead) log::warn(*dead);
    const auto collapsed = collapsed_attention(*report.attention);
    if (collapsed && !(dead && dead->find(*collapsed) != std::string::npos)) log::warn(*collapsed);
  }
  std::cout << (args.json ? evaluation_json(report) : evaluation_table(report)) << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

namespace {

CommandRun bind_evaluate(Options& options) {
  const auto args = std::make_shared<EvaluateArgs>();
  add_model_options(options, args->model, RegimeNames::kOneOrAll);
  options.text(
      "--split", args->split,
      "split to evaluate: train, val, test or all (default: test if there is one, else val; "
      "all of a data set that the model was not trained on and whose files have no splits)",
      "SPLIT");
  options.count(
      "--images", args->images,
      "evaluate only the first N images of the split, with several data sets the first of "
      "each in proportion (default: 0, which means all)",
      0);
  options.count("--region-draws", args->region_draws,
                "caption all images N times in the regime sample, and report the mean and the "
                "standard deviation of the scores (default: 3)",
                1);
  options.count(
      "--samples", args->samples,
      "also draw N captions for each image and measure their diversity (default: 0, which "
      "means none)",
      0);
  options.flag("--baselines", args->baselines,
               "also score the captions of similar training images, and captions by people");
  options.flag("--no-ablations", args->no_ablations,
               "skip the ablations, which caption the images again with uniform and with shuffled "
               "attention weights");
  options.text(
      "--boxes", args->boxes,
      "judge the attention maps of photos by the boxes of a COCO instances JSON or of a folder of "
      "Flickr30k Entities (default: data.boxes of the config)",
      "PATH");
  add_paraphrases_option(options, args->paraphrases);
  options.flag("--json", args->json, "print one JSON object");
  options.text(
      "--out", args->out,
      "write the captions as a COCO results file; with several regimes or data sets one file for "
      "each, such as FILE.coco.json",
      "FILE");
  options.text("--must-from", args->model.must_from,
               "a JSON file of what captions of single images have to say, as {\"cat.jpg\": "
               "[\"cat|kitten\", \"rug\"]}",
               "FILE");
  options.text(
      "--plots", args->plots,
      "draw the scores by caption length, by number of objects and by rare words as charts "
      "in this folder",
      "DIR");
  return [args] { return run_evaluate(*args); };
}

}  // namespace

const Command kEvaluateCommand = {
    "evaluate", "caption the images of a split and score the captions",
    "saccade evaluate runs/first --json", bind_evaluate, /*over_ranks=*/true};

}  // namespace saccade
