// What happens to the last strides of a convolutional network (encoder.dilate).
#pragma once

namespace saccade {

// Dilated: the last strided convolutions before the wanted layers are computed at every position,
// and the layers behind them skip as many positions between their taps. The same weights then see
// the same places on a finer grid (Yu and Koltun 2016; Chen et al. 2018, section 3.1).
enum class LastStage { kStrided, kDilated };

}  // namespace saccade
