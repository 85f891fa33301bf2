#include "captioning/learning/runs/decoder_weights.h"

#include <algorithm>
#include <array>

#include "captioning/learning/runs/stored_vocabulary.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/config.h"
#include "core/config/idle.h"

namespace saccade {

void refuse_other_decoder(const ExperimentConfig& before, const ExperimentConfig& now,
                          const std::string& key, const std::string& source) {
  // What changes nothing of what the weights compute when captions are made.
  constexpr std::array kFree = {"decoder.weights",     "decoder.frozen",
                                "decoder.dropout",     "decoder.init_hidden",
                                "decoder.first_state", "decoder.image_dropout"};
  const std::vector<std::string> unread = unread_options(before);
  std::vector<Difference> differences = config_differences(before, now);
  std::erase_if(differences, [&](const Difference& one) {
    return !one.path.starts_with("decoder.") || one.path.starts_with("decoder.embeddings.") ||
           std::ranges::find(kFree, one.path) != kFree.end() ||
           std::ranges::find(unread, one.path) != unread.end();
  });
  if (differences.empty()) return;
  throw UsageError(str(key, " ", source, ": its decoder is another than the config's: set ",
                       join(differences, ", ",
                            [](const Difference& one) {
                              return str(one.path, " to ", one.first, " instead of ", one.second);
                            }),
                       "; saccade new --from writes a config that fits"));
}

TakenDecoder take_decoder(const Archive& archive, CaptionModel& model) {
  if (read_vocabulary(archive).digest() != model.vocabulary().digest())
    throw CheckpointError(str(archive.source(),
                              ": its tokens are not those of the run (decoder.weights); take a "
                              "published captioner, or a checkpoint that was made of one"));
  ParameterStore& store = model.parameters();
  TakenDecoder taken;
  std::vector<std::string> misfits;
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!info.name.starts_with("decoder.")) continue;
    const std::string entry = "parameters/" + info.name;
    std::vector<Index> extents;
    for (int a = 0; a < info.shape.rank(); ++a) extents.push_back(info.shape[a]);
    if (archive.contains(entry) && archive.floats(entry).shape() == extents) {
      const std::span<const float> values = archive.floats(entry).values();
      std::copy(values.begin(), values.end(), store.value(static_cast<int>(p)).data);
      ++taken.arrays;
    } else if (reads_image(info.name)) {
      ++taken.anew;
    } else {
      misfits.push_back(info.name);
    }
  }
  if (!misfits.empty())
    throw CheckpointError(str(archive.source(), ": does not fit the decoder (decoder.weights): ",
                              first_names(misfits), misfits.size() == 1 ? " has" : " have",
                              " other extents or are missing; saccade new --from writes a config "
                              "that fits"));
  return taken;
}

}  // namespace saccade
