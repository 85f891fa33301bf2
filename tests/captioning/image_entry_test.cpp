// How the image enters a decoder: at every word, once, in the first state, or not at all; and
// training captions that lose it.
#include "captioning/model/decoders/decoder_traits.h"
#include "tests/captioning/decoder_models.h"

namespace saccade::test {

namespace {

AttentionVariant entry(ImageEntry image, FirstState first_state = FirstState::kPooled) {
  return {.name = "entry",
          .attention = small_attention("additive"),
          .image = image,
          .first_state = first_state};
}

double most_apart(const std::vector<CaptionOutput>& a, const std::vector<CaptionOutput>& b) {
  double most = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t t = 0; t < a[c].nll.size(); ++t)
      most = std::max(most, std::abs(a[c].nll[t] - b[c].nll[t]));
  return most;
}

}  // namespace

TEST_CASE("a model that gets nothing of the image computes the same for every image") {
  const Tensor one = noise({3, kRegions, kFeatures}, 1), other = noise({3, kRegions, kFeatures}, 2);
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    const Model blind(small(kind.name), entry(ImageEntry::kNone, FirstState::kNone));
    CHECK_FALSE(blind.config.has_context());
    CHECK_FALSE(reads_pooled(blind.config));
    CHECK(most_apart(at_once(blind, one.view(), kCaptions),
                     at_once(blind, other.view(), kCaptions)) == 0);
    // The costs still depend on the words.
    const std::vector<std::vector<int>> words{{4, 5, 8, 5}, {6, 8}, {7}};
    CHECK(most_apart(at_once(blind, one.view(), kCaptions), at_once(blind, one.view(), words)) >
          1e-3);
  }
}

TEST_CASE("at the first step alone or in the first state alone, the image is the pooled image") {
  // Exchanging regions does not change the mean, so no word changes.
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  Tensor turned = features.clone();
  for (Index c = 0; c < 3; ++c)
    for (Index l = 0; l < kRegions; ++l)
      for (Index d = 0; d < kFeatures; ++d)
        turned[(c * kRegions + l) * kFeatures + d] =
            features[(c * kRegions + (l + 2) % kRegions) * kFeatures + d];
  const Tensor pooled = noise({3, kFeatures}, 5);
  for (const auto& kind : decoder_registry().rows())
    for (const ImageEntry image :
         {ImageEntry::kEveryWord, ImageEntry::kFirstStep, ImageEntry::kNone}) {
      INFO(kind.name << ", " << enum_name(image));
      const Model model(small(kind.name), entry(image));
      const std::vector<CaptionOutput> plain = at_once(model, features.view(), kCaptions);
      CHECK(most_apart(plain, at_once(model, turned.view(), kCaptions)) < kSame);
      const double moved =
          most_apart(plain, at_once(model, {features.view(), {}, pooled.view()}, kCaptions));
      CHECK((reads_pooled(model.config) ? moved > 1e-3 : moved == 0));
      // The maps are uniform: nothing was chosen.
      for (const std::vector<Tensor>& word : plain[0].weights)
        for (const Tensor& map : word)
          for (Index l = 0; l < kRegions; ++l)
            CHECK(std::abs(static_cast<double>(map[l]) - 1.0 / kRegions) < 1e-6);
    }
}

TEST_CASE("parts that are not made from the image have no weights for it") {
  const auto has = [](const Model& model, const std::string& name) {
    return model.store.find("decoder." + name) >= 0;
  };
  const Model plain(small("lstm"), entry(ImageEntry::kAttention)),
      bare(small("lstm"), entry(ImageEntry::kAttention, FirstState::kNone)),
      once(small("lstm"), entry(ImageEntry::kFirstStep));
  CHECK(has(plain, "init_h.weight"));
  CHECK(has(plain, "lstm.context"));
  CHECK_FALSE(has(plain, "image.weight"));
  CHECK_FALSE(has(bare, "init_h.weight"));
  CHECK(has(bare, "lstm.context"));
  CHECK_FALSE(has(once, "init_h.weight"));
  CHECK_FALSE(has(once, "lstm.context"));
  CHECK_FALSE(has(once, "output.context"));
  CHECK_FALSE(has(once, "attention.score.keys.weight"));
  CHECK(has(once, "image.weight"));
  const Model full(small("updown"), entry(ImageEntry::kAttention)),
      blunt(small("updown"), entry(ImageEntry::kAttention, FirstState::kNone));
  CHECK(has(full, "look.mean"));
  CHECK_FALSE(has(blunt, "look.mean"));
  const Model prefix(small("transformer"), entry(ImageEntry::kFirstStep));
  CHECK(has(prefix, "image.weight"));
  CHECK_FALSE(has(prefix, "layer_0.cross_output.weight"));
}

TEST_CASE(
    "training captions that lose their image lose it as a whole, and others keep it as it is") {
  constexpr Index kMany = 400;
  constexpr double kRate = 0.3;
  const Tensor one = noise({1, kRegions, kFeatures}, 1);
  Tensor features({kMany, kRegions, kFeatures});
  for (Index i = 0; i < features.size(); ++i) features[i] = one[i % one.size()];
  const Tensor zeros({1, kFeatures});
  const PackedCaptions packed = pack_captions(
      std::vector<std::vector<int>>(kMany, std::vector<int>{4, 5}), kSpecial.bos, kSpecial.eos);
  for (const std::string kind : {"lstm", "gru", "luong", "updown"}) {
    INFO(kind);
    DecoderConfig config = small(kind);
    config.image_dropout = kRate;
    const Model model(config, entry(ImageEntry::kAttention));
    const std::vector<CaptionOutput> seen = at_once(model, one.view(), {{4, 5}}),
                                     blind =
                                         at_once(model, {one.view(), {}, zeros.view()}, {{4, 5}});
    const CaptionOutput &with_image = seen[0], &without = blind[0];
    REQUIRE(std::abs(with_image.nll[0] - without.nll[0]) > 1e-2);
    const auto first_costs = [&](bool training) {
      Arena arena;
      Tape tape(arena);
      tape.set_parameters(model.store.views());
      tape.set_training(training);
      tape.set_random(1, 2, 0);
      const Var nll =
          model.decoder
              ->sequence(tape, packed,
                         model.decoder->prepare(tape, tape.constant(features.view()), 1), {})
              .nll;
      std::vector<double> costs;
      for (Index c = 0; c < kMany; ++c) costs.push_back(static_cast<double>(nll.value()[c]));
      return costs;
    };
    Index lost = 0;
    for (const double cost : first_costs(true)) {
      const bool kept = std::abs(cost - with_image.nll[0]) < kSame;
      CHECK((kept || std::abs(cost - without.nll[0]) < kSame));
      lost += kept ? 0 : 1;
    }
    CHECK(std::abs(static_cast<double>(lost) / kMany - kRate) < 0.08);
    CHECK(first_costs(true) == first_costs(true));
    for (const double cost : first_costs(false)) CHECK(std::abs(cost - with_image.nll[0]) < kSame);
  }
}

TEST_CASE("a transformer's captions may be as long with the image before them as without") {
  DecoderConfig config = small("transformer");
  for (const auto& positions : enum_table(WordPositions{})) {
    config.positions = positions.value;
    config.longest = 5;  // four words and <eos>
    const Tensor features = noise({3, kRegions, kFeatures}, 1);
    const Model model(config, entry(ImageEntry::kFirstStep));
    CHECK(at_once(model, features.view(), kCaptions)[0].nll.size() == 5);
    CHECK(by_steps(model, sample_of(features, 0), kCaptions[0]).nll.size() == 5);
    config.longest = 4;
    if (positions.value == WordPositions::kNone) continue;  // nothing limits it
    CHECK_THROWS_WITH(
        at_once(Model(config, entry(ImageEntry::kFirstStep)), features.view(), kCaptions),
        Catch::Contains("a caption of 5 words"));
  }
}

TEST_CASE("where no word attends to regions there is nothing to choose from") {
  AttentionConfig hard = small_attention("additive");
  hard.selection = "hard";
  DecoderConfig config = small("lstm");
  CHECK_NOTHROW(check_decoder(config, hard));
  config.image = ImageEntry::kFirstStep;
  CHECK_THROWS_WITH(check_decoder(config, hard),
                    Catch::Contains("decoder.image first_step needs attention.selection soft"));
}

}  // namespace saccade::test
