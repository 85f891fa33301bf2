// What informed attention learns where the truth is known, and which models cannot have it.
#include <algorithm>

#include "captioning/decoders/decoder_kind.h"
#include "captioning/objectives/caption_loss.h"
#include "captioning/objectives/informed_supervision.h"
#include "core/attention/gate_kind.h"
#include "core/attention/selection_kind.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr int kBos = 1, kEos = 2;

}  // namespace

TEST_CASE("The map that knows the word finds what the first glimpse cannot know", "[supervision]") {
  // Pictures of four regions, two of which show two of five things. The caption names one of the
  // two at random, and nothing before the word determines which.
  constexpr Index kBatch = 32, kThings = 5, kPlaces = 4, kWidth = kThings + 1;
  constexpr int kFirst = 4;
  struct Batch {
    Tensor features{{kBatch, kPlaces, kWidth}};
    std::vector<std::vector<int>> captions;
    std::vector<Index> place;  // of the thing that is named
  };
  const auto make_batch = [](std::uint64_t number) {
    Random random({21, Stream::kTest, number, 0});
    Batch batch;
    for (Index b = 0; b < kBatch; ++b) {
      Real* image = batch.features.data() + b * kPlaces * kWidth;
      for (Index i = 0; i < kPlaces * kWidth; ++i)
        image[i] = static_cast<Real>(0.1 * random.normal()) + (i % kWidth == kThings ? 1 : 0);
      const auto thing = static_cast<Index>(random.below(kThings)),
                 place = static_cast<Index>(random.below(kPlaces));
      const Index other = (thing + 1 + static_cast<Index>(random.below(kThings - 1))) % kThings,
                  elsewhere = (place + 1 + static_cast<Index>(random.below(kPlaces - 1))) % kPlaces;
      image[place * kWidth + thing] += 2;
      image[elsewhere * kWidth + other] += 2;
      batch.captions.push_back({kFirst + static_cast<int>(thing)});
      batch.place.push_back(place);
    }
    return batch;
  };
  const auto chosen = GENERATE(InformedKind::kProphet, InformedKind::kCyclical);
  AttentionConfig attention;
  attention.hidden = 12, attention.gate = GateKind::kNone;
  ParameterStore store;
  // What the picture shows reaches the words only through attention.
  const auto decoder = make_decoder(
      {.hidden = 16, .embedding = 8, .dropout = 0, .first_state = FirstState::kNone}, attention,
      {.features = kWidth, .vocabulary = kFirst + kThings, .grid = {1, kPlaces}},
      ParamScope(store, "decoder"));
  std::vector<InformedAttention> informed;
  informed.emplace_back(chosen, ParamScope(store, std::string(enum_name(chosen))),
                        InformedWidths{.features = kWidth, .query = 16, .embedding = 8});
  store.initialise(1);
  CaptionLossOptions options = loss_options({}, attention, {});
  options.doubly_stochastic = 0;
  (chosen == InformedKind::kProphet ? options.supervision.prophet : options.supervision.cyclical) =
      chosen == InformedKind::kProphet ? 0.1 : 1;

  // How often the largest weight is on the named thing, at the first glimpse and at the informed
  // one.
  struct Hits {
    double first = 0, informed = 0;
  };
  const auto study = [&](std::uint64_t number, bool learn) {
    const Batch batch = make_batch(number);
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    ShardLoss loss(tape, *decoder, tape.constant(batch.features.view()),
                   pack_captions(batch.captions, kBos, kEos), options, {.batch_captions = kBatch},
                   nullptr, {.informed = informed});
    Hits hits;
    for (Index b = 0; b < kBatch; ++b) {
      const auto hit = [&](Var weights) {
        const Real* map = weights.value().row(b);
        return std::max_element(map, map + kPlaces) - map ==
               batch.place[static_cast<std::size_t>(b)];
      };
      hits.first += hit(loss.output().weights[0]) / static_cast<double>(kBatch);
      hits.informed += hit(loss.output().informed[0].weights[0]) / static_cast<double>(kBatch);
    }
    if (learn) {
      loss.backward({});
      const std::vector<double> gradient = test::parameter_gradients(tape, store);
      const auto weights = store.flat().span();
      for (std::size_t i = 0; i < gradient.size(); ++i) weights[i] -= 0.3 * gradient[i];
    }
    return hits;
  };
  for (std::uint64_t update = 1; update <= 600; ++update) study(update, true);
  Hits mean;
  for (std::uint64_t test = 0; test < 10; ++test) {
    const Hits one = study(100000 + test, false);
    mean.first += one.first / 10, mean.informed += one.informed / 10;
  }
  INFO(enum_name(chosen) << ": first " << mean.first << ", informed " << mean.informed);
  CHECK(mean.first < 0.65);  // it can only guess between two things
  CHECK(mean.informed > 0.95);
}

TEST_CASE("A model without informed attention is refused with its reason", "[supervision]") {
  const auto refused = [](const SupervisionConfig& supervision, const DecoderConfig& decoder,
                          const AttentionConfig& attention) {
    try {
      check_informed_attention(supervision, decoder, attention);
      return std::string();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  SupervisionConfig prophet, cyclical;
  prophet.prophet = cyclical.cyclical = 0.5;
  const auto says = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  for (const SupervisionConfig& one : {prophet, cyclical}) {
    CHECK(refused(one, {}, {}).empty());
    CHECK(says(refused(one, {.type = DecoderKind::kTransformer}, {}),
               "needs decoder.type lstm, gru, luong or updown: "));
    AttentionConfig marginal;
    marginal.selection = SelectionKind::kHard;
    CHECK(refused(one, {}, marginal).empty());
    marginal.hard.likelihood = HardLikelihood::kMarginal;
    CHECK(says(refused(one, {}, marginal), "needs attention.hard.likelihood choice: "));
  }
  AttentionConfig heads;
  heads.heads = 2;
  CHECK(refused(prophet, {}, heads).empty());
  CHECK(says(refused(cyclical, {}, heads), "cyclical needs attention.heads 1: "));
}

}  // namespace saccade
