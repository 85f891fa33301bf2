#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/config_template.h"
#include "experiments/commands/start_measure.h"
#include "experiments/commands/starter_config.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/output_file.h"
#include "experiments/process/progress.h"
#include "experiments/process/shell_word.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct NewArgs {
  std::string name, photos, captions;
  std::string encoder;  // an ONNX file; empty: the encoder that needs no file
  std::string from;     // a checkpoint whose weights are the first ones; empty: random weights
  std::string out;      // empty: NAME.yaml
  bool json = false;
};

constexpr const char* kEnding = ".yaml";

// "mine" for mine, configs/mine and mine.yaml.
std::string experiment_name(const std::string& given) {
  const std::string name = fs::path(given).filename().string();
  const std::string plain =
      name.ends_with(kEnding) ? name.substr(0, name.size() - std::string(kEnding).size()) : name;
  if (plain == "." || plain == ".." || clean_caption(plain).empty() ||
      clean_caption(plain) != plain || plain.starts_with("-"))
    throw UsageError(str("new: '", clean_caption(given),
                         "' is no name for an experiment; give a word such as mine"));
  return plain;
}

std::string file_of(const NewArgs& args) {
  if (!args.out.empty()) return args.out;
  return args.name.ends_with(kEnding) ? args.name : args.name + kEnding;
}

// Which start the captions speak for: a model that is there, or new weights.
std::string advice_of(const StartMeasure& measure, const NewArgs& args) {
  const bool named = !args.from.empty();
  const std::string start = named ? "it" : "--from " + measure.model;
  if (measure.is_near()) return str(measure.text(), ": ", start, " is a good start");
  return str(measure.text(), ": it knows little of such captions, so ", start,
             " is hardly a better start than a pretrained network (--encoder)");
}

// The model that is measured: the one that is named, or else the usual one, where it is there.
std::string measured_model(const NewArgs& args) {
  if (!args.from.empty()) return args.from;
  for (const NamedModel& model : named_models(all_model_folders()))
    if (model.name == kUsualStart) return kUsualStart;
  return "";
}

// The commands that come next.
std::vector<std::string> next_commands(const std::string& file, const std::string& name) {
  const std::string run = shell_word("runs/" + name);
  return {"saccade train " + shell_word(file) + " --out " + run, "saccade evaluate " + run,
          "saccade caption " + run + " PHOTO"};
}

Json json_of(const std::string& file, const OwnData& data, const std::vector<Choice>& choices,
             const std::optional<StartMeasure>& start, const std::string& advice,
             const std::vector<std::string>& next) {
  const CaptionFacts& captions = data.captions;
  const Dataset& dataset = data.loaded.dataset;
  Json chosen = Json::array();
  for (const Choice& choice : choices)
    chosen.push_back({{"key", choice.key}, {"value", choice.value}, {"why", choice.why}});
  Json made = Json::array();
  if (data.makes_val) made.push_back("val");
  if (data.makes_test && data.test > 0) made.push_back("test");
  Json measured;
  if (start)
    measured = {{"model", start->model},           {"photos", start->photos},
                {"perplexity", start->perplexity}, {"frequencies", start->frequencies},
                {"near", start->is_near()},        {"advice", advice}};
  return {{"schema_version", 1},
          {"file", file},
          {"form", data.form},
          {"photos",
           {{"named", data.photos.photos},
            {"usable", data.photos.usable()},
            {"missing", names_of(dataset, data.photos.missing)},
            {"unreadable", names_of(dataset, data.photos.unreadable)}}},
          {"splits", {{"train", data.train}, {"val", data.val}, {"test", data.test}}},
          {"made_splits", made},
          {"captions", captions.captions},
          {"captions_per_photo",
           {{"least", captions.least_per_photo}, {"most", captions.most_per_photo}}},
          {"lengths", captions.lengths},
          {"words", captions.vocabulary(1)},
          {"notes", dataset.notes},
          {"start", std::move(measured)},
          {"choices", chosen},
          {"next", next}};
}

// What was found stands at the head of the file, behind the two lines that are the same in every
// one.
void print_text(const std::string& file, const std::string& yaml,
                const std::vector<Choice>& choices, const std::vector<std::string>& next) {
  std::istringstream head(yaml);
  std::string line;
  for (int i = 0; std::getline(head, line) && !line.empty(); ++i)
    if (i >= 2) std::cout << line.substr(2) << "\n";
  std::cout << "\nchosen, because of these data:\n";
  for (const Choice& choice : choices)
    if (!choice.why.empty())
      std::cout << "  " << choice.key << ": " << plain_text(choice.value) << "  (" << choice.why
                << ")\n";
  std::cout << "\nwrote " << plain_text(file) << ", in which every value stands with its reason\n"
            << "next:\n";
  for (const std::string& command : next) std::cout << "  " << plain_text(command) << "\n";
}

std::string command_text(const NewArgs& args) {
  std::string text = "saccade new " + shell_word(args.name) + " --photos " +
                     shell_word(args.photos) + " --captions " + shell_word(args.captions);
  if (!args.encoder.empty()) text += " --encoder " + shell_word(args.encoder);
  if (!args.from.empty()) text += " --from " + shell_word(args.from);
  if (!args.out.empty()) text += " --out " + shell_word(args.out);
  return text;
}

// What is written must be right, whatever the data are.
void check_written(const std::string& yaml, const std::string& file) {
  auto loaded = parse_config<ExperimentConfig>(yaml, file);
  refuse_idle(settle(loaded), loaded.config.data);
  check_config(loaded.config);
}

int run_new(const NewArgs& args) {
  const std::string name = experiment_name(args.name), file = file_of(args);
  refuse_existing(file, "another file with --out");
  std::error_code error;
  if (fs::is_regular_file(args.photos, error) && fs::is_directory(args.captions, error))
    throw DataError(str("--photos ", args.photos, " is a file, and --captions ", args.captions,
                        " a folder; the two are swapped"));
  if (!fs::is_directory(args.photos, error))
    throw DataError(str("--photos ", args.photos,
                        fs::exists(args.photos, error)
                            ? ": is a file; name the folder of the photos"
                            : ": there is no such folder"));
  const std::optional<TunedModel> start =
      args.from.empty() ? std::nullopt
                        : std::optional(read_tuned_model(args.from, checkpoint_of(args.from)));
  const std::optional<StarterNetwork> network =
      args.encoder.empty() || start ? std::nullopt : std::optional(find_network(args.encoder));
  const OwnData data = [&] {
    Progress progress("looking at photos");
    return look_at_own_data(args.photos, args.captions, progress.counting());
  }();
  std::optional<StartMeasure> measure;
  if (const std::string model = measured_model(args); !model.empty()) {
    Progress progress("trying " + model);
    measure = measure_start(model, data, progress.counting());
  }
  const std::string advice = measure ? advice_of(*measure, args) : "";
  const StarterHead head = {.name = name, .command = command_text(args), .advice = advice};
  const std::string yaml =
      start ? tuned_yaml(head, data, *start, args.encoder) : starter_yaml(head, data, network);
  check_written(yaml, file);
  write_file(file, yaml);
  const std::vector<std::string> next = next_commands(file, name);
  const std::vector<Choice> choices = choices_in(yaml);
  if (args.json)
    std::cout << json_text(json_of(file, data, choices, measure, advice, next));
  else
    print_text(file, yaml, choices, next);
  std::cout << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_new(Options& options) {
  const auto args = std::make_shared<NewArgs>();
  options.argument("name", args->name, "name of the experiment; the config is NAME.yaml", "NAME");
  options.text("--photos", args->photos, "folder of the photos", "DIR", Need::kRequired);
  options.text(
      "--captions", args->captions,
      "their captions: a table with the columns image and caption (and split), a JSON list or "
      "JSON lines of such objects, COCO captions JSON, Karpathy's JSON or Flickr8k's token "
      "file, recognised by the content",
      "FILE", Need::kRequired);
  options.text(
      "--encoder", args->encoder,
      "pretrained network that describes the photos: an ONNX file, of which the last layer "
      "with a grid is taken, joined with an earlier one where it has one, or weights as a "
      "model hub has them (default: a small network that needs no file and learns from "
      "these photos alone)",
      "FILE|DIR");
  options.text("--from", args->from,
               "start from the weights of this model, whose encoder, widths and search the config "
               "then has, also of the folder of a published captioner; --encoder is its encoder's "
               "file where the checkpoint lacks that network (default: random weights)",
               "CHECKPOINT");
  options.text("--out", args->out, "the config to write (default: NAME.yaml)", "FILE");
  options.flag("--json", args->json, "print a JSON object with what was found and chosen");
  return [args] { return run_new(*args); };
}

}  // namespace

const Command kNewCommand = {
    "new", "write a config for your own photos, after looking at them and their captions",
    "saccade new mine --photos photos --captions photos/captions.csv", bind_new};

}  // namespace saccade
