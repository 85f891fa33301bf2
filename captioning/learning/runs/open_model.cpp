#include "captioning/learning/runs/open_model.h"

#include <algorithm>

#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/use_precision.h"
#include "captioning/model/search/object_nouns.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/stored_network.h"

namespace saccade {

namespace {

// A model whose own search names objects does without where somebody else chose a search that
// cannot name them.
void fit_naming(SearchConfig& search, std::span<const std::string> overrides) {
  const bool asked = std::any_of(overrides.begin(), overrides.end(), [](const std::string& one) {
    return one.starts_with("search.name_objects=");
  });
  if (!asked) search.fit_naming();
}

}  // namespace

LoadedModel open_model(const std::filesystem::path& checkpoint, const OpenOptions& options) {
  std::vector<std::string> overrides = options.set;
  overrides.insert(overrides.end(), options.further.begin(), options.further.end());
  LoadedModel open = load_model(checkpoint, overrides, options.added, options.overrider);
  open.name = checkpoint.string();
  fit_naming(open.config.search, overrides);
  refuse_unread(options.set, open.config,
                options.option.empty() ? options.overrider + ": " : options.option);
  use_model_precision(open.config.precision, open.name, options.listener);
  open.pipeline = pipeline_of(open, options.listener, options.option);
  if (open.config.search.name_objects > 0 && open.pipeline->classes() == 0)
    throw UsageError(
        str(open.name,
            ": search.name_objects needs a frozen network whose file has its classifier "
            "behind the last layer (encoder.type onnx_native), or a model that was "
            "converted from one; set it to 0"));
  if (const Index classes = open.pipeline->classes(); open.config.search.name_objects > 0 &&
                                                      classes != kImagenetClasses &&
                                                      classes != kImagenetClasses + 1)
    throw UsageError(str(open.name,
                         ": search.name_objects names ImageNet's 1,000 classes, and the "
                         "network knows ",
                         classes, "; set it to 0"));
  return open;
}

std::unique_ptr<InputPipeline> pipeline_of(const LoadedModel& loaded,
                                           const MessageListener& listener,
                                           const std::string& option) {
  const EncoderConfig& encoder = loaded.config.encoder;
  if (is_frozen(encoder)) require_network_file(encoder, option);
  auto pipeline = std::make_unique<InputPipeline>(encoder, listener);
  const FrozenEncoder* frozen = pipeline->frozen();
  // A network that the checkpoint holds was rounded to 16 bits.
  const std::string& known = encoder.network ? encoder.network->digest : loaded.data.encoder;
  if (frozen && frozen->digest() != known) {
    if (pipeline->reads_features())
      throw DataError(str(loaded.name,
                          ": the model was trained on features of another form than "
                          "encoder.features says; leave its keys out, but for path"));
    std::string layers = join(encoder.grid_layers(), " and ");
    throw DataError(
        str(encoder.model, ", layer ", layers,
            ": this is not the network, layer or preprocessing with which the model was trained; "
            "set encoder.model to the file that it was trained with"));
  }
  if (frozen) {
    const GridShape has = pipeline->frozen_grid(), &wanted = loaded.frozen_grid;
    if (has.rows != wanted.rows || has.cols != wanted.cols || has.features != wanted.features ||
        has.scattered != wanted.scattered || has.in_time != wanted.in_time ||
        has.pooled != wanted.pooled)
      throw CheckpointError(str(loaded.source, ": says that its encoder gives ", wanted.rows, " x ",
                                wanted.cols, " regions of ", wanted.features,
                                " features, but it gives ", has.rows, " x ", has.cols, " of ",
                                has.features, "; use another checkpoint"));
  }
  return pipeline;
}

}  // namespace saccade
