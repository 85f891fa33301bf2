// What `inspect` reports about a model's attention: correlations of known numbers, and profiles and
// gradients of small models over validation images.
#include <algorithm>
#include <cmath>

#include "captioning/decoders/decoder_kind.h"
#include "captioning/decoding/decode_images.h"
#include "captioning/inspection/caption_occlusion.h"
#include "captioning/inspection/gradient_flow.h"
#include "captioning/inspection/head_profiles.h"
#include "captioning/inspection/occlusion.h"
#include "captioning/statistics/pearson.h"
#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
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
  const GradientFlow flow = flow_of(std::vector<RegionNorms>{one});
  CHECK(flow.words == 2);
  CHECK(flow.pairs == 4);
  CHECK(std::abs(flow.direct.within_words - 1) < 1e-12);
  CHECK(flow.direct.correlation ==
        pearson(std::vector<double>{0.2, 0.8, 0.4, 0.6}, std::vector<double>{0.2, 0.8, 1.2, 1.8}));
  CHECK(flow.direct.correlation < 0.9);
  CHECK(std::abs(flow.direct.mean_norm - 1) < 1e-12);
  CHECK(flow.direct.undefined_words == 0);
  CHECK(flow.score.undefined_words == 1);
  CHECK(std::abs(flow.score.within_words + 1) < 1e-12);
  CHECK(std::abs(flow.score.mean_norm - 0.35) < 1e-12);
  CHECK(std::isnan(flow_of({}).direct.within_words));
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

TEST_CASE("all heads of a refinement and of a decoder are profiled") {
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 2;
  config.encoder.refine.heads = 4;
  config.attention.heads = 2;
  const Experiment experiment(config);
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 3);
  const auto heads =
      head_profiles(experiment.model, experiment.data.dataset, experiment.inputs, images);
  REQUIRE(heads.size() == 2 * 4 + 2);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    CHECK((heads[h].place == HeadPlace::kRefine) == (h < 8));
    CHECK(heads[h].layer == (h < 8 ? static_cast<Index>(h) / 4 : 0));
    CHECK(heads[h].head == static_cast<Index>(h < 8 ? h % 4 : h - 8));
    CHECK(heads[h].columns == 16);
    CHECK(heads[h].profile.maps == 3);
    CHECK(heads[h].profile.entropy > 0);
    CHECK(heads[h].profile.entropy <= 1 + 1e-6);
  }
  CHECK(heads[0].profile.entropy != heads[1].profile.entropy);
  config.encoder.refine.type = SequenceAttentionKind::kWindow;
  config.encoder.refine.radius = 0;  // each region attends to itself only
  config.attention.heads = 1;
  const Experiment narrow(config);
  const auto own = head_profiles(narrow.model, narrow.data.dataset, narrow.inputs, images);
  REQUIRE(own.size() == 8);
  for (const ProfiledHead& head : own) {
    CHECK(head.profile.diagonal > 0.99999);
    CHECK(kind_of(head.profile) == HeadKind::kDiagonal);
  }
}

TEST_CASE("every layer of a transformer decoder is profiled, also with one head") {
  for (const std::int64_t count : {1, 2}) {
    ExperimentConfig config = small_experiment();
    config.decoder.type = DecoderKind::kTransformer;
    config.decoder.layers = 3;
    config.decoder.heads = 2;
    config.attention.heads = count;
    const Experiment experiment(config);
    const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 2);
    const auto heads =
        head_profiles(experiment.model, experiment.data.dataset, experiment.inputs, images);
    REQUIRE(static_cast<std::int64_t>(heads.size()) == 3 * count);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      CHECK(heads[i].place == HeadPlace::kDecoder);
      CHECK(heads[i].layer == static_cast<Index>(i) / count);
      CHECK(heads[i].head == static_cast<Index>(i) % count);
      CHECK(heads[i].profile.maps == 2);
      CHECK((i == 0 || heads[i].profile.entropy != heads[i - 1].profile.entropy));
    }
  }
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
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(experiment.model.parameters().views());
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

}  // namespace
}  // namespace saccade::test
