// Values that change while a model trains: the loss of an update is that of a model whose config
// has the value of the ramp, and everything else has the value that the ramp ends with.
#include "captioning/learning/objectives/caption_loss.h"
#include "tests/support/catch.h"

namespace saccade {

namespace {

constexpr Index kRegions = 4, kFeatures = 3, kVocabulary = 7;

struct SoftModel {
  AttentionConfig attention;
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  SoftModel(const std::string& kind, const Ramp& temperature) {
    DecoderConfig config;
    config.type = kind;
    config.hidden = 4, config.embedding = 3, config.init_hidden = 2, config.dropout = 0;
    config.layers = 2, config.heads = config.widen = 1;
    attention.hidden = 3;
    attention.temperature = temperature;
    decoder =
        make_decoder(config, attention,
                     {.features = kFeatures, .vocabulary = kVocabulary, .grid = {1, kRegions}},
                     ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({6, Stream::kTest, 0, 0});
    for (Real& value : store.flat().span()) value = static_cast<Real>(random.normal());
  }

  // -log p of a caption, in training at an update, or outside of training.
  double nll(std::optional<Index> update) const {
    Tensor features(Shape{1, kRegions, kFeatures});
    Random random({7, Stream::kTest, 0, 0});
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    const Var x = tape.constant(features.view());
    const PackedCaptions caption = pack_captions(std::vector<std::vector<int>>{{4, 5, 6}}, 1, 2);
    if (!update) {
      const SequenceOutput out = decoder->sequence(tape, caption, decoder->prepare(tape, x, 1), {});
      return caption_sums(caption, out.nll.value())[0];
    }
    const CaptionLossOptions options =
        loss_options({}, attention, {.update = *update, .updates_per_epoch = 2});
    return ShardLoss(tape, *decoder, x, caption, options, {.batch_captions = 1}).nll()[0];
  }
};

TEST_CASE("training uses the current value of a temperature that changes") {
  for (const std::string kind : {"lstm", "transformer"}) {
    const SoftModel moving(kind, {.from = 2, .to = 0.5, .over = epochs(2)});
    const auto still = [&](double temperature, std::optional<Index> update) {
      return SoftModel(kind, Ramp::constant(temperature)).nll(update);
    };
    CHECK(still(2, {}) != still(0.5, {}));
    CHECK(moving.nll(0) == still(2, {}));
    CHECK(moving.nll(1) == still(1.625, {}));
    CHECK(moving.nll(4) == still(0.5, {}));
    CHECK(moving.nll({}) == still(0.5, {}));
    CHECK(still(0.5, 0) == still(0.5, {}));
  }
}

}  // namespace

}  // namespace saccade
