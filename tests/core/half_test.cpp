// The conversion to 16-bit floats and back, over all of them.
#include "core/io/half.h"

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace saccade;

namespace {

constexpr std::uint16_t kLargest = 0x7BFF, kInfinity = 0x7C00, kSign = 0x8000;

// The value of finite bits, computed as the standard defines it.
double value_of(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & kSign) != 0 ? -size : size;
}

std::vector<std::uint16_t> halves_of(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves(values.size());
  halves_from_floats(values, halves);
  return halves;
}

}  // namespace

TEST_CASE("every 16-bit float becomes the float of its value, and comes back") {
  int wrong = 0;
  std::vector<std::uint16_t> all;
  for (std::uint32_t size = 0; size <= kLargest; ++size)
    for (const std::uint32_t sign : {0U, std::uint32_t{kSign}})
      all.push_back(static_cast<std::uint16_t>(size | sign));
  std::vector<float> values(all.size());
  floats_from_halves(all, values);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<double>(values[i]) != value_of(all[i])) ++wrong;
    if (std::signbit(values[i]) != ((all[i] & kSign) != 0)) ++wrong;
    if (float_from_half(all[i]) != values[i] || half_from_float(values[i]) != all[i]) ++wrong;
  }
  CHECK(halves_of(values) == all);
  CHECK(wrong == 0);
  CHECK(float_from_half(kLargest) == kLargestHalf);
  CHECK(std::isinf(float_from_half(kInfinity)));
  CHECK(std::isnan(float_from_half(kInfinity + 1)));
}

TEST_CASE("floats become the nearest 16-bit float, and the even one from the middle of two") {
  // Between zero and the smallest, between subnormal, between normal numbers, and between the
  // largest number and infinity, which stands for 65536 here.
  std::vector<float> values;
  std::vector<std::uint16_t> nearest;
  for (std::uint32_t bits = 0; bits <= kLargest; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const double above = bits == kLargest ? 65536 : value_of(high);
    const auto middle = static_cast<float>((value_of(low) + above) / 2);
    REQUIRE(static_cast<double>(middle) == (value_of(low) + above) / 2);
    const auto expect = [&](float value, std::uint16_t half) {
      values.insert(values.end(), {value, -value});
      nearest.insert(nearest.end(), {half, static_cast<std::uint16_t>(half | kSign)});
    };
    expect(middle, low % 2 == 0 ? low : high);
    expect(std::nextafter(middle, 0.0F), low);
    expect(std::nextafter(middle, 1e30F), high);
  }
  const std::vector<std::uint16_t> got = halves_of(values);
  int wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (got[i] != nearest[i] || half_from_float(values[i]) != nearest[i]) ++wrong;
  CHECK(wrong == 0);
  CHECK(half_from_float(1e30F) == kInfinity);
  CHECK(half_from_float(-std::numeric_limits<float>::infinity()) == (kInfinity | kSign));
  CHECK(half_from_float(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(std::isnan(float_from_half(half_from_float(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("an array becomes the same 16-bit floats as its numbers one by one, for any length") {
  Random random({.seed = 5, .stream = Stream::kTest});
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 33U, 1000U}) {
    std::vector<float> values(length);
    for (float& value : values)
      value = static_cast<float>(
          std::ldexp(random.uniform() - 0.5, 20 - static_cast<int>(random.below(50))));
    const std::vector<std::uint16_t> halves = halves_of(values);
    std::vector<float> back(length);
    floats_from_halves(halves, back);
    int wrong = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (halves[i] != half_from_float(values[i]) || back[i] != float_from_half(halves[i])) ++wrong;
    CHECK(wrong == 0);
  }
}

TEST_CASE("vectors keep 32 bits") {
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{}, {7}, {1, 1, 1, 64}, {1}, {32, 1}})
    CHECK(keeps_32_bits(shape));
  for (const std::vector<Index>& shape : std::vector<std::vector<Index>>{{2, 2}, {3, 3, 1, 8}})
    CHECK_FALSE(keeps_32_bits(shape));
}
