#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace saccade {

namespace {

// The finaliser of SplitMix64: every bit of the result depends on every bit of the key.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

// The key of Philox is made from seed and stream. Step and sample, mixed, are the upper 96 bits of
// the counter; its lowest word counts the blocks drawn.
Random::Random(const RandomKey& key) {
  const std::uint64_t k = mix(key.seed ^ mix(static_cast<std::uint64_t>(key.stream)));
  key_ = {low(k), high(k)};
  const std::uint64_t a = mix(key.step), b = mix(key.sample ^ 0xA5A5A5A5A5A5A5A5ULL);
  counter_ = {0, low(a) ^ high(b), high(a), low(b)};
}

std::uint32_t Random::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

double Random::uniform() {
  const std::uint64_t a = bits(), b = bits();
  return static_cast<double>((a << 21) ^ (b >> 11)) * 0x1.0p-53;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::gumbel() {
  // u = 0 would give infinity; half of the smallest other u replaces it.
  return -std::log(-std::log(std::max(uniform(), 0x1.0p-54)));
}

std::uint64_t Random::below(std::uint64_t n) {
  SACCADE_ASSERT(n > 0, "Random::below(0)");
  // A multiple of n: values below it are unbiased.
  const std::uint64_t limit = n * (UINT64_MAX / n);
  for (;;) {
    const std::uint64_t high_word = bits();
    const std::uint64_t value = (high_word << 32) | bits();
    if (value < limit) return value % n;
  }
}

std::uint64_t name_key(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace saccade
