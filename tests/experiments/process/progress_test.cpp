// How often progress is written into a file.
#include "experiments/process/progress.h"

#include "tests/support/catch.h"

namespace saccade::test {
namespace {

// The shares at which lines are written, of work that takes `seconds` seconds in equal steps from
// the share `begin` on.
std::vector<double> lines(double seconds, int steps, double begin = 0) {
  ProgressLines progress;
  std::vector<double> out;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps, done = begin + (1 - begin) * share;
    if (progress.due(seconds * share, done)) out.push_back(done);
  }
  return out;
}

TEST_CASE("a file gets a line of progress for every tenth that is done") {
  CHECK(lines(4.9, 1000).empty());
  // The first line comes after five seconds, and tells how long a job of a night will take.
  const std::vector<double> night = lines(36'000, 36'000);
  REQUIRE(night.size() == 11);
  CHECK(night[0] == 5.0 / 36'000);
  for (int tenth = 1; tenth <= 10; ++tenth)
    CHECK(night[static_cast<std::size_t>(tenth)] == tenth / 10.0);
  CHECK(lines(20, 1000).size() == 9);  // from a quarter on
  CHECK(lines(1000, 4) == std::vector<double>{0.25, 0.5, 0.75, 1});
  CHECK(lines(1000, 1000, 0.85).size() == 3);  // a run that is resumed
}

TEST_CASE("durations are rounded to what matters") {
  CHECK(duration_text(45.4) == "45s");
  CHECK(duration_text(750) == "12m 30s");
  CHECK(duration_text(3900) == "1h 05m");
  CHECK(duration_text(-1) == "0s");
}

}  // namespace
}  // namespace saccade::test
