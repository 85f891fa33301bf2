// The log of a run's numbers survives a kill.
#include "experiments/metrics_log.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("an incomplete last line of metrics.jsonl is cut off") {
  const TempFolder folder("run-directory");
  const fs::path path = folder.path() / "metrics.jsonl";
  MetricsLog(path).add("{\"a\":1}");
  std::ofstream(path, std::ios::app) << "{\"a\":";
  MetricsLog(path).add("{\"a\":2}");
  REQUIRE(TempFolder::read(path) == "{\"a\":1}\n{\"a\":2}\n");
  std::ofstream(path) << "torn";
  const MetricsLog log(path);
  REQUIRE(TempFolder::read(path).empty());
}

}  // namespace
}  // namespace saccade::test
