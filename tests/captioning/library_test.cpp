// The library as other programs use it: training, captions, maps, drawings, scores.
#include <optional>
#include <thread>

#include "captioning/captioner.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/train_captioner.h"
#include "captioning/scoring/scorer.h"
#include "core/attention/attention_registry.h"
#include "core/ops/attention_ops.h"
#include "core/ops/linear.h"
#include "core/parallel/kernel_parts.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using Catch::StartsWith;

const std::string kTiny = R"(
data:
  type: scenes
  min_count: 1
  captions_per_image: 3
  scenes: {train: 24, val: 6, test: 6, size: 32}
encoder: {type: cnn, image_size: 32, channels: [8, 8, 8, 8], positions: coordinates}
attention: {score: additive, gate: scalar, hidden: 16}
decoder: {type: lstm, hidden: 24, embedding: 16, init_hidden: 16, dropout: 0.2}
objective: {doubly_stochastic: 0}
optimizer: {type: adam, lr: 5e-3}
train: {batch: 8, shard: 4, stop: 6u, validate_every: 3u, checkpoint_every: 2u}
search: {beam: 2, max_length: 6, min_length: 2}
)";

// A run that was trained once for all tests of this file.
const fs::path& trained() {
  static const TempFolder folder("library-trained");
  static const fs::path run = [] {
    train_captioner({.yaml = kTiny, .directory = folder.path() / "run", .threads = 2});
    return folder.path() / "run";
  }();
  return run;
}

// A picture [40, 48] of which no two pixels in a row are alike.
Image stripes() {
  Image image(40, 48);
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(i * 37 % 251);
  return image;
}

std::vector<float> weights_of(const Caption& caption) {
  std::vector<float> all;
  for (const CaptionWord& word : caption.words)
    all.insert(all.end(), word.map.weights.begin(), word.map.weights.end());
  return all;
}

TEST_CASE("training calls back at every update and every validation") {
  const TempFolder folder("library");
  std::vector<Index> updates, validations;
  std::vector<std::string> messages;
  const TrainedCaptioner trained = train_captioner(
      {.yaml = kTiny,
       .directory = folder.path() / "run",
       .on_update =
           [&](const TrainingUpdate& update) {
             updates.push_back(update.update);
             CHECK(update.loss > 0);
             CHECK(update.learning_rate == 5e-3);
             return true;
           },
       .on_validation =
           [&](Index update, const Scoreboard& scores) {
             validations.push_back(update);
             CHECK(scores.contains("CIDEr"));
           },
       .listener = [&](Severity, const std::string& text) { messages.push_back(text); }});
  CHECK(updates == std::vector<Index>{1, 2, 3, 4, 5, 6});
  CHECK(validations == std::vector<Index>{3, 6});
  CHECK(trained.updates == 6);
  CHECK_FALSE(trained.stopped);
  CHECK(fs::exists(trained.checkpoint));
}

TEST_CASE("training that a callback stopped goes on where it stopped") {
  const TempFolder folder("library");
  TrainingOptions options{.yaml = kTiny, .directory = folder.path() / "run"};
  options.on_update = [](const TrainingUpdate& update) { return update.update < 4; };
  const TrainedCaptioner stopped = train_captioner(options);
  CHECK(stopped.updates == 4);
  CHECK(stopped.stopped);
  CHECK_THROWS_AS(train_captioner(options), BusyError);

  options.resume = true;
  options.on_update = {};
  CHECK(train_captioner(options).updates == 6);
  // The same bits as of a run that nobody stopped.
  const Image picture = stripes();
  const Captioner resumed(folder.path() / "run/checkpoints/last"),
      whole(trained() / "checkpoints/last");
  CHECK(weights_of(resumed.caption(picture)) == weights_of(whole.caption(picture)));
}

TEST_CASE("what a callback throws ends the training and comes out of it") {
  const TempFolder folder("library");
  TrainingOptions options{.yaml = kTiny, .directory = folder.path() / "run"};
  options.on_update = [](const TrainingUpdate&) -> bool { throw std::out_of_range("mine"); };
  CHECK_THROWS_AS(train_captioner(options), std::out_of_range);
}

TEST_CASE("a picture in memory and in a file have the same caption, for any number of threads") {
  const TempFolder folder("library");
  const Image picture = stripes();
  const fs::path file = folder.path() / "picture.png";
  write_png(file, picture);
  // The same pixels in rows that are longer than they need to be.
  const Index stride = 3 * picture.width + 11;
  std::vector<std::uint8_t> padded(static_cast<std::size_t>(stride * picture.height), 200);
  for (Index y = 0; y < picture.height; ++y)
    std::copy_n(picture.pixel(y, 0), 3 * picture.width, padded.begin() + y * stride);

  const Captioner one(trained(), {.threads = 1}), many(trained(), {.threads = 4});
  const Caption caption = one.caption(picture);
  REQUIRE_FALSE(caption.words.empty());
  for (const Caption& same : {one.caption(file), many.caption(file),
                              many.caption({padded.data(), picture.height, picture.width, stride}),
                              one.captions(std::vector<fs::path>{file}).at(0)}) {
    CHECK(same.text == caption.text);
    CHECK(weights_of(same) == weights_of(caption));
  }
  CHECK_THROWS_AS(one.caption({padded.data(), picture.height, picture.width, 10}), ShapeError);
  CHECK_THROWS_AS(one.caption({padded.data(), 0, 4}), ShapeError);
  CHECK_THROWS_AS(one.caption(folder.path() / "none.png"), DataError);
}

// Networks that are large enough for their kernels to be cut.
TEST_CASE("the work of one caption is shared out, and threads change none of its bits") {
  const std::string wide = R"(
data:
  type: scenes
  min_count: 1
  captions_per_image: 1
  scenes: {train: 4, val: 2, test: 2, size: 64}
encoder: {type: cnn, image_size: 64, channels: [32, 64, 64, 64], positions: sinusoidal}
attention: {hidden: 64}
decoder: {hidden: 512, embedding: 64, init_hidden: 32}
objective: {doubly_stochastic: 0}
train: {batch: 4, shard: 4, stop: 1u, validate_every: 1u, checkpoint_every: 1u}
search: {beam: 3, max_length: 5, min_length: 2}
)";
  const std::vector<std::string> set = GENERATE(
      std::vector<std::string>{}, std::vector<std::string>{"attention.selection=hard"},
      std::vector<std::string>{"decoder.type=transformer", "decoder.layers=1", "decoder.heads=4",
                               "attention.gate=none", "encoder.refine.layers=1"});
  const TempFolder folder("library");
  train_captioner({.yaml = wide, .set = set, .directory = folder.path() / "run", .threads = 2});
  const Image picture = stripes();
  std::optional<Caption> first;
  Index parts = 0;
  for (const int threads : {1, 2, 4}) {
    const Captioner captioner(folder.path() / "run", {.threads = threads});
    const parallel::CountParts count;
    const Caption caption = captioner.caption(picture);
    CHECK(count.parts() >= 10);
    if (!first) {
      first = caption;
      parts = count.parts();
    }
    CHECK(count.parts() == parts);
    CHECK(caption.text == first->text);
    CHECK(caption.log_probability == first->log_probability);
    CHECK(weights_of(caption) == weights_of(*first));
  }
  CHECK_FALSE(first->words.empty());
}

TEST_CASE("every word has a map over the grid") {
  const Captioner captioner(trained());
  CHECK(captioner.has_attention());
  const Caption caption = captioner.caption(stripes());
  std::string joined;
  for (const CaptionWord& word : caption.words) {
    joined += (joined.empty() ? "" : " ") + word.text;
    const AttentionMap& map = word.map;
    REQUIRE(static_cast<Index>(map.weights.size()) == map.layout.count());
    double sum = 0;
    for (const float weight : map.weights) sum += static_cast<double>(weight);
    CHECK(sum == Approx(1).margin(1e-5));
    CHECK(map.gate.value() > 0);
    CHECK(map.gate.value() < 1);
    CHECK_FALSE(map.sentinel);
    CHECK(map.chosen == -1);
    CHECK(word.log_probability < 0);
  }
  CHECK(joined == caption.text);
}

TEST_CASE("the sentinel belongs to the mean of the heads") {
  const TempFolder folder("library");
  train_captioner({.yaml = kTiny,
                   .set = {"attention.heads=2", "attention.sentinel=true", "attention.gate=none",
                           "train.stop=1u"},
                   .directory = folder.path() / "run"});
  const Caption caption = Captioner(folder.path() / "run", {.all_maps = true}).caption(stripes());
  REQUIRE_FALSE(caption.words.empty());
  for (const CaptionWord& word : caption.words) {
    double sum = word.map.sentinel.value();
    CHECK(sum > 0);
    for (const float weight : word.map.weights) sum += static_cast<double>(weight);
    CHECK(sum == Approx(1).margin(1e-5));
    REQUIRE(word.heads.size() == 2);
    for (const AttentionMap& head : word.heads) CHECK_FALSE(head.sentinel);
    for (const AttentionMap& map : word.all_maps) CHECK_FALSE(map.sentinel);
  }
}

TEST_CASE("words have the maps of every layer and head where they are requested") {
  const TempFolder folder("library");
  train_captioner({.yaml = kTiny,
                   .set = {"decoder.type=transformer", "decoder.layers=3", "decoder.heads=2",
                           "attention.heads=2", "train.stop=1u"},
                   .directory = folder.path() / "run"});
  const Captioner plain_maps(folder.path() / "run"), all(folder.path() / "run", {.all_maps = true});
  const Caption caption = plain_maps.caption(stripes()), same = all.caption(stripes());
  REQUIRE_FALSE(caption.words.empty());
  REQUIRE(same.text == caption.text);
  for (std::size_t w = 0; w < same.words.size(); ++w) {
    const CaptionWord &plain = caption.words[w], &word = same.words[w];
    CHECK(plain.all_maps.empty());
    CHECK(word.map.weights == plain.map.weights);
    REQUIRE(plain.heads.size() == 2);
    REQUIRE(word.heads.size() == 2);
    REQUIRE(word.all_maps.size() == 6);
    for (std::size_t m = 0; m < 6; ++m) {
      const AttentionMap& map = word.all_maps[m];
      CHECK(map.layer.number == static_cast<Index>(m / 2));
      CHECK(map.head.number == static_cast<Index>(m % 2));
      CHECK(map.weights.size() == word.map.weights.size());
      // Those of the last layer are the heads that every caption has.
      if (m >= 4) {
        CHECK(map.weights == word.heads[m - 4].weights);
        CHECK(map.weights == plain.heads[m - 4].weights);
      }
    }
  }
  // Where there is a single map, it is all there is.
  const Caption one = Captioner(trained(), {.all_maps = true}).caption(stripes());
  REQUIRE_FALSE(one.words.empty());
  REQUIRE(one.words[0].all_maps.size() == 1);
  CHECK(one.words[0].all_maps[0].weights == one.words[0].map.weights);
  CHECK(one.words[0].heads.empty());
}

TEST_CASE("options replace values of the model's config, and those without effect are refused") {
  const Captioner captioner(trained(), {.beam = 1, .max_length = 2});
  CHECK(captioner.caption(stripes()).words.size() <= 2);
  CHECK_THAT(captioner.config(), Contains("max_length: 2"));
  CHECK_THROWS_AS(Captioner(trained(), {.set = {"search.beam=none"}}), UsageError);
  CHECK_THROWS_WITH(Captioner(trained(), {.set = {"search.mode=sample", "attention.radius=3"}}),
                    Contains("attention.radius has no effect"));
  CHECK_THROWS_AS(Captioner("no/such/run"), CheckpointError);
}

TEST_CASE("errors name the option of the library that was wrong, and no command line") {
  CHECK_THAT(message_of<UsageError>([] { Captioner(trained(), {.beam = 0}); }),
             StartsWith("CaptionerOptions: search.beam=0: "));
  CHECK_THAT(message_of<UsageError>([] {
               Captioner(trained(), {.set = {"search.mode=sample", "attention.radius=3"}});
             }),
             StartsWith("CaptionerOptions: attention.radius has no effect"));
  const std::vector<std::string> set = {"search.beam=3", "attention.gate=none"};
  CHECK_THAT(message_of<CheckpointError>([&] { Captioner(trained(), {.set = set}); }),
             Contains("; CaptionerOptions: search.beam=3, attention.gate=none changed what its "
                      "model is made of, or another version"));
  // The program's own commands load checkpoints, too.
  CHECK_THAT(message_of<CheckpointError>(
                 [&] { load_model(find_checkpoint(trained().string(), {}, {}), set); }),
             Contains("; command line: search.beam=3, attention.gate=none changed"));

  const TempFolder folder("library");
  TrainingOptions options{.yaml = kTiny, .directory = folder.path() / "run"};
  options.set = {"train.batch=0"};
  CHECK_THAT(message_of<UsageError>([&] { train_captioner(options); }),
             StartsWith("TrainingOptions::set: train.batch=0: "));
  options.set = {"decoder.layers=5"};
  CHECK_THAT(message_of<UsageError>([&] { train_captioner(options); }),
             StartsWith("TrainingOptions::set: decoder.layers has no effect"));
  options.set.clear();
  options.yaml = "trian: {batch: 2}\n";
  CHECK_THAT(message_of<UsageError>([&] { train_captioner(options); }),
             StartsWith("TrainingOptions::yaml:1:1: unknown key 'trian'"));
  // A run that is there already.
  CHECK_THAT(
      message_of<BusyError>([&] { train_captioner({.yaml = kTiny, .directory = trained()}); }),
      Contains("is not empty") && !Contains("--"));
}

TEST_CASE("a picture whose file is damaged is captioned with one warning") {
  // 16 x 16 pixels, and 21 bytes that belong to nothing in front of the end.
  const std::string hex =
      "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f1320151312"
      "1213271c1e17202e2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a5152"
      "4fffc0000b080010001001011100ffc4001500010100000000000000000000000000000706ffc40014100100"
      "000000000000000000000000000000ffda0008010100003f00ac0e9883af6162636465666768696a6b6c6d6e"
      "6f707172737475767778ffd9";
  const TempFolder folder("library");
  const fs::path damaged = folder.path() / "damaged.jpg", sound = folder.path() / "sound.png";
  std::ofstream file(damaged, std::ios::binary);
  for (std::size_t i = 0; i < hex.size(); i += 2)
    file.put(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  file.close();
  write_png(sound, stripes());
  std::vector<std::string> lines;
  const Captioner captioner(
      trained(), {.threads = 2,
                  .listener = [&](Severity, const std::string& text) { lines.push_back(text); }});
  const std::string warning = damaged.string() +
                              ": the image may be damaged (Corrupt JPEG data: 21 extraneous bytes "
                              "before marker 0xd9)";
  CHECK_FALSE(captioner.caption(damaged).words.empty());
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], StartsWith(warning));
  CHECK(captioner.captions(std::vector<fs::path>{damaged, sound, damaged}).size() == 3);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == lines[0]);
  CHECK(lines[2] == lines[0]);
}

TEST_CASE("a caption is drawn on its picture") {
  const Captioner captioner(trained());
  const Image picture = stripes();
  const Caption caption = captioner.caption(picture);
  REQUIRE_FALSE(caption.words.empty());
  const Image panel = captioner.draw_word(caption, 0, picture);
  CHECK(panel.width == picture.width);
  CHECK(panel.height == picture.height);
  CHECK(panel.rgb != picture.rgb);
  const Image sheet = captioner.draw(caption, picture, {.style = OverlayStyle::kCells});
  CHECK(sheet.width > 320);
  CHECK_THROWS_AS(captioner.draw_word(caption, 99, picture), ShapeError);
  Caption foreign = caption;
  foreign.words[0].map.weights.pop_back();
  CHECK_THROWS_AS(captioner.draw(foreign, picture), ShapeError);

  // Which part of a picture a cell shows depends on the picture's extents.
  CHECK(caption.height == 40);
  CHECK(caption.width == 48);
  for (const Image& other : {Image(48, 40), Image(80, 96)}) {
    CHECK_THROWS_AS(captioner.draw(caption, other), ShapeError);
    CHECK_THROWS_WITH(
        captioner.draw_word(caption, 0, other),
        Contains("a picture of 40 x 48 pixels") && Contains(str(other.height, " x ", other.width)));
  }
  const TempFolder folder("library-draw");
  std::vector<fs::path> files;
  for (const Image& one : {picture, Image(30, 60)}) {
    files.push_back(folder.path() / str(files.size(), ".png"));
    write_png(files.back(), one);
  }
  const std::vector<Caption> both = captioner.captions(files);
  REQUIRE(both.size() == 2);
  CHECK(both[1].height == 30);
  CHECK(both[1].width == 60);
  CHECK(captioner.draw(both[0], picture).width > 0);
  CHECK_THROWS_AS(captioner.draw(both[1], picture), ShapeError);
}

TEST_CASE("many threads may use one captioner") {
  const Captioner captioner(trained(), {.threads = 2});
  const Image picture = stripes();
  const std::string wanted = captioner.caption(picture).text;
  std::vector<std::string> got(4);
  std::vector<std::thread> users;
  for (std::string& text : got) users.emplace_back([&] { text = captioner.caption(picture).text; });
  for (std::thread& user : users) user.join();
  for (const std::string& text : got) CHECK(text == wanted);
}

struct OwnScore : Score {
  OwnScore(const ParamScope& scope, const AttentionWidths& w)
      : weight(scope.declare("weight", {w.query, w.features}, Init::glorot(w.query, w.features))) {}
  Var keys(Tape&, Var features) const override { return features; }
  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    return ops::dot_score(keys, ops::linear(query, tape.parameter(weight)), 1, group);
  }
  int weight;
};

TEST_CASE("a model with attention of the program's own trains, loads and resumes with it alone") {
  const TempFolder folder("library");
  const auto registry = std::make_shared<AttentionRegistry>();
  registry->scores.add({.name = "own", .doc = "a' W h"},
                       [](const ParamScope& scope, const AttentionWidths& widths) {
                         return std::make_unique<OwnScore>(scope, widths);
                       });
  TrainingOptions options{.yaml = kTiny,
                          .set = {"attention.score=own"},
                          .directory = folder.path() / "run",
                          .attention = registry};
  options.on_update = [](const TrainingUpdate& update) { return update.update < 3; };
  train_captioner(options);
  options.resume = true;
  options.on_update = {};
  CHECK(train_captioner(options).updates == 6);

  const Captioner captioner(folder.path() / "run", {.attention = registry});
  CHECK_FALSE(captioner.caption(stripes()).words.empty());
  CHECK_THROWS_WITH(Captioner(folder.path() / "run"),
                    Contains("'own' is not one of") && Contains("AttentionRegistry"));
  options.attention = nullptr;
  CHECK_THROWS_AS(train_captioner(options), UsageError);
}

TEST_CASE("captions are scored in memory and from files") {
  const Scorer scorer({.threads = 1});
  const std::vector<std::string> captions = {"a red square on the left", "a blue circle"};
  const std::vector<std::vector<std::string>> references = {
      {"a red square on the left", "the red square"}, {"a small blue circle at the top"}};
  const std::vector<MetricScore> scores = scorer.score(captions, references);
  REQUIRE(scores.size() >= 8);
  CHECK(scores[0].name == "Bleu_1");
  CHECK(scores[0].images.at(0) == Approx(1));
  // All 3 words are right, and the reference has 7: exp(1 - 7 / 3).
  CHECK(scores[0].images.at(1) == Approx(std::exp(1 - 7.0 / 3)));

  const TempFolder folder("library");
  std::ofstream(folder.path() / "references.txt")
      << "a red square on the left\tthe red square\na small blue circle at the top\n";
  std::ofstream(folder.path() / "results.txt") << "a red square on the left\na blue circle\n";
  const auto same =
      scorer.score_files(folder.path() / "references.txt", folder.path() / "results.txt");
  REQUIRE(same.size() == scores.size());
  for (std::size_t m = 0; m < same.size(); ++m) CHECK(same[m].corpus == scores[m].corpus);
  CHECK_THROWS_AS(scorer.score(captions, {}), DataError);
}

}  // namespace
}  // namespace saccade::test
