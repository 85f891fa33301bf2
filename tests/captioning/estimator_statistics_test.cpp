// The statistics of hard attention's estimator, against sums over its draws, in double.
#include "captioning/learning/objectives/estimator_statistics.h"

#include <cmath>
#include <set>

#include "tests/captioning/tiny_hard_model.h"
#include "tests/support/catch.h"

namespace saccade::test {

TEST_CASE("the estimator's statistics count every head's draw, also of a sentinel or of none") {
  for (const HardForm& form : {HardForm{}, HardForm{.heads = 2}, HardForm{.sentinel = true},
                               HardForm{.monotonic = true}}) {
    INFO(form.heads << " " << form.sentinel << " " << form.monotonic);
    const TinyModel model(BaselineKind::kEma, "lstm", form);
    Choices choices;
    for (Index draw = 0; draw < model.steps() * model.draws(); ++draw)
      choices.push_back(draw % 2 == 0 ? 1 : model.options() - 1);
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ForcedChooser chooser({choices});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), estimator(1, 0),
                   {.batch_captions = 1}, &chooser);
    loss.backward(fixed(1.5));
    EstimatorSums sums;
    sums.add(loss);
    const EstimatorSums::Statistics seen = sums.statistics();

    double entropy = 0, advantage = 0;
    const double count = static_cast<double>(model.steps() * model.draws());
    for (Index draw = 0; draw < model.steps() * model.draws(); ++draw) {
      const ConstView weights = draw_of(loss.output(), draw).weights;
      REQUIRE(weights.cols() == model.options());
      for (Index l = 0; l < weights.cols(); ++l)
        if (weights[l] > 0)
          entropy -= weights[l] * std::log(weights[l]) / std::log(weights.cols()) / count;
      advantage += loss.advantages()[static_cast<std::size_t>(draw / model.draws())] / count;
    }
    CHECK(seen.expectation_share == 0);
    CHECK(std::abs(seen.entropy - entropy) < 1e-12);
    CHECK(std::abs(seen.advantage - advantage) < 1e-12);
    CHECK(seen.gradient_variance > 0);
    const std::set<int> visited(choices.begin(), choices.end());
    CHECK(std::abs(seen.distinct_cells - static_cast<double>(visited.size()) /
                                             static_cast<double>(model.steps())) < 1e-12);
  }
}

}  // namespace saccade::test
