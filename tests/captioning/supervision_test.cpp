// Supervised attention, in double: by boxes, and by a localizer that learned from captions where
// words are. Gradients are compared with differences of the documented cost, and the localizer is
// tested where the truth is known.
#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/decoders/score_map.h"
#include "core/base/random.h"
#include "core/ops/shape_ops.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::supervision_test {
namespace {

constexpr Index kVocabulary = 7;
constexpr int kBos = 1, kEos = 2;

// Two captions, and nouns with boxes: words 0 and 2 of the first caption (four steps with <eos>),
// and word 0 of the second (two steps).
struct Supervised : test::SmallDecoder {
  std::vector<std::vector<int>> captions{{4, 3, 6}, {5}};
  std::vector<AttentionTarget> targets{{.caption = 0, .word = 0, .inside = {1, 0, 0.5}},
                                       {.caption = 0, .word = 2, .inside = {0, 0.25, 0}},
                                       {.caption = 1, .word = 0, .inside = {0, 1, 1}}};
  ParameterStore own;  // the localizer's
  WordLocalizer localizer;
  WordLabels labels{.words = {3, 4, 5, 6}, .present = {1, 1, 0, 1, 0, 0, 1, 0}};

  Supervised(const std::string& kind, const std::string& selection)
      : SmallDecoder(kind, selection, kVocabulary, 2),
        localizer(ParamScope(own, "localizer"),
                  {.features = kFeatures, .vocabulary = kVocabulary, .hidden = 3},
                  {.sharpness = 2}) {
    own.initialise(4);
    Random random({9, Stream::kTest, 0, 0});
    for (Real& value : own.flat().span()) value = static_cast<Real>(random.normal());
    localizer.set_shares(own, std::vector<double>{0, 0, 0, 0.5, 0.2, 0.1, 0.9});
  }
};

}  // namespace

TEST_CASE("Supervision by boxes adds the documented cost, for every decoder", "[supervision]") {
  const auto kind = GENERATE(as<std::string>{}, "lstm", "updown", "transformer");
  Supervised model(kind, "soft");
  CaptionLossOptions options = loss_options({}, model.attention, {});
  options.doubly_stochastic = 0;
  options.supervision = {.boxes = 0.7, .localizer = 0};

  // The mean over captions of the likelihood's cost, plus 0.7 times the sum over nouns.
  const auto run = [&](std::vector<double>* gradient) {
    test::TestTape tape(model.store.views());
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 2},
                   nullptr, {.boxes = model.targets});
    double total = (loss.nll()[0] + loss.nll()[1]) / 2;
    Index words = 0;
    for (const AttentionTarget& target : model.targets) {
      const ConstView map = loss.output().weights()[static_cast<std::size_t>(target.word)].value();
      double inside = 0;
      for (Index l = 0; l < 3; ++l)
        inside += map.row(target.caption)[l] * target.inside[static_cast<std::size_t>(l)];
      total -= 0.7 * std::log(inside) / 2;
      ++words;
    }
    REQUIRE(loss.supervision().boxes());
    CHECK(loss.supervision().localized_images() == 0);
    CHECK(loss.supervision().boxes()->words() == words);
    if (gradient) {
      loss.backward({});
      *gradient = test::parameter_gradients(tape, model.store);
    }
    return total;
  };
  std::vector<double> gradient;
  run(&gradient);
  const std::vector<double> numeric =
      test::numeric_gradient(model.store, [&] { return run(nullptr); });
  CHECK(test::largest_difference(numeric, gradient) < 1e-6);
}

TEST_CASE(
    "A localizer's map is a constant to the decoder, weighted by how the picture predicts the word",
    "[supervision]") {
  Supervised model("lstm", "soft");
  CaptionLossOptions options = loss_options({}, model.attention, {});
  options.doubly_stochastic = 0;
  options.supervision = {.boxes = 0, .localizer = 0.6};

  // Both models are in one store, as in a captioner.
  ParameterStore store;
  DecoderConfig config;
  config.hidden = 4, config.embedding = 3, config.init_hidden = 2, config.dropout = 0;
  const auto decoder = make_decoder(config, model.attention,
                                    {.features = 2, .vocabulary = kVocabulary, .grid = {1, 3}},
                                    ParamScope(store, "decoder"));
  const WordLocalizer localizer(ParamScope(store, "localizer"),
                                {.features = 2, .vocabulary = kVocabulary, .hidden = 3},
                                {.sharpness = 2});
  store.initialise(5);
  Random random({10, Stream::kTest, 0, 0});
  for (Real& value : store.flat().span()) value = static_cast<Real>(0.8 * random.normal());
  localizer.set_shares(store, std::vector<double>{0, 0, 0, 0.5, 0.2, 0.1, 0.9});
  const std::size_t first_own =
      static_cast<std::size_t>(store.info(store.find("localizer.key")).offset);

  // The cost of the captions and of the maps, where the localizer's maps stay those in `held`, and
  // the localizer's own cost.
  struct Held {
    std::vector<std::vector<Real>> maps;
    std::vector<double> shares;
  };
  const auto run = [&](Held& held, bool hold, std::vector<double>* gradient, double* own) {
    test::TestTape tape(store.views());
    const PackedCaptions captions = pack_captions(model.captions, kBos, kEos);
    const Var features = tape.constant(model.features.view());
    ShardLoss loss(tape, *decoder, features, captions, options, {.batch_captions = 2}, nullptr,
                   {.localizer = &localizer, .labels = &model.labels});
    const LocalizedWords words(tape, localizer, features, model.labels.words);
    const ConstView costs = words.costs(model.labels).value();
    *own = (costs[0] + costs[1]) / 2;
    CHECK(loss.supervision().localizer_cost() == Approx(2 * *own));
    CHECK(loss.supervision().localized_images() == 2);
    double total = (loss.nll()[0] + loss.nll()[1]) / 2;
    std::size_t n = 0, next = 0;
    for (std::size_t t = 0; t < captions.rows.size(); ++t)
      for (Index r = 0; r < captions.rows[t]; ++r, ++n) {
        if (!hold) {
          std::vector<Real>& map = held.maps.emplace_back(3);
          held.shares.push_back(words.locate(r, captions.targets[n], map));
          if (captions.targets[n] == kEos) CHECK(held.shares.back() == 0);
        }
        const auto& target = held.maps[next];
        const ConstView map = loss.output().weights()[t].value();
        for (std::size_t l = 0; l < 3; ++l)
          if (target[l] > 0)
            total += 0.6 * held.shares[next] / 2 * target[l] *
                     std::log(target[l] / map.row(r)[static_cast<Index>(l)]);
        ++next;
      }
    if (gradient) {
      loss.backward({});
      *gradient = test::parameter_gradients(tape, store);
    }
    return total;
  };
  Held held;
  std::vector<double> gradient;
  double own = 0;
  run(held, false, &gradient, &own);
  CHECK(*std::max_element(held.shares.begin(), held.shares.end()) > 0);
  // The localizer learns from its own cost, and everything else from the captions and maps.
  const std::vector<double> of_maps = test::numeric_gradient(store, [&] {
    double cost = 0;
    return run(held, true, nullptr, &cost);
  });
  const std::vector<double> of_localizer = test::numeric_gradient(store, [&] {
    double cost = 0;
    run(held, true, nullptr, &cost);
    return cost;
  });
  const auto learned = static_cast<std::size_t>(store.info(store.find("localizer.share")).offset);
  for (std::size_t at = 0; at < learned; ++at)
    CHECK(std::abs((at < first_own ? of_maps : of_localizer)[at] - gradient[at]) < 1e-6);
}

TEST_CASE("Hard attention draws words that the picture predicts where the localizer finds them",
          "[supervision]") {
  const auto kind = GENERATE(as<std::string>{}, "lstm", "transformer");
  const Supervised small(kind, "hard");
  ParameterStore store;
  DecoderConfig config;
  config.type = kind;
  config.hidden = 4, config.embedding = 3, config.init_hidden = 2, config.dropout = 0;
  config.layers = 2, config.heads = config.widen = 1;
  const auto decoder = make_decoder(config, small.attention,
                                    {.features = 2, .vocabulary = kVocabulary, .grid = {1, 3}},
                                    ParamScope(store, "decoder"));
  // It is so sharp that a map is one region.
  const WordLocalizer localizer(ParamScope(store, "localizer"),
                                {.features = 2, .vocabulary = kVocabulary, .hidden = 3},
                                {.sharpness = 1e6});
  store.initialise(5);
  Random random({10, Stream::kTest, 0, 0});
  for (Real& value : store.flat().span()) value = static_cast<Real>(2 * random.normal());
  localizer.set_shares(store, std::vector<double>{0, 0, 0, 0.2, 0.2, 0.2, 0.2});
  CaptionLossOptions options = loss_options({}, small.attention, {});
  options.doubly_stochastic = 0;
  options.supervision = {.boxes = 0, .localizer = 1};
  options.hard.expectation_share = 0;
  options.hard.proposal = ProposalKind::kLocalizer;
  const PackedCaptions captions = pack_captions(small.captions, kBos, kEos);
  const Index samples = options.hard.samples;

  Index certain = 0, others = 0;  // draws at words that the picture predicts, and at others
  for (std::uint64_t update = 0; update < 30; ++update) {
    test::TestTape tape(store.views());
    const Var features = tape.constant(small.features.view());
    const ShardLoss loss(tape, *decoder, features, captions, options,
                         {.update = update, .batch_captions = 2}, nullptr,
                         {.localizer = &localizer, .labels = &small.labels});
    const LocalizedWords words(tape, localizer, features, small.labels.words);
    std::size_t n = 0;
    for (std::size_t t = 0; t < captions.rows.size(); ++t)
      for (Index r = 0; r < captions.rows[t]; ++r, ++n) {
        std::vector<Real> map(3);
        const double share = words.locate(r, captions.targets[n], map);
        const auto place = std::max_element(map.begin(), map.end()) - map.begin();
        for (Index i = 0; i < samples; ++i) {
          const auto row = static_cast<std::size_t>(r * samples + i);
          if (share == 1) CHECK(loss.output().draws[t].back().chosen[row] == place);
          if (share == 1) ++certain;
          if (loss.output().draws[t].back().chosen[row] != place) ++others;
        }
      }
  }
  CHECK(certain > 0);
  CHECK(others > 0);
}

TEST_CASE("A localizer finds words from captions alone", "[supervision]") {
  // Pictures of four regions: two show things, each of which is a direction of its own, and two
  // show background.
  constexpr Index kImages = 40, kRegions = 4, kThings = 3, kWidth = 6;
  constexpr int kFirst = 4;  // the word of thing 0
  Random random({12, Stream::kTest, 0, 0});
  Tensor features(Shape{kImages, kRegions, kWidth});
  std::vector<std::vector<Index>> place(kThings, std::vector<Index>(kImages, -1));
  WordLabels labels{.words = {4, 5, 6}, .present = std::vector<Real>(kImages * kThings, 0)};
  for (Index m = 0; m < kImages; ++m) {
    for (Index l = 0; l < kRegions; ++l)
      for (Index d = 0; d < kWidth; ++d)
        features.data()[(m * kRegions + l) * kWidth + d] =
            static_cast<Real>(0.3 * random.normal()) + (d == kWidth - 1 ? 2 : 0);
    const auto left_out = static_cast<Index>(random.below(kThings));
    auto region = static_cast<Index>(random.below(kRegions));
    for (Index thing = 0; thing < kThings; ++thing) {
      if (thing == left_out) continue;
      Real* own = features.data() + (m * kRegions + region) * kWidth;
      own[thing] += 2;
      own[kWidth - 1] -= 2;
      place[static_cast<std::size_t>(thing)][static_cast<std::size_t>(m)] = region;
      labels.present[static_cast<std::size_t>(m * kThings + thing)] = 1;
      region = (region + 1) % kRegions;
    }
  }
  ParameterStore store;
  const WordLocalizer localizer(ParamScope(store, "localizer"),
                                {.features = kWidth, .vocabulary = 7, .hidden = 4},
                                {.sharpness = 3});
  store.initialise(1);
  localizer.set_shares(store, std::vector<double>{0, 0, 0, 0, 0.67, 0.67, 0.67});

  // How often the largest weight of a word that is there lies on its thing, and the cost.
  const auto study = [&](bool learn) {
    test::TestTape tape(store.views());
    const LocalizedWords words(tape, localizer, tape.constant(features.view()), labels.words);
    double hits = 0, tried = 0;
    for (Index m = 0; m < kImages; ++m)
      for (Index thing = 0; thing < kThings; ++thing) {
        const Index region = place[static_cast<std::size_t>(thing)][static_cast<std::size_t>(m)];
        if (region < 0) continue;
        std::vector<Real> map(kRegions);
        words.locate(m, kFirst + static_cast<int>(thing), map);
        hits += std::max_element(map.begin(), map.end()) - map.begin() == region;
        ++tried;
      }
    if (learn) {
      tape.backward(
          ops::dot_constant(words.costs(labels), std::vector<Real>(kImages, 1.0 / kImages)));
      const std::vector<double> gradient = test::parameter_gradients(tape, store);
      const auto weights = store.flat().span();
      const auto fixed = static_cast<std::size_t>(store.info(store.find("localizer.share")).offset);
      for (std::size_t i = 0; i < fixed; ++i) weights[i] -= 0.5 * gradient[i];
    }
    return hits / tried;
  };
  CHECK(study(false) < 0.6);
  for (int update = 0; update < 300; ++update) study(true);
  CHECK(study(false) > 0.95);
}

// Maps from scores: the plain softmax, and what neighbours and the middle of the picture add to it.
namespace {

std::vector<double> random_scores(Index count) {
  Random random({3, Stream::kTest, 0, 0});
  std::vector<double> scores;
  for (Index l = 0; l < count; ++l) scores.push_back(random.normal());
  return scores;
}

std::vector<Real> map_of(const std::vector<double>& scores, const ScoreMapOptions& options,
                         const std::vector<Real>& mask = {}) {
  std::vector<Real> out(scores.size());
  score_map(scores, mask, options, out);
  return out;
}

}  // namespace

TEST_CASE("A score map is a softmax over the unmasked regions", "[supervision]") {
  const std::vector<double> scores = random_scores(6);
  const std::vector<Real> mask{1, 0, 1, 1, 0, 1};
  const std::vector<Real> map = map_of(scores, {.sharpness = 2}, mask);
  double sum = 0;
  for (std::size_t l = 0; l < 6; ++l) sum += mask[l] > 0 ? std::exp(2 * scores[l]) : 0;
  for (std::size_t l = 0; l < 6; ++l) {
    const double expected = mask[l] > 0 ? std::exp(2 * scores[l]) / sum : 0;
    CHECK(std::abs(static_cast<double>(map[l]) - expected) <= 1e-6);
  }
}

TEST_CASE("Neighbours of a region count for a word, padding does not", "[supervision]") {
  constexpr Index kRows = 5, kCols = 4;
  const std::vector<double> scores = random_scores(kRows * kCols);
  std::vector<Real> mask(kRows * kCols, 1);
  for (Index col = 0; col < kCols; ++col) mask[static_cast<std::size_t>(col)] = 0;  // row 0
  const std::vector<Real> map =
      map_of(scores, {.sharpness = 1.5, .smoothing = 0.8, .grid = {kRows, kCols}}, mask);
  // By the definition, cell by cell. Three deviations reach two and a half cells.
  std::vector<double> expected(scores.size(), 0);
  for (Index a = kCols; a < kRows * kCols; ++a) {
    double sum = 0, weights = 0;
    for (Index b = kCols; b < kRows * kCols; ++b) {
      const auto y = static_cast<double>(a / kCols - b / kCols);
      const auto x = static_cast<double>(a % kCols - b % kCols);
      if (std::abs(y) > 3 || std::abs(x) > 3) continue;
      const double weight = std::exp(-(x * x + y * y) / (2 * 0.8 * 0.8));
      sum += weight * scores[static_cast<std::size_t>(b)];
      weights += weight;
    }
    expected[static_cast<std::size_t>(a)] = std::exp(1.5 * sum / weights);
  }
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (std::size_t l = 0; l < scores.size(); ++l)
    CHECK(std::abs(static_cast<double>(map[l]) - expected[l] / total) <= 1e-6);
}

TEST_CASE("The middle is that of the picture without its padding", "[supervision]") {
  constexpr Index kRows = 4, kCols = 6;
  const std::vector<double> flat(kRows * kCols, 0.3);
  std::vector<Real> mask(kRows * kCols, 1);
  for (Index row = 0; row < kRows; ++row)
    for (Index col = 3; col < kCols; ++col) mask[static_cast<std::size_t>(row * kCols + col)] = 0;
  const std::vector<Real> map = map_of(flat, {.centre = 0.25, .grid = {kRows, kCols}}, mask);
  const auto at = [&](Index row, Index col) {
    return static_cast<double>(map[static_cast<std::size_t>(row * kCols + col)]);
  };
  CHECK(std::abs(at(1, 1) - at(2, 1)) <= 1e-6);  // the middle of four rows lies between two of them
  CHECK(std::abs(at(1, 0) - at(1, 2)) <= 1e-6);
  // A cell beside the middle column is 1/3 of the picture away from the middle.
  CHECK(std::abs(at(1, 0) / at(1, 1) - std::exp(-std::pow((1.0 / 3) / 0.25, 2) / 2)) <= 1e-5);
  CHECK(std::abs(at(0, 1) / at(1, 1) -
                 std::exp(-(std::pow(1.5 / 4 / 0.25, 2) - std::pow(0.5 / 4 / 0.25, 2)) / 2)) <=
        1e-5);
}

}  // namespace saccade::supervision_test
