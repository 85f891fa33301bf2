// Informed attention, in double: its costs against plain loops over the formulas, its gradients
// against differences of those costs, and that it changes nothing else of a pass.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "captioning/decoders/decoder_kind.h"
#include "captioning/objectives/caption_loss.h"
#include "core/attention/gate_kind.h"
#include "core/attention/scopes/scope_kind.h"
#include "core/attention/scores/score_kind.h"
#include "core/attention/selection_kind.h"
#include "core/attention/weight_edit.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kVocabulary = 7, kRegions = 3, kFeatures = 2, kHidden = 4, kEmbedding = 3;
constexpr int kBos = 1, kEos = 2;

// A decoder whose attention scores a_l' W q, with a gate and both kinds of informed attention, all
// in one store.
struct Informed {
  AttentionConfig attention;
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  std::vector<InformedAttention> informed;
  Tensor features{{2, kRegions, kFeatures}};
  std::vector<std::vector<int>> captions{{4, 3, 6}, {5}};
  std::vector<int> images;  // of the captions, where they share some

  explicit Informed(DecoderKind kind, GateKind gate = GateKind::kScalar,
                    SelectionKind selection = SelectionKind::kSoft) {
    DecoderConfig config;
    config.type = kind;
    config.hidden = kHidden, config.embedding = kEmbedding, config.init_hidden = 2;
    config.dropout = 0.3;  // while the tape trains
    attention.score = ScoreKind::kGeneral;
    attention.gate = gate;
    attention.selection = selection;
    attention.hard.samples = 2;
    attention.hard.baseline = BaselineKind::kLeaveOneOut;
    decoder =
        make_decoder(config, attention,
                     {.features = kFeatures, .vocabulary = kVocabulary, .grid = {1, kRegions}},
                     ParamScope(store, "decoder"));
    const InformedWidths widths{.features = kFeatures, .query = kHidden, .embedding = kEmbedding};
    informed.emplace_back(InformedKind::kProphet, ParamScope(store, "prophet"), widths);
    informed.emplace_back(InformedKind::kCyclical, ParamScope(store, "cyclical"), widths);
    store.initialise(3);
    Random random({8, Stream::kTest, 0, 0});
    for (Real& value : store.flat().span()) value = static_cast<Real>(0.7 * random.normal());
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
  }

  PackedCaptions packed() const {
    PackedCaptions out = pack_captions(captions, kBos, kEos);
    out.images = images;
    return out;
  }
  CaptionLossOptions options(double prophet, double cyclical, Index step = 0) const {
    CaptionLossOptions out = loss_options({}, attention, {});
    out.doubly_stochastic = 0;
    out.supervision = {.prophet = prophet, .cyclical = cyclical, .step = step};
    return out;
  }
  ConstView weight(const std::string& name) const { return store.value(store.find(name)); }
  Var seen(Tape& tape) const { return tape.constant(features.view()); }
};

// x W for one row.
std::vector<double> times(std::span<const double> x, ConstView w) {
  std::vector<double> out(static_cast<std::size_t>(w.cols()), 0);
  for (Index i = 0; i < w.rows(); ++i)
    for (Index o = 0; o < w.cols(); ++o)
      out[static_cast<std::size_t>(o)] += x[static_cast<std::size_t>(i)] * w.row(i)[o];
  return out;
}

std::vector<double> row_of(ConstView x, Index row) { return {x.row(row), x.row(row) + x.cols()}; }

// softmax_l <key, a_l>.
std::vector<double> softmax_scores(std::span<const double> key, const Tensor& features,
                                   Index image) {
  std::vector<double> out;
  double sum = 0;
  for (Index l = 0; l < kRegions; ++l) {
    double score = 0;
    for (Index d = 0; d < kFeatures; ++d)
      score += key[static_cast<std::size_t>(d)] * features[(image * kRegions + l) * kFeatures + d];
    out.push_back(std::exp(score));
    sum += out.back();
  }
  for (double& weight : out) weight /= sum;
  return out;
}

// Replaces every map by a given one.
class GivenMap : public WeightEdit {
 public:
  explicit GivenMap(std::vector<double> map) : map_(std::move(map)) {}
  void edit(Index, std::span<Real> weights) const override {
    std::copy(map_.begin(), map_.end(), weights.begin());
  }

 private:
  std::vector<double> map_;
};

double nll_of(ConstView logits, int target) {
  double sum = 0;
  for (const Real x : logits.span()) sum += std::exp(x);
  return std::log(sum) - logits[target];
}

// Both informed glimpses at every word of a caption: their maps, and -log p of the word from each.
// The cost of a word from a map is that of the decoder's step with its weights replaced by the map.
// The query of lstm and gru is their state. The other decoders make theirs inside, so the maps of
// their prophet are taken from `prophet_maps`.
struct PlainGlimpse {
  std::vector<double> own, prophet, cyclical;
  double prophet_nll = 0, cyclical_nll = 0;
};
std::vector<PlainGlimpse> plain_glimpses(const Informed& model, DecoderKind kind,
                                         std::size_t caption, Index image,
                                         std::span<const Var> prophet_maps) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  tape.set_recording(false);
  const Index size = kRegions * kFeatures;
  const ConstView seen{model.features.data() + image * size, {1, kRegions, kFeatures}};
  const AttentionMemory memory = model.decoder->prepare(tape, tape.constant(seen), 1);
  std::vector<Var> state = model.decoder->start(tape, memory);
  std::vector<int> words = model.captions[caption];
  words.push_back(kEos);
  std::vector<PlainGlimpse> out;
  int before = kBos;
  for (const int word : words) {
    PlainGlimpse glimpse;
    const auto step_with = [&](const WeightEdit* edit) {
      return model.decoder->step(tape, {&before, 1}, state, memory, {.edit = edit});
    };
    const std::vector<double> embedding = row_of(model.weight("decoder.embedding"), word);
    std::vector<double> query = row_of(state[0].value(), 0);
    const std::vector<double> of_word = times(embedding, model.weight("prophet.weight"));
    for (std::size_t i = 0; i < query.size(); ++i) query[i] += of_word[i];
    glimpse.prophet =
        kind == DecoderKind::kLstm || kind == DecoderKind::kGru
            ? softmax_scores(times(query, model.weight("decoder.attention.score.weight")),
                             model.features, image)
            : row_of(prophet_maps[out.size()].value(), static_cast<Index>(caption));
    glimpse.cyclical = softmax_scores(times(embedding, model.weight("cyclical.score.weight")),
                                      model.features, image);
    const GivenMap prophet(glimpse.prophet), cyclical(glimpse.cyclical);
    glimpse.prophet_nll = nll_of(step_with(&prophet).logits.value(), word);
    glimpse.cyclical_nll = nll_of(step_with(&cyclical).logits.value(), word);
    const StepOutput step = step_with(nullptr);
    glimpse.own = row_of(step.glimpse.weights.value(), 0);
    out.push_back(std::move(glimpse));
    state = step.state;
    before = word;
  }
  return out;
}

constexpr double kClose = 1e-9;

}  // namespace

TEST_CASE("The costs of informed attention follow its formulas", "[supervision]") {
  const auto kind =
      GENERATE(DecoderKind::kLstm, DecoderKind::kGru, DecoderKind::kLuong, DecoderKind::kUpdown);
  const auto gate = GENERATE(GateKind::kNone, GateKind::kScalar, GateKind::kVector);
  const Index step = GENERATE(0, 1);
  const bool shared = GENERATE(false, true);
  Informed model(kind, gate);
  if (shared) model.images = {1, 0};
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  const ShardLoss loss(tape, *model.decoder, model.seen(tape), model.packed(),
                       model.options(0.5, 0.25, step), {.batch_captions = 2}, nullptr,
                       {.informed = model.informed});
  REQUIRE(loss.output().informed.size() == 2);
  const InformedSupervision& prophet = *loss.supervision().prophet();
  const InformedSupervision& cyclical = *loss.supervision().cyclical();
  double prophet_nll = 0, cyclical_nll = 0, distance = 0;
  Index maps = 0;
  for (std::size_t c = 0; c < model.captions.size(); ++c) {
    const auto image = static_cast<Index>(shared ? 1 - c : c);
    const std::vector<PlainGlimpse> glimpses =
        plain_glimpses(model, kind, c, image, loss.output().informed[0].weights);
    for (std::size_t t = 0; t < glimpses.size(); ++t) {
      prophet_nll += glimpses[t].prophet_nll;
      cyclical_nll += glimpses[t].cyclical_nll;
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& wanted = k == 0 ? glimpses[t].prophet : glimpses[t].cyclical;
        const ConstView map = loss.output().informed[k].weights[t].value();
        for (Index l = 0; l < kRegions; ++l)
          CHECK(!(std::abs(map.row(static_cast<Index>(c))[l] -
                           wanted[static_cast<std::size_t>(l)]) > kClose));
      }
      if (t + static_cast<std::size_t>(step) >= glimpses.size()) continue;
      ++maps;
      for (std::size_t l = 0; l < kRegions; ++l)
        distance +=
            std::abs(glimpses[t + static_cast<std::size_t>(step)].own[l] - glimpses[t].prophet[l]);
    }
  }
  CHECK(!(std::abs(prophet.cost() - prophet_nll) > kClose));
  CHECK(!(std::abs(cyclical.cost() - cyclical_nll) > kClose));
  CHECK(!(std::abs(prophet.distance() - distance) > kClose));
  CHECK(prophet.maps() == maps);
  CHECK(prophet.words() == 6);
  CHECK(cyclical.words() == 6);
  CHECK(cyclical.maps() == 0);
}

TEST_CASE("The loss with informed attention has correct gradients", "[supervision]") {
  const auto kind =
      GENERATE(DecoderKind::kLstm, DecoderKind::kGru, DecoderKind::kLuong, DecoderKind::kUpdown);
  const auto [prophet, cyclical] =
      GENERATE(std::pair(0.6, 0.0), std::pair(0.0, 0.7), std::pair(0.6, 0.7));
  const Index step = GENERATE(0, 1);
  if (step > 0 && prophet == 0) return;  // no map is supervised
  Informed model(kind);
  const CaptionLossOptions options = model.options(prophet, cyclical, step);

  // The mean over captions of nll + [prophet nll + prophet |a - b|] + cyclical nll, where the
  // informed maps b stay those in `held`.
  std::vector<Tensor> held;
  const auto run = [&](std::vector<double>* gradient) {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ShardLoss loss(tape, *model.decoder, model.seen(tape), model.packed(), options,
                   {.batch_captions = 2}, nullptr, {.informed = model.informed});
    double total = (loss.nll()[0] + loss.nll()[1]) / 2;
    for (const InformedWords& words : loss.output().informed) {
      const bool draws = words.kind == InformedKind::kProphet;
      for (const Real nll : words.nll.value().span()) total += (draws ? 1 : cyclical) * nll / 2;
      if (!draws) continue;
      if (gradient)
        for (const Var map : words.weights) held.emplace_back(map.shape(), map.value().span());
      for (std::size_t t = 0; t + static_cast<std::size_t>(step) < held.size(); ++t) {
        const ConstView map = loss.output().weights[t + static_cast<std::size_t>(step)].value();
        for (Index i = 0; i < map.size(); ++i) total += prophet * std::abs(map[i] - held[t][i]) / 2;
      }
    }
    if (gradient) {
      loss.backward({});
      *gradient = test::parameter_gradients(tape, model.store);
    }
    return total;
  };
  std::vector<double> gradient;
  run(&gradient);
  constexpr double kStep = 1e-6;
  const auto check = [&](std::size_t at) {
    Real& weight = model.store.flat().span()[at];
    const Real before = weight;
    weight = before + kStep;
    const double above = run(nullptr);
    weight = before - kStep;
    const double below = run(nullptr);
    weight = before;
    const double numeric = (above - below) / (2 * kStep);
    CHECK(!(std::abs(numeric - gradient[at]) >
            1e-6 + 1e-5 * std::max(std::abs(numeric), std::abs(gradient[at]))));
    return std::abs(numeric);
  };
  Random random({3, Stream::kTest, 1, 0});
  for (int trial = 0; trial < 60; ++trial)
    check(static_cast<std::size_t>(random.below(gradient.size())));
  // And every number of the parameters of informed attention.
  for (const ParameterInfo& info : model.store.infos()) {
    if (info.name.starts_with("decoder.")) continue;
    double most = 0;
    for (Index i = 0; i < info.shape.size(); ++i)
      most = std::max(most, check(static_cast<std::size_t>(info.offset + i)));
    const bool on = info.name.starts_with("prophet.") ? prophet > 0 : cyclical > 0;
    CHECK((most > 1e-4) == on);
  }
}

TEST_CASE("Informed attention does not change the first pass, to the bit", "[supervision]") {
  const auto kind =
      GENERATE(DecoderKind::kLstm, DecoderKind::kGru, DecoderKind::kLuong, DecoderKind::kUpdown);
  const auto selection =
      GENERATE(SelectionKind::kSoft, SelectionKind::kHard, SelectionKind::kGumbelSt);
  const auto scope = GENERATE(ScopeKind::kGlobal, ScopeKind::kMonotonic);
  if (scope == ScopeKind::kMonotonic && selection != SelectionKind::kSoft) return;
  Informed model(kind, GateKind::kVector, selection);
  ParameterStore drawn;  // of a decoder whose attention draws noise in training
  if (scope == ScopeKind::kMonotonic) {
    model.attention.scope = scope;
    DecoderConfig config;
    config.type = kind;
    config.hidden = kHidden, config.embedding = kEmbedding, config.init_hidden = 2;
    model.decoder =
        make_decoder(config, model.attention,
                     {.features = kFeatures, .vocabulary = kVocabulary, .grid = {1, kRegions}},
                     ParamScope(drawn, "decoder"));
    model.informed.clear();
    const InformedWidths widths{.features = kFeatures, .query = kHidden, .embedding = kEmbedding};
    model.informed.emplace_back(InformedKind::kProphet, ParamScope(drawn, "prophet"), widths);
    model.informed.emplace_back(InformedKind::kCyclical, ParamScope(drawn, "cyclical"), widths);
    drawn.initialise(3);
  }
  const ParameterStore& store = scope == ScopeKind::kMonotonic ? drawn : model.store;

  struct Pass {
    std::vector<std::vector<Real>> numbers;
    std::vector<std::vector<int>> chosen;
  };
  const auto run = [&](double weight) {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    tape.set_training(true);
    tape.set_random(7, 3, 0);
    const ShardLoss loss(
        tape, *model.decoder, model.seen(tape), model.packed(), model.options(weight, weight),
        {.seed = 7, .update = 3, .batch_captions = 2}, nullptr, {.informed = model.informed});
    const auto copied = [](Var x) {
      return std::vector<Real>(x.value().span().begin(), x.value().span().end());
    };
    Pass out{.numbers = {copied(loss.output().nll), copied(loss.output().logits)}, .chosen = {}};
    for (const Var map : loss.output().weights) out.numbers.push_back(copied(map));
    for (const Var gate : loss.output().gates) out.numbers.push_back(copied(gate));
    for (const auto chosen : loss.output().chosen)
      out.chosen.emplace_back(chosen.begin(), chosen.end());
    CHECK(loss.output().informed.size() == (weight > 0 ? 2U : 0U));
    for (const InformedWords& words : loss.output().informed)
      CHECK(std::isfinite(
          std::accumulate(words.nll.value().span().begin(), words.nll.value().span().end(), 0.0)));
    return out;
  };
  const Pass without = run(0), with = run(0.5);
  CHECK(with.numbers == without.numbers);
  CHECK(with.chosen == without.chosen);
}

}  // namespace saccade
