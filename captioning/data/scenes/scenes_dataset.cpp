#include "captioning/data/scenes/scenes_dataset.h"

#include "captioning/data/scenes/scene_motion.h"
#include "captioning/data/scenes/scene_sampler.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// The steps of the random numbers for captions and for motion; the part is added to them.
constexpr std::uint64_t kTalk = 2000, kMoves = 4000;

void add_scene(const ScenesOptions& options, ScenePart part, Index index, ScenesDataset& out) {
  const auto sample = static_cast<std::uint64_t>(index);
  const SceneSampler sampler = {.seed = options.seed,
                                .size = options.size,
                                .objects_max = options.objects_max,
                                .unseen = options.unseen};
  out.scenes.push_back(sample_scene(sampler, part, sample));
  if (options.frames > 1) {
    Random moves({.seed = options.seed,
                  .stream = Stream::kScenes,
                  .step = kMoves + static_cast<std::uint64_t>(part),
                  .sample = sample});
    add_motion(out.scenes.back(), options.frames, options.unseen, moves);
  }
  Random random({.seed = options.seed,
                 .stream = Stream::kScenes,
                 .step = kTalk + static_cast<std::uint64_t>(part),
                 .sample = sample});
  out.captions.push_back(
      describe(out.scenes.back(), static_cast<std::size_t>(options.captions), random));
  CaptionedImage image;
  image.split = static_cast<Split>(part);
  image.number = static_cast<std::int64_t>(out.dataset.images.size());
  image.id = str("scene-", split_name(image.split), "-", index);
  for (const SceneCaption& caption : out.captions.back()) image.captions.push_back(caption.text());
  out.dataset.images.push_back(std::move(image));
}

}  // namespace

ScenesDataset scenes_dataset(const ScenesOptions& options) {
  if (options.train < 0 || options.val < 0 || options.test < 0) {
    throw UsageError("scenes: train, val and test must not be negative");
  }
  if (options.train + options.val + options.test == 0) {
    throw UsageError("scenes: the data set is empty; ask for at least one scene");
  }
  if (options.captions < 1 || options.captions > 100) {
    throw UsageError(str("scenes: captions must be 1 to 100 per scene, got ", options.captions));
  }
  if (options.frames != 1 && (options.frames < kMinFrames || options.frames > kMaxFrames))
    throw UsageError(str("scenes: frames must be 1, or ", kMinFrames, " to ", kMaxFrames,
                         " for scenes that move, got ", options.frames));
  ScenesDataset out;
  out.dataset.name = "scenes";
  for (Index i = 0; i < options.train; ++i) add_scene(options, ScenePart::kTrain, i, out);
  for (Index i = 0; i < options.val; ++i) add_scene(options, ScenePart::kVal, i, out);
  for (Index i = 0; i < options.test; ++i) add_scene(options, ScenePart::kTest, i, out);
  // Ids and captions alone do not determine the pictures.
  out.dataset.digest = dataset_digest(out.dataset) +
                       str("-", options.seed, "-", options.size, "-", enum_name(options.unseen));
  if (options.frames > 1) out.dataset.digest += str("-", options.frames);
  return out;
}

}  // namespace saccade
