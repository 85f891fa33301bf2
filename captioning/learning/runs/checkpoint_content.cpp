#include "captioning/learning/runs/checkpoint_content.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "captioning/learning/config/learning_rates.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/model_parameters.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/learning/runs/stored_state.h"
#include "captioning/learning/runs/stored_vocabulary.h"
#include "captioning/model/published/published_captioner.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/checkpoint.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

constexpr const char* kWidths = "frozen_widths";  // of the layers of a frozen grid
constexpr const char* kGiven = "frozen_given";    // 1 of given boxes, 2 of frames; a vector more
constexpr const char* kGraph = "encoder_graph";   // of an encoder that a file defined
constexpr const char* kWords = "encoder_words";   // the tokens that an encoder of texts knows
constexpr const char* kParaphrases = "meteor_paraphrases";  // where METEOR has some
constexpr const char* kRawWeights = "optimizer/weights";    // where the parameters are averages

constexpr const char* kOptimizerUpdates = "optimizer/updates";

std::string parameter_entry(const std::string& name) { return "parameters/" + name; }

std::vector<Index> extents(const Shape& shape) {
  std::vector<Index> out;
  for (int a = 0; a < shape.rank(); ++a) out.push_back(shape[a]);
  return out;
}

// Copies the parameters that the archive has.
void copy_parameters(const Archive& archive, ParameterStore& store) {
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!archive.contains(parameter_entry(info.name))) continue;
    const auto values = archive.floats(parameter_entry(info.name), extents(info.shape));
    std::copy(values.begin(), values.end(), store.value(static_cast<int>(p)).data);
  }
}

// Checks that the archive has the parameters of a model, and no others, in their shapes. `changes`
// says what changed the config of the checkpoint; "" where nothing did.
void check_parameters(const Archive& archive, const ParameterStore& store,
                      const std::string& changes) {
  std::vector<std::string> missing;
  for (const ParameterInfo& info : store.infos())
    if (!archive.contains(parameter_entry(info.name))) missing.push_back(info.name);
  const std::size_t stored = archive.names("parameters/").size();
  if (!missing.empty() || stored != store.count())
    throw CheckpointError(
        str(archive.source(), ": holds ", stored, " parameters, the model of its config has ",
            store.count(), missing.empty() ? "" : "; missing: " + missing.front(),
            changes.empty() ? "; " : "; " + changes + " changed what its model is made of, or ",
            "another version of saccade wrote it"));
  for (const ParameterInfo& info : store.infos())
    archive.floats(parameter_entry(info.name), extents(info.shape));
}

// Calls `make`, which makes something of the config of a checkpoint. A config that was changed may
// have mistakes of the user's; one that is as it was written is a fault of the file.
template <class Make>
auto of_config(const Archive& archive, const std::string& changes, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    const bool own = error.code() == ExitCode::kUsage || error.code() == ExitCode::kInternal;
    if (!own || !changes.empty()) throw;
    throw CheckpointError(str(archive.source(), ": no model can be made of its config: ",
                              error.what(), "; use another checkpoint"));
  }
}

// Where a checkpoint's parameters are averages, gives these to the optimizer, and the weights to
// the model.
void read_raw_weights(const Archive& archive, ParameterStore& store, Optimizer& optimizer) {
  WeightAverage* average = optimizer.average();
  if (average == nullptr) return;
  const auto raw = archive.floats(kRawWeights, std::array<Index, 1>{store.flat_size()});
  std::copy_n(store.flat().data(), store.flat_size(), average->values().data());
  std::copy(raw.begin(), raw.end(), store.flat().data());
}

// No network gives a grid beyond these.
constexpr Index kMostCells = 1 << 24, kMostFeatures = 1 << 20;

void check_grid(const Archive& archive, const GridShape& grid) {
  const auto lies = [](Index extent, Index most) { return extent < 1 || extent > most; };
  bool wrong = lies(grid.rows, kMostCells) || lies(grid.cols, kMostCells / grid.rows) ||
               lies(grid.features, kMostFeatures);
  Index left = grid.features;
  for (std::size_t i = 0; !wrong && i < grid.widths.size(); ++i) {
    wrong = lies(grid.widths[i], left);
    left -= wrong ? 0 : grid.widths[i];
  }
  if (wrong)
    throw CheckpointError(str(archive.source(), ": entry 'frozen_grid': ", grid.rows, " x ",
                              grid.cols, " regions of ", grid.features,
                              " features are no grid of the frozen encoder that its config has; "
                              "use another checkpoint"));
}

GridShape read_grid(const Archive& archive, const ExperimentConfig& config) {
  const auto numbers = archive.int64s("frozen_grid", std::array<Index, 1>{3});
  GridShape grid{{.rows = numbers[0], .cols = numbers[1]}, numbers[2]};
  if (archive.contains(kWidths)) {
    const std::array<Index, 1> layers{static_cast<Index>(config.encoder.layers.size())};
    const std::span<const std::int64_t> widths = archive.int64s(kWidths, layers);
    grid.widths.assign(widths.begin(), widths.end());
  }
  if (archive.contains(kGiven)) {
    const auto given = archive.int64s(kGiven, std::array<Index, 1>{2});
    grid.scattered = given[0] != 0;
    grid.in_time = given[0] == 2;
    grid.pooled = given[1] != 0 ? 1 : 0;
  }
  if (is_frozen(config.encoder)) check_grid(archive, grid);
  return grid;
}

// The number of gradient groups of runs whose config does not have it.
constexpr Index kGroupsBefore = 1;

// The config that the model of a checkpoint is made of.
ExperimentConfig model_config(const Archive& archive,
                              std::shared_ptr<const AttentionRegistry> added) {
  ExperimentConfig config = stored_config(archive, std::move(added));
  if (archive.contains(kGraph)) config.encoder.graph = archive.string(kGraph);
  if (archive.contains(kWords)) config.encoder.words = archive.strings(kWords);
  return config;
}

// How the arrays of a checkpoint become those of a model.
struct Fit {
  EncoderWeights encoder;
  WordAxes axes{};                     // empty where the vocabularies are equal
  std::optional<SharedWords> words{};  // where they are not
};

// The extents that a checkpoint's array must have for this parameter.
std::vector<Index> wanted_extents(const ParameterInfo& info, const Fit& fit) {
  const auto axis = fit.axes.find(info.name);
  return axis == fit.axes.end() ? extents(info.shape)
                                : fit.words->extents_before(extents(info.shape), axis->second);
}

// The arrays that do not fit, because of their names or shapes: one line each.
std::vector<std::string> array_differences(const Archive& archive, const ParameterStore& store,
                                           const Fit& fit, const ExperimentConfig& before) {
  const bool keeps_encoder = fit.encoder == EncoderWeights::kOwn;
  std::vector<std::string> out, unknown;
  for (const ParameterInfo& info : store.infos()) {
    const std::string entry = parameter_entry(info.name);
    if (!archive.contains(entry)) {
      if (info.use != ParameterUse::kModel || (keeps_encoder && info.name.starts_with("encoder.")))
        continue;
      out.push_back(info.name + " is not in the checkpoint");
    } else if (archive.floats(entry).shape() != wanted_extents(info, fit)) {
      out.push_back(str(info.name, " is a ", Archive::describe(archive.entries().at(entry)),
                        ", the model's is ", info.shape));
    }
  }
  for (const std::string& entry : archive.names("parameters/"))
    if (std::string name = entry.substr(std::strlen("parameters/")); store.find(name) < 0)
      unknown.push_back(std::move(name));
  if (unknown.empty()) return out;
  const std::set<std::string> left = of_config(archive, "", [&] {
    return supervision_parameters(before, read_vocabulary(archive), read_grid(archive, before));
  });
  for (const std::string& name : unknown)
    if (!left.contains(name)) out.push_back(name + " is not in the model");
  return out;
}

// Copies the parameters that the archive has, those of words to the places that they have in the
// model.
void copy_fitting(const Archive& archive, ParameterStore& store, const Fit& fit) {
  if (!fit.words) return copy_parameters(archive, store);
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!archive.contains(parameter_entry(info.name))) continue;
    const std::span<const float> values =
        archive.floats(parameter_entry(info.name), wanted_extents(info, fit));
    Real* to = store.value(static_cast<int>(p)).data;
    const auto axis = fit.axes.find(info.name);
    if (axis == fit.axes.end())
      std::copy(values.begin(), values.end(), to);
    else if (info.use != ParameterUse::kSupervision || info.rate > 0)
      fit.words->copy(values, extents(info.shape), axis->second, to);
    // Else it counts words of the run's own captions (WordLocalizer::set_shares).
  }
}

void check_version(const Archive& archive) {
  if (!archive.contains("content_version"))
    throw CheckpointError(archive.source() + ": is not a checkpoint of a saccade model");
  if (const auto version = archive.uint64("content_version"); version != kContentVersion)
    throw CheckpointError(str(archive.source(), ": has content version ", version,
                              "; this saccade reads version ", kContentVersion));
}

std::string graph_of(const ExperimentConfig& config, const CaptionModel& model) {
  if (encoder_traits(config.encoder).reads_features) return config.encoder.graph;
  return model.encoder() == nullptr ? "" : model.encoder()->graph();
}

std::vector<std::string> words_of(const CaptionModel& model) {
  return model.encoder() == nullptr ? std::vector<std::string>() : model.encoder()->words();
}

std::string paraphrases_of(const Archive& archive) {
  return archive.contains(kParaphrases) ? archive.string(kParaphrases) : "";
}

std::vector<std::string> words_of(const Archive& archive) {
  return archive.contains(kWords) ? archive.strings(kWords) : std::vector<std::string>();
}

}  // namespace

Archive checkpoint_archive(const ExperimentConfig& config, const CaptionModel& model,
                           const GridShape& frozen_grid, const DataIdentity& data,
                           const Optimizer& optimizer, const TrainingState& state) {
  Archive archive;
  archive.add_uint64("content_version", kContentVersion);
  archive.add_string("config", print_config(config));
  archive.add_string("data/name", data.name);
  archive.add_string("data/digest", data.digest);
  archive.add_string("encoder_digest", data.encoder);
  if (!data.paraphrases.empty()) archive.add_string(kParaphrases, data.paraphrases);
  if (const std::string graph = graph_of(config, model); !graph.empty())
    archive.add_string(kGraph, graph);
  if (std::vector<std::string> words = words_of(model); !words.empty())
    archive.add_strings(kWords, std::move(words));
  if (config.encoder.network) add_network(archive, *config.encoder.network);
  add_vocabulary(archive, model.vocabulary());
  archive.add_int64s("frozen_grid", {3},
                     {frozen_grid.rows, frozen_grid.cols, frozen_grid.features});
  if (!frozen_grid.widths.empty())
    archive.add_int64s(kWidths, {static_cast<Index>(frozen_grid.widths.size())},
                       frozen_grid.widths);
  if (frozen_grid.scattered || frozen_grid.pooled > 0)
    archive.add_int64s(kGiven, {2},
                       {frozen_grid.scattered + frozen_grid.in_time, frozen_grid.pooled});
  const ParameterStore& store = model.parameters();
  const WeightAverage* average = optimizer.average();
  const std::span<const Real> flat = average ? average->values().span() : store.flat().span();
  for (const ParameterInfo& info : store.infos())
    archive.borrow_floats(parameter_entry(info.name), extents(info.shape),
                          flat.subspan(static_cast<std::size_t>(info.offset),
                                       static_cast<std::size_t>(info.shape.size())));
  if (average) archive.borrow_floats(kRawWeights, {store.flat_size()}, store.flat().span());
  for (const Optimizer::Moment& moment : optimizer.moments())
    archive.borrow_floats("optimizer/" + moment.name, {moment.values.size()}, moment.values.span());
  archive.add_int64s(kOptimizerUpdates, {1}, {optimizer.updates()});
  add_state(archive, state);
  return archive;
}

bool is_weights_only(const Archive& archive) { return archive.contains(kWeightsOnly); }

Index updates_of(const Archive& archive) {
  return is_weights_only(archive) ? read_trained(archive).update : read_state(archive).update;
}

ExperimentConfig stored_config(const Archive& archive,
                               std::shared_ptr<const AttentionRegistry> added,
                               std::span<const std::string> overrides,
                               const std::string& overrider) {
  ExperimentConfig start;
  start.attention.registry = std::move(added);
  start.train.gradient_groups = kGroupsBefore;
  try {
    return parse_config(archive.string("config"), archive.source() + " (config)", overrides, start,
                        overrider)
        .config;
  } catch (const UsageError& error) {
    if (!overrides.empty()) throw;
    const std::string what = error.what();
    const bool own = what.find("' is not one of ") != std::string::npos &&
                     (what.find("attention.score: ") != std::string::npos ||
                      what.find("attention.mechanism: ") != std::string::npos);
    throw CheckpointError(
        what + (own ? "; if it belongs to another program, only a program that adds it to an "
                      "AttentionRegistry can load the checkpoint"
                    : ""));
  }
}

bool keep_groups(const Archive& archive, ExperimentConfig& config) {
  const auto began =
      stored_config(archive, config.attention.registry, {}, kCommandLine).train.gradient_groups;
  return std::exchange(config.train.gradient_groups, began) != began;
}

LoadedModel load_model(const std::filesystem::path& path, std::span<const std::string> overrides,
                       std::shared_ptr<const AttentionRegistry> added,
                       const std::string& overrider) {
  if (is_published_captioner(path))
    return load_published_model(path, overrides, std::move(added), overrider);
  const Archive archive = load_archive(path);
  check_version(archive);
  LoadedModel loaded;
  loaded.source = archive.source();
  loaded.config = stored_config(archive, added);
  ExperimentConfig changed = stored_config(archive, added, overrides, overrider);
  const EncoderConfig &was = loaded.config.encoder, &is = changed.encoder;
  if (archive.contains(kGraph) && is.grid_layers() == was.grid_layers() && is.dilate == was.dilate)
    changed.encoder.graph = archive.string(kGraph);
  if (archive.contains(kWords)) changed.encoder.words = archive.strings(kWords);
  if (is.model == was.model && is.weights == was.weights)
    changed.encoder.network = read_network(archive);
  loaded.config = std::move(changed);
  loaded.weights_only = is_weights_only(archive);
  loaded.data = {archive.string("data/name"), archive.string("data/digest"),
                 archive.string("encoder_digest"), paraphrases_of(archive)};
  loaded.frozen_grid = read_grid(archive, loaded.config);
  ExperimentConfig built = loaded.config;
  if (loaded.weights_only) leave_supervision(built);
  std::string changes;
  for (const std::string& one : overrides)
    changes += (changes.empty() ? overrider + ": " : ", ") + one;
  std::unique_ptr<CaptionModel> model;
  try {
    model = of_config(archive, changes, [&] {
      return std::make_unique<CaptionModel>(
          built, read_vocabulary(archive), loaded.frozen_grid,
          [&](const ParameterStore& store) { check_parameters(archive, store, changes); });
    });
  } catch (const DataError& error) {  // what the file holds, so that no other file is to blame
    if (loaded.config.encoder.graph.empty()) throw;
    throw CheckpointError(
        str(path.string(), ": ", error.what(), "; take another checkpoint of the run"));
  }
  copy_parameters(archive, model->parameters());
  set_learning_rates(built, model->parameters());
  loaded.model = std::move(model);
  loaded.state = loaded.weights_only ? read_trained(archive) : read_state(archive);
  return loaded;
}

void restore_run(const Archive& archive, const ExperimentConfig& config, const DataIdentity& data,
                 CaptionModel& model, Trainer& trainer) {
  check_version(archive);
  if (is_weights_only(archive))
    throw CheckpointError(
        archive.source() +
        ": cannot go on, because it holds weights for captioning alone (saccade convert --half), "
        "and neither the optimizer's state nor the place in the data; start a new run from it with "
        "train.init_from");
  const ExperimentConfig old = stored_config(archive, config.attention.registry);
  std::string changes = deciding_changes(old, config);
  if (archive.string("data/digest") != data.digest)
    changes += "\n  the data set " + data.name + " has other content";
  if (archive.string("encoder_digest") != data.encoder)
    changes += "\n  the network or layer of the frozen encoder";
  if ((archive.contains(kGraph) ? archive.string(kGraph) : "") != graph_of(config, model))
    changes += "\n  the network of encoder.model";
  if (words_of(archive) != words_of(model)) changes += "\n  the tokens of the texts";
  if (archive.strings("vocabulary") != model.vocabulary().words()) changes += "\n  the vocabulary";
  if (const std::string table = paraphrases_of(archive); table != data.paraphrases)
    changes += table.empty() ? "\n  METEOR had no paraphrases (--paraphrases none)"
                             : "\n  METEOR had the paraphrases " + table + " (--paraphrases FILE)";
  if (!changes.empty())
    throw CheckpointError(
        archive.source() +
        ": cannot go on, because something changed since it was written:" + changes +
        "\nundo the changes (a run is resumed with its own config if none is named), or start a "
        "new run from its weights with train.init_from=" +
        archive.source());
  check_parameters(archive, model.parameters(), "");
  const TrainingState state = read_state(archive);
  trainer.check(state, archive.source());
  const Index updates = archive.int64s(kOptimizerUpdates, std::array<Index, 1>{1})[0];
  if (updates < 0 || updates > state.update)
    throw CheckpointError(str(archive.source(), ": entry '", kOptimizerUpdates, "': ", updates,
                              " updates of the optimizer in a run of ", state.update,
                              "; use another checkpoint of the run"));
  copy_parameters(archive, model.parameters());
  Optimizer& optimizer = trainer.optimizer();
  for (Optimizer::Moment& moment : optimizer.moments()) {
    const auto values =
        archive.floats("optimizer/" + moment.name, std::array<Index, 1>{moment.values.size()});
    std::copy(values.begin(), values.end(), moment.values.data());
  }
  optimizer.set_updates(updates);
  read_raw_weights(archive, model.parameters(), optimizer);
  trainer.state() = state;
}

std::optional<SharedWords> take_weights(const Archive& archive, const DataIdentity& data,
                                        CaptionModel& model, EncoderWeights encoder,
                                        std::shared_ptr<const AttentionRegistry> added) {
  check_version(archive);
  const ExperimentConfig before = model_config(archive, std::move(added));
  const Vocabulary theirs = read_vocabulary(archive);
  const Vocabulary& ours = model.vocabulary();
  std::vector<std::string> reasons;
  if (data.encoder != archive.string("encoder_digest") && data.encoder != network_digest(archive))
    reasons.push_back(str("the network, layer or preprocessing of the frozen encoder is another",
                          network_digest(archive).empty()
                              ? ""
                              : " (a config that leaves encoder.model out takes that of the "
                                "checkpoint)"));
  if (words_of(archive) != words_of(model))
    reasons.emplace_back("the tokens of the texts are others");
  Fit fit{.encoder = encoder};
  if (theirs.digest() != ours.digest()) {
    // A piece has no meaning of its own, which could be taken to another place.
    if (theirs.has_pieces() || ours.has_pieces())
      reasons.emplace_back(theirs.published()
                               ? "its words are the tokens of a published captioner "
                                 "(data.vocabulary published)"
                               : "the vocabularies are of other pieces of words (data.vocabulary)");
    fit.axes =
        of_config(archive, "", [&] { return word_axes(before, read_grid(archive, before)); });
    fit.words.emplace(theirs, ours);
  }
  const std::vector<std::string> arrays =
      array_differences(archive, model.parameters(), fit, before);
  if (!arrays.empty())
    reasons.push_back(counted(static_cast<Index>(arrays.size()), "array differs", "arrays differ"));
  if (!reasons.empty()) {
    constexpr std::size_t kShown = 3;
    std::string why, shown;
    for (const std::string& reason : reasons) why += (why.empty() ? "" : "; ") + reason;
    for (std::size_t i = 0; i < std::min(kShown, arrays.size()); ++i) shown += "\n  " + arrays[i];
    throw CheckpointError(str(archive.source(), ": does not fit this run (train.init_from): ", why,
                              "; saccade new --from writes a config that fits a checkpoint",
                              shown.empty()            ? ""
                              : arrays.size() > kShown ? ". Such as"
                                                       : ":",
                              shown));
  }
  copy_fitting(archive, model.parameters(), fit);
  return fit.words;
}

}  // namespace saccade
