// The maps of later steps, for captions that were searched.
#include "captioning/decoding/later_maps.h"

#include "core/attention/selection_kind.h"
#include "core/base/error.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using namespace test;

// Attends to region t at step t, and to the last region at all later steps. Its gate is t, too.
class SteppingDecoder : public ScriptedDecoder {
 public:
  using ScriptedDecoder::ScriptedDecoder;
  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                  const AttentionMemory& memory, const AttendContext& context) const override {
    StepOutput out = ScriptedDecoder::step(tape, words, state, memory, context);
    const View weights = tape.mutable_value(out.glimpse.weights);
    const Index at = std::min(context.step, weights.cols() - 1);
    for (Index r = 0; r < weights.rows(); ++r) {
      for (Index l = 0; l < weights.cols(); ++l) weights.row(r)[l] = l == at ? Real{1} : Real{0};
      tape.mutable_value(out.glimpse.gate)[r] = static_cast<Real>(context.step);
    }
    return out;
  }
};

// Reads the later maps of captions and of their alternatives.
void read_all(const SearchMember& member, std::vector<DecodedCaption>& captions, std::size_t each,
              const SearchOptions& options) {
  std::vector<std::vector<DecodedCaption*>> places(captions.size() / each);
  for (std::size_t c = 0; c < captions.size(); ++c) {
    places[c / each].push_back(&captions[c]);
    for (DecodedCaption& other : captions[c].others) places[c / each].push_back(&other);
  }
  read_later_maps({&member, 1}, kSpecial, places, options, 0);
}

}  // namespace

TEST_CASE("the maps of searched captions can be those of the steps after their words") {
  // The image's feature is the number of words before <eos>. A second word is nearly as good.
  const SteppingDecoder decoder(7, [](Real feature, Index step, int, int id) {
    const bool ends = static_cast<Real>(step) >= feature;
    return id == kSpecial.eos ? Real(ends ? 9 : -9) : Real(id == kFirstWord ? 4 : id == 5 ? 3 : 0);
  });
  Tensor features({3, 8, 1});
  for (Index m = 0; m < 3; ++m)
    for (Index l = 0; l < 8; ++l) features[m * 8 + l] = static_cast<Real>(4 - m);
  const SearchMember member{.decoder = &decoder, .images = features.view()};
  for (const SearchMode mode : {SearchMode::kGreedy, SearchMode::kBeam}) {
    SearchOptions options{.mode = mode, .max_length = 6};
    if (mode == SearchMode::kBeam) options.alternatives = 3;
    const auto own = search({&member, 1}, kSpecial, options, 0);
    for (const Index step : {0, 1, 2}) {
      std::vector<DecodedCaption> captions = own;
      options.map_step = step;
      read_all(member, captions, 1, options);
      for (std::size_t m = 0; m < captions.size(); ++m) {
        std::vector<const DecodedCaption*> all{&captions[m]};
        for (const DecodedCaption& other : captions[m].others) all.push_back(&other);
        CHECK(ids(captions[m]) == ids(own[m]));
        CHECK(captions[m].words.size() == 4 - m);
        CHECK(all.size() == (mode == SearchMode::kBeam ? 3 : 1));
        for (const DecodedCaption* caption : all) {
          CHECK(caption->map_step == step);
          for (std::size_t t = 0; t < caption->words.size(); ++t) {
            const std::size_t later = t + static_cast<std::size_t>(step);
            CHECK(caption->words[t].map.weights[later] == 1);
            CHECK(caption->words[t].map.gate == static_cast<double>(later));
          }
        }
      }
    }
  }
}

TEST_CASE("regions that were drawn are taken again and not drawn anew") {
  AttentionConfig attention;
  attention.selection = SelectionKind::kHard;
  TinyModel model(5, 7, attention);
  model.set_eos_bias(-2);
  const Tensor features = random_features(6, 9, 3, 4);
  const SearchMember member{
      .decoder = model.decoder.get(), .parameters = model.store.views(), .images = features.view()};
  for (const SearchMode mode : {SearchMode::kBeam, SearchMode::kSample}) {
    SearchOptions options{.mode = mode, .max_length = 5, .regime = Regime::kSample, .seed = 7};
    if (mode == SearchMode::kSample) options.samples = 2;
    const auto own = search({&member, 1}, kSpecial, options, 0);
    std::vector<DecodedCaption> later = own;
    options.map_step = 1;
    read_all(member, later, mode == SearchMode::kSample ? 2 : 1, options);
    std::size_t compared = 0;
    for (std::size_t c = 0; c < own.size(); ++c) {
      const std::vector<DecodedWord>& words = own[c].words;
      if (words.empty()) continue;
      for (std::size_t t = 0; t + 1 < words.size(); ++t) {
        ++compared;
        CHECK(later[c].words[t].map.chosen == words[t + 1].map.chosen);
        for (std::size_t l = 0; l < words[t].map.weights.size(); ++l)
          CHECK(later[c].words[t].map.weights[l] ==
                Approx(words[t + 1].map.weights[l]).margin(1e-5));
      }
    }
    CHECK(compared > 10);
  }
}

TEST_CASE("the draws of several models cannot be repeated") {
  const TinyModel model(5);
  const Tensor features = random_features(2, 4, 3, 4);
  const SearchMember member{
      .decoder = model.decoder.get(), .parameters = model.store.views(), .images = features.view()};
  const std::vector<SearchMember> two{member, member};
  std::vector<DecodedCaption> captions = search(two, kSpecial, {.max_length = 4}, 0);
  std::vector<std::vector<DecodedCaption*>> places{{&captions[0]}, {&captions[1]}};
  CHECK_THROWS_AS(
      read_later_maps(two, kSpecial, places, {.regime = Regime::kSample, .map_step = 1}, 0),
      UsageError);
  CHECK_THROWS_AS(read_later_maps(two, kSpecial, std::span(places).first(1), {.map_step = 1}, 0),
                  ShapeError);
  // Two members that are the same model have the maps of that model.
  std::vector<DecodedCaption> alone = captions;
  read_later_maps(two, kSpecial, places, {.map_step = 2}, 0);
  places = {{&alone[0]}, {&alone[1]}};
  read_later_maps({&member, 1}, kSpecial, places, {.map_step = 2}, 0);
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t t = 0; t < captions[m].words.size(); ++t)
      for (std::size_t l = 0; l < 4; ++l)
        CHECK(captions[m].words[t].map.weights[l] ==
              Approx(alone[m].words[t].map.weights[l]).margin(1e-6));
}

}  // namespace saccade
