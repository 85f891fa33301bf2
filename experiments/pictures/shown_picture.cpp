#include "experiments/pictures/shown_picture.h"

#include "vision/drawing/time_axis.h"

namespace saccade {

Image shown_picture(const LoadedData& data, const DatasetInputs& inputs, Index image) {
  const Geometry geometry = inputs.geometry(image);
  return lacks_pictures(geometry) ? draw_time_axis(geometry) : data.image(image);
}

}  // namespace saccade
