#include "captioning/model/vocabulary/word_vectors.h"

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
  CHECK_THROWS_WITH(read(""), Contains("it is empty"));
  CHECK_THROWS_AS(read_word_vectors("/no/such/file", words(), 0), DataError);
}

TEST_CASE("a compressed or binary file is named, with the way to text") {
  using namespace std::string_literals;
  for (const auto& [head, text] : std::vector<std::pair<std::string, std::string>>{
           {"\x1F\x8B\x08\0\0"s, "v.txt: it is compressed (gzip); unpack it with gunzip"},
           {"PK\x03\x04zip", "it is a ZIP archive; word vectors are read as text"},
           {"BZh91AY", "bunzip2"},
           {"\x93NUMPY\x01\0"s, "it is a NumPy array (.npy); word vectors are read as text"},
           {"\x80\x04\x95", "it is a Python pickle; word vectors are read as text"},
           {"<!DOCTYPE html>\n<html>", "it is a web page"},
           {"version https://git-lfs.github.com/spec/v1\n", "run git lfs pull"},
           {"3 2\ndog \0\0\x80\x3f\0\0\0\x40"s, "it holds binary numbers; word vectors are read"}})
    CHECK_THROWS_WITH(read(head), Contains(text) && !Contains("set decoder.embedding"));
}

TEST_CASE("words in upper case get no vector, and are counted") {
  const WordVectors upper = read("A 1 2\nDOG 3 4\nDog 3 4\nBIRD 5 6\n<BOS> 1 1\n");
  CHECK(upper.count() == 0);
  CHECK(upper.other_case == 2);
  CHECK(upper.are_few());
  CHECK_THAT(upper.case_remark(),
             Contains("2 more would have one if the file's words were in lower"));
  const WordVectors both = read("A 1 2\nDog 3 4\ndog 3 4\nCat 5 6\na 1 2\n");
  CHECK(both.other_case == 1);  // dog and a are there
  CHECK_FALSE(both.are_few());
  CHECK(read("a 1 2\n").case_remark().empty());
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
