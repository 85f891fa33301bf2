// Every decoder with every attention that goes with it, and what it computes for a caption, in one
// pass and word by word.
#pragma once

#include "captioning/model/decoders/decoder_parts.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/search/search.h"
#include "core/attention/draws.h"
#include "tests/support/catch.h"
#include "tests/support/small_decoder.h"
#include "tests/support/test_tape.h"

namespace saccade::test {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kSame = kDouble ? 1e-9 : 1e-4;
constexpr Index kRegions = 6;
constexpr SpecialWords kSpecial;

// A variant of attention, and of how the image enters.
struct AttentionVariant {
  std::string name;
  AttentionConfig attention{};
  bool argmax = false;  // whether every glimpse takes the region of the largest weight
  HardLikelihood likelihood = HardLikelihood::kChoice;
  ImageEntry image = ImageEntry::kAttention;
  FirstState first_state = FirstState::kPooled;
};

inline AttentionConfig small_attention(const std::string& score) {
  AttentionConfig config;
  config.score = score, config.hidden = 4, config.radius = 1, config.k = 3;
  return config;
}

inline std::vector<AttentionVariant> attention_variants() {
  std::vector<AttentionVariant> all{
      {"soft", small_attention("additive")},
      {"hard argmax", small_attention("additive"), true},
      {"no attention", small_attention("none")},
      {"two heads", small_attention("scaled_dot")},
      {"sentinel", small_attention("general")},
      {"marginal", small_attention("additive"), true, HardLikelihood::kMarginal},
      {"local_m", small_attention("additive")},
      {"local_p", small_attention("additive")},
      {"monotonic", small_attention("additive")},
      {"no first state", small_attention("additive")},
      {"pooled at every word", small_attention("additive")},
      {"pooled once", small_attention("additive")},
      {"first state alone", small_attention("additive")},
      {"hard, two heads", small_attention("scaled_dot"), true},
      {"hard, sentinel", small_attention("additive"), true},
      {"hard, monotonic", small_attention("additive"), true},
      {"attention and pooled", small_attention("additive")},
      {"hard attention and pooled", small_attention("scaled_dot"), true},
      {"linear attention and pooled", small_attention("additive")}};
  all[1].attention.selection = all[5].attention.selection = "hard";
  for (std::size_t i = 13; i < 16; ++i) all[i].attention.selection = "hard";
  all[13].attention.heads = 2, all[13].attention.output_projection = true;
  all[14].attention.sentinel = true;
  all[15].attention.scope = "monotonic";
  all[3].attention.heads = 2, all[3].attention.normalizer = "entmax15";
  all[4].attention.sentinel = true;
  all[5].attention.hard.likelihood = HardLikelihood::kMarginal;
  all[6].attention.scope = "local_m";
  all[7].attention.scope = "local_p";
  all[8].attention.scope = "monotonic";
  all[9].first_state = FirstState::kNone;
  all[10].image = ImageEntry::kEveryWord;
  all[11].image = ImageEntry::kFirstStep;
  all[12].image = ImageEntry::kNone;
  for (std::size_t i = 16; i < 19; ++i) all[i].image = ImageEntry::kAttentionAndPooled;
  all[17].attention.selection = "hard", all[17].attention.heads = 2;
  all[18].attention.mechanism = "linear";
  return all;
}

inline DecoderConfig with(DecoderConfig config, const AttentionVariant& how) {
  config.image = how.image, config.first_state = how.first_state;
  return config;
}

inline Tensor noise(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({3, Stream::kTest, 0, sample});
  for (Real& x : out.span()) x = static_cast<Real>(random.normal());
  return out;
}

struct Model {
  std::string name;
  AttentionVariant variant;
  DecoderConfig config;
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  // A model whose keys have the width `keys`; 0: keys are the features.
  Model(const DecoderConfig& plain, const AttentionVariant& how, Index keys = 0)
      : name(str(plain.type, ", ", how.name)),
        variant(how),
        config(with(plain, how)),
        decoder(make_decoder(
            config, how.attention,
            {.features = kFeatures, .vocabulary = kVocabulary, .grid = {2, 3}, .keys = keys},
            ParamScope(store, "decoder"))) {
    store.initialise(1);
    // The weights are larger than those of a new model, so that words and maps depend on what came
    // before.
    Random random({4, Stream::kTest, 0, 0});
    for (const ParameterInfo& info : store.infos())
      for (Index i = 0; i < info.shape.size(); ++i)
        store.flat()[info.offset + i] = static_cast<Real>(0.7 * random.normal());
  }
  AttendContext context(GlimpseObserver* observer) const {
    return {.observer = observer, .likelihood = variant.likelihood};
  }
};

inline bool allowed(const DecoderConfig& config, const AttentionVariant& variant) {
  try {
    const DecoderConfig own = with(config, variant);
    check_decoder(own, variant.attention);
    return own.has_context() || reads_pooled(own);  // the others get nothing of the image
  } catch (const UsageError&) {
    return false;
  }
}

// Calls f(model) for every decoder and attention variant that go together.
inline void for_each_model(const std::function<void(Model&)>& f) {
  Index count = 0;
  for (const auto& kind : decoder_registry().rows())
    for (const AttentionVariant& variant : attention_variants()) {
      if (!allowed(small(kind.name), variant)) continue;
      Model model(small(kind.name), variant);
      INFO(model.name);
      f(model);
      ++count;
    }
  // Two kinds of sentinels of two decoders and one marginal likelihood are refused; a transformer
  // has no first state.
  CHECK(count == 19 * 5 - 5 - 1);
}

// The costs and maps of a caption's words. Maps are by word, then by layer.
struct CaptionOutput {
  std::vector<double> nll;
  std::vector<std::vector<Tensor>> weights;  // by word, by layer, [1, L]
};

inline Tensor copy(ConstView x) { return {x.shape, x.span()}; }

inline double apart(ConstView a, ConstView b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (Index i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

inline double apart(const CaptionOutput& a, const CaptionOutput& b) {
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

// All captions in one pass. Caption c belongs to features c.
inline std::vector<CaptionOutput> at_once(const Model& model, const EncodedValues& images,
                                          const std::vector<std::vector<int>>& captions) {
  TestTape tape(model.store.views());
  ArgmaxObserver argmax;
  const PackedCaptions packed = pack_captions(captions, kSpecial.bos, kSpecial.eos);
  const SequenceOutput out =
      model.decoder->sequence(tape, packed, model.decoder->prepare(tape, images.on(tape), 1),
                              model.context(model.variant.argmax ? &argmax : nullptr));
  std::vector<CaptionOutput> all(captions.size());
  Index n = 0;
  for (std::size_t t = 0; t < packed.rows.size(); ++t)
    for (Index r = 0; r < packed.rows[t]; ++r, ++n) {
      CaptionOutput& caption = all[static_cast<std::size_t>(r)];
      caption.nll.push_back(static_cast<double>(out.nll.value()[n]));
      const auto row = [&](Var map) { return copy({map.value().row(r), {1, kRegions}}); };
      caption.weights.emplace_back();
      for (const std::vector<Var>& layer : out.layers)
        caption.weights.back().push_back(row(layer[t]));
    }
  return all;
}

// Keeps the glimpses of a step, and takes the likeliest region where that is asked for.
class SteppedObserver : public GlimpseRecorder {
 public:
  explicit SteppedObserver(bool argmax) : argmax_(argmax) {}
  bool chooses() const override { return argmax_; }
  RegionChoice choose(const Odds& odds) override { return {.region = likeliest_region(odds)}; }

 private:
  bool argmax_;
};

// One caption, word by word.
inline CaptionOutput by_steps(const Model& model, const EncodedValues& images,
                              const std::vector<int>& caption) {
  TestTape tape(model.store.views(), Recording::kNo);
  const std::vector<std::vector<int>> captions{caption};
  const PackedCaptions packed = pack_captions(captions, kSpecial.bos, kSpecial.eos);
  const AttentionMemory memory = model.decoder->prepare(tape, images.on(tape), 1);
  std::vector<Var> state = model.decoder->start(tape, memory);
  CaptionOutput caption_output;
  for (Index t = 0; t < packed.words(); ++t) {
    SteppedObserver seen(model.variant.argmax);
    AttendContext context = model.context(&seen);
    context.step = t;
    const auto word = static_cast<std::size_t>(t);
    const StepOutput out = model.decoder->step(tape, std::span(packed.inputs).subspan(word, 1),
                                               state, memory, context);
    double sum = 0;
    const ConstView logits = out.logits.value();
    for (const Real x : logits.span()) sum += std::exp(static_cast<double>(x));
    caption_output.nll.push_back(std::log(sum) - static_cast<double>(logits[packed.targets[word]]));
    caption_output.weights.emplace_back();
    for (const Glimpse& glimpse : seen.glimpses)
      caption_output.weights.back().push_back(copy(glimpse.weights.value()));
    state = out.state;
  }
  return caption_output;
}

inline ConstView sample_of(const Tensor& x, Index b) {
  const Index size = x.size() / x.shape()[0];
  return {x.data() + b * size, x.shape().with_first(1)};
}

}  // namespace saccade::test
