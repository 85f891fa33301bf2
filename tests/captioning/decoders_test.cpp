// What every decoder promises, run over the registry: one step at a time is the whole sequence, a
// batch is its samples, search finds what the model says. In float and in double.
#include <functional>
#include <optional>

#include "captioning/decoders/decoder_parts.h"
#include "captioning/search/search.h"
#include "core/attention/choosers.h"
#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {

namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kSame = kDouble ? 1e-9 : 1e-4;
constexpr Index kRegions = 6, kFeatures = 4, kVocabulary = 9;
constexpr SpecialWords kSpecial;

// A way to look, and who chooses.
struct Looking {
  std::string name;
  AttentionConfig attention{};
  bool argmax = false;  // a hard choice at every look
  HardLikelihood likelihood = HardLikelihood::kChoice;
};

AttentionConfig small(ScoreKind score) {
  AttentionConfig config;
  config.score = score, config.hidden = 4, config.radius = 1, config.k = 3;
  return config;
}

std::vector<Looking> lookings() {
  std::vector<Looking> all{
      {"soft", small(ScoreKind::kAdditive)},
      {"hard argmax", small(ScoreKind::kAdditive), true},
      {"no attention", small(ScoreKind::kNone)},
      {"two heads", small(ScoreKind::kScaledDot)},
      {"sentinel", small(ScoreKind::kGeneral)},
      {"marginal", small(ScoreKind::kAdditive), true, HardLikelihood::kMarginal},
      {"local_m", small(ScoreKind::kAdditive)},
      {"local_p", small(ScoreKind::kAdditive)},
      {"monotonic", small(ScoreKind::kAdditive)}};
  all[1].attention.selection = all[5].attention.selection = SelectionKind::kHard;
  all[3].attention.heads = 2, all[3].attention.normalizer = NormalizerKind::kEntmax15;
  all[4].attention.sentinel = true;
  all[5].attention.hard.likelihood = HardLikelihood::kMarginal;
  all[6].attention.scope = ScopeKind::kLocalM;
  all[7].attention.scope = ScopeKind::kLocalP;
  all[8].attention.scope = ScopeKind::kMonotonic;
  return all;
}

DecoderConfig small(DecoderKind kind) {
  return {.type = kind,
          .hidden = 4,
          .embedding = 3,
          .dropout = 0,
          .init_hidden = 3,
          .layers = 2,
          .heads = 2,
          .widen = 2,
          .longest = 16};
}

Tensor noise(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({3, Stream::kTest, 0, sample});
  for (Real& x : out.span()) x = static_cast<Real>(random.normal());
  return out;
}

struct Model {
  std::string name;
  Looking looking;
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  Model(const DecoderConfig& config, const Looking& how)
      : name(str(enum_name(config.type), ", ", how.name)),
        looking(how),
        decoder(
            make_decoder(config, how.attention,
                         {.features = kFeatures, .vocabulary = kVocabulary, .rows = 2, .cols = 3},
                         ParamScope(store, "decoder"))) {
    store.initialise(1);
    // Larger weights than a fresh model has: words and maps must depend on what came before.
    Random random({4, Stream::kTest, 0, 0});
    for (const ParameterInfo& info : store.infos())
      for (Index i = 0; i < info.shape.size(); ++i)
        store.flat()[info.offset + i] = static_cast<Real>(0.7 * random.normal());
  }
  AttendContext context(Chooser& chooser) const {
    return {.chooser = looking.argmax ? &chooser : nullptr, .likelihood = looking.likelihood};
  }
};

bool allowed(const DecoderConfig& config, const Looking& looking) {
  try {
    check_decoder(config, looking.attention);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// Calls f(model) for every decoder and way to look that go together.
void for_each_model(const std::function<void(Model&)>& f) {
  Index count = 0;
  for (const auto& kind : enum_table(DecoderKind{}))
    for (const Looking& looking : lookings()) {
      if (!allowed(small(kind.value), looking)) continue;
      Model model(small(kind.value), looking);
      INFO(model.name);
      f(model);
      ++count;
    }
  CHECK(count == 9 * 5 - 3);  // sentinels of two decoders and one marginal make no sense
}

const std::vector<std::vector<int>> kCaptions{{4, 5, 8, 4}, {6, 7}, {5}};

// What a caption's words cost and where they looked, by word; looks layer by layer.
struct Said {
  std::vector<double> nll;
  std::vector<std::vector<Tensor>> weights;  // by word, by layer, [1, L]
};

Tensor copy(ConstView x) { return {x.shape, x.span()}; }

double apart(ConstView a, ConstView b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (Index i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

double apart(const Said& a, const Said& b) {
  REQUIRE(a.nll.size() == b.nll.size());
  double most = 0;
  for (std::size_t t = 0; t < a.nll.size(); ++t) {
    most = std::max(most, std::abs(a.nll[t] - b.nll[t]));
    REQUIRE(a.weights[t].size() == b.weights[t].size());
    for (std::size_t l = 0; l < a.weights[t].size(); ++l)
      most = std::max(most, apart(a.weights[t][l].view(), b.weights[t][l].view()));
  }
  return most;
}

// All captions in one pass; caption c sees features c.
std::vector<Said> at_once(const Model& model, const EncodedValues& images,
                          const std::vector<std::vector<int>>& captions) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  ArgmaxChooser argmax;
  const PackedCaptions packed = pack_captions(captions, kSpecial.bos, kSpecial.eos);
  const SequenceOutput out = model.decoder->sequence(
      tape, packed, model.decoder->prepare(tape, images.on(tape), 1), model.context(argmax));
  std::vector<Said> all(captions.size());
  Index n = 0;
  for (std::size_t t = 0; t < packed.rows.size(); ++t)
    for (Index r = 0; r < packed.rows[t]; ++r, ++n) {
      Said& said = all[static_cast<std::size_t>(r)];
      said.nll.push_back(static_cast<double>(out.nll.value()[n]));
      const auto row = [&](Var map) { return copy({map.value().row(r), {1, kRegions}}); };
      said.weights.emplace_back();
      if (out.layers.empty()) said.weights.back().push_back(row(out.weights[t]));
      for (const LayerLooks& layer : out.layers)
        said.weights.back().push_back(row(layer.weights[t]));
    }
  return all;
}

// One caption word by word.
Said by_steps(const Model& model, const EncodedValues& images, const std::vector<int>& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  tape.set_recording(false);
  ArgmaxChooser argmax;
  const std::vector<std::vector<int>> captions{caption};
  const PackedCaptions packed = pack_captions(captions, kSpecial.bos, kSpecial.eos);
  const AttentionMemory memory = model.decoder->prepare(tape, images.on(tape), 1);
  std::vector<Var> state = model.decoder->start(tape, memory);
  Said said;
  for (Index t = 0; t < packed.words(); ++t) {
    AttendContext context = model.context(argmax);
    context.step = t;
    const auto word = static_cast<std::size_t>(t);
    const StepOutput out = model.decoder->step(tape, std::span(packed.inputs).subspan(word, 1),
                                               state, memory, context);
    double sum = 0;
    const ConstView logits = out.logits.value();
    for (const Real x : logits.span()) sum += std::exp(static_cast<double>(x));
    said.nll.push_back(std::log(sum) - static_cast<double>(logits[packed.targets[word]]));
    said.weights.emplace_back();
    if (out.layers.empty()) said.weights.back().push_back(copy(out.glimpse.weights.value()));
    for (const Glimpse& look : out.layers)
      said.weights.back().push_back(copy(look.weights.value()));
    state = out.state;
  }
  return said;
}

ConstView sample_of(const Tensor& x, Index b) {
  const Index size = x.size() / x.shape()[0];
  return {x.data() + b * size, x.shape().with_first(1)};
}

}  // namespace

TEST_CASE("every decoder says word by word what it says in one pass, in a batch or alone") {
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  for_each_model([&](Model& model) {
    const std::vector<Said> together = at_once(model, features.view(), kCaptions);
    for (Index c = 0; c < 3; ++c) {
      const auto place = static_cast<std::size_t>(c);
      const ConstView own = sample_of(features, c);
      CHECK(apart(together[place], by_steps(model, own, kCaptions[place])) < kSame);
      CHECK(apart(together[place], at_once(model, own, {kCaptions[place]})[0]) < kSame);
    }
    // What a word costs depends on the image and on the words before.
    CHECK(std::abs(together[1].nll[0] - together[2].nll[0]) > 1e-3);
  });
}

// Three images of which some regions do not count, with numbers in those that are none of theirs.
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

TEST_CASE("regions that do not count change nothing: in one pass, word by word, nor in search") {
  const Padded padded;
  const EncodedValues images{padded.features.view(), padded.mask.view()},
      others{padded.other.view(), padded.mask.view()};
  for_each_model([&](Model& model) {
    const std::vector<Said> together = at_once(model, images, kCaptions),
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
    // The mask is read: without it those regions do change something.
    CHECK(apart(together[0], at_once(model, padded.other.view(), kCaptions)[0]) > 1e-3);
    const Regime regime = model.looking.argmax ? Regime::kArgmax : Regime::kExpectation;
    for (const auto& mode : enum_table(SearchMode{})) {
      const auto said = [&](const EncodedValues& seen, std::uint64_t first) {
        return search(*model.decoder, model.store.views(), seen, kSpecial,
                      {.mode = mode.value, .beam = 3, .max_length = 6, .regime = regime}, first);
      };
      const std::vector<DecodedCaption> own = said(images, 0), same = said(others, 0);
      for (Index c = 0; c < 3; ++c) {
        const auto place = static_cast<std::size_t>(c);
        const DecodedCaption alone =
            said({sample_of(padded.other, c), sample_of(padded.mask, c)}, place)[0];
        CHECK(own[place].log_prob == same[place].log_prob);
        // Memories move when the captions of a batch end, and masks with them.
        CHECK(std::abs(own[place].log_prob - alone.log_prob) < 10 * kSame);
        REQUIRE(own[place].words.size() == alone.words.size());
        for (std::size_t w = 0; w < alone.words.size(); ++w)
          CHECK(own[place].words[w].id == alone.words[w].id);
      }
    }
  });
}

TEST_CASE("the first state is made of what stands for an image as a whole") {
  const Padded padded;
  const Tensor pooled = noise({3, kFeatures}, 5), further = noise({3, kFeatures}, 6);
  Tensor mean({3, kFeatures});  // of the regions that count
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
      for (const Said& said : at_once(model, images, kCaptions))
        all.insert(all.end(), said.nll.begin(), said.nll.end());
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
    const bool starts = model.name.find("transformer") == std::string::npos;
    CHECK((starts ? moved > 1e-3 : moved == 0));
    // It goes with its image when others' captions end.
    const EncodedValues images{features, mask, pooled.view()};
    const std::vector<DecodedCaption> said = search(*model.decoder, model.store.views(), images,
                                                    kSpecial, {.beam = 2, .max_length = 6}, 0);
    for (Index c = 0; c < 3; ++c) {
      const DecodedCaption alone =
          search(*model.decoder, model.store.views(),
                 {sample_of(padded.features, c), sample_of(padded.mask, c), sample_of(pooled, c)},
                 kSpecial, {.beam = 2, .max_length = 6}, 0)[0];
      CHECK(std::abs(said[static_cast<std::size_t>(c)].log_prob - alone.log_prob) < 10 * kSame);
    }
  });
}

TEST_CASE("what beam search says costs what a teacher-forced pass of it costs") {
  const Tensor features = noise({3, kRegions, kFeatures}, 2);
  for_each_model([&](Model& model) {
    const Regime regime = model.looking.likelihood == HardLikelihood::kMarginal ? Regime::kMarginal
                          : model.looking.argmax                                ? Regime::kArgmax
                                                 : Regime::kExpectation;
    // The marginal regime goes on with the mean.
    Looking looking = model.looking;
    looking.argmax = regime == Regime::kArgmax;
    model.looking = looking;
    const std::vector<DecodedCaption> said =
        search(*model.decoder, model.store.views(), features.view(), kSpecial,
               {.mode = SearchMode::kBeam, .beam = 3, .max_length = 6, .regime = regime}, 0);
    for (Index c = 0; c < 3; ++c) {
      const DecodedCaption& caption = said[static_cast<std::size_t>(c)];
      std::vector<int> words;
      for (const DecodedWord& word : caption.words) words.push_back(word.id);
      const std::vector<Said> pass = at_once(model, sample_of(features, c), {words});
      const Said& forced = pass[0];
      double log_prob = 0;
      for (std::size_t t = 0; t < words.size() + (caption.finished ? 1 : 0); ++t)
        log_prob -= forced.nll[t];
      CHECK(std::abs(caption.log_prob - log_prob) < 10 * kSame);
      for (std::size_t t = 0; t < words.size(); ++t) {
        const std::vector<float>& map = caption.words[t].attention;
        const ConstView expected = forced.weights[t].back().view();
        for (std::size_t l = 0; l < map.size(); ++l)
          CHECK(std::abs(map[l] - static_cast<double>(expected[static_cast<Index>(l)])) < 1e-4);
      }
    }
  });
}

TEST_CASE("the transformer's norms, positions and tied words hold word by word too") {
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  for (const auto& norm : enum_table(NormPlacement{}))
    for (const auto& positions : enum_table(WordPositions{}))
      for (const bool tied : {false, true}) {
        INFO(norm.name << ", " << positions.name << ", tied " << tied);
        DecoderConfig config = small(DecoderKind::kTransformer);
        config.norm = norm.value, config.positions = positions.value;
        if (tied) config.tie_embeddings = true, config.embedding = config.hidden;
        const Model model(config, lookings()[0]);
        CHECK((model.store.find("decoder.output.vocabulary") < 0) == tied);
        const std::vector<Said> together = at_once(model, features.view(), kCaptions);
        for (Index c = 0; c < 3; ++c) {
          const auto place = static_cast<std::size_t>(c);
          CHECK(apart(together[place], by_steps(model, sample_of(features, c), kCaptions[place])) <
                kSame);
        }
      }
}

TEST_CASE("decoders say why they go with no such attention, width or length") {
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
  AttentionConfig sentinel = small(ScoreKind::kAdditive), marginal = sentinel;
  sentinel.sentinel = true;
  marginal.selection = SelectionKind::kHard;
  marginal.hard.likelihood = HardLikelihood::kMarginal;
  using Catch::Contains;
  CHECK_THAT(refused(small(DecoderKind::kGru), sentinel), Contains("decoder.type gru needs"));
  CHECK_THAT(refused(small(DecoderKind::kTransformer), sentinel), Contains("memory cell"));
  CHECK_THAT(refused(small(DecoderKind::kTransformer), marginal),
             Contains("attention.hard.likelihood choice"));
  DecoderConfig config = small(DecoderKind::kTransformer);
  config.heads = 3;
  CHECK_THAT(refused(config, {}), Contains("decoder.heads 3 does not divide decoder.hidden 4"));
  for (const auto& kind : enum_table(DecoderKind{})) {
    INFO(kind.name);
    config = small(kind.value);
    config.tie_embeddings = true;
    const bool deep = kind.value == DecoderKind::kLstm || kind.value == DecoderKind::kGru;
    CHECK(refused(config, small(ScoreKind::kAdditive)).empty() == deep);
    config.embedding = config.hidden;
    CHECK(refused(config, small(ScoreKind::kAdditive)).empty());
  }
  config = small(DecoderKind::kTransformer);
  config.longest = 4;
  const Tensor features = noise({3, kRegions, kFeatures}, 1);
  CHECK_THROWS_AS(at_once(Model(config, lookings()[0]), features.view(), kCaptions), UsageError);
}

}  // namespace saccade
