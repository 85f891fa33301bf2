// Whether two pictures of OpenCV are the same, for the tests of decoders.
#pragma once

#include <algorithm>

namespace saccade {

// Whether both cv::Mat have the same size, channels and bytes, and are not empty.
template <class Mat>
bool same_bits(const Mat& a, const Mat& b) {
  return !a.empty() && a.size() == b.size() && a.type() == b.type() &&
         std::equal(a.datastart, a.dataend, b.datastart, b.dataend);
}

}  // namespace saccade
