// A small decoder of any kind, with weights that make clear choices, and features for a few
// captions.
#pragma once

#include <memory>

#include "captioning/model/decoders/decoder.h"
#include "core/base/random.h"

namespace saccade::test {

struct SmallDecoder {
  static constexpr Index kRegions = 3, kFeatures = 2;

  AttentionConfig attention;  // for hard attention: leave_one_out with two samples
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  Tensor features;  // [captions, L, D]

  SmallDecoder(const std::string& kind, const std::string& selection, Index vocabulary,
               Index captions)
      : features({captions, kRegions, kFeatures}) {
    DecoderConfig config;
    config.type = kind;
    config.hidden = 4, config.embedding = 3, config.init_hidden = 2, config.dropout = 0;
    config.layers = 2, config.heads = config.widen = 1;
    attention.hidden = 3;
    attention.selection = selection;
    attention.hard.samples = 2;
    attention.hard.baseline = BaselineKind::kLeaveOneOut;
    decoder = make_decoder(config, attention,
                           {.features = kFeatures, .vocabulary = vocabulary, .grid = {1, kRegions}},
                           ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({8, Stream::kTest, 0, 0});
    for (Real& value : store.flat().span()) value = static_cast<Real>(0.7 * random.normal());
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
  }

  // The features of one caption, [1, L, D].
  Tensor features_of(Index caption) const {
    constexpr auto kSize = static_cast<std::size_t>(kRegions * kFeatures);
    return {Shape{1, kRegions, kFeatures},
            features.span().subspan(static_cast<std::size_t>(caption) * kSize, kSize)};
  }
};

}  // namespace saccade::test
