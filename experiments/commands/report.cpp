#include "experiments/commands/report.h"

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/learning/runs/run_directory.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/evaluation/worst_images.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/model_session.h"
#include "experiments/commands/shown_models.h"
#include "experiments/options/given_boxes.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"
#include "experiments/process/progress.h"
#include "experiments/report/report_page.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kPage = kReportFile;

fs::path page_path(const ReportArgs& args) {
  if (!args.out.empty()) return args.out;
  if (args.runs.size() > 1) return kPage;
  const fs::path given = args.runs[0];
  std::error_code error;
  return (fs::is_directory(given, error) ? given : run_of(given)) / kPage;
}

std::string title_of(const ReportArgs& args, const ShownModels& wanted) {
  if (!wanted.comparison.empty()) return run_of(args.runs[0]).filename().string();
  return join(wanted.models, ", ", &ShownModel::name);
}

// The words of `dog,bank`.
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) out.push_back(word);
  if (!list.empty() && list.back() == ',') out.emplace_back();
  for (const std::string& word : out)
    if (tokenize(word).size() != 1)
      throw UsageError(str("--words ", list, ": '", word,
                           "' is not one word; write words with commas between them: dog,bank"));
  return out;
}

// Whether a model can read what is shown. Every model reads every photo; texts are made of tokens,
// which a model knows or not.
bool can_read(const ExperimentConfig& config, const LoadedData& data) {
  if (encoder_traits(config.encoder).reads_text != data.sequences.has_value()) return false;
  if (!data.sequences) return true;
  const std::vector<std::string>& known = config.encoder.words;
  for (const std::string& word : data.source_words())
    if (std::find(known.begin(), known.end(), word) == known.end()) return false;
  for (std::size_t i = 0; i < data.dataset.images.size(); ++i)
    if (static_cast<Index>(data.text(static_cast<Index>(i))->tokens.size()) >
        config.encoder.text.length)
      return false;
  return true;
}

// Throws UsageError unless all models read the data that is shown, and turn texts into the same.
void require_same_data(const std::deque<ModelSession>& sessions,
                       const std::vector<ShownModel>& models, const LoadedData& data) {
  const ExperimentConfig& first = sessions.front().config();
  for (std::size_t m = 0; m < sessions.size(); ++m) {
    const ExperimentConfig& own = sessions[m].config();
    const bool other_task = data.sequences && own.data.sequences.task != first.data.sequences.task;
    if (!other_task && can_read(own, data)) continue;
    const std::string trained = str(models[m].name, " was trained on ", sessions[m].data().name);
    if (m == 0)
      throw UsageError(str(trained, " and cannot read ", data.dataset.name,
                           "; choose data of the same kind with --data"));
    throw UsageError(str("a report shows models of the same data; ", models[0].name,
                         " was trained on ", sessions[0].data().name, ", ", trained,
                         "; make a report of each"));
  }
}

}  // namespace

WrittenReport make_report(const ReportArgs& args) {
  WrittenReport written{.path = page_path(args), .summary = {}};
  check_output(args.out.empty() ? "report:" : "--out", written.path, OutputKind::kPage, args.runs);
  ShownModels wanted = shown_models(args.runs, args.seeds ? SeedsShown::kAll : SeedsShown::kFirst);
  std::deque<ModelSession> sessions;
  ReportRequest request{
      .title = title_of(args, wanted),
      .models = {},
      .runs = {},
      .comparison = wanted.comparison,
      .data = nullptr,
      .boxes = nullptr,
      .split = Split::kTest,
      .images = args.images,
      .worst = args.worst,
      .score_all_texts = true,
      .occlusion = args.occlusion,
      .self_attention = args.self_attention,
      .measures = {.heads = args.heads, .gradients = args.gradients, .words = words_of(args.words)},
      .remarks = {},
      .progress = {}};
  if (args.seeds && std::none_of(wanted.models.begin(), wanted.models.end(),
                                 [](const ShownModel& model) { return model.seed.has_value(); }))
    throw UsageError(
        "--seeds has no effect: no comparison was named, whose arms have seeds; leave it out");
  for (ShownModel& named : wanted.models) {
    const ModelSession& session = sessions.emplace_back(
        ModelArgs{.checkpoint = named.checkpoint, .set = {}, .data = args.data});
    session.require_one("a report");
    for (const auto& [name, directory] : named.seeds)
      request.runs.push_back({request.models.size(), name, directory});
    named.loaded = &session.members()[0];
    request.models.push_back(named);
  }
  const LoadedData data = load_data(sessions[0]);
  require_same_data(sessions, request.models, data);
  for (std::size_t m = 0; m < sessions.size(); ++m)
    if (const std::string remark = data_remark(request.models[m].name, sessions[m].data(),
                                               data.dataset.name, data.dataset.digest);
        !remark.empty())
      wanted.remarks.push_back(remark + ".");
  request.data = &data;
  request.split = args.split.empty() ? data.default_split() : parse_split(args.split);
  const std::unique_ptr<PhotoBoxes> boxes =
      given_boxes(args.boxes, sessions[0].config().data, data,
                  evaluation_images(data.dataset, request.split, 0), named_in(sessions[0]));
  if (boxes) {
    request.boxes = boxes.get();
    wanted.remarks.push_back("Boxes: " + boxes->description() + ".");
  }
  request.remarks = std::move(wanted.remarks);
  {
    Progress progress("report");
    request.progress = [&](double done, const std::string& what) { progress.show(done, what); };
    written.summary = write_report(request, written.path);
  }
  if (args.self_attention && !written.summary.self_attention)
    log::warn(
        "--self-attention has no effect: no model has regions or words that attend to each "
        "other");
  return written;
}

bool offer_report(const fs::path& directory, Index images, const std::string& boxes) {
  if (images == 0) return false;
  try {
    const WrittenReport written =
        make_report({.runs = {directory.string()}, .images = images, .boxes = boxes});
    std::cerr << "wrote " << plain_text(written.path.string()) << "\n";
    return true;
  } catch (const std::exception& error) {
    log::warn(plain_text(str(kPage, " was not written: ", error.what(),
                             "; to try again, run saccade report ", directory.string())));
    return false;
  }
}

int run_report(const ReportArgs& args) {
  const WrittenReport written = make_report(args);
  if (args.json) {
    const Json json = {{"schema_version", 1},
                       {"report", written.path.string()},
                       {"n_images", written.summary.images},
                       {"n_models", written.summary.models},
                       {"bytes", written.summary.bytes}};
    std::cout << json_text(json);
  } else {
    std::cout << plain_text(written.path.string()) << "\n";
  }
  return static_cast<int>(ExitCode::kOk);
}

namespace {

CommandRun bind_report(Options& options) {
  const auto args = std::make_shared<ReportArgs>();
  options.arguments("runs", args->runs,
                    "directories of runs or comparisons, checkpoint files, or names of models: the "
                    "models to show side by side",
                    "RUN", Need::kRequired);
  options.text("--out", args->out,
               "HTML file to write (default: report.html in the directory that is named; with "
               "several, in the current directory)",
               "FILE");
  options.count(
      "--images", args->images,
      "number of images or texts in the explorer, spread evenly over the split (default: 50)", 1);
  options.text("--worst", args->worst,
               "instead, the images of the split on which the first model does worst by this: " +
                   join(worst_measures(), ", ") + "; all of the split is captioned once for it",
               "MEASURE");
  options.text("--split", args->split,
               "split of the images: train, val or test (default: test if there is one, else val)",
               "SPLIT");
  options.text("--boxes", args->boxes,
               "show the boxes of nouns on photos, and whether the maps lie in them; from a COCO "
               "instances JSON or a folder of Flickr30k Entities (default: data.boxes of the "
               "config)",
               "PATH");
  options.flag("--seeds", args->seeds,
               "show the models of all seeds of a comparison's arms, among which the page chooses, "
               "instead of the first of each arm");
  options.flag("--occlusion", args->occlusion,
               "also show which regions' removal changes the probability of a word, for the "
               "captions of each model's own regime; every caption is decoded once more for each "
               "region");
  options.flag("--self-attention", args->self_attention,
               "also show what each region attends to in the encoder and its refinement, and each "
               "word in a decoder of transformers; the page says how much larger it is for them");
  options.flag(
      "--heads", args->heads,
      "also show what each attention head of the models does, as 'saccade inspect --heads': "
      "where it puts its weight, whether that depends on what it reads, and which heads do "
      "the same");
  options.flag("--gradients", args->gradients,
               "also show which gradient reaches the regions in every layer and head, as 'saccade "
               "inspect --gradients'");
  options.text("--words", args->words,
               "also show the words near these in the decoder's embedding and, in a decoder of "
               "transformers, before and after each self-attention, as 'saccade inspect --word'",
               "WORD,...");
  options.repeatable(
      "--data", args->data,
      "change where the models' data is, such as images=/new/place; or take the data set "
      "of a config, such as mine.yaml",
      "KEY=VALUE|CONFIG");
  options.flag("--json", args->json, "print a JSON object instead of the path of the page");
  return [args] { return run_report(*args); };
}

}  // namespace

const Command kReportCommand = {
    "report",
    "write an HTML page that shows models side by side: attention maps, learning curves, scores",
    "saccade report runs/first runs/second --out report.html", bind_report};

}  // namespace saccade
