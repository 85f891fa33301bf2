// For tests and campaigns that run a kernel and its reference version, in float: the tensors that
// both write, and operands of another precision.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels/precision.h"
#include "core/tensor/tensor.h"

namespace saccade::test {

using Results = std::vector<Tensor>;

template <class... T>
Results made(T... tensors) {
  Results out;
  (out.push_back(std::move(tensors)), ...);
  return out;
}

// x as an operand of products in a precision.
inline Tensor rounded(Tensor x, Precision precision) {
  if (precision == Precision::kF32) return x;
  std::vector<std::uint16_t> upper(x.span().size());
  round_to_bf16(x.span(), upper.data());
  for (std::size_t i = 0; i < upper.size(); ++i)
    x.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(upper[i]) << 16);
  return x;
}

}  // namespace saccade::test
