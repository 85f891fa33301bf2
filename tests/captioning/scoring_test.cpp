// Files of references and results, and all metrics together.
#include <nlohmann/json.hpp>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/scores/human.h"
#include "captioning/scoring/scores/judgements.h"
#include "captioning/scoring/scores/score_report.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

const char* const kCoco = R"({"images": [{"id": 30, "file_name": "b.jpg"}, {"id": 7}],
  "annotations": [{"id": 1, "image_id": 7, "caption": "A red kite."},
                  {"id": 2, "image_id": 30, "caption": "Two boats, one sail"},
                  {"id": 3, "image_id": 7, "caption": "a kite flies"}]})";

std::map<std::string, double> as_map(const std::vector<std::pair<std::string, double>>& scores) {
  return {scores.begin(), scores.end()};
}

}  // namespace

// caption_forms_test.cpp reads every form.
TEST_CASE("references of one split are read, and broken ones are refused") {
  const test::TempFolder folder("scoring");
  const std::string karpathy = folder.write("karpathy.json", R"({"images": [
    {"filename": "a.jpg", "imgid": 0, "split": "val", "sentences": [{"raw": "One."}]},
    {"filename": "b.jpg", "imgid": 1, "split": "restval", "sentences": [{"raw": "Two."}]}]})");
  CHECK(read_references(karpathy).images.size() == 2);
  const auto train = read_references(karpathy, Split::kTrain);
  REQUIRE(train.images.size() == 1);
  CHECK(train.images[0].id.name == "b.jpg");
  CHECK_THROWS_WITH(read_references(karpathy, Split::kTest), Contains("right split"));
  const auto val = read_references(
      folder.write("captions.csv",
                   "image,caption,split\na.jpg,\"one, two\",train\nb.jpg,three,val\n"),
      Split::kVal);
  REQUIRE(val.images.size() == 1);
  CHECK(val.images[0].id.name == "b.jpg");

  for (const char* broken :
       {R"({"images": [{"id": 1}], "annotations": []})", R"({"images": [], "annotations": []})",
        R"({"images": [{"id": 1}, {"id": 1}], "annotations": []})",
        R"({"images": [{"id": 1.5}], "annotations": [{"image_id": 1.5, "caption": "x"}]})",
        R"({"images": [{"id": "x"}], "annotations": []})", R"({"images": [)", "",
        "a.jpg#0\tone\nno tab here\n"}) {
    INFO(broken);
    CHECK_THROWS_AS(read_references(folder.write("broken", broken)), DataError);
  }
}

TEST_CASE("ids are whole numbers in any notation") {
  const test::TempFolder folder("scoring");
  const auto read = [&](const std::string& id) {
    return read_references(folder.write("ids.json", R"({"images": [{"id": )" + id +
                                                        R"(}], "annotations": [{"image_id": )" +
                                                        id + R"(, "caption": "x"}]})"),
                           std::nullopt);
  };
  CHECK(read("7.0").images[0].id.number == 7);
  CHECK(read("-9007199254740991.0").images[0].id.number == -9007199254740991);
  CHECK_THROWS_WITH(read("7.5"), Contains("ids.json: images[0].id: expected an integer, without a "
                                          "fraction and without quotes; got number 7.5"));
  CHECK(read("\"7\"").images[0].id.number == 7);
  CHECK_THROWS_WITH(read("\"seven\""), Contains("expected a whole number; got 'seven'"));
  CHECK_THROWS_AS(read("1e300"), DataError);
}

TEST_CASE("image names match with and without folders, in every form") {
  const test::TempFolder folder("scoring");
  const auto references = read_references(
      folder.write("refs.json", R"({"images": [{"id": 1, "file_name": "train/b.jpg"},
        {"id": 2, "file_name": "train/c.jpg"}, {"id": 3, "file_name": "val/c.jpg"}],
        "annotations": [{"image_id": 1, "caption": "x"}, {"image_id": 2, "caption": "x"},
                        {"image_id": 3, "caption": "x"}]})"),
      std::nullopt);
  for (const std::string name : {"b.jpg", "train/b.jpg", "/far/b.jpg"}) {
    INFO(name);
    for (const std::string& text : {name + "\tboats\n", name + "#0\tboats\n",
                                    R"([{"caption": "boats", "image": ")" + name + "\"}]"}) {
      const auto results = read_results(folder.write("results", text));
      CHECK(match(references, results).images == std::vector<std::size_t>{0});
    }
    const auto judged = folder.write("judged.csv", "image,caption,score\n" + name + ",boats,1\n");
    CHECK_NOTHROW(score_judgements(references, read_judgements(judged).captions, {}));
  }
  const ImageIndex index(references);
  const auto find = [&](const char* name) { return index.find({.name = name}); };
  CHECK(find("val/c.jpg") == 2);
  CHECK_FALSE(find("c.jpg"));  // two images have it
  CHECK_FALSE(find("d.jpg"));
}

TEST_CASE("CSV is recognised by its first line, as references and as results") {
  const test::TempFolder folder("scoring");
  const std::string csv = "image,caption\nb.jpg,Two boats\nb.jpg,Boats\nc.jpg,\"A cat, a shelf\"\n";
  for (const char* name : {"captions.csv", "captions.txt"}) {
    const auto references = read_references(folder.write(name, csv));
    REQUIRE(references.images.size() == 2);
    CHECK(references.images[1].id.name == "c.jpg");
    CHECK(references.images[0].captions.size() == 2);
  }
  const auto references = read_references(folder.write("refs.csv", csv));
  const auto results = read_results(folder.write("r.csv", "caption,image\na shelf,./c.jpg\n"));
  const auto matched = match(references, results);
  CHECK(matched.images == std::vector<std::size_t>{1});
  CHECK(matched.candidates == std::vector<std::string>{"a shelf"});
  CHECK(references.notes.empty());  // no split is asked for, so none is made
  // The split that is made is that of the data set.
  std::string many = "image,caption\n";
  for (int i = 0; i < 100; ++i) many += str(i, ".jpg,A dog\n");
  const auto val = read_references(folder.write("many.csv", many), Split::kVal);
  CHECK((val.images.size() > 2 && val.images.size() < 30));
  CHECK(val.notes.size() == 1);
}

TEST_CASE("a name beside a number decides where references have names") {
  const test::TempFolder folder("scoring");
  const auto results = read_results(
      folder.write("r.json", R"([{"image_id": 1, "image": "c.jpg", "caption": "x"}])"));
  const auto named =
      read_references(folder.write("refs.csv", "image,caption\na.jpg,x\nb.jpg,x\nc.jpg,x\n"));
  CHECK(match(named, results).images == std::vector<std::size_t>{2});
  const auto other =
      read_references(folder.write("other.csv", "image,caption\nd.jpg,x\ne.jpg,x\n"));
  CHECK_THROWS_WITH(match(other, results), Contains("unknown: c.jpg"));
  const auto numbered = read_references(folder.write("refs.json", R"({"images": [{"id": 1}],
        "annotations": [{"image_id": 1, "caption": "x"}]})"),
                                        std::nullopt);
  CHECK(match(numbered, results).images == std::vector<std::size_t>{0});
}

TEST_CASE("references and results in the wrong order are recognised") {
  const test::TempFolder folder("scoring");
  const auto results = folder.write("r.json", R"([{"image_id": 7, "caption": "x"}])");
  const auto references = folder.write("refs.json", R"({"images": [{"id": 7}], "annotations": [
    {"image_id": 7, "caption": "x"}, {"image_id": 7, "caption": "y"}]})");
  CHECK_THROWS_WITH(match(read_references(results), read_results(references)),
                    Contains("1 image with several captions: 7; were the two files named in the "
                             "wrong order?"));
}

TEST_CASE("long lists of images are cut") {
  const test::TempFolder folder("scoring");
  const auto references = read_references(folder.write("coco.json", kCoco));
  std::string many;
  for (int i = 100; i < 169; ++i)
    many += str(many.empty() ? "[" : ",", R"({"image_id":)", i, R"(,"caption":"x"})");
  CHECK_THROWS_WITH(match(references, read_results(folder.write("many.json", many + "]"))),
                    Contains("69 captions of images that are unknown: 100, 101, 102 and 66 more"));
}

TEST_CASE("results are matched to images by number, by name or by order") {
  const test::TempFolder folder("scoring");
  const auto references = read_references(folder.write("coco.json", kCoco));
  const auto matched = [&](const std::string& text) {
    return match(references, read_results(folder.write("results", text)));
  };
  const auto numbers = matched(R"([{"image_id": 7, "caption": "kite"},
                                   {"image_id": 30, "caption": "boats"}])");
  CHECK(numbers.candidates == std::vector<std::string>{"boats", "kite"});
  CHECK(numbers.references[1].size() == 2);
  CHECK(numbers.notes.empty());
  CHECK(matched(R"([{"image_id": "b.jpg", "caption": "boats"}])").candidates[0] == "boats");
  CHECK(matched(R"([{"image": "/far/b.jpg", "caption": "boats"}])").candidates[0] == "boats");
  CHECK(matched("b.jpg\tboats\n").candidates[0] == "boats");
  CHECK(matched("b.jpg#0\tboats\n").candidates[0] == "boats");
  CHECK(matched("boats\nkite\n").candidates == numbers.candidates);

  const auto notes = matched("[{\"image_id\": 7, \"caption\": \".\\r - !\"}]").notes;
  REQUIRE(notes.size() == 3);
  CHECK_THAT(notes[0], Contains("1 image has no caption and is not scored: b.jpg"));
  CHECK_THAT(notes[1], Contains("1 caption without a word: 7"));
  CHECK_THAT(notes[2], Contains("results: 1 caption holds line ends"));
  CHECK(references.notes.empty());
  const auto odd = read_references(folder.write("odd.txt", "a\vb\tc\u2028d\te\nf\u0085g\n"), {});
  REQUIRE(odd.notes.size() == 1);
  CHECK_THAT(odd.notes[0], Contains("odd.txt: 3 captions hold line ends"));
  CHECK(match(odd, read_results(folder.write("two.txt", "x\ny\n"))).notes.empty());

  CHECK_THROWS_WITH(matched(R"([{"image_id": 7, "caption": "a"}, {"image_id": 7, "caption": "b"},
                                {"image_id": 8, "caption": "c"}, {"image_id": 9, "caption": ""}])"),
                    Contains("2 captions of images that are unknown: 8, 9") &&
                        Contains("1 image with several captions: 7"));
  CHECK_THROWS_WITH(matched("one\ntwo\nthree\n"),
                    Contains("has 3 captions") && Contains("2 images"));
  CHECK_THROWS_WITH(matched(R"([{"image_id": 7.5, "caption": "a"}])"), Contains("[0].image_id"));
  CHECK_THROWS_WITH(matched(R"([{"image_id": 7}])"), Contains("'caption' is missing"));
  CHECK_THROWS_WITH(matched("one\nb.jpg\ttwo\n"), Contains(":1: names no image before a tab"));
  CHECK_THROWS_WITH(matched("b.jpg\ttwo\none\n"), Contains(":2: names no image"));
  CHECK_THROWS_AS(read_references(folder.write("coco.json", kCoco), Split::kVal), UsageError);
  const auto tokens = read_references(folder.write("t.txt", "a.jpg#0\tOne\n"));
  const auto by_place = folder.write("p.json", R"([{"image_id": 1, "caption": "x"}])");
  CHECK_THROWS_WITH(match(tokens, read_results(by_place)), Contains("unknown: 1"));
  CHECK_THROWS_WITH(matched("[]"), Contains("there is no caption"));
  CHECK_THROWS_WITH(matched("[{\"image_id\": 7, \"caption\": \"\xFF\"}]"), Contains("broken JSON"));
  CHECK_THROWS_WITH(matched("a\xFF\nb\n"), Contains("UTF-8"));
}

TEST_CASE("all metrics of a small corpus") {
  const std::vector<std::string> candidates = {"A dog runs.", "two cats sit on a mat", ""};
  const std::vector<std::vector<std::string>> references = {
      {"a dog runs", "The dog ran!"}, {"Two cats on the mat", "cats"}, {"nothing to see"}};
  const Meteor meteor;
  const CaptionScores scores = score_captions(candidates, references, {.meteor = &meteor});
  CHECK(scores.words[0] == Words{"a", "dog", "runs"});
  std::vector<std::string> names;
  for (const auto& [name, value] : scores.corpus()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR",
                                          "ROUGE_L", "CIDEr", "CIDEr_plain", "Bleu_1_no_bp",
                                          "Bleu_2_no_bp", "Bleu_3_no_bp", "Bleu_4_no_bp"});
  const auto corpus = as_map(scores.corpus());
  // 3 of 3 and 4 of 6 words are correct.
  CHECK(std::abs(corpus.at("Bleu_1_no_bp") - 7.0 / 9) < 1e-9);
  CHECK(scores.of_image(4, 0) > 0.99);
  for (std::size_t m = 0; m < 8; ++m) CHECK(scores.of_image(m, 2) == 0);
  CHECK(std::abs(corpus.at("ROUGE_L") -
                 (scores.of_image(5, 0) + scores.of_image(5, 1) + scores.of_image(5, 2)) / 3) <
        1e-12);
  const auto captions = as_map(caption_statistics(scores));
  CHECK(captions.at("mean_length") == 3);
  CHECK(std::abs(captions.at("length_sd") - std::sqrt(6)) < 1e-12);
  CHECK(captions.at("vocabulary_used") == 8);
  CHECK(captions.at("unique_captions") == 1);

  const auto json = nlohmann::json::parse(
      score_json({.scores = &scores, .meteor_tables = meteor.tables(), .intervals = {}}));
  CHECK(json.at("schema_version") == 1);
  CHECK(json.at("n_images") == 3);
  CHECK(json.at("corpus").at("CIDEr") == corpus.at("CIDEr"));
}

TEST_CASE("scores that can say little are marked, with the reason") {
  using Texts = std::vector<std::string>;
  const auto marks_of = [](const Texts& candidates, const std::vector<Texts>& references) {
    const CaptionScores scores = score_captions(candidates, references, {});
    const std::string table = score_table({.scores = &scores});
    const auto json = nlohmann::json::parse(score_json({.scores = &scores}));
    std::map<std::string, std::string> out;
    for (const ScoreMark& mark : scores.marks)
      for (const std::string& metric : mark.metrics) {
        out[metric] = mark.reason;
        CHECK_THAT(table, Contains(mark.reason));
      }
    CHECK(json.value("marks", nlohmann::json::array()).size() == scores.marks.size());
    CHECK((table.find("CIDEr *") != std::string::npos) == (out.count("CIDEr") > 0));
    return out;
  };
  const auto corpus = [](std::size_t images, const std::string& text) {
    std::pair<Texts, std::vector<Texts>> out;
    for (std::size_t i = 0; i < images; ++i) {
      out.first.push_back(str(text, " ", i));
      out.second.push_back({str(text, " ", i), "nothing else"});
    }
    return out;
  };
  for (const std::size_t images : {1U, 2U, 5U, 99U}) {
    const auto [candidates, references] = corpus(images, "a man rides a wave");
    auto marks = marks_of(candidates, references);
    CHECK(marks.size() == 2);
    CHECK_THAT(marks["CIDEr"], Contains(images == 1 ? "0 whatever the caption" : "fewer than 100"));
    CHECK(marks["CIDEr_plain"] == marks["CIDEr"]);
  }
  const auto [many, known] = corpus(100, "a man rides a wave");
  CHECK(marks_of(many, known).empty());
  // Captions without a 4-gram, and those whose 4-grams no reference has.
  const auto [brief, brief_references] = corpus(100, "two dogs");
  auto marks = marks_of(brief, brief_references);
  CHECK(marks.size() == 2);
  CHECK_THAT(marks["Bleu_4"], Contains("no caption has 4 words"));
  CHECK(marks["Bleu_4_no_bp"] == marks["Bleu_4"]);
  marks = marks_of(Texts(100, "dogs run on a hill"), std::vector<Texts>(100, {"a dog runs on a"}));
  CHECK(marks.size() == 4);
  CHECK_THAT(marks["Bleu_3"], Contains("no 3-gram of the captions is in a reference"));
  CHECK(marks["Bleu_4"] == marks["Bleu_3"]);
  marks = marks_of(Texts(100, "..."), std::vector<Texts>(100, {"a dog"}));
  CHECK_THAT(marks["Bleu_1"], Contains("no caption has a word"));
  // People among each other, too.
  CaptionFile people{.path = "people", .form = "", .in_order = true};
  people.images = {{.captions = {"a dog runs", "a dog"}}, {.captions = {"a cat", "the cat sits"}}};
  CHECK_THAT(human_table(score_humans(people, {})),
             Contains("* CIDEr, CIDEr without D: it weighs"));
}

TEST_CASE("scores have the same bits for any number of threads") {
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> references;
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i % 13);
    candidates.push_back("a man with " + n + " running dogs near water");
    references.push_back({"the man runs with " + n + " dogs", "people near a lake, running"});
  }
  const Meteor meteor;
  test::same_for_threads(
      [&] { return score_captions(candidates, references, {.meteor = &meteor}).corpus(); });
}

TEST_CASE("captions of people are scored against each other") {
  const test::TempFolder folder("scoring");
  const auto references = read_references(
      folder.write("plain.txt", "a red kite\ta red kite\talone\nonly one\nb c\tb c\n"),
      std::nullopt);
  const HumanScores scores = score_humans(references, {});
  CHECK(scores.images == 2);
  CHECK(scores.left_out == 1);
  CHECK(scores.annotators == 2);
  CHECK(std::abs(as_map(scores.mean).at("ROUGE_L") - 1) < 1e-12);
  CHECK(as_map(scores.deviation).at("ROUGE_L") == 0);
  const auto single = read_references(folder.write("single.txt", "a\nb\n"));
  CHECK_THROWS_WITH(score_humans(single, {}), Contains("no image has two references"));
}

TEST_CASE("judgements are compared with the scores of each caption") {
  const test::TempFolder folder("scoring");
  const auto references = read_references(folder.write("coco.json", kCoco));
  const auto agreement = [&](const std::string& csv) {
    return score_judgements(references, read_judgements(folder.write("judged.csv", csv)).captions,
                            {});
  };
  // Better captions have better scores, so all pairs agree.
  const Agreement tau = agreement(
      "image,caption,score\n7,a red kite,4\n7,a red dog,3\nb.jpg,\"boats, sail\",2\n7,zebra,1\n");
  CHECK(tau.judgements == 4);
  CHECK(tau.images == 2);
  const auto rouge =
      std::find_if(tau.metrics.begin(), tau.metrics.end(),
                   [](const MetricAgreement& one) { return one.metric == "ROUGE_L"; });
  REQUIRE(rouge != tau.metrics.end());
  REQUIRE(rouge->tau_b);
  CHECK(*rouge->tau_b == 1);
  // Of two images that say the opposite, half of the samples have both, whose tau is in between.
  const auto opposite = read_judgements(
      folder.write("judged.csv",
                   "image,caption,score\n7,a red kite,4\n7,a red dog,3\nb.jpg,two boats,1\n"
                   "b.jpg,zebra,2\n"));
  const Agreement between =
      score_judgements(references, opposite.captions, {}, {.replicates = 400, .level = 0.4});
  const Interval tau_b =
      between.metrics[static_cast<std::size_t>(rouge - tau.metrics.begin())].tau_b_interval;
  CHECK(tau_b.low > -1);
  CHECK(tau_b.high < 1);
  CHECK_THROWS_WITH(agreement("image,caption\n7,x\n"), Contains("'score' is missing"));
  CHECK_THROWS_WITH(agreement("image,caption,score\n7,x,good\n"), Contains("judged.csv:2"));
  CHECK_THROWS_WITH(agreement("image,caption,score\n8,x,1\n"), Contains("no image 8"));
}

TEST_CASE("three equal judgements of an image say no more than one") {
  const test::TempFolder folder("scoring");
  std::string references, once, thrice;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    references += name + "#0\tnumber " + std::to_string(i) + " of many dogs on grass\n";
    std::string caption = name + ",number";
    for (int w = 0; w < i % 5; ++w)
      caption += std::vector{" of", " many", " dogs", " on"}[std::size_t(w)];
    const std::string line = caption + "," + std::to_string((i % 5 + i % 3) % 5) + "\n";
    once += line;
    thrice += line + line + line;
  }
  const auto file = read_references(folder.write("tokens.txt", references), std::nullopt);
  const auto agreement = [&](const std::string& lines) {
    const auto path = folder.write("judged.csv", "image,caption,score\n" + lines);
    return score_judgements(file, read_judgements(path).captions, {});
  };
  const Agreement one = agreement(once), three = agreement(thrice);
  CHECK(one.images == 40);
  CHECK(three.images == 40);
  CHECK(three.judgements == 120);
  const auto rouge = [](const Agreement& of) {
    return *std::find_if(of.metrics.begin(), of.metrics.end(),
                         [](const MetricAgreement& metric) { return metric.metric == "ROUGE_L"; });
  };
  CHECK(*rouge(one).tau_b == Approx(*rouge(three).tau_b));
  CHECK(rouge(one).tau_b_interval.low < *rouge(one).tau_b);
  CHECK(rouge(one).tau_b_interval.low == Approx(rouge(three).tau_b_interval.low));
  CHECK(rouge(one).tau_b_interval.high == Approx(rouge(three).tau_b_interval.high));
  // Williams' test counts images, too: nothing is surer of three times as many judgements.
  for (std::size_t m = 0; m < one.metrics.size(); ++m) {
    if (std::isnan(one.metrics[m].p_williams)) continue;
    CHECK(one.metrics[m].p_williams > 0);
    CHECK(one.metrics[m].p_williams <= 1);
  }
  CHECK(!one.best.empty());
}

}  // namespace saccade
