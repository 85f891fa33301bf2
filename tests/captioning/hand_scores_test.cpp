// Scores of captions, and the rewards made of them, against values computed by hand.
#include "captioning/learning/objectives/rewards.h"
#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/metrics/cider.h"
#include "captioning/scoring/metrics/rouge_l.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/random.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::hand_scores_test {
namespace {

Words words(const char* text) { return split_words(text); }

CountedCorpus counted(const std::vector<Words>& candidates,
                      const std::vector<std::vector<Words>>& references) {
  WordNumbers numbers;
  return count_corpus(candidates, references, numbers);
}

BleuCounts counts_of(const Words& candidate, const std::vector<Words>& references) {
  return count_bleu(counted({candidate}, {references}));
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9; }

}  // namespace

TEST_CASE("clipped counts and the closest reference") {
  // Papineni's own example: "the" is clipped at 2, its count in the first reference.
  const std::vector<Words> references = {words("the cat is on the mat"),
                                         words("there is a cat on the mat")};
  const BleuCounts counts = counts_of(words("the the the the the the the"), references);
  CHECK(counts.correct == std::array<std::int64_t, 4>{2, 0, 0, 0});
  CHECK(counts.guess == std::array<std::int64_t, 4>{7, 6, 5, 4});
  CHECK(counts.length == 7);
  CHECK(counts.reference_length == 7);
  // Lengths 6 and 4 are equally close to 5: the shorter one counts.
  const std::vector<Words> tied = {words("a b c d e f"), words("a b c d")};
  CHECK(counts_of(words("a b c d e"), tied).reference_length == 4);
  // An n-gram is clipped by its largest count in one reference, not by their sum.
  const std::vector<Words> twice = {words("a b"), words("a c")};
  CHECK(counts_of(words("a a"), twice).correct[0] == 1);
}

// scores_test.cpp has the scores of the reference implementation for whole corpora.
TEST_CASE("BLEU of captions without n-grams, and of no captions") {
  const std::vector<Words> reference = {words("a b c d e")};
  // Of a b x d e no trigram is right: that factor is 1e-15 / 3.
  const BleuScores gap = score_bleu(counts_of(words("a b x d e"), reference));
  CHECK(near(gap.bleu[2], std::cbrt(0.4 * 1e-15 / 3)));
  // A single word has no bigram: that factor is 1e-15 / 1e-9.
  const BleuScores one = score_bleu(counts_of(words("a"), reference));
  CHECK(near(one.no_bp[1], 1e-3));
  const BleuScores empty = score_bleu(counts_of({}, reference));
  for (const double score : empty.bleu) CHECK(score == 0);
  const std::vector<Words> nothing = {{}};
  CHECK(score_bleu(counts_of({}, nothing)).bleu[0] == 0);
  const std::vector<Words> candidates = {words("a b c d e f"), words("x y")};
  CHECK_THROWS_AS(counted({}, {}), DataError);
  CHECK_THROWS_AS(counted(candidates, std::vector<std::vector<Words>>(2)), DataError);
  CHECK_THROWS_AS(counted(candidates, std::vector<std::vector<Words>>(1)), DataError);
}

// CIDEr against scores computed by hand.
namespace {

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

// ROUGE-L against scores computed by hand.
namespace {

// Splits at single spaces only: a no-break space stays inside its word.
Words spaced(const std::string& text) {
  Words out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ' ');) out.push_back(word);
  return out;
}

double rouge(const std::string& candidate, std::initializer_list<const char*> references) {
  std::vector<Words> all;
  for (const char* reference : references) all.push_back(spaced(reference));
  return rouge_l(spaced(candidate), all);
}

double f_score(double p, double r) { return (1 + 1.44) * p * r / (r + 1.44 * p); }

Index plain_common(const Words& a, const Words& b) {
  std::vector<std::vector<Index>> table(a.size() + 1, std::vector<Index>(b.size() + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      table[i + 1][j + 1] =
          a[i] == b[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

TEST_CASE("ROUGE-L of empty captions and of a token with a no-break space") {
  const std::vector<Words> nothing = {{}}, something = {spaced("a b")};
  CHECK(near(rouge_l({}, nothing), 1));  // each is one empty word
  CHECK(near(rouge_l({""}, nothing), 1));
  CHECK(rouge_l({}, something) == 0);
  CHECK(rouge_l(spaced("a"), nothing) == 0);
  CHECK_THROWS_AS(rouge_l(spaced("a"), {}), DataError);
  CHECK(near(rouge("3\u00a01/2 apples", {"3\u00a01/2 apples and pears"}), f_score(1, 0.5)));
  CHECK(rouge("3", {"3\u00a01/2"}) == 0);
}

TEST_CASE("common subsequences are those of the plain table, also across machine words") {
  for (const std::uint64_t different : {1, 2, 3, 10, 1000}) {
    for (const std::size_t length : {0, 1, 9, 63, 64, 65, 127, 128, 129, 300}) {
      Random random({1, Stream::kTest, different, length});
      Words a(length), b(1 + random.below(2 * length + 5));
      for (std::string& word : a) word = std::to_string(random.below(different));
      for (std::string& word : b) word = std::to_string(random.below(different));
      REQUIRE(common_subsequence(a, b) == plain_common(a, b));
      REQUIRE(common_subsequence(b, a) == plain_common(a, b));
    }
  }
  const Words same(10000, "a");
  CHECK(common_subsequence(same, same) == 10000);
  Words counted;
  for (int i = 0; i < 10000; ++i) counted.push_back(std::to_string(i));
  CHECK(common_subsequence(counted, counted) == 10000);
}

TEST_CASE("the memory of a common subsequence is linear in the text") {
  Words counted;  // one bit for every word and place would take 11 GB
  for (int i = 0; i < 300000; ++i) counted.push_back(std::to_string(i));
  CHECK(common_subsequence(counted, {"7", "299999", "100", "200000"}) == 3);
}

// Rewards against values computed by hand.
namespace {

using Ending = CaptionRewards::Ending;

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-8; }  // BLEU adds 1e-9 to counts

// The words p q r v w have the ids 4 to 8.
Vocabulary letters() {
  std::vector<std::string> words = Vocabulary().words();
  for (const char* word : {"p", "q", "r", "v", "w"}) words.emplace_back(word);
  return Vocabulary(words);
}
constexpr int kP = 4, kQ = 5, kR = 6;

Dataset two_images(std::vector<std::string> first) {
  Dataset data;
  data.images.resize(2);
  data.images[0].id = "first";
  data.images[0].captions = std::move(first);
  data.images[1].captions = {"V w!"};
  return data;
}

struct Rewards {
  Dataset data;
  std::vector<Index> images{0, 1};
  CaptionRewards rewards;
  Rewards(std::vector<std::string> first, const RewardConfig& weights)
      : data(two_images(std::move(first))), rewards(data, images, letters(), weights) {}
  double operator()(const std::vector<int>& words, Ending ending = Ending::kEos) const {
    return rewards.score(0, words, ending);
  }
};

}  // namespace

TEST_CASE("the end token is part of n-grams but has no weight by itself") {
  const Rewards reward({"P q."}, {});
  // p, q; "p q", "q </s>"; "p q </s>": log 2 each. The end token is in every image and has weight
  // 0.
  CHECK(nearly(reward({kP, kQ}), 10.0 / 4 * 3));
  // Cut: the same words, one of two bigrams, no trigram, one bigram shorter.
  CHECK(nearly(reward({kP, kQ}, Ending::kCut),
               10.0 / 4 * (1 + 1 / std::sqrt(2)) * std::exp(-1.0 / 72)));
  CHECK(reward({}) == 0);
  CHECK(reward({}, Ending::kCut) == 0);
  CHECK(reward({kR}) == 0);
}

TEST_CASE("a reward is averaged over the references and mixed by its weights") {
  RewardConfig weights;
  weights = {.cider_d = 0.5, .bleu_4 = 2};
  const Rewards mixed({"p q r", "..."}, weights);
  // The caption equals the reference, with the end token four words: CIDEr-D 10 and BLEU-4 1.
  CHECK(nearly(mixed({kP, kQ, kR}), 0.5 * 10 + 2));
  weights = {.cider_d = 0, .bleu_4 = 1};
  CHECK(nearly(Rewards({"p q r"}, weights)({kP, kQ, kR}, Ending::kEos), 1));
  CHECK(Rewards({"p q r"}, weights)({kP, kQ, kR}, Ending::kCut) < 0.1);
  const Rewards two({"p q", "r"}, {});
  CHECK(nearly(two({kR}), 10.0 / 4 * 2 / 2));
}

TEST_CASE("nothing matches words outside the vocabulary") {
  const Rewards reward({"zebra"}, {});
  CHECK(reward({static_cast<int>(Vocabulary::kUnk)}) == 0);
  CHECK_THROWS_AS(Rewards({"..."}, {}), DataError);
}

}  // namespace saccade::hand_scores_test
