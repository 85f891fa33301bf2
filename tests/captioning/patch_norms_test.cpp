// Outlier patches of grids that are made by hand, and of small models.
#include "captioning/study/evaluation/patch_norms.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

double score(const PatchNorms& norms, const std::string& name) {
  for (const auto& [key, value] : norms.scores())
    if (key == name) return value;
  FAIL("no score " << name);
  return 0;
}

TEST_CASE("patches more than three times as long as the median are outliers, at any scale") {
  // The norms are 5, 5, 5, 5, 15 and 16; the median is 5.
  const std::vector<Real> grid{3, 4, 0, 5, 4, -3, -5, 0, 0, 15, 16, 0};
  for (const Real scale : {Real{1}, Real{1e-3F}, Real{1e4F}}) {
    Tensor tokens({6, 2}, grid);
    for (Real& x : tokens.span()) x *= scale;
    PatchNorms norms;
    norms.add(tokens.view());
    CHECK(norms.outliers == 1);
    CHECK(std::abs(score(norms, "outlier_share") - 1.0 / 6) < 1e-12);
    CHECK(std::abs(score(norms, "largest_over_median") - 3.2) < 1e-6);
    CHECK(std::abs(score(norms, "median_norm") / static_cast<double>(scale) - 5) < 1e-5);
    // Next to it an image of equal patches: half of the images have outliers.
    const Tensor flat({4, 1}, std::vector<Real>{2, 2, -2, 2});
    norms.add(flat.view());
    CHECK(score(norms, "images_with_outliers") == 0.5);
    CHECK(std::abs(score(norms, "outlier_share") - 0.1) < 1e-12);
  }
}

TEST_CASE("patches of zeros have no outliers, and input that is not a grid is refused") {
  PatchNorms norms;
  CHECK(score(norms, "outlier_share") == 0);
  norms.add(Tensor({3, 2}).view());
  CHECK(norms.outliers == 0);
  CHECK(score(norms, "largest_over_median") == 0);
  CHECK_THROWS_AS(norms.add(Tensor({0, 2}).view()), ShapeError);
  Tensor broken({2, 2});
  broken[3] = std::numeric_limits<Real>::quiet_NaN();
  CHECK_THROWS_AS(norms.add(broken.view()), ShapeError);
}

TEST_CASE("patches are measured for encoders that have tokens, and for no others") {
  ExperimentConfig config = small_experiment();
  const auto measure = [](const Experiment& experiment) {
    return patch_norms(experiment.model, experiment.inputs,
                       evaluation_images(experiment.data.dataset, Split::kVal, 3));
  };
  CHECK_FALSE(measure(Experiment(config)));
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 12, .layers = 1, .heads = 2, .patch = 8, .registers = 2};
  const Experiment experiment(config);
  const std::optional<PatchNorms> norms = measure(experiment);
  REQUIRE(norms);
  CHECK(norms->images == 3);
  CHECK(norms->patches == 3 * 16);
  CHECK(score(*norms, "median_norm") > 0);
  CHECK(score(*norms, "largest_over_median") >= 1);
  CHECK(score(*norms, "median_norm") == score(*measure(experiment), "median_norm"));
}

}  // namespace
}  // namespace saccade::test
