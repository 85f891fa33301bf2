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

TEST_CASE("a progress line has the mean nll per word of the last updates") {
  RecentNll nll;
  CHECK(nll.text() == "nll 0.000 per word");
  const auto add = [&](double per_word, Index words) {
    UpdateReport report;
    report.nll_per_word = per_word;
    report.words = words;
    nll.add(report);
  };
  add(4, 100);
  CHECK(nll.text() == "nll 4.000 per word");
  // Words count, not updates, and newer ones count for more: (0.95 * 400 + 2 * 300) / (95 + 300).
  add(2, 300);
  CHECK(nll.text() == "nll 2.481 per word");
  for (int i = 0; i < 300; ++i) add(1, 200);
  CHECK(nll.text() == "nll 1.000 per word");
}

TEST_CASE("the line of a validation names the headline metrics by their labels") {
  const Metrics metrics = {{"Bleu_1", 0.75},  // no headline
                           {"Bleu_4", 0.25},
                           {"CIDEr_shuffled_drop", -0.0625},
                           {"references_attention_correctness_over_uniform", 1.5}};
  CHECK(validation_text(metrics, 24, "argmax") ==
        "update 24 (argmax): BLEU-4 0.2500; correctness / uniform, references' words 1.5000; CIDEr "
        "lost by shuffled maps -0.0625");
  CHECK(validation_text({}, 24, "argmax") == "update 24 (argmax)");
  // A metric by which the run chooses is shown, too, once and in its place of the table.
  CHECK(validation_text({{"Bleu_1", 0.75}, {"Bleu_4", 0.25}, {"CIDEr", 1}}, 24, "argmax",
                        {"Bleu_1", "CIDEr"}) ==
        "update 24 (argmax): BLEU-1 0.7500; BLEU-4 0.2500; CIDEr 1.0000");
}

TEST_CASE("a run that ends early says why") {
  CHECK(early_stop_text({.metric = "ROUGE_L", .patience = 4}, 256) ==
        "stopped early at update 256: no gain of ROUGE-L in 4 validations "
        "(train.early_stop.patience)");
  CHECK(early_stop_text({.metric = "CIDEr", .patience = 1}, 9) ==
        "stopped early at update 9: no gain of CIDEr in 1 validation "
        "(train.early_stop.patience)");
}

}  // namespace
}  // namespace saccade::test
