// Trains a captioner with a score of its own, tanh(W a)' tanh(V h), and captions a picture with it.
#include <saccade/captioning/captioner.h>
#include <saccade/captioning/learning/train_captioner.h>
#include <saccade/core/attention/attention_registry.h>
#include <saccade/core/ops/linear.h>
#include <saccade/core/ops/pointwise.h>

#include <iostream>

using namespace saccade;
struct TanhScore : Score {
  TanhScore(const ParamScope& scope, const AttentionWidths& w)
      : region(scope.declare("region", {w.features, w.hidden}, Init::glorot(w.features, w.hidden))),
        state(scope.declare("state", {w.query, w.hidden}, Init::glorot(w.query, w.hidden))) {}
  Var keys(Tape& tape, Var features) const override {
    return ops::tanh(ops::linear(features, tape.parameter(region)));
  }
  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    return ops::dot_score(keys, ops::tanh(ops::linear(query, tape.parameter(state))), 1, group);
  }
  int region, state;
};

int main(int argc, char** argv) try {
  if (argc != 4) throw UsageError("give CONFIG RUN PICTURE");
  const auto own = std::make_shared<AttentionRegistry>();
  own->scores.add({.name = "tanh", .doc = "tanh(W a)' tanh(V h)"},
                  [](const ParamScope& scope, const AttentionWidths& widths) {
                    return std::make_unique<TanhScore>(scope, widths);
                  });
  TrainingOptions options{.config = argv[1], .directory = argv[2], .attention = own};
  options.set = {"attention.score=tanh"};
  options.on_update = [](const TrainingUpdate& now) {
    return static_cast<bool>(std::cout << now.update << ": loss " << now.loss << "\n");
  };
  const TrainedCaptioner run = train_captioner(options);
  std::cout << Captioner(run.checkpoint, {.attention = own}).caption(argv[3]).text << "\n";
} catch (const Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
