// What decoders read of images besides features: which regions count, and the vector of an image as
// a whole. Tested for the whole registry, in float and in double.
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/study/inspection/occlusion.h"
#include "tests/captioning/decoder_models.h"

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
      if (variant.attention.score == "none" || variant.image != ImageEntry::kAttention) {
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

}  // namespace saccade::test
