// The arms of a comparison: how they are made, what they share, and how each is tuned.
#include "captioning/learning/training/run_data.h"
#include "captioning/model/model.h"
#include "experiments/compare/arms.h"
#include "experiments/compare/finished_runs.h"
#include "experiments/compare/tuning.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

LoadedConfig comparing(const std::string& text) {
  return parse_config<ExperimentConfig>("compare: " + text, "test");
}
LoadedConfig with_axes(const std::string& axes) { return comparing("{axes: " + axes + "}"); }

TEST_CASE("the arms are all combinations of values, with names and folders of their own") {
  REQUIRE(expand_arms(with_axes("{}")).size() == 1);
  const std::vector<Arm> arms = expand_arms(with_axes(
      "{encoder.channels: [[8], [8, 16]], optimizer.type: [adam, sgd], search.beam: [1]}"));
  REQUIRE(arms.size() == 4);
  REQUIRE(arms[0].name == "channels=[8], type=adam, beam=1");
  REQUIRE(arms[1].config.optimizer.type == OptimizerKind::kSgd);
  REQUIRE(arms[2].config.encoder.channels == std::vector<std::int64_t>{8, 16});
  std::set<std::string> folders;
  for (const Arm& arm : arms) {
    folders.insert(arm.folder);
    REQUIRE(arm.folder.find_first_of("/[], ") == std::string::npos);
    REQUIRE(arm.config.search.beam == 1);
  }
  REQUIRE(folders.size() == 4);
  // Axes whose paths end in the same part get their whole paths as names.
  const std::vector<Arm> types =
      expand_arms(with_axes("{encoder.type: [cnn], optimizer.type: [sgd]}"));
  REQUIRE(types[0].name == "encoder.type=cnn, optimizer.type=sgd");
}

TEST_CASE("arms share inputs unless one of them has those of a frozen network") {
  const auto share = [](const std::string& change, const EncoderConfig& encoder) {
    ExperimentConfig config;
    config.encoder = encoder;
    return same_data(config, parse_config<ExperimentConfig>(print_config(config), "test",
                                                            std::vector<std::string>{change})
                                 .config);
  };
  EncoderConfig trained, frozen;
  trained.type = frozen.type = "onnx_native";
  frozen.frozen_stages = -1;
  for (const char* change : {"encoder.frozen_stages=2", "encoder.lr=0.1", "encoder.weights=a"}) {
    CAPTURE(change);
    CHECK(share(change, trained));
    CHECK_FALSE(share(change, frozen));
  }
  CHECK_FALSE(share("encoder.frozen_stages=-1", trained));
  CHECK_FALSE(share("encoder.image_size=32", trained));
  CHECK(share("encoder.positions=learned", frozen));
  CHECK(share("decoder.hidden=8", frozen));
}

TEST_CASE("named arms are combined with all values of the axes") {
  const LoadedConfig base = comparing(
      "{arms: {plain: {}, hard (ema): {attention.selection: hard, attention.hard: {baseline: ema, "
      "lambda_r: 0.5}}}}");
  const std::vector<Arm> arms = expand_arms(base);
  REQUIRE(arms.size() == 2);
  REQUIRE(arms[0].name == "plain");
  REQUIRE(arms[0].values.empty());
  REQUIRE(arms[1].name == "hard (ema)");
  REQUIRE(arms[1].folder == "hard-ema");
  REQUIRE(arms[1].config.attention.selection == "hard");
  REQUIRE(arms[1].config.attention.hard.baseline == BaselineKind::kEma);
  REQUIRE(arms[1].values[1].second == "{baseline: ema, lambda_r: 0.5}");

  const std::vector<Arm> both =
      expand_arms(comparing("{arms: {dot: {attention.score: dot}, a/b: {attention.heads: 2}, a.b: "
                            "{attention.heads: 4}, a b: {}}, axes: {search.beam: [1, 2]}}"));
  REQUIRE(both.size() == 8);
  REQUIRE(both[1].name == "dot, beam=2");
  REQUIRE(both[1].folder == "dot-beam-2");
  REQUIRE(both[1].config.attention.score == "dot");
  REQUIRE(both[1].config.search.beam == 2);
  REQUIRE(both[1].values.size() == 2);
  std::set<std::string> folders;
  for (const Arm& arm : both) folders.insert(arm.folder);
  REQUIRE(folders.size() == 8);
}

TEST_CASE("a mistake of several arms is said once, with the arms that have it") {
  const std::vector<Arm> arms =
      expand_arms(comparing("{arms: {a: {}, b: {attention.score: dot}, "
                            "c: {attention.score: general}}}"));
  ArmMistakes wrong(arms);
  wrong.raise();
  for (const Arm& arm : arms) wrong.add(arm.name, "of all\nof all, too", ExitCode::kUsage);
  CHECK(message_of<UsageError>([&] { wrong.raise(); }) == "of all\nof all, too");
  wrong.add("a", "of two\nof one\n  with more\n  and more", ExitCode::kUsage);
  wrong.add("c", "of two", ExitCode::kData);
  wrong.add("", "of none", ExitCode::kUsage);
  try {
    wrong.raise();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::kData);
    CHECK(error.what() == std::string("of all\nof all, too\na, c: of two\n"
                                      "a: of one\n  with more\n  and more\nof none"));
  }
}

std::string refusal(const std::string& text) {
  try {
    check_arms(expand_arms(comparing(text)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("named arms that make no sense are refused with their place in the file") {
  const auto refused = [](const std::string& text, const std::string& why) {
    INFO(text << "\n" << refusal(text));
    REQUIRE(refusal(text).find(why) != std::string::npos);
  };
  refused("{arms: {a: {attention.scoer: dot}}}",
          "test:1:18: compare.arms.a: attention.scoer=dot: unknown key 'scoer' in attention "
          "(did you mean 'score'?)");
  refused("{arms: {a: {attention.score: dott}}}", "is not one of");
  refused("{arms: {a: {attention.hard: {basline: ema}}}}", "(did you mean 'baseline'?)");
  refused("{arms: {a: {seed: 2}}}", "list the seeds in compare.seeds");
  // The folder of an arm must not lie where the comparison has a file of its own.
  for (const std::string name :
       {"compare.json", "config.yaml", "lock", "report.html", "sheets", "compare.tex", "/lock/"})
    refused("{arms: {plain: {}, " + name + ": {search.beam: 2}}}",
            "which is a file of the comparison itself; give the arm another name");
  // Nor may its name be too long for a folder.
  const std::string longest(200, 'x'), values(300, '1');
  for (const std::string& name : {longest + "x", std::string(300, 'n'), longest + "/" + longest})
    refused("{arms: {plain: {}, " + name + ": {search.beam: 2}}}", "give the arm a shorter name");
  refused("{axes: {encoder.weights: [a, " + values + "]}}", "give the arm a shorter name");
  CHECK(refusal("{arms: {plain: {}, " + longest + ": {search.beam: 2}}}").empty());
  CHECK(refusal("{}\nname: " + std::string(300, 'n')).empty());
  CHECK(refusal("{arms: {locks: {}, compare json: {search.beam: 2}}}").empty());
  // A file may still give a removed key its one value, but arms cannot differ in it.
  refused("{axes: {objective.type: [cross_entropy]}}", "compare.axes: objective.type was removed");
  CHECK_THROWS_WITH(
      trials_of(expand_arms(comparing("{tune: {objective.type: [cross_entropy]}}"))[0]),
      Catch::Contains("objective.type was removed"));
  refused("{arms: {a: {compare: {seeds: [2]}}}}", "cannot differ between arms");
  refused("{arms: {a: {search.beam: 2}, b: {search: {beam: 2}}}}", "two equal arms");
  refused("{arms: {a: {search: {beam: 2}}}, axes: {search.beam: [1, 2]}}", "leave out one of them");
  // The message has one line for every arm with a mistake.
  const std::string wrong = refusal(
      "{arms: {good: {}, one: {attention.score: none, attention.heads: 2}, two: "
      "{attention.score: dot}}}");
  REQUIRE(wrong.find("one: attention.score none needs attention.heads 1") == 0);
  REQUIRE(wrong.find("\ntwo: attention.score dot compares features of width") != std::string::npos);
}

TEST_CASE(
    "an option of all arms has to be read by one of them, and an option of an arm by that arm") {
  const auto around = [](const std::string& text) {
    return parse_config<ExperimentConfig>(text, "test");
  };
  const LoadedConfig shared = around(
      "attention: {radius: 3}\ndecoder: {layers: 6}\n"
      "compare: {arms: {plain: {}, near: {attention.scope: window}, words: {decoder.type: "
      "transformer}}}");
  const std::vector<Arm> arms = expand_arms(shared);
  check_arms(arms);
  CHECK(arms[0].config.attention.radius == 2);  // the default, because nothing reads it
  CHECK(arms[1].config.attention.radius == 3);
  CHECK(arms[2].config.attention.radius == 2);
  CHECK(arms[0].config.decoder.layers == 3);
  CHECK(arms[2].config.decoder.layers == 6);

  const auto refused = [&](const std::string& text) {
    return message_of<UsageError>([&] { check_arms(expand_arms(around(text))); });
  };
  CHECK(
      refused("attention: {radius: 3}\ncompare: {arms: {a: {}, b: {attention.score: general}}}") ==
      "test:1: attention.radius has no effect: attention.scope is global; it is read where "
      "attention.scope is local_m, local_p or window");
  // An arm has to read the options that it sets, even if another arm reads them.
  CHECK_THAT(refused("compare: {arms: {a: {attention.radius: 3}, b: {attention.scope: window}}}"),
             Catch::StartsWith("test:1:18: compare.arms.a: attention.radius has no effect"));
  CHECK(refused("compare: {axes: {attention.selection: [soft, hard], attention.hard.samples: [2]}}")
            .find("attention.hard.samples has no effect") != std::string::npos);
}

TEST_CASE("an option around the arms that the choices of all arms leave unread is refused") {
  const auto refused = [](const std::string& text, const std::vector<std::string>& overrides = {}) {
    return message_of<UsageError>(
        [&] { check_arms(expand_arms(parse_config<ExperimentConfig>(text, "test", overrides))); });
  };
  const std::string arms = "compare: {arms: {a: {decoder.type: gru}, b: {decoder.type: luong}}}";
  const std::string why =
      "decoder.layers has no effect: no arm reads it; it is read where decoder.type is transformer";
  CHECK(refused("decoder: {layers: 6}\n" + arms) == "test:1: " + why);
  CHECK(refused("decoder: {layers: 6, type: transformer}\n" + arms) == "test:1: " + why);
  CHECK(refused(arms, {"decoder.layers=6"}) == "command line: " + why);
  // One arm makes a choice, and the other has that of the config: neither reads the option.
  CHECK_THAT(refused("decoder: {layers: 6}\ncompare: {arms: {a: {decoder.type: gru}, b: {}}}"),
             Catch::Matchers::Contains(why));
  CHECK_THAT(refused("decoder: {layers: 6}\ncompare: {axes: {decoder.type: [gru, luong]}}"),
             Catch::Matchers::Contains(why));
  // The default changes nothing, and one arm that reads an option is enough.
  CHECK(refused("decoder: {layers: 3}\n" + arms).empty());
  CHECK(refused("decoder: {layers: 6}\ncompare: {axes: {decoder.type: [gru, transformer], "
                "attention.gate: [none]}}")
            .empty());
  // What a choice above the arms leaves unread was inherited with them.
  CHECK(refused("decoder: {layers: 6, type: transformer}\ncompare: {arms: {a: {attention.gate: "
                "none}, b: {decoder.type: gru}}}",
                {"decoder.type=luong"})
            .empty());
  // So is what a file below sets.
  const TempFolder folder("idle-arms");
  folder.write("base.yaml", "decoder: {type: transformer, layers: 6}");
  const auto file = folder.write("arms.yaml", "base: base.yaml\n" + arms);
  const std::vector<Arm> inherited = expand_arms(load_config<ExperimentConfig>(file));
  check_arms(inherited);
  CHECK(inherited[0].config.decoder.layers == 3);
}

TEST_CASE("axes that make no sense are refused before anything is trained") {
  for (const char* axes :
       {"{seed: [1, 2]}", "{name: [a]}", "{compare.seeds: [[1]]}", "{attention.selction: [soft]}",
        "{attention.selection: [sotf]}", "{optimizer.lr: [-1]}", "{search.beam: [2, 2]}"}) {
    INFO(axes);
    REQUIRE_THROWS_AS(expand_arms(with_axes(axes)), UsageError);
  }
}

TEST_CASE("arms start from the same weights, except those that only one of them has") {
  LoadedConfig base =
      with_axes("{attention.selection: [soft, hard], attention.gate: [none, scalar]}");
  base.config.encoder.image_size = 32;
  base.config.encoder.channels = {4, 4, 4, 8};
  base.config.decoder = {.hidden = 12, .embedding = 6, .dropout = 0, .init_hidden = 6};
  const std::vector<Arm> arms = expand_arms(base);
  const CaptionModel first(arms[0].config, Vocabulary(), {});
  for (const Arm& arm : arms) {
    const CaptionModel other(arm.config, Vocabulary(), {});
    std::size_t shared = 0;
    for (const ParameterInfo& info : first.parameters().infos()) {
      const int at = other.parameters().find(info.name);
      if (at < 0) continue;
      const auto a = first.parameters().value(first.parameters().find(info.name)).span();
      const auto b = other.parameters().value(at).span();
      REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      ++shared;
    }
    REQUIRE(shared == first.parameters().count());
  }
}

TEST_CASE("the trials of an arm are the arm with every combination of the tuned values") {
  const std::vector<Arm> arms = expand_arms(
      comparing("{arms: {soft: {}, hard: {attention.selection: hard}}, tune: {optimizer.lr: [1e-3, "
                "3e-3], decoder.dropout: [0, 0.5]}, tune_stop: 2e}"));
  const std::vector<Arm> trials = trials_of(arms[1]);
  REQUIRE(trials.size() == 4);
  REQUIRE(trials[1].name == "hard: lr=1e-3, dropout=0.5");
  REQUIRE(trials[1].folder == "hard/tune/lr-1e-3-dropout-0.5");
  REQUIRE(trials[1].config.attention.selection == "hard");
  REQUIRE(trials[1].config.decoder.dropout == 0.5);
  REQUIRE(trials[1].config.train.stop == epochs(2));

  const Arm tuned = tuned_arm(arms[1], trials[3]);
  REQUIRE(tuned.name == "hard");
  REQUIRE(tuned.folder == "hard");
  REQUIRE(tuned.config.optimizer.lr == 3e-3);
  REQUIRE(tuned.config.train.stop == arms[1].config.train.stop);
  REQUIRE(tuned.values.size() == 3);
  REQUIRE(trials_of(expand_arms(comparing("{arms: {a: {}}}"))[0]).empty());

  const Arm own = expand_arms(
      comparing("{arms: {a: {optimizer: {lr: 1e-2}}}, tune: {optimizer.lr: [1e-3]}}"))[0];
  REQUIRE_THROWS_AS(trials_of(own), UsageError);
}

TEST_CASE("the best trial is the one with the best score among those that have a score") {
  const double none = std::nan("");
  const auto scored = [](std::vector<double> scores) {
    std::vector<Trial> trials;
    for (const double score : scores) trials.push_back({.values = {}, .score = score, .error = {}});
    return trials;
  };
  REQUIRE(best_trial(scored({0.1, none, 0.3, 0.3}), "Bleu_4") == 2u);
  REQUIRE(best_trial(scored({none, 2, 1}), "loss") == 2u);
  REQUIRE(!best_trial(scored({none}), "Bleu_4"));
}

TEST_CASE("finished runs are one arm where their files hold the same, wherever the files are") {
  using Catch::Matchers::Contains;
  std::int64_t seed = 0;
  const auto run = [&](const std::vector<std::string>& overrides, const DataIdentity& data) {
    FinishedRun out;
    out.directory = str("runs/", ++seed);
    out.config = parse_config<ExperimentConfig>(
                     "{name: photos, data: {type: folder, images: a}, encoder: {type: "
                     "onnx_native, frozen_stages: -1, model: a.onnx, layer: last}}",
                     "test", overrides)
                     .config;
    out.config.seed = seed;
    out.data = data;
    return out;
  };
  const DataIdentity same{.name = "folder", .digest = "1", .encoder = "2"};
  const auto count = [&](const std::vector<std::string>& overrides, const DataIdentity& data) {
    return group_runs({run({}, same), run(overrides, data)}).size();
  };
  const std::vector<std::string> moved{"data.images=b", "data.annotations=b.csv",
                                       "encoder.model=b.onnx"};
  CHECK(count({}, same) == 1);
  CHECK(count(moved, same) == 1);
  // Where the files hold other things, the places are named among the differences.
  CHECK(count(moved, {.name = "folder", .digest = "3", .encoder = "2"}) == 2);
  CHECK(count(moved, {.name = "folder", .digest = "1", .encoder = "3"}) == 2);
  const std::vector<RunGroup> others =
      group_runs({run({}, same), run(moved, {.name = "folder", .digest = "1", .encoder = "3"})});
  CHECK_THAT(arm_differences(others), Contains("encoder.model is b.onnx, not a.onnx"));
  // Other values are settings.
  const std::vector<RunGroup> settings =
      group_runs({run({}, same), run({"data.images=b", "attention.hidden=9"}, same)});
  REQUIRE(settings.size() == 2);
  CHECK_THAT(arm_differences(settings),
             Contains("attention.hidden is 9") && !Contains("data.images"));
  // An option that a run does not read is no setting of it: an LSTM has no layers of a decoder, and
  // soft attention draws nothing.
  CHECK(count({"decoder.layers=7"}, same) == 1);
  CHECK(count({"attention.selection=hard", "decoder.layers=7"}, same) == 2);
  const std::vector<RunGroup> decoders =
      group_runs({run({"decoder.type=transformer", "decoder.layers=2"}, same),
                  run({"attention.heads=2"}, same)});
  REQUIRE(decoders.size() == 2);
  CHECK_THAT(arm_differences(decoders), Contains("decoder.type is lstm, not transformer") &&
                                            Contains("attention.heads is 2") &&
                                            !Contains("decoder.layers"));
  // No checkpoint has a digest of boxes, nor of the weights with which an encoder starts.
  CHECK(count({"data.boxes=b.json"}, same) == 2);
  const DataIdentity trained{.name = "folder", .digest = "1", .encoder = ""};
  const std::vector<std::string> native{"encoder.frozen_stages=0"},
      other_file{"encoder.frozen_stages=0", "encoder.model=b.onnx"};
  CHECK(group_runs({run(native, trained), run(native, trained)}).size() == 1);
  CHECK(group_runs({run(native, trained), run(other_file, trained)}).size() == 2);
}

}  // namespace
}  // namespace saccade::test
