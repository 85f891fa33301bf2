// Intervals of rates: of the share of images, or of the share of what they show, that is a hit.
// Near 0 and 1 a bootstrap has nothing left to draw (of 100 images that are all hits, every sample
// is), and Wilson's interval (Journal of the American Statistical Association 22, 1927) still
// covers.
#pragma once

#include "captioning/scoring/statistics/image_statistics.h"
#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

// Wilson's interval of hits / trials, which may be broken numbers. NaN without trials.
Interval wilson_interval(double hits, double trials, double level);

// Whether a score is the share of hits among trials: the registry calls the metric a share, and its
// rows are counts, of hits [images, 1] among one trial per image, or of hits and trials [images,
// 2].
bool is_rate(const ImageStatistics& statistics);

// The interval over images of a rate. Trials of one image may be alike, so they count for as many
// independent ones as their spread over images says (Korn & Graubard, Survey Methodology 24, 1998).
// NaN where fewer than two images have trials. Throws ShapeError for what is no rate.
Interval rate_interval(const ImageStatistics& rate, double level);

}  // namespace saccade
