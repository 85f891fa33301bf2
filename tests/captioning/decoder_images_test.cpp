// What decoders read of images besides features: which regions count, and the vector of an image as
// a whole. Tested for the whole registry, in float and in double.
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/study/inspection/occlusion.h"
#include "tests/captioning/decoder_models.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

// Three images, some regions of which do not count. `other` has other numbers in those regions.
struct Padded {
  Tensor features = noise({3, kRegions, kFeatures}, 1);
  Tensor mask{{3, kRegions},
              std::vector<Real>{1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1}};
  Tensor other = features.clone();

  Padded() {
    for (Index r = 0; r < 3 * kRegions; ++r)
      for (Index d = 0; d < kFeatures && mask[r] == 0; ++d)
        other[r * kFeatures + d] += static_cast<Real>(20 + 7 * d - r);
  }
};

}  // namespace

TEST_CASE("regions that do not count change nothing: in one pass, word by word, and in search") {
  const Padded padded;
  const EncodedValues images{padded.features.view(), padded.mask.view()},
      others{padded.other.view(), padded.mask.view()};
  for_each_model([&](Model& model) {
    const std::vector<CaptionOutput> together = at_once(model, images, kCaptions),
                                     changed = at_once(model, others, kCaptions);
    for (Index c = 0; c < 3; ++c) {
      const auto place = static_cast<std::size_t>(c);
      CHECK(apart(together[place], changed[place]) == 0);
      const EncodedValues own{sample_of(padded.features, c), sample_of(padded.mask, c)};
      CHECK(apart(together[place], by_steps(model, own, kCaptions[place])) < kSame);
      for (const std::vector<Tensor>& layers : together[place].weights)
        for (const Tensor& map : layers)
          for (Index l = 0; l < kRegions; ++l)
            if (padded.mask[c * kRegions + l] == 0) CHECK(map[l] == 0);
    }
    // The mask is read: without it, those regions change the result.
    CHECK(apart(together[0], at_once(model, padded.other.view(), kCaptions)[0]) > 1e-3);
    const Regime regime = model.variant.argmax ? Regime::kArgmax : Regime::kExpectation;
    for (const auto& mode : enum_table(SearchMode{})) {
      const auto found = [&](const EncodedValues& seen, std::uint64_t first) {
        return search(*model.decoder, model.store.views(), seen, kSpecial,
                      {.mode = mode.value, .beam = 3, .max_length = 6, .regime = regime}, first);
      };
      const std::vector<DecodedCaption> own = found(images, 0), same = found(others, 0);
      for (Index c = 0; c < 3; ++c) {
        const auto place = static_cast<std::size_t>(c);
        const DecodedCaption alone =
            found({sample_of(padded.other, c), sample_of(padded.mask, c)}, place)[0];
        CHECK(own[place].log_prob == same[place].log_prob);
        // Memories move when captions of the batch end, and masks move with them.
        CHECK(std::abs(own[place].log_prob - alone.log_prob) < 10 * kSame);
        REQUIRE(own[place].words.size() == alone.words.size());
        for (std::size_t w = 0; w < alone.words.size(); ++w)
          CHECK(own[place].words[w].id == alone.words[w].id);
      }
    }
  });
}

TEST_CASE("the effect of a region is that of masking it, with every decoder and attention") {
  const Padded padded;
  const std::vector<std::vector<int>> captions{kCaptions[0]};
  const ConstView features = sample_of(padded.features, 0), mask = sample_of(padded.mask, 0);
  for_each_model([&](Model& model) {
    const bool mixture = model.variant.likelihood == HardLikelihood::kMarginal;
    if (mixture) model.variant.argmax = false;  // search then sums over the word's own region
    const Regime regime = mixture                ? Regime::kMarginal
                          : model.variant.argmax ? Regime::kArgmax
                                                 : Regime::kExpectation;
    const Tensor effects =
        region_effects({.decoder = model.decoder.get(),
                        .parameters = model.store.views(),
                        .images = {features, mask}},
                       kSpecial, captions[0], {.regime = regime}, Removal::kMask);
    REQUIRE(effects.shape() == Shape{4, kRegions});
    const std::vector<CaptionOutput> whole = at_once(model, {features, mask}, captions);
    double largest = 0;
    for (Index l = 0; l < kRegions; ++l) {
      Tensor rest = copy(mask);
      rest[l] = 0;
      const std::vector<CaptionOutput> left = at_once(model, {features, rest.view()}, captions);
      for (std::size_t t = 0; t < captions[0].size(); ++t) {
        const auto effect = static_cast<double>(effects.view().row(static_cast<Index>(t))[l]);
        CHECK(std::abs(effect - (left[0].nll[t] - whole[0].nll[t])) < 3 * kSame);
        if (mask[l] == 0) CHECK(effect == 0);
        largest = std::max(largest, std::abs(effect));
      }
    }
    CHECK(largest > 1e-3);
  });
}

TEST_CASE("the vector of an image as a whole is read where the config asks for it") {
  const Padded padded;
  const Tensor pooled = noise({3, kFeatures}, 5), further = noise({3, kFeatures}, 6);
  Tensor mean({3, kFeatures});  // over the unmasked regions
  for (Index c = 0; c < 3; ++c) {
    Real count = 0;
    for (Index l = 0; l < kRegions; ++l) count += padded.mask[c * kRegions + l];
    for (Index l = 0; l < kRegions; ++l)
      for (Index d = 0; d < kFeatures; ++d)
        mean[c * kFeatures + d] += padded.mask[c * kRegions + l] / count *
                                   padded.features[(c * kRegions + l) * kFeatures + d];
  }
  const ConstView features = padded.features.view(), mask = padded.mask.view();
  for_each_model([&](Model& model) {
    const auto nll = [&](const EncodedValues& images) {
      std::vector<double> all;
      for (const CaptionOutput& caption : at_once(model, images, kCaptions))
        all.insert(all.end(), caption.nll.begin(), caption.nll.end());
      return all;
    };
    const auto difference = [](const std::vector<double>& a, const std::vector<double>& b) {
      double most = 0;
      for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
      return most;
    };
    const std::vector<double> plain = nll({features, mask});
    CHECK(difference(plain, nll({features, mask, mean.view()})) < kSame);
    const double moved =
        difference(nll({features, mask, pooled.view()}), nll({features, mask, further.view()}));
    CHECK((reads_pooled(model.config) ? moved > 1e-3 : moved == 0));
    // It stays with its image when the captions of others end.
    const EncodedValues images{features, mask, pooled.view()};
    const std::vector<DecodedCaption> found = search(*model.decoder, model.store.views(), images,
                                                     kSpecial, {.beam = 2, .max_length = 6}, 0);
    for (Index c = 0; c < 3; ++c) {
      const DecodedCaption alone =
          search(*model.decoder, model.store.views(),
                 {sample_of(padded.features, c), sample_of(padded.mask, c), sample_of(pooled, c)},
                 kSpecial, {.beam = 2, .max_length = 6}, 0)[0];
      CHECK(std::abs(found[static_cast<std::size_t>(c)].log_prob - alone.log_prob) < 10 * kSame);
    }
  });
}

TEST_CASE("keys of their own stay with their image: in one pass, word by word and in search") {
  constexpr Index kKeys = 3;
  const Tensor features = noise({3, kRegions, kFeatures}, 7), keys = noise({3, kRegions, kKeys}, 8),
               others = noise({3, kRegions, kKeys}, 9);
  for (const auto& kind : decoder_registry().rows())
    for (const AttentionVariant& variant : attention_variants()) {
      if (!allowed(small(kind.name), variant)) continue;
      if (variant.attention.score == "none" || !with(small(kind.name), variant).attends()) {
        CHECK_THROWS_AS(Model(small(kind.name), variant, kKeys), UsageError);
        continue;
      }
      const Model model(small(kind.name), variant, kKeys);
      INFO(model.name);
      const EncodedValues images{features.view(), {}, {}, keys.view()};
      const auto own = [&](Index c) {
        return EncodedValues(sample_of(features, c), {}, {}, sample_of(keys, c));
      };
      const std::vector<CaptionOutput> together = at_once(model, images, kCaptions);
      double moved = 0;
      const std::vector<CaptionOutput> with_other_keys =
          at_once(model, {features.view(), {}, {}, others.view()}, kCaptions);
      const Regime regime = variant.argmax ? Regime::kArgmax : Regime::kExpectation;
      const SearchOptions options{.beam = 3, .max_length = 6, .regime = regime};
      const auto captions = [&](const EncodedValues& seen, std::uint64_t first) {
        return search(*model.decoder, model.store.views(), seen, kSpecial, options, first);
      };
      const std::vector<DecodedCaption> found = captions(images, 0);
      for (Index c = 0; c < 3; ++c) {
        const auto place = static_cast<std::size_t>(c);
        CHECK(apart(together[place], by_steps(model, own(c), kCaptions[place])) < kSame);
        moved = std::max(moved, apart(together[place], with_other_keys[place]));
        // Memories move when captions of the batch end, and keys move with them.
        CHECK(std::abs(found[place].log_prob - captions(own(c), place)[0].log_prob) < 10 * kSame);
      }
      CHECK(moved > 1e-3);
    }
}

// How the image enters a decoder: at every word, once, in the first state, or not at all; and
// training captions that lose it.
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
      TestTape tape(model.store.views());
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
