#include "experiments/commands/model_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/data/data_places.h"
#include "captioning/data/data_sets.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/learning/training/cost_ahead.h"
#include "captioning/model/published/published_captioner.h"
#include "captioning/model/search/must_words.h"
#include "core/base/choice.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/config/traits.h"
#include "core/io/checkpoint.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"

namespace saccade {

namespace {

// The values by which a checkpoint's config gets the data set of a config file. How captions become
// words (`data.vocabulary`, `data.max_length`, ...) stays as the model has learned it.
std::vector<std::string> data_of(const std::string& file, const std::string& checkpoint) {
  const std::filesystem::path own = checkpoint_of(checkpoint);
  const ExperimentConfig before =
      is_published_captioner(own) ? published_config(own) : stored_config(load_archive(own), {});
  const ExperimentConfig after = load_config<ExperimentConfig>(file, {}).config;
  std::vector<std::string> out;
  for (const Difference& value : config_differences(before, after))
    for (const char* place :
         {"data.type", "data.images", "data.annotations", "data.tokens", "data.splits", "data.val_",
          "data.boxes", "data.sets", "data.on_bad_image", "data.split.", "data.scenes.",
          "data.sequences."})
      if (value.path.starts_with(place)) {
        out.push_back(value.path + "=" + value.second);
        break;
      }
  return out;
}

// Texts as a list of YAML, or as its elements alone.
std::string yaml_list(const std::vector<std::string>& texts, bool brackets = true) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  const std::string list = join(texts, ", ", quoted);
  return brackets ? "[" + list + "]" : list;
}

constexpr double kSeenProbability = 0.5;  // of --name-objects

// What changes the config beside --set.
std::vector<std::string> further_overrides(const ModelArgs& args, const std::string& checkpoint) {
  std::vector<std::string> overrides;
  for (const std::string& given : args.data) {
    if (given.find('=') != std::string::npos) {
      overrides.push_back("data." + given);
      continue;
    }
    if (std::error_code error; !std::filesystem::exists(given, error))
      throw UsageError(str("--data ", given,
                           ": there is no such config; give KEY=VALUE, such as images=/new/place, "
                           "or the file of a config"));
    for (std::string& value : data_of(given, checkpoint)) overrides.push_back(std::move(value));
  }
  if (args.beam) overrides.push_back(str("search.beam=", *args.beam));
  // A model may be made for another search, as published ones are.
  const std::string mode = args.mode.empty() && args.beam ? "beam" : args.mode;
  if (!mode.empty()) overrides.push_back("search.mode=" + mode);
  if (!args.must.empty())
    overrides.push_back("search.must=" + yaml_list(must_list(args.must, "--must")));
  if (!args.word_vectors.empty())
    overrides.push_back("search.word_vectors=" + yaml_list({args.word_vectors}, false));
  if (args.name_objects) overrides.push_back(str("search.name_objects=", kSeenProbability));
  return overrides;
}

// The checkpoints of `A,B,C`. A path that exists is one checkpoint, even with commas in it.
std::vector<std::string> checkpoints_of(const std::string& list) {
  std::error_code error;
  if (std::filesystem::exists(list, error)) return {list};
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    out.push_back(list.substr(begin, end - begin));
    if (out.back().empty())
      throw UsageError("'" + list +
                       "': a checkpoint between the commas has no name; write A,B,C without spaces "
                       "or empty places");
    begin = end + 1;
  }
  return out;
}

}  // namespace

void add_features_option(Options& options, ModelArgs& args) {
  options.text("--features", args.features,
               "file or folder with the features of the named pictures: those of another program "
               "for a model of such (encoder.type features), else those that 'saccade features' "
               "wrote of the model's own encoder",
               "FILE");
}

void add_model_options(Options& options, ModelArgs& args, RegimeNames regimes) {
  options.argument("checkpoint", args.checkpoint,
                   "checkpoint file, directory of a run, folder of a published captioner, or name "
                   "of a model ('saccade list models'); A,B,C is an ensemble of several, which "
                   "averages their probabilities of each word",
                   "CHECKPOINT");
  options.repeatable("--set", args.set,
                     "change a value of the checkpoint's config, such as search.max_length=30",
                     "KEY=VALUE");
  options.repeatable("--data", args.data,
                     "change where the data is, such as images=/new/place; or take the data set of "
                     "a config, such as mine.yaml",
                     "KEY=VALUE|CONFIG");
  options.count("--beam", args.beam, "number of hypotheses that beam search keeps", 1);
  options.text("--mode", args.mode, "how words are chosen: beam, greedy or sample", "MODE");
  options.text("--must", args.must,
               "words or phrases that every caption has, in any order, with commas between them; "
               "cat|kitten asks for one of several (beam search)",
               "WORDS");
  options.text("--word-vectors", args.word_vectors,
               "a text file of word vectors (GloVe), for words of --must that the model does not "
               "know",
               "FILE");
  options.flag("--name-objects", args.name_objects,
               str("name the objects to which the classifier of the model's frozen network gives a "
                   "probability of ",
                   kSeenProbability, " (search.name_objects sets another one, and 0 names none)"));
  const std::string others = regimes == RegimeNames::kOne
                                 ? " (default: the model's own)"
                                 : ", or all that suit the model (default: all, its own first)";
  options.text("--regime", args.regime,
               "how words get their context from the regions while they are decoded: expectation, "
               "argmax, sample or marginal, as 'saccade list regimes' describes them" +
                   others,
               "REGIME");
  options.repeatable(
      "--without", args.without,
      "make the model do without attention heads, of which 'saccade inspect --heads' lists the "
      "names: words.1.0,decoder.0.2, or words.1 for all heads of a layer; what they give is 0",
      "HEAD,...");
}

ModelSession::ModelSession(const ModelArgs& args)
    : without_(args.without), given_(args.set), named_objects_(args.name_objects) {
  const std::vector<std::string> names = checkpoints_of(args.checkpoint);
  for (std::string& value : further_overrides(args, names.front()))
    given_.push_back(std::move(value));
  // Who names a config names all that it says of data, also where the checkpoint says the same.
  for (const std::string& given : args.data)
    if (given.find('=') == std::string::npos) given_.push_back("data=" + given);
  for (const std::string& name : names) {
    members_.push_back(open_model(checkpoint_of(name), {.set = args.set,
                                                        .further = further_overrides(args, name),
                                                        .option = "--set ",
                                                        .listener = log::show}));
    members_.back().name = name;
  }
  if (!args.features.empty()) read_features();
  refuse_unread(args.data, config(), "--data ", "data.");
  if (!args.word_vectors.empty() && config().search.must.empty() && args.must_from.empty())
    throw UsageError("--word-vectors is for words of --must, and there are none; give both");
  models_.emplace(std::vector<OpenModel>(members_.begin(), members_.end()));
}

// Of an ensemble with models of features, --features is for these alone.
void ModelSession::read_features() {
  if (std::any_of(members_.begin(), members_.end(),
                  [](const LoadedModel& member) { return member.pipeline->reads_features(); }))
    return;
  for (LoadedModel& member : members_) {
    if (named_objects_)
      log::warn(
          "objects are not named, because the network's classifier sees no pictures with "
          "--features");
    static_cast<OpenModel&>(member) = of_features(member, member.config.encoder);
  }
}

LoadedData load_data(const ModelSession& session) {
  const DataConfig& config = session.config().data;
  const ImageFolders folders = image_folders(session.config());
  const std::string section = "data";
  const auto option = [&](const NamedFile& file) {
    return str(" --data ", file.key.substr(section.size() + 1), "=PLACE");
  };
  std::string not_given;  // as in a model whose makers left their places out
  for (const NamedFile& file : data_files(config, folders))
    if (file.path.empty() && !file.needed_by.empty()) not_given += option(file);
  if (!not_given.empty())
    throw UsageError(str("the model's config does not say where its data set is; add", not_given,
                         ", or --data CONFIG with the config of another data set"));
  const std::vector<std::string> missing = missing_places(config, folders);
  if (missing.empty()) {
    if (const std::string cost = drawing_cost(config); !cost.empty()) log::info(cost);
    return load_data(config, folders);
  }
  std::string lines, options;
  for (const std::string& line : missing) lines += (lines.empty() ? "" : "\n") + line;
  for (const NamedFile& file : data_files(config))
    if (!file.path.empty() && !problem_of_place(file).empty()) options += option(file);
  throw DataError(options.empty() ? lines
                                  : str(lines, "; to say where it is, add", options,
                                        ", or --data CONFIG with the config of another "
                                        "data set"));
}

IsNamed named_in(const ModelSession& session) {
  return [&session](const std::string& key) { return session.names_boxes(key); };
}

void refuse_without_effect(const ModelArgs& args) {
  const auto refuse = [](const std::string& given, const char* why) {
    throw UsageError(
        str(given, " has no effect on pictures that are named: ", why, "; leave it out"));
  };
  if (!args.data.empty()) refuse("--data " + args.data[0], "no data set is read");
  for (const std::string& assignment : args.set) {
    const std::string section = assignment.substr(0, assignment.find('.'));
    if (assignment.starts_with("data.max_megapixels=")) continue;
    if (section == "data") refuse("--set " + assignment, "no data set is read");
    if (section == "train" || section == "objective" || section == "optimizer")
      refuse("--set " + assignment, "the model is trained already");
  }
}

void refuse_training_values(const ModelArgs& args) {
  for (const std::string& assignment : args.set) {
    const std::string section = assignment.substr(0, assignment.find('.'));
    if (section == "train" || section == "optimizer")
      throw UsageError(
          str("--set ", assignment, " has no effect: the model is trained already; leave it out"));
  }
}

std::string data_remark(const std::string& model, const DataIdentity& trained,
                        const std::string& name, const std::string& digest) {
  // Nobody knows the data of a published model.
  if (trained.digest == digest || trained.digest.empty()) return "";
  return str(model, " was trained on ",
             trained.name == name ? "another version of the data set " : "another data set: ",
             trained.name);
}

bool ModelSession::names_boxes(const std::string& key) const {
  return std::any_of(given_.begin(), given_.end(), [&](const std::string& given) {
    const std::string named = given.substr(0, given.find('='));
    return named == key || key.starts_with(named + ".");
  });
}

void ModelSession::require_one(const std::string& what) const {
  if (members_.size() > 1)
    throw UsageError(str(what, " needs a single model, and an ensemble of ", members_.size(),
                         " checkpoints was named; name one checkpoint"));
}

std::vector<HeadName> ModelSession::named_heads() const {
  if (without_.empty()) return {};
  require_one("--without");
  std::vector<std::string> names;
  for (const std::string& list : without_) {
    std::istringstream in(list);
    for (std::string name; std::getline(in, name, ',');) names.push_back(name);
    if (list.empty() || list.back() == ',') names.emplace_back();
  }
  try {
    return heads_of_names(model_heads(model(), config()), names);
  } catch (const UsageError& error) {
    throw UsageError(str("--without: ", error.what()));
  }
}

std::vector<std::string> ModelSession::heads_without() const {
  std::vector<std::string> names;
  for (const HeadName& head : named_heads()) names.push_back(head.text());
  return names;
}

void ModelSession::remove_heads() {
  const std::vector<HeadName> heads = named_heads();
  if (heads.empty()) return;
  // The session loaded this model, and nobody else has it yet.
  saccade::remove_heads(*std::const_pointer_cast<CaptionModel>(members_[0].model), config(), heads);
}

SearchOptions ModelSession::search(const std::string& regime) const {
  check_search(config().search, config().data, Draws::kByMode);
  SearchOptions options = search_options(config(), config().search, model().vocabulary());
  if (regime == "all") {
    throw UsageError("--regime all is only for evaluate; name one regime");
  }
  options.regime = regimes(regime).front();
  return options;
}

std::vector<Regime> ModelSession::regimes(const std::string& name) const {
  std::vector<Regime> own = evaluation_regimes(config());
  for (const LoadedModel& member : members_) {
    const std::vector<Regime> others = evaluation_regimes(member.config);
    std::erase_if(own, [&](Regime regime) {
      return std::find(others.begin(), others.end(), regime) == others.end();
    });
  }
  if (name.empty() || name == "all") return own;
  const auto regime = choice<Regime>(name, "--regime");
  if (std::find(own.begin(), own.end(), regime) == own.end()) {
    std::string all, selections;
    for (const Regime each : own) all += (all.empty() ? "" : ", ") + std::string(enum_name(each));
    for (const LoadedModel& member : members_)
      selections += (selections.empty() ? "" : " and ") + member.config.attention.selection;
    throw UsageError(str("--regime: a model with attention.selection ", selections,
                         " has no regime '", name, "'; choose from ", all));
  }
  return {regime};
}

CaptionSource ModelSession::source(Regime regime) const {
  return {.vocabulary = &models().vocabulary(),
          .layout = {models().grid()},
          .regime = regime,
          .members = models().names()};
}

}  // namespace saccade
