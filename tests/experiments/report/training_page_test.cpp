// The page that a training writes again and again.
#include "experiments/report/training_page.h"

#include <atomic>
#include <nlohmann/json.hpp>

#include "captioning/learning/runs/training_run.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::training_page_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kAllTime = 1e9;  // a share of the time that no page reaches

Json data_of(const fs::path& page) {
  const std::string text = TempFolder::read(page), mark = "id=\"data\">";
  const std::size_t from = text.find(mark) + mark.size();
  return Json::parse(text.substr(from, text.find("</script>", from) - from));
}

// Reads the page when the run begins, after each validation and at its end, before it is left.
class ReadPage : public TrainingPage {
 public:
  explicit ReadPage(const Options& options) : TrainingPage(options), file_(options.file) {}
  void on_start(const RunStart& start) override {
    TrainingPage::on_start(start);
    read();
  }
  void on_validation(const Metrics& metrics, const TrainingState& state) override {
    TrainingPage::on_validation(metrics, state);
    read();
    if (stops) stop = 2;
  }
  void on_end(const TrainingResult& result) override {
    TrainingPage::on_end(result);
    read();
  }

  std::vector<Json> pages;
  bool stops = false;  // after the first validation
  std::atomic<int> stop = 0;

 private:
  void read() {
    if (fs::is_regular_file(file_)) pages.push_back(data_of(file_));
  }
  fs::path file_;
};

// Two epochs with a validation after each.
TrainingResult train(const fs::path& folder, ReadPage& page,
                     ExperimentConfig config = small_experiment()) {
  config.train.batch = 8;
  config.train.shard = 4;
  config.train.stop = epochs(2);
  const RunData data(config, {.splits = {Split::kVal}});
  RunDirectory directory(folder, RunDirectory::Mode::kNew);
  return run_training({.config = &config,
                       .data = &data,
                       .directory = &directory,
                       .observer = &page,
                       .stop = &page.stop});
}

TEST_CASE("the page of a training on texts scores those that it shows, and decodes no others") {
  const TempFolder folder("training-page");
  ReadPage page({.file = folder / "report.html", .name = "mine", .images = 30, .share = kAllTime});
  ExperimentConfig config = small_text_experiment();
  config.data.sequences.val = 40;
  config.train.best_metric = "exact_match";
  train(folder / "run", page, config);
  REQUIRE(page.pages.size() == 4);
  const Json& last = page.pages.back();
  CHECK(last.at("texts") == true);
  CHECK(last.at("images").size() == 30);
  CHECK(last.at("grouped") == 30);
  Index texts = 0;
  for (const Json& grouping : last.at("groups")[0])
    for (const Json& group : grouping.at("groups")) {
      texts += group.at("images").get<Index>();
      CHECK(group.at("scores").contains("exact_match"));
    }
  CHECK(texts == 30);
}

TEST_CASE("the page of a training says how far it is, and has captions after a validation") {
  const TempFolder folder("training-page");
  const fs::path file = folder / "report.html";
  {
    ReadPage page({.file = file, .name = "mine", .images = 3, .share = kAllTime});
    train(folder / "run", page);
    REQUIRE(page.pages.size() == 4);
    const auto state = [&](std::size_t i) { return page.pages[i].at("training").at("state"); };
    const auto at = [&](std::size_t i) { return page.pages[i].at("training").at("at"); };
    CHECK(state(0) == "training");
    CHECK(at(0) == "epoch 1 of 2");
    CHECK(page.pages[0].at("images").empty());
    CHECK(page.pages[0].at("split") == "val");
    CHECK(page.pages[0].at("title") == "mine");
    for (std::size_t i = 1; i < 3; ++i) {
      CHECK(state(i) == "training");
      CHECK(at(i) == "epoch 2 of 2");
      CHECK(page.pages[i].at("images").size() == 3);
    }
    const auto update = [&](std::size_t i) {
      return page.pages[i].at("models")[0].at("update").get<int>();
    };
    CHECK(update(1) > 0);
    CHECK(update(2) == 2 * update(1));
    CHECK(state(3) == "ending");
  }
  // No report took its place, so it is the last one.
  CHECK(data_of(file).at("training").at("state") == "finished");
}

TEST_CASE("the page of a training is left to the report that takes its place") {
  const TempFolder folder("training-page-left");
  const fs::path file = folder / "report.html";
  {
    ReadPage page({.file = file, .name = "mine", .images = 1});
    train(folder / "run", page);
    folder.write("report.html", "the report");
    page.leave();
  }
  CHECK(TempFolder::read(file) == "the report");
}

TEST_CASE("the page of a training that is stopped or fails says so") {
  const TempFolder folder("training-page-stopped");
  const fs::path file = folder / "report.html";
  {
    ReadPage page({.file = file, .name = "mine", .images = 1});
    page.stops = true;
    CHECK(train(folder / "run", page).reason == StopReason::kSignal);
  }
  CHECK(data_of(file).at("training").at("state") == "stopped");
  {
    struct Failing : ReadPage {
      using ReadPage::ReadPage;
      void on_validation(const Metrics&, const TrainingState&) override { throw IoError("full"); }
    };
    Failing page({.file = file, .name = "mine", .images = 1});
    CHECK_THROWS_AS(train(folder / "failing", page), IoError);
  }
  CHECK(data_of(file).at("training").at("state") == "failed");
}

TEST_CASE("a training goes on where its page cannot be written, and spares time for it") {
  const TempFolder folder("training-page-lost");
  ReadPage lost({.file = folder / "nowhere" / "report.html", .name = "mine", .images = 1});
  CHECK(train(folder / "run", lost).reason == StopReason::kFinished);
  CHECK(lost.pages.empty());

  // Without time there are only the first page, the first captions and the end.
  ReadPage page(
      {.file = folder / "report.html", .name = "mine", .images = 2, .interval = 0, .share = 0});
  train(folder / "spared", page);
  REQUIRE(page.pages.size() == 4);
  CHECK(page.pages[1].at("images").size() == 2);
  CHECK(page.pages[2] == page.pages[1]);
}

}  // namespace
}  // namespace saccade::test::training_page_test
