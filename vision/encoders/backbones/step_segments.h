// Runs networks that are lists of steps, in little memory.
#pragma once

#include <functional>
#include <vector>

#include "core/autograd/tape.h"

namespace saccade {

// Steps whose inputs are numbered: 0 is the picture, i + 1 the output of step i. They are cut into
// segments: no step behind the end of one reads an earlier value than the last one of the segment.
class StepSegments {
 public:
  StepSegments() = default;
  explicit StepSegments(std::vector<std::vector<int>> inputs);
  // The numbers of steps up to the end of each segment.
  const std::vector<std::size_t>& ends() const { return ends_; }

  // The values `wanted`, by number, of a picture. step(i, inputs) makes the output of step i. While
  // nothing is recorded, other values go with their segment.
  using Step = std::function<Var(std::size_t, std::span<const Var>)>;
  std::vector<Var> run(Tape& tape, Var picture, const std::vector<int>& wanted,
                       const Step& step) const;

 private:
  std::vector<std::vector<int>> inputs_;
  std::vector<std::size_t> ends_;
};

}  // namespace saccade
