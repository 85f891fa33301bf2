// CIDEr against scores computed by hand.
#include "captioning/scoring/metrics/cider.h"

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

Words words(const char* text) { return split_words(text); }

bool near(double a, double b) { return std::abs(a - b) <= 1e-12; }

// The scores of every image, with the document frequencies of the corpus.
std::vector<CiderScores> score(const std::vector<Words>& candidates,
                               const std::vector<std::vector<Words>>& references) {
  WordNumbers numbers;
  const CountedCorpus corpus = count_corpus(candidates, references, numbers);
  const auto frequencies = DocumentFrequencies::count(corpus.references);
  std::vector<CiderScores> out;
  for (std::size_t i = 0; i < corpus.images(); ++i) {
    std::vector<CiderVector> vectors;
    for (const auto& reference : corpus.references[i]) {
      vectors.push_back(cider_vector(reference, frequencies));
    }
    out.push_back(score_cider(cider_vector(corpus.candidates[i], frequencies), vectors));
  }
  return out;
}

}  // namespace

TEST_CASE("CIDEr of the reference itself, of another length, and of nothing in common") {
  const std::vector<std::vector<Words>> references = {{words("p q r s t")}, {words("v w x y z")}};
  // Each n-gram is in one of two images, so every weight is count * log 2.
  const auto same = score({words("p q r s t"), words("p q")}, references);
  CHECK(near(same[0].cider_d, 10));
  CHECK(near(same[0].cider, 10));
  CHECK(same[1].cider_d == 0);
  // "p p": the unigram counts 2 against 1. Cosine 2/(2 sqrt 5); clipped 1/(2 sqrt 5), 3 bigrams
  // fewer.
  const auto twice = score({words("p p"), words("v")}, references);
  CHECK(near(twice[0].cider, 10.0 / 4 / std::sqrt(5)));
  CHECK(near(twice[0].cider_d, 10.0 / 4 / (2 * std::sqrt(5)) * std::exp(-9.0 / 72)));
  // One word and no words have the same length, 0 bigrams.
  CHECK(near(twice[1].cider_d, 10.0 / 4 / std::sqrt(5) * std::exp(-16.0 / 72)));
}

TEST_CASE("an n-gram that every image has gets no weight") {
  const std::vector<std::vector<Words>> references = {{words("a b")}, {words("a c")}};
  const auto scores = score({words("a"), words("a c")}, references);
  CHECK(scores[0].cider_d == 0);
  // a: 0; c and "a c": log 2 each. Two of four orders match fully.
  CHECK(near(scores[1].cider_d, 10.0 / 2));
  for (const CiderScores& one : score({words("a b")}, {{words("a b")}})) CHECK(one.cider_d == 0);
}

TEST_CASE("references are averaged, and count once per image in the frequencies") {
  const std::vector<std::vector<Words>> references = {{words("a"), words("a"), words("b")},
                                                      {words("c")}};
  const auto scores = score({words("a"), words("")}, references);
  CHECK(near(scores[0].cider_d, 10.0 / 4 * 2 / 3));
  CHECK(scores[1].cider_d == 0);
}

TEST_CASE("document frequencies of another corpus") {
  const test::TempFolder folder("frequencies");
  const std::string path = (folder / "df.json").string();
  std::ofstream(path) << R"({"ref_len": 8, "df": {"a": 2, "a b": 0}})";
  WordNumbers numbers;
  const auto frequencies = read_document_frequencies(path, numbers);
  const std::uint32_t a = numbers.number("a"), b = numbers.number("b");
  CHECK(near(frequencies.idf({{a}}), std::log(4)));
  CHECK(near(frequencies.idf({{b}}), std::log(8)));
  CHECK(near(frequencies.idf({{a, b}}), std::log(8)));
  for (const char* broken :
       {R"({"ref_len": 0, "df": {}})", R"({"ref_len": 8, "df": []})",
        R"({"ref_len": 8, "df": {"a b c d e": 1}})", R"({"df": {}})",
        R"({"ref_len": 8, "df": {"a": "many"}})", R"({"ref_len": 8, "df": {"a": 9}})"}) {
    std::ofstream(path) << broken;
    CHECK_THROWS_AS(read_document_frequencies(path, numbers), DataError);
  }
}

TEST_CASE("document frequencies are the same for any number of threads") {
  std::vector<Words> candidates;
  std::vector<std::vector<Words>> references;
  for (int i = 0; i < 300; ++i) {
    candidates.push_back({std::to_string(i % 7), std::to_string(i % 11), "x"});
    references.push_back(
        {{std::to_string(i % 5), std::to_string(i % 11), "x", "y"}, {std::to_string(i % 7), "z"}});
  }
  std::vector<std::vector<CiderScores>> runs;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    runs.push_back(score(candidates, references));
  }
  for (const auto& run : runs) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      CHECK(run[i].cider_d == runs[0][i].cider_d);
      CHECK(run[i].cider == runs[0][i].cider);
    }
  }
}

}  // namespace saccade
