#include "captioning/text/word_vectors.h"

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using Catch::Matchers::Contains;

namespace {

const Vocabulary& words() {
  static const Vocabulary vocabulary(
      {"<pad>", "<bos>", "<eos>", "<unk>", "a", "dog", "cat", "runs"});
  return vocabulary;
}

std::vector<float> row(const WordVectors& vectors, const std::string& word) {
  const auto at = vectors.values.begin() + words().id(word) * vectors.width;
  return {at, at + vectors.width};
}

WordVectors read(const std::string& text, Index width = 0) {
  const test::TempFolder folder("word-vectors");
  std::ofstream(folder.path() / "v.txt") << text;
  return read_word_vectors(folder.path() / "v.txt", words(), width);
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace

TEST_CASE("word vectors are read from both text formats") {
  for (const std::string header : {"", "4 2\n"}) {
    const WordVectors v =
        read(header + "dog 1 -2e-1\nhot dog 7 8\r\ndog 3 3\ncat 0.5 .25 \n<bos> 9 9\n");
    CHECK(v.width == 2);
    CHECK(v.count() == 2);
    CHECK(v.words() == 4);
    CHECK(row(v, "dog") == std::vector<float>{1, -0.2F});
    CHECK(row(v, "cat") == std::vector<float>{0.5F, 0.25F});
    CHECK(row(v, "runs") == std::vector<float>{0, 0});
    CHECK(v.found[Vocabulary::kBos] == 0);
  }
}

TEST_CASE("a file without such vectors is refused with its line") {
  CHECK_THROWS_WITH(read("dog 1 2\ncat 3\n"),
                    Contains("v.txt:2: expected a word and 2 numbers; got 1"));
  CHECK_THROWS_WITH(read("dog 1 2\ncat 3 x\n"), Contains("v.txt:2: 'x' is not a number"));
  CHECK_THROWS_WITH(read("cat 1 nan\n"), Contains("'nan' is not a number"));
  CHECK_THROWS_WITH(read("dog 1 2\n", 3), Contains("set decoder.embedding=2"));
  CHECK_THROWS_WITH(read(""), Contains("holds no word vectors"));
  CHECK_THROWS_AS(read_word_vectors("/no/such/file", words(), 0), DataError);
}

TEST_CASE("words of the same captions get similar vectors") {
  const Index a = 4, dog = 5, cat = 6, runs = 7;
  std::vector<std::vector<Index>> captions;
  for (int i = 0; i < 10; ++i) {
    captions.push_back({a, dog, runs});
    captions.push_back({a, cat});
  }
  const WordVectors v = tfidf_vectors(captions, words(), 3, 1);
  CHECK(v.count() == 4);
  CHECK(cosine(row(v, "dog"), row(v, "runs")) > 0.999);
  CHECK(std::abs(cosine(row(v, "dog"), row(v, "cat"))) < 0.001);
  for (const float x : row(v, "a"))
    CHECK(std::abs(x) < 1e-6F);  // every caption has it, so it has no weight
  // log 2 in each of ten captions, for three words: two directions with the squares 20 and 10 log^2
  // 2.
  double squares = 0;
  for (const float x : v.values) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(squares == Approx(0.01 * 4 * 3));
}

TEST_CASE("published word vectors cover everyday words") {
  const auto folder = test::data_folder("glove");
  if (folder.empty()) return;
  const WordVectors v = read_word_vectors(folder / "glove.twitter.27B.25d.12k.txt", words(), 25);
  CHECK(v.count() == 4);
  CHECK(cosine(row(v, "dog"), row(v, "cat")) > cosine(row(v, "dog"), row(v, "runs")));
}

}  // namespace saccade
