// The attention maps that an encoder makes of an image, in every layer and head: among its tokens,
// and among the regions of a refinement. They are large (with L tokens L x L numbers for each layer
// and head), so they are made on request, by encoding the image once more.
#pragma once

#include "captioning/model/maps/layer_maps.h"

namespace saccade {

class CaptionModel;
struct InputView;

// The maps of one image. Those of parts that a model does not have are empty.
EncoderMaps encoder_maps(const CaptionModel& model, const InputView& input);

}  // namespace saccade
