#include "experiments/commands/model_session.h"

#include <algorithm>

#include "experiments/run_directory.h"

namespace saccade {

namespace {

std::vector<std::string> overrides_of(const ModelArgs& args) {
  std::vector<std::string> overrides = args.set;
  for (const std::string& assignment : args.data) overrides.push_back("data." + assignment);
  if (args.beam) overrides.push_back(str("search.beam=", *args.beam));
  if (!args.mode.empty()) overrides.push_back("search.mode=" + args.mode);
  return overrides;
}

}  // namespace

void add_model_options(Options& options, ModelArgs& args) {
  options.argument("checkpoint", args.checkpoint, "checkpoint file, or a run's directory",
                   "CHECKPOINT");
  options.repeatable("--set", args.set, "change the checkpoint's config: search.max_length=30",
                     "KEY=VALUE");
  options.repeatable("--data", args.data, "change where its data is: images=/new/place",
                     "KEY=VALUE");
  options.count("--beam", args.beam, "hypotheses kept by beam search", 1);
  options.text("--mode", args.mode, "beam, greedy or sample", "MODE");
  options.text(
      "--regime", args.regime,
      "how attention gives its context: expectation, argmax, sample, marginal, or all (evaluate)",
      "REGIME");
}

ModelSession::ModelSession(const ModelArgs& args)
    : loaded_(load_model(resolve_checkpoint(args.checkpoint), overrides_of(args))) {
  pipeline_.emplace(loaded_.config.encoder);
  if (pipeline_->frozen() && pipeline_->frozen()->digest() != loaded_.data.encoder) {
    throw DataError(
        str(loaded_.config.encoder.model, ", layer ", loaded_.config.encoder.layer,
            ": not the network, layer or preprocessing that the model was trained with; set "
            "encoder.model to that one"));
  }
}

SearchOptions ModelSession::search(const std::string& regime) const {
  SearchOptions options = search_options(config(), model().vocabulary());
  if (regime == "all") {
    throw UsageError("--regime all is for evaluate; name one regime");
  }
  if (!regime.empty()) options.regime = regimes(regime).front();
  return options;
}

std::vector<Regime> ModelSession::regimes(const std::string& name) const {
  const std::vector<Regime> own = evaluation_regimes(config());
  if (name.empty() || name == "all") return own;
  const auto regime = choice<Regime>(name, "--regime");
  if (std::find(own.begin(), own.end(), regime) == own.end()) {
    std::string all;
    for (const Regime each : own) all += (all.empty() ? "" : ", ") + std::string(enum_name(each));
    throw UsageError(str("--regime: a model with attention.selection ",
                         enum_name(config().attention.selection), " has no regime '", name,
                         "'; choose from ", all));
  }
  return {regime};
}

CaptionSource ModelSession::source(Regime regime) const {
  return {.vocabulary = &model().vocabulary(),
          .grid = model().grid(),
          .gated = config().attention.gate != GateKind::kNone,
          .sentinel = config().attention.sentinel,
          .regime = regime};
}

}  // namespace saccade
