// METEOR by hand: normaliser, words, tables and scores.
#include "captioning/scoring/metrics/meteor/meteor.h"

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/meteor/gzip.h"
#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/metrics/meteor/synonyms.h"
#include "captioning/scoring/metrics/meteor/text_normalizer.h"
#include "captioning/scoring/metrics/meteor/word_table.h"
#include "captioning/scoring/metrics/meteor/wordnet/builtin_table.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"

namespace saccade::meteor_test {
namespace {

using test::message_of;

bool near(double a, double b) { return std::abs(a - b) <= 1e-12; }

const Meteor& meteor_of_words() {
  static const Meteor meteor;
  return meteor;
}

MeteorSegment score(const std::string& hypothesis, const std::vector<std::string>& references,
                    const Meteor& meteor = meteor_of_words()) {
  return meteor.score(hypothesis, references);
}

std::vector<std::string> lower_words(const std::string& line) {
  std::string text;
  std::vector<std::string_view> words;
  meteor::split_normalized(line, text, words);
  return {words.begin(), words.end()};
}

bool share(const meteor::Synonyms& synonyms, std::string_view a, std::string_view b) {
  const auto ours = synonyms.synsets(a), theirs = synonyms.synsets(b);
  return std::find_first_of(ours.begin(), ours.end(), theirs.begin(), theirs.end()) != ours.end();
}

}  // namespace

TEST_CASE("METEOR's normaliser, step by step") {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"two kites fly", "two kites fly"},
      {"  wide\t gaps ", "wide gaps"},
      {"", ""},
      {"kite#2 (red) 50%", "kite # 2 ( red ) 50 %"},
      {"na\u00EFve \u03B1\u03B2",
       "na\u00EFve \u03B1 \u03B2"},  // Greek letters do not count as letters
      {"so ... well..then", "so ... well .. then"},
      {"1,000 owls,kites 3,x y,4", "1,000 owls , kites 3 , x y , 4"},
      {"``big'' \u201Cold\u201D", "\" big \" \" old \""},
      {"a -- b \u2013 c ----", "a - b - c --"},
      {"x-y-z off-road -5", "x y-z off road -5"},  // a match uses up its letters
      {"the boy 's kite was n't", "the boy ' s kite was n 't"},
      {"rock'n'roll '80s 80's 5'b", "rock 'n'roll ' 80s 80 's 5'b"},
      {"u.k. p.m. a.b 3.5", "uk pm a.b 3.5"},
      {"rust. and rust. Red rust.", "rust. and rust . Red rust ."},
      {"Mr. Owl vs. Kite pp. 7 pp. Seven", "Mr. Owl vs. Kite pp. 7 pp . Seven"},
      {"3\u00A01/2", "3 1 / 2"},
  };
  for (const auto& [in, out] : lines) {
    INFO(in);
    CHECK(meteor::normalize(in) == out);
  }
  CHECK(lower_words("A Red KITE") == std::vector<std::string>{"a", "red", "kite"});
  CHECK(lower_words("\u00C9T\u00C9 \u0130") ==
        std::vector<std::string>{"\u00E9t\u00E9", "i\u0307"});
}

TEST_CASE("words are compared by Java's hash") {
  CHECK(meteor::java_hash("") == 0);
  CHECK(meteor::java_hash("Aa") == 2112);
  CHECK(meteor::java_hash("BB") == 2112);
  CHECK(meteor::java_hash("\U0001F600") == 31 * 0xD83D + 0xDE00);
  // 97 * 31 + 233 = 101 * 31 + 109, so METEOR takes these two for one word.
  CHECK(score("em", {"a\u00E9"}).score == 1);
  meteor::WordTable words(nullptr);
  CHECK(words.id("kite") == words.id("kite"));
  CHECK(words.id("kites") != words.id("kite"));
  CHECK(words[words.id("kites")].stem == words[words.id("kite")].stem);
  CHECK(words[words.id("the")].function);
  CHECK(!words[words.id("kite")].function);
}

TEST_CASE("synonyms share a synset directly or through their base forms") {
  const meteor::Synonyms synonyms;
  CHECK(share(synonyms, "car", "automobile"));
  CHECK(share(synonyms, "cars", "automobiles"));  // by the rules for endings
  CHECK(share(synonyms, "geese", "goose"));       // by the list of exceptions
  CHECK(share(synonyms, "went", "go"));
  CHECK(share(synonyms, "standing", "down"));  // one offset, in two parts of speech
  CHECK(!share(synonyms, "car", "kite"));
  CHECK(synonyms.synsets("xyzzy").empty());
  CHECK(synonyms.synsets("").empty());
  const auto dog = synonyms.synsets("dog");
  CHECK(std::find(dog.begin(), dog.end(), 2084071U) != dog.end());
  CHECK(std::is_sorted(dog.begin(), dog.end()));
  CHECK(synonyms.name().starts_with("WordNet 3.0 ("));
}

TEST_CASE("another synonym table, and broken ones") {
  const test::TempFolder folder("meteor-synonyms");
  const auto file = folder.write("table.txt", "kite 7\nkites =kite\nowl 8 9\npass 7\nrayed 7\n");
  const meteor::Synonyms synonyms(file);
  CHECK(synonyms.synsets("kites") == std::vector<std::uint32_t>{7});
  CHECK(synonyms.synsets("owls") == std::vector<std::uint32_t>{8, 9});
  CHECK(synonyms.synsets("kit").empty());
  CHECK(synonyms.name().starts_with(file.string()));
  const Meteor meteor({.stem = false, .synonym = true, .synonyms = file, .paraphrases = {}});
  CHECK(score("rayed", {"kite"}, meteor).stats.matched_content[2].hypothesis == 1);
  CHECK(meteor.tables() == "METEOR 1.5 en: exact, synonym " + synonyms.name() +
                               ", no paraphrases: lower than coco-caption's METEOR, whose table "
                               "comes with pip install pycocoevalcap");

  const auto unsorted = folder.write("unsorted.txt", "owl 8\nkite 7\n");
  CHECK(message_of<DataError>([&] { meteor::Synonyms{unsorted}; }).find("unsorted.txt:2") !=
        std::string::npos);
  CHECK_THROWS_AS(meteor::Synonyms(folder / "none"), DataError);
  const std::string whole(meteor::builtin_table());
  const auto cut = folder.write("cut.gz", whole.substr(0, whole.size() / 2));
  CHECK_THROWS_AS(meteor::Synonyms(cut), DataError);
  std::string damaged = whole;
  for (std::size_t i = 1000; i < 1100; ++i) damaged[i] = '!';
  CHECK_THROWS_AS(meteor::inflate_gzip(damaged, "x"), DataError);
  CHECK_THROWS_AS(meteor::Paraphrases::open(cut), DataError);
}

TEST_CASE("gzip gives the same line by line and at once") {
  const test::TempFolder folder("meteor-gzip");
  const std::string whole(meteor::builtin_table());
  meteor::GzipLines lines(folder.write("table.gz", whole).string());
  std::string text;
  while (const auto line = lines.next()) text.append(*line) += '\n';
  CHECK(text == meteor::inflate_gzip(whole, "x"));
  CHECK(lines.where().ends_with("table.gz:88086"));
  meteor::GzipLines plain(folder.write("plain.txt", "a\r\n\nb").string());
  CHECK(*plain.next() == "a");
  CHECK(plain.next()->empty());
  CHECK(*plain.next() == "b");
  CHECK(!plain.next());
}

TEST_CASE("matches are weighted by their module") {
  const Meteor stems({.stem = true, .synonym = false, .synonyms = {}, .paraphrases = {}});
  const MeteorSegment stem = score("kites run", {"kite runs"}, stems);
  CHECK(stem.stats.matched_content[1] == MeteorStats::Sides{2, 2});
  CHECK(near(stem.score, 0.6));
  const MeteorSegment synonym = score("automobile", {"car"});
  CHECK(synonym.stats.matched_content[2] == MeteorStats::Sides{1, 1});
  CHECK(near(synonym.score, 0.8));
  CHECK(score("automobile", {"car"}, stems).score == 0);
}

TEST_CASE("paraphrases match phrases in both directions") {
  const test::TempFolder folder("meteor-paraphrases");
  const auto file = folder.write("table.txt", "0.4\nin front of\nbefore\n1e-3\nowl\nwise bird\n");
  const Meteor meteor({.stem = true, .synonym = true, .synonyms = {}, .paraphrases = file});
  const MeteorSegment forth = score("it sat in front of us", {"it sat before us"}, meteor);
  CHECK(forth.stats.matched_content[3] == MeteorStats::Sides{1, 1});  // front; before
  CHECK(forth.stats.matched_function[3] == MeteorStats::Sides{2, 0});
  CHECK(forth.stats.matched == MeteorStats::Sides{6, 4});
  CHECK(forth.stats.chunks == 1);
  const MeteorSegment back = score("it sat before us", {"it sat in front of us"}, meteor);
  CHECK(back.stats.matched == MeteorStats::Sides{4, 6});
  CHECK(meteor.tables().find(", paraphrase " + file.string()) != std::string::npos);

  // Words of phrases are compared as texts: "c5" and "as" have one hash in Java.
  const auto other = folder.write("other.txt", "0.4\nas well as\nlike\n");
  const Meteor by_text({.stem = true, .synonym = true, .synonyms = {}, .paraphrases = other});
  REQUIRE(meteor::java_hash("c5") == meteor::java_hash("as"));
  CHECK(score("as well as", {"like"}, by_text).score > 0);
  CHECK(score("c5 well as", {"like"}, by_text).score == 0);
  CHECK(by_text.paraphrases() != meteor.paraphrases());

  const auto message = [&](const std::string& text) {
    const auto broken = folder.write("broken.txt", text);
    return message_of<DataError>([&] { meteor::Paraphrases::open(broken); });
  };
  CHECK(message("0.4\nowl\nbird\nkite\nowl\nbird\n").find("broken.txt:4: needs a probability") !=
        std::string::npos);
  CHECK(message("0.4\nowl\n").find("broken.txt:2: the table ends") != std::string::npos);
  CHECK(message("0.4\n \nowl\n").find("broken.txt:2: the phrase has no words") !=
        std::string::npos);
  CHECK_THROWS_AS(meteor::Paraphrases::open(folder / "none"), DataError);
}

TEST_CASE("the best reference counts, and of equal ones the first") {
  const MeteorSegment segment =
      score("a red kite", {"an owl", "a kite", "a red kite", "a red kite"});
  CHECK(segment.reference == 2);
  CHECK(score("a red kite", {"owl", "tree"}).reference == 0);
  CHECK_THROWS_AS(score("a red kite", {}), DataError);
}

TEST_CASE("no match gives a score of zero") {
  for (const char* hypothesis : {"", "owl", " "}) {
    for (const char* reference : {"", "kite"}) {
      CHECK(score(hypothesis, {reference}).score == 0);
    }
  }
  CHECK(score("", {"a kite"}).stats.length == MeteorStats::Sides{0, 2});
  CHECK(meteor_score({}) == 0);
  // Bars separate sentences on METEOR's input lines, so they are removed.
  CHECK(near(score("a ||| kite", {"a kite"}).score, 1));
}

TEST_CASE("METEOR is the same for any number of threads") {
  const std::vector<std::string> references = {"a dog runs along the beach with a stick",
                                               "dogs are running on a beach"};
  const std::vector<std::string> hypotheses = {"the dog is running at the beach", "a a a dog",
                                               "sticks and dogs on the beach run", ""};
  const int before = parallel::threads();
  std::vector<std::vector<MeteorStats>> results;
  for (const int threads : {1, 4}) {
    parallel::set_threads(threads);
    const Meteor meteor;
    std::vector<MeteorStats> out(200);
    parallel::for_each(200, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      out[at] = meteor.score(hypotheses[at % hypotheses.size()], references).stats;
    });
    results.push_back(out);
  }
  parallel::set_threads(before);
  CHECK(results[0] == results[1]);
}

TEST_CASE("a hypothesis of ten thousand words is scored") {
  std::string hypothesis;
  for (int i = 0; i < 10000; ++i) hypothesis += i % 100 == 0 ? "kite " : "a ";
  const MeteorSegment segment = score(hypothesis, {"a kite and a tree near a kite"});
  CHECK(segment.stats.matched.reference == 5);
  CHECK(segment.stats.length.hypothesis == 10000);
}

// METEOR against the numbers of the reference implementation. Skipped unless SACCADE_DATA names the
// folder that has them.
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kTolerance = 1e-9;

// Counts the segments whose statistics differ, and keeps the largest difference of a score.
class Agreement {
 public:
  explicit Agreement(const Meteor& meteor) : meteor_(meteor) {}

  void add(const json& hypothesis, const json& references, const json& stats, double score) {
    const auto list = references.get<std::vector<std::string>>();
    const MeteorSegment ours = meteor_.score(hypothesis.get<std::string>(), list);
    ++segments_;
    if (json(ours.stats.values()) != stats) ++different_;
    worst_ = std::max(worst_, std::abs(ours.score - score));
    sum_ += ours.stats;
  }

  void check(const std::string& name, double corpus) {
    worst_ = std::max(worst_, std::abs(meteor_score(sum_) - corpus));
    std::cout << name << ": " << segments_ << " segments, statistics differ in " << different_
              << ", scores by at most " << worst_ << "\n";
    CHECK(different_ == 0);
    CHECK(worst_ <= kTolerance);
  }

 private:
  const Meteor& meteor_;
  std::size_t segments_ = 0, different_ = 0;
  double worst_ = 0;
  MeteorStats sum_;
};

}  // namespace

TEST_CASE("METEOR's normaliser equals the reference implementation's") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const json gold = test::read_json(folder / "meteor_normalizer.json");
  std::size_t different = 0;
  for (std::size_t i = 0; i < gold["in"].size(); ++i) {
    different += meteor::normalize(gold["in"][i].get<std::string>()) != gold["out"][i] ? 1U : 0U;
  }
  std::cout << "normaliser: " << gold["in"].size() << " lines, " << different << " differ\n";
  CHECK(different == 0);
}

TEST_CASE("METEOR equals the reference implementation with every set of modules") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const json gold = test::read_json(folder / "meteor_pairs.json");
  const fs::path table = folder / "paraphrase_test_table.gz";
  const std::vector<std::pair<std::string, MeteorOptions>> sets = {
      {"exact", {.stem = false, .synonym = false, .synonyms = {}, .paraphrases = {}}},
      {"exact_stem", {.stem = true, .synonym = false, .synonyms = {}, .paraphrases = {}}},
      {"exact_stem_synonym", {}},
      {"exact_stem_synonym_paraphrase_test_table",
       {.stem = true, .synonym = true, .synonyms = {}, .paraphrases = table}},
  };
  for (const auto& [name, options] : sets) {
    const Meteor meteor(options);
    Agreement agreement(meteor);
    for (std::size_t i = 0; i < gold["hyp"].size(); ++i) {
      agreement.add(gold["hyp"][i], gold["refs"][i], gold[name]["stats"][i],
                    gold[name]["score"][i]);
    }
    agreement.check(name, gold[name]["corpus"]);
  }
}

TEST_CASE("METEOR of captions equals the reference implementation") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const Meteor meteor;
  std::size_t corpora = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".gold.json")) continue;
    const json gold = test::read_json(entry.path());
    Agreement agreement(meteor);
    for (const auto& image : gold["per_image"]) {
      agreement.add(image["cand_tok"], image["refs_tok"], image["meteor_stats"], image["meteor"]);
    }
    agreement.check(name, gold["corpus"]["METEOR_noparaphrase"]);
    ++corpora;
  }
  CHECK(corpora == 12);
}

TEST_CASE("METEOR with the published paraphrases equals the reference implementation") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  const fs::path published = folder / "meteor-paraphrase";
  const Meteor meteor({.paraphrases = published / "paraphrase-subset.gz"});
  for (const char* name : {"meteor_pairs", "edge_pairs"}) {
    const json gold = test::read_json(published / (std::string(name) + ".json"));
    const json pairs = gold.contains("hyp") ? gold : test::read_json(folder / "meteor_pairs.json");
    Agreement agreement(meteor);
    for (std::size_t i = 0; i < pairs["hyp"].size(); ++i)
      agreement.add(pairs["hyp"][i], pairs["refs"][i], gold["stats"][i], gold["score"][i]);
    agreement.check(name, gold["corpus"]["METEOR"]);
  }
  const json edges = test::read_json(published / "edge_captions.json");
  Agreement captions(meteor);
  for (const auto& image : edges["per_image"])
    captions.add(image["cand_tok"], image["refs_tok"], image["meteor_stats"], image["meteor"]);
  captions.check("edge_captions", edges["corpus"]["METEOR"]);
  std::size_t corpora = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".gold.json")) continue;
    const json tokens = test::read_json(entry.path());
    const json gold = test::read_json(published / (name.substr(0, name.find('.')) + ".json"));
    Agreement agreement(meteor);
    for (std::size_t i = 0; i < tokens["per_image"].size(); ++i) {
      const auto& image = tokens["per_image"][i];
      const auto& theirs = gold["per_image"][i];
      REQUIRE(image["id"] == theirs["id"]);
      agreement.add(image["cand_tok"], image["refs_tok"], theirs["meteor_stats"], theirs["meteor"]);
    }
    agreement.check(name, gold["corpus"]["METEOR"]);
    ++corpora;
  }
  CHECK(corpora == 12);
}

}  // namespace saccade::meteor_test
