// What a run says of its updates: its log of numbers survives a kill, and progress lines say what
// the loss is.
#include "experiments/runs/metrics_log.h"

#include "experiments/runs/run_reporter.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("an incomplete last line of metrics.jsonl is cut off") {
  const TempFolder folder("run-directory");
  const fs::path path = folder.path() / "metrics.jsonl";
  MetricsLog(path, -1).add("{\"a\":1}");
  std::ofstream(path, std::ios::app) << "{\"a\":";
  MetricsLog(path, -1).add("{\"a\":2}");
  REQUIRE(TempFolder::read(path) == "{\"a\":1}\n{\"a\":2}\n");
  std::ofstream(path) << "torn";
  const MetricsLog log(path, -1);
  REQUIRE(TempFolder::read(path).empty());
}

TEST_CASE("a run that continues loses the lines of what it does again, and no others") {
  const TempFolder folder("metrics-log");
  const fs::path path = folder.path() / "metrics.jsonl";
  const std::string start = R"({"event":"update","update":8})"
                            "\n"
                            R"({"event":"checkpoint","update":8})"
                            "\n",
                    // A later version may add events without an update, and people notes.
      other = "{\"event\":\"diverged\"}\nnot JSON\n\n[8]\n{\"update\":\"9\"}\n",
                    later = R"({"event":"update","update":9})"
                            "\n"
                            R"({"event":"validation","update":9,"metrics":{"update":1}})"
                            "\n";
  const auto after = [&](Index update, const std::string& text) {
    folder.write("metrics.jsonl", text);
    MetricsLog(path, update).add("{}");
    return TempFolder::read(path);
  };
  CHECK(after(8, start + other + later) == start + other + "{}\n");
  CHECK(after(8, later + start + later) == start + "{}\n");
  CHECK(after(9, start + later) == start + later + "{}\n");
  CHECK(after(-1, start + other + later) == other + "{}\n");
  CHECK(after(8, start + later + R"({"event":"upd)") == start + "{}\n");
  CHECK(folder.count() == 1);
}

TEST_CASE("any text can stand in metrics.jsonl, and what can be read of it is") {
  const TempFolder folder("metrics-log");
  const std::string deep(200'000, '['), open = R"({"event":"update","update":)";
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  const std::string bad =
      deep + "\n" + deep + std::string(deep.size(), ']') + "\n" + objects + "1" +
      std::string(100'000, '}') + "\n" + open + deep + std::string(deep.size(), ']') + "}\n" +
      open + "\"8\"}\n" + open + "[8]}\n" + open + "-8}\n" + open + "1e300}\n" + open + "1e999}\n" +
      open + "null,\"seconds\":{}}\n" + R"({"event":8,"reason":[],"metrics":"x","estimator":3})" +
      "\n" + R"({"event":{"a":"update"}})" + "\n" + "\xff\xfe\n" + std::string(3, '\0') + "\n" +
      open + std::string(5'000'000, '1') + "}\n";
  const std::string good =
      R"({"event":"validation","update":7,"metrics":{"CIDEr":0.5},"estimator":{"z":1,"a":2}})"
      "\n"
      R"({"event":"end","reason":"signal","update":8})";
  std::vector<MetricsLine> lines;
  const std::filesystem::path file = folder.write("metrics.jsonl", bad + good);
  const UnreadableLines unreadable =
      read_metrics(file, [&](const MetricsLine& line) { lines.push_back(line); });
  REQUIRE(lines.size() == 2);  // of all others, none says what it is and at which update
  const MetricsLine &validation = lines[lines.size() - 2], &end = lines.back();
  CHECK(validation.numbers.at("CIDEr") == 0.5);
  CHECK(validation.numbers.at("estimator.z") == 1);
  CHECK(validation.estimator == std::vector<std::pair<std::string, double>>{{"z", 1}, {"a", 2}});
  CHECK(end.event == "end");
  CHECK(end.reason == "signal");
  CHECK(end.count("update") == 8);
  CHECK(unreadable.count > 0);
  const auto all = std::count(bad.begin(), bad.end(), '\n') + 2;
  CHECK(unreadable.count + static_cast<Index>(lines.size()) == all);
  const std::string broken =
      "{\"event\":\"diverged\"}\nno JSON\n{\"event\":\"note\"}\n[1]\n\n{\"event\":\"upd";
  const UnreadableLines three =
      read_metrics(folder.write("three.jsonl", broken), [](const auto&) {});
  CHECK(three.count == 3);
  CHECK(three.first == 2);
  CHECK(three.text("run") ==
        "run: 3 lines are not of a run and are passed over, the first is line 2");
  CHECK(UnreadableLines{.count = 1, .first = 4}.text("run") ==
        "run: a line is not of a run and is passed over: line 4");
  CHECK(UnreadableLines{}.text("run").empty());
  read_metrics(folder / "none", [](const MetricsLine&) { FAIL("there is no such file"); });
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
  // Joined data sets come in their order, each with what chooses.
  CHECK(
      validation_text({{"CIDEr", 1}, {"coco/CIDEr", 0.5}, {"coco/Bleu_4", 0.5}, {"mine/CIDEr", 2}},
                      24, "argmax", {"CIDEr"}, {"mine", "coco"}) ==
      "update 24 (argmax): CIDEr 1.0000; mine: CIDEr 2.0000; coco: CIDEr 0.5000");
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
