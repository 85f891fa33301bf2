// The median of a list of numbers.
#pragma once

#include <algorithm>
#include <vector>

namespace saccade {

// The mean of the two middle values when their number is even; 0 for an empty list.
template <class T>
double median(std::vector<T> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return upper;
  return (upper + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

}  // namespace saccade
