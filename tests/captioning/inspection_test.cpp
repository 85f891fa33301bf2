// What `inspect` reports about a model's attention: correlations of known numbers, and profiles and
// gradients of small models over validation images.
#include "captioning/model/decoding/decode_images.h"
#include "captioning/scoring/statistics/pearson.h"
#include "captioning/study/evaluation/patch_norms.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "captioning/study/inspection/gradient_flow.h"
#include "captioning/study/inspection/head_correlation.h"
#include "captioning/study/inspection/head_profiles.h"
#include "captioning/study/inspection/occlusion.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::test::inspection_test {
namespace {

TEST_CASE("Pearson's correlation of known numbers") {
  const std::vector<double> a{1, 2, 3, 4};
  CHECK(std::abs(pearson(a, std::vector<double>{3, 5, 7, 9}) - 1) < 1e-15);
  CHECK(std::abs(pearson(a, std::vector<double>{4, 3, 2, 1}) + 1) < 1e-15);
  // The deviations are (-1.5, -.5, .5, 1.5) and (-1.5, .5, -.5, 1.5): 4 / 5.
  CHECK(std::abs(pearson(a, std::vector<double>{1, 3, 2, 4}) - 0.8) < 1e-15);
  CHECK(std::isnan(pearson(a, std::vector<double>(4, 0.1))));
  CHECK(std::isnan(pearson({}, {})));
  CHECK_THROWS_AS(pearson(a, std::vector<double>{1}), ShapeError);
}

TEST_CASE("flow over captions: all pairs, and word by word") {
  // Two words over two regions: the norm is the weight times 1, and then times 3.
  const RegionNorms one{.words = 2,
                        .regions = 2,
                        .weights = {0.2, 0.8, 0.4, 0.6},
                        .direct = {0.2, 0.8, 1.2, 1.8},
                        .score = {0.5, 0.5, 0.3, 0.1}};
  const std::vector<RegionNorms> all{one};
  const PathFlow direct = direct_flow(all), score = score_flow(all);
  CHECK(std::abs(direct.within_words - 1) < 1e-12);
  CHECK(direct.correlation ==
        pearson(std::vector<double>{0.2, 0.8, 0.4, 0.6}, std::vector<double>{0.2, 0.8, 1.2, 1.8}));
  CHECK(direct.correlation < 0.9);
  CHECK(std::abs(direct.mean_norm - 1) < 1e-12);
  CHECK(direct.undefined_words == 0);
  CHECK(score.undefined_words == 1);
  CHECK(std::abs(score.within_words + 1) < 1e-12);
  CHECK(std::abs(score.mean_norm - 0.35) < 1e-12);
  CHECK(std::isnan(direct_flow({}).within_words));
}

TEST_CASE("a soft model's direct gradient follows its weights within every word") {
  const Experiment experiment(small_experiment());
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 3);
  const auto measure = [&] {
    return measure_gradient_flow(experiment.model, experiment.data.dataset, experiment.inputs,
                                 images);
  };
  const GradientFlow flow = measure();
  CHECK(flow.captions >= 3);
  CHECK(flow.pairs == flow.words * 16);
  CHECK(flow.direct.within_words > 0.9999);
  CHECK(flow.direct.within_words <= 1);
  CHECK(flow.direct.mean_norm > 0);
  CHECK(flow.score.mean_norm > 0);
  CHECK(std::abs(flow.score.correlation) <= 1);
  const GradientFlow again = measure();
  CHECK(again.score.correlation == flow.score.correlation);
  CHECK(again.direct.mean_norm == flow.direct.mean_norm);
}

std::vector<ProfiledHead> heads_of(const Experiment& experiment, Index images) {
  return head_profiles(experiment.model, experiment.data.dataset, experiment.inputs,
                       evaluation_images(experiment.data.dataset, Split::kVal, images))
      .heads;
}

TEST_CASE("gradients of a decoder of several layers stand against the weights of their own layer") {
  ExperimentConfig config = small_experiment();
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 2;
  const auto measure = [&](std::int64_t heads) {
    config.attention.heads = heads;
    const Experiment experiment(config);
    return measure_gradient_flow(experiment.model, experiment.data.dataset, experiment.inputs,
                                 evaluation_images(experiment.data.dataset, Split::kVal, 3));
  };
  const GradientFlow single = measure(1);
  CHECK(single.layers == 2);
  CHECK(single.pairs == 2 * single.words * 16);
  REQUIRE(single.heads.size() == 2);
  for (const HeadFlow& layer : single.heads) {
    // With one head the gradient as a value is the weight of its own layer times one vector.
    CHECK(layer.direct.within_words > 0.9999);
    CHECK(layer.head == -1);
    CHECK(layer.score.mean_norm > 0);
    CHECK(layer.direct_norms.by_region.size() == 16);
    REQUIRE(layer.direct_norms.by_word.size() > 2);
    double sum = 0;
    for (const double norm : layer.direct_norms.by_region) sum += norm / 16;
    CHECK(std::abs(sum / layer.direct.mean_norm - 1) < 1e-6);
  }
  const GradientFlow several = measure(2);
  REQUIRE(several.heads.size() == 2 * 3);
  for (std::size_t h = 0; h < several.heads.size(); ++h) {
    CHECK(several.heads[h].layer == static_cast<Index>(h) / 3);
    CHECK(several.heads[h].head == static_cast<Index>(h) % 3 - 1);
    if (several.heads[h].head >= 0) CHECK(several.heads[h].direct.within_words > 0.9999);
  }
}

TEST_CASE("all heads of a refinement and of a decoder are profiled") {
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 2;
  config.encoder.refine.heads = 4;
  config.attention.heads = 2;
  const std::vector<ProfiledHead> heads = heads_of(Experiment(config), 3);
  REQUIRE(heads.size() == 2 * 4 + 2);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    CHECK((heads[h].place == HeadPlace::kRefine) == (h < 8));
    CHECK(heads[h].layer == (h < 8 ? static_cast<Index>(h) / 4 : 0));
    CHECK(heads[h].head == static_cast<Index>(h < 8 ? h % 4 : h - 8));
    CHECK(heads[h].columns == 16);
    CHECK(heads[h].profile.maps == 3);
    CHECK(heads[h].profile.entropy > 0);
    CHECK(heads[h].profile.entropy <= 1 + 1e-6);
    CHECK(heads[h].content.value() > 0);
    CHECK(heads[h].content.value() < 1);
    // The number of a word says nothing of the number of a region.
    CHECK(std::isnan(heads[h].profile.previous) == (heads[h].place == HeadPlace::kDecoder));
    CHECK(std::isnan(heads[h].profile.diagonal) == (heads[h].place == HeadPlace::kDecoder));
  }
  CHECK(heads[0].profile.entropy != heads[1].profile.entropy);
}

TEST_CASE("heads that attend to themselves alone are specialised once, and then redundant") {
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 2;
  config.encoder.refine.heads = 4;
  config.encoder.refine.type = "window";
  config.encoder.refine.radius = 0;  // each region attends to itself only
  const std::vector<ProfiledHead> own = heads_of(Experiment(config), 3);
  REQUIRE(own.size() == 8 + 1);
  for (std::size_t h = 0; h < 8; ++h) {
    CHECK(own[h].profile.diagonal > 0.99999);
    CHECK(own[h].content == 0);
    CHECK(own[h].kind() == HeadKind::kDiagonal);
    CHECK(own[h].role == (h == 0 ? HeadRole::kSpecialised : HeadRole::kRedundant));
    REQUIRE(own[h].closest);
    CHECK(own[h].closest->name.text() == (h == 0 ? "refine.0.1" : "refine.0.0"));
    CHECK(std::abs(own[h].closest->correlation - 1) < 1e-6);
  }
  CHECK(own[8].name().text() == "decoder.0.0");
  CHECK_FALSE(own[8].closest);
  CHECK(own[8].role != HeadRole::kRedundant);
  CHECK_FALSE(heads_of(Experiment(config), 1)[0].content);  // one picture cannot tell
}

TEST_CASE("every layer of a transformer is profiled: of its encoder, of words and of the image") {
  for (const std::int64_t count : {1, 2}) {
    ExperimentConfig config = small_experiment();
    config.encoder.type = "vit";
    config.encoder.vit = {.width = 12, .layers = 2, .heads = 3, .patch = 8};
    config.decoder.type = "transformer";
    config.decoder.layers = 3;
    config.decoder.heads = 2;
    config.attention.heads = count;
    const Experiment experiment(config);
    const std::vector<ProfiledHead> heads = heads_of(experiment, 2);
    const std::vector<ModelHead> all = model_heads(experiment.model, config);
    REQUIRE(static_cast<std::int64_t>(heads.size()) == 2 * 3 + 3 * 2 + 3 * count);
    REQUIRE(heads.size() == all.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
      CHECK(heads[i].name() == all[i].name);
      CHECK(heads[i].profile.maps == 2);
      if (heads[i].place == HeadPlace::kEncoder) CHECK(heads[i].columns == 1 + 16);
      // Words see nothing of what comes after them.
      if (heads[i].place == HeadPlace::kWords) CHECK(heads[i].profile.next == 0);
      CHECK(heads[i].profile.entropy <= 1 + 1e-6);
      CHECK((i == 0 || heads[i].profile.entropy != heads[i - 1].profile.entropy));
    }
  }
}

TEST_CASE("heads correlate that move weight to the same places of their rows") {
  const auto map = [](std::initializer_list<double> weights) {
    Tensor out({2, 3});
    std::transform(weights.begin(), weights.end(), out.data(),
                   [](double w) { return static_cast<Real>(w); });
    return out;
  };
  const Tensor a = map({0.6, 0.3, 0.1, 0.2, 0.2, 0.6}), twice = map({1.2, 0.6, 0.2, 1, 1, 3}),
               b = map({0.3, 0.6, 0.1, 0.2, 0.2, 0.6}), flat = map({1, 1, 1, 2, 2, 2});
  const auto matrix = [&](const std::vector<std::uint8_t>& seen, bool causal) {
    HeadCorrelation sums;
    std::vector<MaskedMap> maps;
    for (const Tensor* one : {&a, &twice, &b, &flat})
      maps.push_back({.map = one->view(), .seen = seen, .part = {.causal = causal}});
    sums.add(maps);
    sums.add(maps);
    return sums.matrix();
  };
  const std::vector<double> r = matrix({}, false);
  CHECK(std::abs(r[0 * 4 + 1] - 1) < 1e-6);
  // Deviations from 1/3: a has squares .1266.. and .1066.., and the product with b is .0366.. +
  // .1066..
  const double own = 0.46 - 1.0 / 3 + 0.44 - 1.0 / 3, with = 0.37 - 1.0 / 3 + 0.44 - 1.0 / 3;
  CHECK(std::abs(r[0 * 4 + 2] - with / own) < 1e-6);
  CHECK(r[2 * 4 + 0] == r[0 * 4 + 2]);
  CHECK(std::isnan(r[0 * 4 + 3]));
  CHECK(std::isnan(r[3 * 4 + 3]));
  // Without the last column, a and b are opposite in the first row and flat in the second.
  CHECK(std::abs(matrix({1, 1, 0}, false)[0 * 4 + 2] + 1) < 1e-6);
  // In causal maps only the first two columns of row 1 are left, which are flat.
  CHECK(std::isnan(matrix({}, true)[0 * 4 + 2]));
}

TEST_CASE("the effect of a region on a word is the sum over the pieces of the word") {
  ExperimentConfig config = small_experiment();
  config.data.vocabulary = VocabularyKind::kBpe;
  config.data.bpe_size = 40;
  config.search.mode = SearchMode::kGreedy;
  const Experiment experiment(config);
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
  const SearchOptions search = experiment.request().search;
  DecodedCaption caption =
      decode_images(experiment.model, experiment.inputs, images, search, {})[0];
  const InputBatch input = experiment.inputs.batch(images);
  add_effects(experiment.model, config.attention, input.view(), search, caption);
  // The pieces as greedy search chose them, which it does again.
  TestTape tape(experiment.model.parameters().views(), Recording::kNo);
  const SearchMember member{.decoder = &experiment.model.decoder(),
                            .parameters = experiment.model.parameters().views(),
                            .images = experiment.model.encode(tape, input.view()).values()};
  const DecodedCaption cut = saccade::search({&member, 1}, SpecialWords{}, search, 0)[0];
  std::vector<int> ids;
  for (const DecodedWord& piece : cut.words) ids.push_back(piece.id);
  REQUIRE(ids.size() > caption.words.size());
  std::vector<int> kept;
  for (const DecodedWord& word : caption.words)
    kept.insert(kept.end(), word.pieces.begin(), word.pieces.end());
  REQUIRE(kept.size() <= ids.size());  // pieces after the last word are in no word
  CHECK(std::equal(kept.begin(), kept.end(), ids.begin()));
  const Tensor effects = region_effects(member, SpecialWords{}, kept, search, Removal::kMask);
  double most = 0, largest = 0;
  Index row = 0;
  for (const DecodedWord& word : caption.words) {
    REQUIRE(word.effects.size() == 16);
    for (std::size_t l = 0; l < 16; ++l) {
      double sum = 0;
      for (std::size_t piece = 0; piece < word.pieces.size(); ++piece)
        sum += static_cast<double>(effects.view().row(row + static_cast<Index>(piece))[l]);
      most = std::max(most, std::abs(sum - static_cast<double>(word.effects[l])));
      largest = std::max(largest, std::abs(sum));
    }
    row += static_cast<Index>(word.pieces.size());
  }
  CHECK(largest > 1e-4);
  CHECK(most < 1e-5);
}

// Outlier patches of grids that are made by hand, and of small models.

double score(const PatchNorms& norms, const std::string& name) {
  for (const auto& [key, value] : norms.scores())
    if (key == name) return value;
  FAIL("no score " << name);
  return 0;
}

TEST_CASE("patches more than three times as long as the median are outliers, at any scale") {
  // The norms are 5, 5, 5, 5, 15 and 16; the median is 5.
  const std::vector<Real> grid{3, 4, 0, 5, 4, -3, -5, 0, 0, 15, 16, 0};
  for (const Real scale : {Real{1}, Real{1e-3F}, Real{1e4F}}) {
    Tensor tokens({6, 2}, grid);
    for (Real& x : tokens.span()) x *= scale;
    PatchNorms norms;
    norms.add(tokens.view());
    CHECK(norms.outliers == 1);
    CHECK(std::abs(score(norms, "outlier_share") - 1.0 / 6) < 1e-12);
    CHECK(std::abs(score(norms, "largest_over_median") - 3.2) < 1e-6);
    CHECK(std::abs(score(norms, "median_norm") / static_cast<double>(scale) - 5) < 1e-5);
    // Next to it an image of equal patches: half of the images have outliers.
    const Tensor flat({4, 1}, std::vector<Real>{2, 2, -2, 2});
    norms.add(flat.view());
    CHECK(score(norms, "images_with_outliers") == 0.5);
    CHECK(std::abs(score(norms, "outlier_share") - 0.1) < 1e-12);
  }
}

TEST_CASE("patches of zeros have no outliers, and input that is not a grid is refused") {
  PatchNorms norms;
  CHECK(score(norms, "outlier_share") == 0);
  norms.add(Tensor({3, 2}).view());
  CHECK(norms.outliers == 0);
  CHECK(score(norms, "largest_over_median") == 0);
  CHECK_THROWS_AS(norms.add(Tensor({0, 2}).view()), ShapeError);
  Tensor broken({2, 2});
  broken[3] = std::numeric_limits<Real>::quiet_NaN();
  CHECK_THROWS_AS(norms.add(broken.view()), ShapeError);
}

TEST_CASE("patches are measured for encoders that have tokens, and for no others") {
  ExperimentConfig config = small_experiment();
  const auto measure = [](const Experiment& experiment) {
    return patch_norms(experiment.model, experiment.inputs,
                       evaluation_images(experiment.data.dataset, Split::kVal, 3));
  };
  CHECK_FALSE(measure(Experiment(config)));
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 12, .layers = 1, .heads = 2, .patch = 8, .registers = 2};
  const Experiment experiment(config);
  const std::optional<PatchNorms> norms = measure(experiment);
  REQUIRE(norms);
  CHECK(norms->images == 3);
  CHECK(norms->patches == 3 * 16);
  CHECK(score(*norms, "median_norm") > 0);
  CHECK(score(*norms, "largest_over_median") >= 1);
  CHECK(score(*norms, "median_norm") == score(*measure(experiment), "median_norm"));
}

}  // namespace
}  // namespace saccade::test::inspection_test
