// ROUGE-L against scores computed by hand.
#include "captioning/scoring/metrics/rouge_l.h"

#include <cmath>
#include <sstream>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

// Splits at single spaces only: a no-break space stays inside its word.
Words words(const std::string& text) {
  Words out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ' ');) out.push_back(word);
  return out;
}

double score(const std::string& candidate, std::initializer_list<const char*> references) {
  std::vector<Words> all;
  for (const char* reference : references) all.push_back(words(reference));
  return rouge_l(words(candidate), all);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9; }

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

TEST_CASE("ROUGE-L of short cases") {
  CHECK(near(score("a b c d", {"a b c d"}), 1));
  CHECK(score("a b", {"c d e"}) == 0);
  // a c e: in order, with gaps on both sides.
  CHECK(near(score("a b c d e", {"a x c y e z"}), f_score(3.0 / 5, 3.0 / 6)));
  CHECK(near(score("b a", {"a b"}), 0.5));  // order counts
  CHECK(near(score("a a a", {"a b a"}), f_score(2.0 / 3, 2.0 / 3)));
  // The best precision comes from the long reference, and the best recall from the short one.
  CHECK(near(score("a b c", {"a b c d e f", "a"}), 1));
  CHECK(near(score("a b c", {"a b x x x", "a x"}), f_score(2.0 / 3, 1.0 / 2)));
}

TEST_CASE("ROUGE-L of empty captions and of a token with a no-break space") {
  const std::vector<Words> nothing = {{}}, something = {words("a b")};
  CHECK(near(rouge_l({}, nothing), 1));  // each is one empty word
  CHECK(near(rouge_l({""}, nothing), 1));
  CHECK(rouge_l({}, something) == 0);
  CHECK(rouge_l(words("a"), nothing) == 0);
  CHECK_THROWS_AS(rouge_l(words("a"), {}), DataError);
  CHECK(near(score("3\u00a01/2 apples", {"3\u00a01/2 apples and pears"}), f_score(1, 0.5)));
  CHECK(score("3", {"3\u00a01/2"}) == 0);
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

}  // namespace saccade
