// The picture of an image of a data set as pages and sheets show it.
#pragma once

#include "captioning/model/inputs.h"

namespace saccade {

// That of its file, or drawn; without one the stand-in of blank_picture(). Throws what
// LoadedData::image() throws.
Image shown_picture(const LoadedData& data, const DatasetInputs& inputs, Index image);

}  // namespace saccade
