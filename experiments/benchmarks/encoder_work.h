// Encoders by themselves, to be timed: on random images of 224 x 224 pixels.
#pragma once

#include <string>
#include <vector>

#include "experiments/benchmarks/repeated_timing.h"

namespace saccade {

// r18, r50, vgg19, vit_t, vit_s.
std::vector<std::string> encoder_work_names();
// Grids of all images, nothing recorded.
Timing encode_images(const std::string& network, const WorkSize& size);
// A training step as a classifier of 1,000 classes on the mean region: cross-entropy, gradients
// clipped element by element, Adam.
Timing train_encoder(const std::string& network, const WorkSize& size);

}  // namespace saccade
