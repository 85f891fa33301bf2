#include "experiments/pictures/shown_picture.h"

#include "vision/drawing/blank_picture.h"

namespace saccade {

Image shown_picture(const LoadedData& data, const DatasetInputs& inputs, Index image) {
  return data.has_picture(image) ? data.image(image) : blank_picture(inputs.geometry(image));
}

}  // namespace saccade
