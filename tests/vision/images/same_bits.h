// Whether two pictures of OpenCV are the same, for the tests of decoders.
#pragma once

#include <algorithm>
#include <opencv2/core.hpp>

namespace saccade {

// Whether both have the same size, channels and bytes, and are not empty.
inline bool same_bits(const cv::Mat& a, const cv::Mat& b) {
  return !a.empty() && a.size() == b.size() && a.type() == b.type() &&
         std::equal(a.datastart, a.dataend, b.datastart, b.dataend);
}

}  // namespace saccade
