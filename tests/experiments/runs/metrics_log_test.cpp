// What a run says of its updates: its log of numbers survives a kill, and progress lines say what
// the loss is.
#include "experiments/runs/metrics_log.h"

#include <fstream>

#include "experiments/runs/run_reporter.h"
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

TEST_CASE("a progress line says that the loss is without the costs of supervision") {
  UpdateReport report{.loss = 31.25};
  CHECK(loss_text(report) == "loss 31.250");
  report.supervision = {{"box_cost", 1.5}};
  CHECK(loss_text(report) == "loss 31.250 without supervision");
}

}  // namespace
}  // namespace saccade::test
