// Training on what a program hands over: images with captions in memory, and a reward of its own.
#include <fstream>
#include <limits>
#include <numeric>

#include "captioning/captioner.h"
#include "captioning/learning/train_captioner.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

const std::string kModel = R"(
encoder: {type: cnn, image_size: 32, channels: [8, 8, 8, 8], positions: coordinates}
attention: {score: additive, gate: scalar, hidden: 16}
decoder: {type: lstm, hidden: 24, embedding: 16, init_hidden: 16, dropout: 0.2}
objective: {doubly_stochastic: 0}
optimizer: {type: adam, lr: 5e-3}
train: {batch: 8, shard: 2, stop: 6u, validate_every: 3u, checkpoint_every: 2u}
search: {beam: 2, max_length: 6, min_length: 2}
)";
const std::string kScenes = kModel + R"(
data: {type: scenes, min_count: 1, captions_per_image: 3,
       scenes: {train: 24, val: 6, test: 6, size: 32}}
)";
const std::string kGiven = kModel + "data: {min_count: 1}\n";

// Squares of two colours on grey, with a caption that says which; every sixth is for validation.
TrainingExamples squares(Index count, int grey = 90) {
  return [count, grey, i = Index{0}]() mutable -> std::optional<TrainingExample> {
    if (i == count) return {};
    Image picture(32, 40);
    std::fill(picture.rgb.begin(), picture.rgb.end(), static_cast<std::uint8_t>(grey));
    const bool red = i % 2 == 0;
    for (Index y = 8; y < 20; ++y)
      for (Index x = 4 + i % 9; x < 16 + i % 9; ++x)
        picture.rgb[static_cast<std::size_t>((y * 40 + x) * 3 + (red ? 0 : 2))] = 250;
    return TrainingExample{.picture = std::move(picture),
                           .captions = {red ? "a red square" : "a blue square", "one \"square\""},
                           .validation = i++ % 6 == 5};
  };
}

TrainingOptions on_squares(const fs::path& run, Index count = 30, int grey = 90) {
  return {.yaml = kGiven, .directory = run, .data = squares(count, grey)};
}

std::vector<double> losses(TrainingOptions options) {
  std::vector<double> out;
  options.on_update = [&](const TrainingUpdate& update) {
    out.push_back(update.loss);
    return true;
  };
  train_captioner(options);
  return out;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("a run on examples in memory keeps them, resumes, and gives the same bits") {
  const TempFolder folder("given");
  TrainingOptions options = on_squares(folder.path() / "one");
  options.threads = 1;
  const std::vector<double> one = losses(options);
  CHECK(one.size() == 6);
  options = on_squares(folder.path() / "two");
  options.threads = 3;
  CHECK(losses(options) == one);
  const fs::path data = folder.path() / "two" / "data";
  CHECK(entries(data) == 31);
  CHECK(read_image(data / "0000029.png").rgb == [] {
    const TrainingExamples next = squares(30);
    for (int i = 0; i < 29; ++i) next();
    return next()->picture.rgb;
  }());
  CHECK_FALSE(Captioner(folder.path() / "two").caption(data / "0000003.png").words.empty());

  // The config of the run names the data, so that they need not be handed over again.
  options = {.config = folder.path() / "two" / "config.yaml",
             .set = {"train.stop=8u"},
             .directory = folder.path() / "two",
             .resume = true};
  CHECK(train_captioner(options).updates == 8);
  options.set = {"train.stop=9u"};
  options.data = squares(30);
  CHECK(train_captioner(options).updates == 9);
  for (const auto& [count, grey, place] :
       {std::tuple<Index, int, const char*>{30, 91, "example 0"}, {29, 90, "example 29"}}) {
    options.data = squares(count, grey);
    CHECK_THROWS_WITH(train_captioner(options),
                      Contains(place) && Contains("is not the one with which the run began"));
    CHECK(entries(data) == 31);
  }
}

TEST_CASE("examples that are not valid leave nothing behind") {
  const TempFolder folder("given");
  const fs::path run = folder.path() / "run";
  TrainingOptions options = on_squares(run, 0);
  CHECK_THROWS_WITH(train_captioner(options), Contains("no example"));
  options.data = [] {
    return std::optional(TrainingExample{.picture = Image(4, 4), .captions = {}});
  };
  CHECK_THROWS_WITH(train_captioner(options), Contains("example 0: has no caption"));
  options.data = [] {
    return std::optional(TrainingExample{.picture = {}, .captions = {"a dog"}});
  };
  CHECK_THROWS_WITH(train_captioner(options), Contains("no pixels"));
  options.data = [next = squares(9), i = 0]() mutable {
    if (++i == 7) throw std::domain_error("here");
    return next();
  };
  CHECK_THROWS_AS(train_captioner(options), std::domain_error);
  options.data = squares(30);
  options.set = {"train.best_metric=nonsense"};
  CHECK_THROWS_AS(train_captioner(options), UsageError);
  CHECK_FALSE(fs::exists(run));
  options.yaml = kScenes;
  options.set = {};
  CHECK_THROWS_WITH(train_captioner(options),
                    Contains("data.type names data, and the program hands over its own"));
  CHECK_FALSE(fs::exists(run));
}

// How many words of a caption are `the`, which references do not matter for.
double words_the(const std::string& caption) {
  double count = 0;
  for (std::size_t at = 0; (at = (" " + caption + " ").find(" the ", at)) != std::string::npos;
       ++at)
    ++count;
  return count;
}

TrainingOptions rewarded(const fs::path& run, const std::vector<std::string>& more = {}) {
  TrainingOptions options{.yaml = kScenes, .directory = run};
  options.set = {"objective.self_critical.start=2u", "objective.self_critical.lr=1e-3"};
  options.set.insert(options.set.end(), more.begin(), more.end());
  options.reward = [](const auto& captions, const auto& references) {
    CHECK(captions.size() == references.size());
    std::vector<double> out;
    for (std::size_t i = 0; i < captions.size(); ++i) {
      CHECK((references[i].size() > 0 && references[i].size() <= 3));
      out.push_back(words_the(captions[i]));
    }
    return out;
  };
  return options;
}

TEST_CASE("a reward of the program is asked once per update and gives the same bits") {
  const TempFolder folder("reward");
  for (const std::string baseline : {"leave_one_out", "greedy"}) {
    const std::vector<std::string> set = {"objective.self_critical.baseline=" + baseline};
    std::vector<std::vector<std::string>> asked[2];
    std::vector<double> got[2];
    for (const int i : {0, 1}) {
      TrainingOptions options = rewarded(folder.path() / (baseline + std::to_string(i)), set);
      options.threads = i == 0 ? 1 : 3;
      options.reward = [&, own = options.reward](const auto& captions, const auto& references) {
        asked[i].push_back(captions);
        return own(captions, references);
      };
      got[i] = losses(options);
    }
    CHECK(got[0] == got[1]);
    CHECK(asked[0] == asked[1]);
    REQUIRE(asked[0].size() == 4);
    CHECK(asked[0][0].size() == (baseline == "greedy" ? 48 : 40));  // 8 images, 5 samples
  }
}

TEST_CASE("a reward of the program is learned") {
  const TempFolder folder("reward");
  std::vector<double> means;
  TrainingOptions options =
      rewarded(folder.path() / "run",
               {"train.stop=60u", "train.validate_every=60u", "objective.self_critical.lr=5e-3"});
  options.reward = [&, own = options.reward](const auto& captions, const auto& references) {
    const std::vector<double> out = own(captions, references);
    double sum = 0;
    for (const double one : out) sum += one;
    means.push_back(sum / static_cast<double>(out.size()));
    return out;
  };
  train_captioner(options);
  REQUIRE(means.size() == 58);
  const double before = std::accumulate(means.begin(), means.begin() + 8, 0.0) / 8;
  const double after = std::accumulate(means.end() - 8, means.end(), 0.0) / 8;
  CHECK(after > before + 1);
}

TEST_CASE("metrics join the reward of a program where the config weighs them") {
  const TempFolder folder("reward");
  const auto nothing = [](const auto& captions, const auto&) {
    return std::vector<double>(captions.size());
  };
  const auto with = [&](const char* name, const std::vector<std::string>& set, bool own) {
    TrainingOptions options = rewarded(folder.path() / name, set);
    options.reward = nullptr;
    if (own) options.reward = nothing;
    return losses(options);
  };
  const std::string cider = "objective.self_critical.reward.CIDEr_D=1";
  CHECK(with("both", {cider}, true) == with("metric", {}, false));
  CHECK(with("alone", {}, true) != with("metric again", {}, false));
}

TEST_CASE("rewards that are not valid end the run with the reason") {
  const TempFolder folder("reward");
  const auto refused = [&](TrainingOptions options, const std::string& reason) {
    INFO(reason);
    CHECK_THROWS_WITH(train_captioner(options), Contains(reason));
    fs::remove_all(folder.path() / "run");
  };
  TrainingOptions options = rewarded(folder.path() / "run");
  options.reward = [](const auto&, const auto&) { return std::vector<double>(3); };
  refused(options, "gives 3 rewards for 40 captions");
  options.reward = [](const auto& captions, const auto&) {
    return std::vector<double>(captions.size(), std::numeric_limits<double>::quiet_NaN());
  };
  refused(options, "gives nan for '");
  options.reward = [](const auto&, const auto&) -> std::vector<double> {
    throw std::domain_error("here");
  };
  refused(options, "here");
  options.yaml = kScenes;
  options.set = {};
  refused(options, "set objective.self_critical.start");
  options = rewarded(folder.path() / "run", {"objective.self_critical.reward.own=0"});
  refused(options, "own is 0");
  options = rewarded(folder.path() / "run", {"objective.self_critical.reward.own=1"});
  options.reward = nullptr;
  refused(options, "objective.self_critical.reward.own weighs a reward");
}

}  // namespace
}  // namespace saccade::test
