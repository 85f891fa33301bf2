// Splits for data sets whose files lack them.
#pragma once

#include "captioning/data/data_config.h"
#include "captioning/data/dataset.h"

namespace saccade {

// Takes images from train for val, where the data set has no val image, and then for test, where it
// has no test image. A hash of an image's name alone decides, so that the split depends neither on
// the order nor on the other images, and stays when images are added. If a share above 0 chooses no
// image, the one with the smallest hash is taken, as long as train keeps one. Notes what was done
// and renews the digest; a data set that has both splits stays as it is. Throws UsageError where
// the shares leave nothing to train on.
void fill_splits(Dataset& dataset, const SplitConfig& config);

}  // namespace saccade
