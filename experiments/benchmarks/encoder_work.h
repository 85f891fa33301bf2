// Work of encoders alone, for timing, on random images of 224 x 224 pixels.
#pragma once

#include <string>
#include <vector>

#include "experiments/benchmarks/timing.h"

namespace saccade {

// The networks: r18, r50, vgg19, vit_t, vit_s.
std::vector<std::string> encoder_work_names();
// Times the grids of all images, without recording for backward.
Timing encode_images(const std::string& network, const WorkSize& size);
// Times a training step of a classifier with 1,000 classes on the mean region: cross-entropy,
// gradients clipped element by element, Adam.
Timing train_encoder(const std::string& network, const WorkSize& size);

}  // namespace saccade
