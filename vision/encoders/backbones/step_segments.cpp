#include "vision/encoders/backbones/step_segments.h"

#include <algorithm>

#include "core/autograd/keep_value.h"

namespace saccade {

StepSegments::StepSegments(std::vector<std::vector<int>> inputs) : inputs_(std::move(inputs)) {
  int oldest = static_cast<int>(inputs_.size());  // the oldest value that the steps behind read
  for (std::size_t end = inputs_.size(); end > 0; --end) {
    if (oldest >= static_cast<int>(end)) ends_.insert(ends_.begin(), end);
    for (const int input : inputs_[end - 1]) oldest = std::min(oldest, input);
  }
}

std::vector<Var> StepSegments::run(Tape& tape, Var picture, const std::vector<int>& wanted,
                                   const Step& step) const {
  std::vector<Var> results(wanted.size());
  // What is wanted is copied, because only the last value of a segment stays.
  std::vector<std::vector<Real>> numbers(wanted.size());
  std::vector<Shape> shapes(wanted.size());
  const auto made = [&](int number, Var value) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (wanted[k] != number) continue;
      results[k] = value;
      if (tape.recording()) continue;
      const std::span<const Real> values = value.value().span();
      numbers[k].assign(values.begin(), values.end());
      shapes[k] = value.shape();
    }
  };
  const Var last = keep_last(tape, picture, ends_.size(), [&](std::size_t part, Var value) {
    const std::size_t first = part == 0 ? 0 : ends_[part - 1];
    std::vector<Var> values{value};
    for (std::size_t i = first; i < ends_[part]; ++i) {
      std::vector<Var> inputs;
      for (const int input : inputs_[i])
        inputs.push_back(values.at(static_cast<std::size_t>(input) - first));
      values.push_back(step(i, inputs));
      made(static_cast<int>(i) + 1, values.back());
    }
    return values.back();
  });
  if (tape.recording()) return results;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == static_cast<int>(inputs_.size())) {
      results[k] = last;
      continue;
    }
    const View kept{tape.scratch(static_cast<Index>(numbers[k].size())), shapes[k]};
    std::copy(numbers[k].begin(), numbers[k].end(), kept.data);
    results[k] = tape.constant(kept);
  }
  return results;
}

}  // namespace saccade
