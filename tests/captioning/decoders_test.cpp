// What every decoder promises, tested for the whole registry: single steps compute what the whole
// sequence does, a batch computes what its samples do, and search finds what forced decoding
// computes. Built in float and in double.
#include "captioning/model/decoders/decoder_limits.h"
#include "tests/captioning/decoder_models.h"
#include "tests/support/test_tape.h"

namespace saccade::test {

TEST_CASE("every decoder computes the same word by word and in one pass, in a batch and alone") {
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  for_each_model([&](Model& model) {
    const std::vector<CaptionOutput> together = at_once(model, features.view(), kCaptions);
    for (Index c = 0; c < 3; ++c) {
      const auto place = static_cast<std::size_t>(c);
      const ConstView own = sample_of(features, c);
      CHECK(apart(together[place], by_steps(model, own, kCaptions[place])) < kSame);
      CHECK(apart(together[place], at_once(model, own, {kCaptions[place]})[0]) < kSame);
    }
    // The cost of a word depends on the image and on the words before.
    CHECK(std::abs(together[1].nll[0] - together[2].nll[0]) > 1e-3);
  });
}

TEST_CASE("the captions of beam search have the costs of a teacher-forced pass") {
  const Tensor features = noise({3, kRegions, kFeatures}, 2);
  for_each_model([&](Model& model) {
    const Regime regime = model.variant.likelihood == HardLikelihood::kMarginal ? Regime::kMarginal
                          : model.variant.argmax                                ? Regime::kArgmax
                                                 : Regime::kExpectation;
    // The marginal regime continues with the weighted mean.
    AttentionVariant variant = model.variant;
    variant.argmax = regime == Regime::kArgmax;
    model.variant = variant;
    const std::vector<DecodedCaption> found =
        search(*model.decoder, model.store.views(), features.view(), kSpecial,
               {.mode = SearchMode::kBeam, .beam = 3, .max_length = 6, .regime = regime}, 0);
    for (Index c = 0; c < 3; ++c) {
      const DecodedCaption& caption = found[static_cast<std::size_t>(c)];
      std::vector<int> words;
      for (const DecodedWord& word : caption.words) words.push_back(word.id);
      const std::vector<CaptionOutput> pass = at_once(model, sample_of(features, c), {words});
      const CaptionOutput& forced = pass[0];
      double log_prob = 0;
      for (std::size_t t = 0; t < words.size() + (caption.finished ? 1 : 0); ++t)
        log_prob -= forced.nll[t];
      CHECK(std::abs(caption.log_prob - log_prob) < 10 * kSame);
      for (std::size_t t = 0; t < words.size(); ++t) {
        const std::vector<float>& map = caption.words[t].map.weights;
        const ConstView expected = forced.weights[t].back().view();
        for (std::size_t l = 0; l < map.size(); ++l)
          CHECK(std::abs(map[l] - static_cast<double>(expected[static_cast<Index>(l)])) < 1e-4);
      }
    }
  });
}

TEST_CASE("what a decoder says of its kind is what it does") {
  const Tensor features = noise({1, kRegions, kFeatures}, 1);
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    Model model(small(kind.name), attention_variants()[0]);
    const DecoderTraits traits = decoder_traits(model.config);
    CHECK(model.decoder->glimpses_per_word() == std::max<Index>(1, traits.layers));
    const std::vector<std::vector<int>> captions{kCaptions[0]};
    const std::vector<CaptionOutput> passed = at_once(model, features.view(), captions);
    const CaptionOutput& plain = passed[0];
    CHECK(static_cast<Index>(plain.weights[0].size()) == model.decoder->glimpses_per_word());

    TestTape tape(model.store.views());
    const EncodedValues images(features.view());
    const AttentionMemory memory = model.decoder->prepare(tape, images.on(tape), 1);
    const std::vector<Var> start = model.decoder->start(tape, memory);
    // Who only watches changes nothing.
    GlimpseRecorder seen;
    const std::vector<int> bos{kSpecial.bos};
    const StepOutput step = model.decoder->step(tape, bos, start, memory, {.observer = &seen});
    CHECK(static_cast<Index>(seen.glimpses.size()) == model.decoder->glimpses_per_word());
    CHECK(!seen.glimpses[0].words == !traits.attends_to_words);
    CHECK(step.vectors.empty() == !traits.attends_to_words);
    const ConstView unseen = model.decoder->step(tape, bos, start, memory, {}).logits.value();
    CHECK(std::ranges::equal(step.logits.value().span(), unseen.span()));

    // The longest caption, with <eos>, of a decoder that has a longest one.
    const auto pass = [&](Index words) {
      at_once(model, features.view(), {std::vector<int>(static_cast<std::size_t>(words - 1), 4)});
    };
    constexpr Index kMany = 40;
    CHECK_NOTHROW(pass(traits.most_words == 0 ? kMany : traits.most_words));
    if (traits.most_words > 0) CHECK_THROWS_AS(pass(traits.most_words + 1), UsageError);

    // The parameters of single words: what is read, and what makes a word likely.
    const WordParameters words = model.decoder->word_parameters();
    model.store.value(words.embedding).row(4)[0] += 1;
    const std::vector<CaptionOutput> read = at_once(model, features.view(), captions);
    CHECK(read[0].nll[0] == plain.nll[0]);
    CHECK(read[0].nll[1] != plain.nll[1]);
    model.store.value(words.bias)[4] += 100;
    CHECK(at_once(model, features.view(), captions)[0].nll[0] < 1e-6);
  }
}

TEST_CASE("the transformer's norms, positions and tied words also work word by word") {
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  for (const auto& norm : enum_table(NormPlacement{}))
    for (const auto& positions : enum_table(WordPositions{}))
      for (const bool tied : {false, true}) {
        INFO(norm.name << ", " << positions.name << ", tied " << tied);
        DecoderConfig config = small("transformer");
        config.norm = norm.value, config.positions = positions.value;
        if (tied) config.tie_embeddings = true, config.embedding = config.hidden;
        const Model model(config, attention_variants()[0]);
        CHECK((model.store.find("decoder.output.vocabulary") < 0) == tied);
        const std::vector<CaptionOutput> together = at_once(model, features.view(), kCaptions);
        for (Index c = 0; c < 3; ++c) {
          const auto place = static_cast<std::size_t>(c);
          CHECK(apart(together[place], by_steps(model, sample_of(features, c), kCaptions[place])) <
                kSame);
        }
      }
}

TEST_CASE("words may attend to each other by every mechanism that can be causal") {
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  std::vector<double> costs;  // of a word with every mechanism
  for (const std::string kind : {"self_attention", "window", "linear", "differential", "graph"})
    for (const ImageEntry image : {ImageEntry::kAttention, ImageEntry::kFirstStep})
      for (const bool alone : {true, false}) {  // whether glimpses stand alone
        INFO(kind << ", " << enum_name(image) << ", " << alone);
        DecoderConfig config = small("transformer");
        config.self_attention.type = kind;
        config.self_attention.radius = config.self_attention.nearest = 1;
        config.positions = WordPositions::kNone;
        AttentionVariant variant = attention_variants()[0];
        variant.image = image;
        if (!alone) variant.attention.scope = "local_m";
        const Model model(config, variant);
        const std::vector<CaptionOutput> together = at_once(model, features.view(), kCaptions);
        for (Index c = 0; c < 3; ++c) {
          const auto place = static_cast<std::size_t>(c);
          CHECK(apart(together[place], by_steps(model, sample_of(features, c), kCaptions[place])) <
                kSame);
        }
        if (alone && image == ImageEntry::kAttention) costs.push_back(together[0].nll[3]);
      }
  std::sort(costs.begin(), costs.end());
  for (std::size_t i = 1; i < costs.size(); ++i) CHECK(costs[i] - costs[i - 1] > 1e-4);
}

TEST_CASE("without positions a transformer takes captions of any length") {
  DecoderConfig config = small("transformer");
  config.longest = 4;
  config.positions = WordPositions::kNone;
  CHECK(decoder_traits(config).most_words == 0);
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  CHECK_NOTHROW(at_once(Model(config, attention_variants()[0]), features.view(), kCaptions));
  config.positions = WordPositions::kLearned;
  CHECK(decoder_traits(config).most_words == 4);
}

TEST_CASE("the maps of a word name what each head took, and what all of them took") {
  const Tensor features = noise({3, kRegions, kFeatures}, 2);
  const std::vector<AttentionVariant> variants = attention_variants();
  int taken = 0, passed = 0, agreed = 0;
  for (const std::size_t v : {13, 14, 15}) {  // two heads, a sentinel, monotonic
    const AttentionVariant& variant = variants[v];
    INFO(variant.name);
    const Model model(small("lstm"), variant);
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const auto found = search(
          *model.decoder, model.store.views(), features.view(), kSpecial,
          {.mode = SearchMode::kSample, .max_length = 4, .regime = Regime::kSample, .seed = seed},
          0);
      for (const DecodedCaption& caption : found) {
        if (caption.words.empty()) continue;
        const auto heads = static_cast<std::size_t>(variant.attention.heads);
        for (std::size_t t = 0; t < caption.words.size(); ++t) {
          const DecodedWord& word = caption.words[t];
          REQUIRE(word.choices.size() == heads);
          bool same = true;
          for (std::size_t h = 0; h < heads; ++h) {
            const int choice = word.choices[h], cell = choice < kRegions ? choice : -1;
            CHECK(single_maps(word)[h].chosen == cell);
            same &= choice == word.choices[0];
            (cell < 0 ? passed : taken) += 1;
          }
          agreed += heads > 1 && same;
          CHECK(word.map.chosen == (same && word.choices[0] < kRegions ? word.choices[0] : -1));
        }
      }
    }
  }
  CHECK((taken > 20 && passed > 20 && agreed > 3));
}

TEST_CASE("decoders give the reason why they refuse an attention, a width or a length") {
  const auto refused = [](const DecoderConfig& config, const AttentionConfig& attention) {
    ParameterStore store;
    try {
      make_decoder(config, attention, {.features = kFeatures, .vocabulary = kVocabulary},
                   ParamScope(store, "decoder"));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  AttentionConfig sentinel = small_attention("additive"), marginal = sentinel;
  sentinel.sentinel = true;
  marginal.selection = "hard";
  marginal.hard.likelihood = HardLikelihood::kMarginal;
  using Catch::Contains;
  CHECK_THAT(refused(small("gru"), sentinel), Contains("decoder.type gru needs"));
  CHECK_THAT(refused(small("transformer"), sentinel), Contains("memory cell"));
  CHECK_THAT(refused(small("transformer"), marginal), Contains("attention.hard.likelihood choice"));
  DecoderConfig config = small("transformer");
  config.heads = 3;
  CHECK_THAT(refused(config, {}), Contains("decoder.heads 3 does not divide decoder.hidden 4"));
  config = small("transformer");
  config.self_attention.type = "linformer";
  CHECK_THAT(refused(config, {}), Contains("decoder.self_attention.type linformer mixes"));
  config.type = "lstm";  // it has no attention among words
  CHECK(refused(config, small_attention("additive")).empty());
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    config = small(kind.name);
    config.tie_embeddings = true;
    const bool deep = kind.name == "lstm" || kind.name == "gru";
    CHECK(refused(config, small_attention("additive")).empty() == deep);
    config.embedding = config.hidden;
    CHECK(refused(config, small_attention("additive")).empty());
  }
  // The limits that `saccade list decoders` prints are those by which decoders are refused.
  DecoderConfig tied = small("lstm");
  tied.tie_embeddings = true;
  const AttentionConfig plain = small_attention("additive");
  const std::vector<std::pair<DecoderConfig, AttentionConfig>> refusals = {
      {small("lstm"), sentinel}, {tied, plain}, {small("lstm"), marginal}};
  const std::vector<DecoderLimit> limits = decoder_limits();
  REQUIRE(limits.size() == refusals.size());
  for (const auto& kind : decoder_registry().rows())
    for (std::size_t i = 0; i < limits.size(); ++i) {
      INFO(kind.name << ", " << limits[i].choice);
      DecoderConfig one = refusals[i].first;
      one.type = kind.name;
      const bool joins = limits[i].joins(decoder_traits(one));
      const std::string text = refused(one, refusals[i].second);
      CHECK(text.empty() == joins);
      if (!joins) CHECK_THAT(text, Contains(limits[i].instead) && Contains(limits[i].why));
    }
  config = small("transformer");
  config.longest = 4;
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  CHECK_THROWS_AS(at_once(Model(config, attention_variants()[0]), features.view(), kCaptions),
                  UsageError);
}

}  // namespace saccade::test
