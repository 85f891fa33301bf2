// Matrices in 16-bit integers: how close they are, and that a second coding changes nothing.
#include "core/io/coded_matrix.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace saccade;

namespace {

std::vector<float> decoded(const CodedMatrix& coded) {
  std::vector<float> matrix(coded.codes.size());
  decode_matrix(coded.codes, coded.values, coded.has_table, matrix);
  return matrix;
}

}  // namespace

TEST_CASE("rows with steps are within half a step mostly and come back unchanged the second time") {
  constexpr Index kRows = 3000, kColumns = 20;
  Random random({.seed = 8, .stream = Stream::kTest});
  std::vector<float> matrix(kRows * kColumns);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = static_cast<float>(
        std::ldexp(random.uniform() - 0.5, static_cast<int>(i / kColumns % 60) - 40));
  std::fill_n(matrix.begin(), kColumns, 0.0F);  // a row of zeros
  const CodedMatrix coded = code_matrix(matrix, kRows);
  REQUIRE_FALSE(coded.has_table);
  REQUIRE(coded.values.size() == kRows);
  CHECK(coded.values[0] == 0);
  const std::vector<float> once = decoded(coded);
  double farthest = 0;
  int far = 0;
  bool exact = true;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const double step = coded.values[i / kColumns], number = coded.codes[i] * step;
    exact = exact && static_cast<double>(once[i]) == number;
    if (step == 0) continue;
    const double distance = std::abs(number - static_cast<double>(matrix[i])) / step;
    farthest = std::max(farthest, distance);
    far += distance > 0.501;
  }
  CHECK(exact);
  CHECK(farthest < 1);  // a few rows are rounded twice
  CHECK(far < 0.01 * static_cast<double>(matrix.size()));
  CHECK(farthest > 0.4);
  CHECK(decoded(code_matrix(once, kRows)) == once);
  CHECK(std::ranges::max(coded.codes) > 32600);
}

TEST_CASE("a matrix of few distinct numbers is exact whatever its size") {
  Random random({.seed = 9, .stream = Stream::kTest});
  std::vector<float> levels(kMostTableValues), matrix(40000);
  for (float& level : levels) level = static_cast<float>(std::exp(40 * random.uniform() - 20));
  for (float& number : matrix) number = levels[random.below(levels.size())];
  const CodedMatrix coded = code_matrix(matrix, 200);
  CHECK(coded.has_table);
  CHECK(coded.values.size() == kMostTableValues);
  CHECK(decoded(coded) == matrix);
  // One number more and it is not.
  matrix[7] = 0.125F;
  CHECK_FALSE(code_matrix(matrix, 200).has_table);
}

TEST_CASE("codes outside of a table or of no whole rows do not fit") {
  const std::vector<float> values{1, 2, 3};
  const std::vector<std::int16_t> inside{0, 2, 1, 1}, above{0, 3}, below{-1};
  CHECK(fits_codes(inside, values, true));
  CHECK_FALSE(fits_codes(above, values, true));
  CHECK_FALSE(fits_codes(below, values, true));
  CHECK_FALSE(fits_codes(inside, values, false));
  CHECK_FALSE(fits_codes(inside, {}, false));
}

TEST_CASE("a number that is not finite or huge is refused by its place") {
  for (const float wrong : {INFINITY, -INFINITY, NAN, 0x1p101F}) {
    const std::vector<float> matrix{1, 2, 3, wrong};
    CHECK_THROWS_WITH(code_matrix(matrix, 2), Catch::Contains("number 3 is"));
  }
}
