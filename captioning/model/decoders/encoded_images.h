// What an encoder makes from images, as decoders read it.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The same as plain values, without a tape.
struct EncodedValues;

struct EncodedImages {
  Var features;  // [M, L, D]
  Var mask;      // [M, L], 0 for masked regions (padding), else 1; none: no region is masked
  Var pooled;    // [M, D], the image as a whole; none: the mean of the unmasked regions
  Var keys;      // [M, L, K], which attention scores; none: attention scores the features

  EncodedImages(Var f, Var m = {}, Var p = {}, Var k = {})
      : features(f), mask(m), pooled(p), keys(k) {}
  EncodedValues values() const;
};

struct EncodedValues {
  ConstView features, mask, pooled, keys;

  EncodedValues(ConstView f = {}, ConstView m = {}, ConstView p = {}, ConstView k = {})
      : features(f), mask(m), pooled(p), keys(k) {}
  EncodedValues(const View& f) : features(f) {}
  // Makes them constants of a tape.
  EncodedImages on(Tape& tape) const {
    const auto constant = [&](ConstView x) { return x.data ? tape.constant(x) : Var{}; };
    return {tape.constant(features), constant(mask), constant(pooled), constant(keys)};
  }
};

inline EncodedValues EncodedImages::values() const {
  const auto value = [](Var x) { return x ? x.value() : ConstView{}; };
  return {features.value(), value(mask), value(pooled), value(keys)};
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
