// Captions that share the encoding of their image, in double: loss, draws and gradients are those
// of captions with one image each, for every decoder, and also with several samples of a caption.
#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kVocabulary = 7;
constexpr int kBos = 1, kEos = 2;
constexpr double kTolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

// Four captions of two images, mixed as in a shard that is sorted by length.
struct SharedModel : test::SmallDecoder {
  const std::vector<std::vector<int>> captions{{4, 3, 6, 5}, {5, 3, 4}, {6, 4}, {3}};
  const std::vector<int> images{1, 0, 0, 1};

  SharedModel(const std::string& kind, const std::string& selection)
      : SmallDecoder(kind, selection, kVocabulary, 2) {}

  struct Run {
    std::vector<double> nll, penalties, costs, parameters, features;
    std::vector<Index> regions;
  };
  // `mask` marks the regions of both images that count; empty: all do.
  Run run(bool shared, double scheduled, const std::vector<Real>& mask) const {
    constexpr auto kImage = static_cast<std::size_t>(kRegions * kFeatures);
    Tensor seen = features.clone();
    std::vector<Real> counted = mask;
    if (!shared) {
      seen = Tensor({4, kRegions, kFeatures});
      counted.clear();
      for (std::size_t c = 0; c < images.size(); ++c) {
        const auto image = static_cast<std::size_t>(images[c]);
        std::copy_n(features.data() + image * kImage, kImage, seen.data() + c * kImage);
        if (!mask.empty())
          counted.insert(counted.end(),
                         mask.begin() + static_cast<std::ptrdiff_t>(image) * kRegions,
                         mask.begin() + static_cast<std::ptrdiff_t>(image + 1) * kRegions);
      }
    }
    CaptionLossOptions options = loss_options({}, attention, {});
    options.scheduled_sampling = scheduled;
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    const Var x = tape.variable(seen.view());
    Var marks;
    const Tensor marked =
        counted.empty()
            ? Tensor()
            : Tensor({static_cast<Index>(counted.size()) / kRegions, kRegions}, counted);
    if (!counted.empty()) marks = tape.constant(marked.view());
    PackedCaptions packed = pack_captions(captions, kBos, kEos);
    if (shared) packed.images = images;
    ShardLoss loss(tape, *decoder, {x, marks}, packed, options,
                   {.seed = 3, .update = 5, .first_caption = 8, .batch_captions = 4});
    RewardBaseline moving;
    loss.backward(batch_baseline(moving, options, std::vector<const ShardLoss*>{&loss}));
    Run out{.nll = loss.nll(),
            .penalties = loss.penalties(),
            .costs = loss.costs(),
            .parameters = {},
            .features = std::vector<double>(2 * kImage, 0),
            .regions = loss.regions()};
    for (const Real g : test::parameter_gradients(tape, store)) out.parameters.push_back(g);
    const ConstView g = tape.grad(x);
    for (Index i = 0; i < g.size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const std::size_t image = shared ? n / kImage : static_cast<std::size_t>(images[n / kImage]);
      out.features[image * kImage + n % kImage] += g[i];
    }
    return out;
  }
};

}  // namespace

TEST_CASE("captions that share an image have the gradients of captions with one image each") {
  for (const auto& kind : decoder_registry().rows())
    for (const std::string selection : {"soft", "hard"})
      for (const double scheduled : {0.0, 0.5})
        for (const std::vector<Real>& mask :
             {std::vector<Real>{}, std::vector<Real>{1, 1, 0, 0, 1, 1}}) {
          INFO(kind.name << ", selection " << selection << ", scheduled sampling " << scheduled
                         << ", mask " << !mask.empty());
          const SharedModel model(kind.name, selection);
          const auto shared = model.run(true, scheduled, mask);
          const auto apart = model.run(false, scheduled, mask);
          CHECK(test::largest_difference(shared.nll, apart.nll) < kTolerance);
          CHECK(test::largest_difference(shared.penalties, apart.penalties) < kTolerance);
          CHECK(test::largest_difference(shared.costs, apart.costs) < kTolerance);
          CHECK(shared.regions == apart.regions);
          CHECK(test::norm(shared.parameters) > 0.1);
          CHECK(test::norm(shared.features) > 1e-3);
          CHECK(test::largest_difference(shared.parameters, apart.parameters) < kTolerance);
          CHECK(test::largest_difference(shared.features, apart.features) < kTolerance);
        }
}

TEST_CASE("captions and images of different numbers need the image of each caption") {
  const SharedModel model("lstm", "soft");
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  CHECK_THROWS_AS(ShardLoss(tape, *model.decoder, tape.constant(model.features.view()),
                            pack_captions(model.captions, kBos, kEos),
                            loss_options({}, model.attention, {}), {.batch_captions = 4}),
                  ShapeError);
}

}  // namespace saccade
