// Splits for data sets whose files lack them.
#pragma once

#include "captioning/data/dataset.h"

namespace saccade {

// fill_splits() of the images (splits.h). Notes what was done and renews the digest; a data set
// that has both splits stays as it is.
void fill_splits(Dataset& dataset, const SplitShares& shares);

}  // namespace saccade
