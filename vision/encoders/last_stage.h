// What becomes of the last strides of a convolutional network (encoder.dilate).
#pragma once

namespace saccade {

// Dilated: the last strided convolutions before the layers that are asked for take every position,
// and what comes behind them leaves as many out between its taps, so that the same weights look at
// the same places on a finer grid (Yu and Koltun 2016; Chen et al. 2018, section 3.1).
enum class LastStage { kStrided, kDilated };

}  // namespace saccade
