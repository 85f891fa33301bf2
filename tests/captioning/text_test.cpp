// The tokenizer, vocabularies of words, and pieces of words.
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"

namespace saccade::text_test {

using Words = std::vector<std::string>;

TEST_CASE(
    "the tokenizer makes lower case, drops punctuation and splits at hyphens and apostrophes") {
  CHECK(tokenize("A tri-colored dog, on the man's lap .") ==
        Words{"a", "tri", "colored", "dog", "on", "the", "man", "s", "lap"});
  CHECK(tokenize("  Two\tdogs\nrun!!  ") == Words{"two", "dogs", "run"});
  CHECK(tokenize("CAF\xC3\x89 \xD0\x9A\xD0\x9E\xD0\xA2") ==
        Words{"caf\xC3\xA9", "\xD0\xBA\xD0\xBE\xD1\x82"});
  CHECK(tokenize("cafe\xCC\x81") == tokenize("caf\xC3\xA9"));  // two spellings of one word
  CHECK(tokenize("it\xE2\x80\x99s 50% \xF0\x9F\x90\xB6") == Words{"it", "s", "50"});
  CHECK(tokenize("bad\xFF\xFE"
                 "bytes \xC3") == Words{"bad", "bytes"});
  CHECK(tokenize("").empty());
  CHECK(tokenize(" . -- ' \" ").empty());
}

TEST_CASE("tokenized text is split at Unicode white space only") {
  CHECK(split_words("3\xC2\xA0"
                    "1/2 -lrb- \xE3\x80\x80 a.b\n") == Words{"3", "1/2", "-lrb-", "a.b"});
  CHECK(join_words({"a", "b"}) == "a b");
}

TEST_CASE("vocabulary: order, counts, round trip") {
  const std::vector<Words> captions = {{"a", "dog", "and", "a", "cat"}, {"a", "cat", "bat"}};
  const Vocabulary all = Vocabulary::count(captions, 1);
  CHECK(all.words() == Words{"<pad>", "<bos>", "<eos>", "<unk>", "a", "cat", "and", "bat", "dog"});
  const Vocabulary often = Vocabulary::count(captions, 2);
  CHECK(often.size() == 6);
  CHECK(often.encode(captions[0]) == std::vector<Index>{4, 3, 3, 4, 5});
  const std::vector<Index> ids = {1, 4, 5, 0, 3, 2, 4};
  CHECK(often.decode(ids) == Words{"a", "cat", "<unk>"});
  CHECK(Vocabulary(often.words()).digest() == often.digest());
  CHECK(all.digest() != often.digest());
  CHECK(often.id("<eos>") == Vocabulary::kEos);
  CHECK(often.id("zebra") == Vocabulary::kUnk);
  CHECK_THROWS_AS(often.word(6), InternalError);
  CHECK_THROWS_AS(often.word(-1), InternalError);
}

TEST_CASE("a vocabulary refuses lists that are not vocabularies") {
  CHECK_THROWS_AS(Vocabulary(Words{}), DataError);
  CHECK_THROWS_AS(Vocabulary(Words{"<pad>", "<eos>", "<bos>", "<unk>"}), DataError);
  for (const char* word : {"", "a b", "a", "<pad>", "x\xC2\xA0y", "\xFF"}) {
    CHECK_THROWS_AS(Vocabulary(Words{"<pad>", "<bos>", "<eos>", "<unk>", "a", word}), DataError);
  }
  CHECK_THROWS_AS(Vocabulary::count(std::vector<Words>{{"once"}}, 2), DataError);
  CHECK_THROWS_AS(Vocabulary::count(std::vector<Words>{}, 1), DataError);
}

TEST_CASE(
    "pieces of words: learned deterministically, put together again, <unk> only for new "
    "characters") {
  std::vector<Words> captions;
  for (const char* text : {"a dog runs", "two dogs run in the rain", "the runner rains on a parade",
                           "caf\xC3\xA9 \xD0\xBA\xD0\xBE\xD1\x82 42", "a man s dog"})
    captions.push_back(tokenize(text));
  const Vocabulary pieces = Vocabulary::pieces(captions, 60);
  CHECK(pieces.size() <= 60);
  CHECK(pieces.size() > Vocabulary::kSpecials + 20);
  CHECK(pieces.word(Vocabulary::kPad) == "<pad>");
  CHECK(pieces.word(Vocabulary::kBos) == "<bos>");
  CHECK(pieces.word(Vocabulary::kEos) == "<eos>");
  CHECK(pieces.word(Vocabulary::kUnk) == "<unk>");
  CHECK(pieces.words() == Vocabulary::pieces(captions, 60).words());

  // New words, made of characters that the captions have.
  for (const char* text : {"two dogs run in the rain", "a unread pondering", "s", "",
                           "\xD1\x82\xD0\xBA caf\xC3\xA9s 2424", "aaaaaaaaaaaaaaaaaaaaaaaa"}) {
    const Words words = tokenize(text);
    std::vector<Index> ids = pieces.encode(words);
    CAPTURE(text);
    CHECK(std::count(ids.begin(), ids.end(), Vocabulary::kUnk) == 0);
    CHECK(pieces.decode(ids) == words);
    ids.insert(ids.begin(), Vocabulary::kBos);
    ids.push_back(Vocabulary::kEos);
    ids.push_back(4);
    CHECK(pieces.decode(ids) == words);
    for (const std::string& word : words) {
      const std::vector<Index> own = pieces.encode(Words{word});
      CHECK(pieces.begins_word(own[0]));
      for (std::size_t i = 1; i < own.size(); ++i) CHECK_FALSE(pieces.begins_word(own[i]));
    }
  }
  const std::vector<Index> foreign = pieces.encode(Words{"\xE7\x8C\xAB"});
  CHECK(std::count(foreign.begin(), foreign.end(), Vocabulary::kUnk) == 1);

  // Frequent words are one piece, and the bytes of a checkpoint give the same pieces.
  CHECK(pieces.encode(Words{"dog"}).size() == 1);
  const Vocabulary read = Vocabulary::from_pieces(pieces.subwords()->model());
  CHECK(read.digest() == pieces.digest());
  CHECK(read.encode(Words{"unread", "parades"}) == pieces.encode(Words{"unread", "parades"}));
}

TEST_CASE("the most frequent pair is merged first in learning and in splitting") {
  const Words words{"xab", "xab", "xab", "xbc", "xbc"};
  const Vocabulary pieces = Vocabulary::pieces(std::vector<Words>{words}, 13);
  const std::string begin(Subwords::kBegin);
  // Five times _ x, three times a b, then the pair with the older pieces; b c twice.
  CHECK(pieces.words() == Words{"<pad>", "<bos>", "<eos>", "<unk>", begin, "a", "b", "c", "x",
                                begin + "x", "ab", begin + "xab", "bc"});
  CHECK(pieces.encode(Words{"abc"}) == std::vector<Index>{4, 10, 7});
  CHECK(pieces.encode(Words{"xbc", "xab"}) == std::vector<Index>{9, 12, 11});
  // What begins with x and continues with b c is merged, too; then no pair occurs twice.
  CHECK(Vocabulary::pieces(std::vector<Words>{words}, 100).size() == 14);
}

TEST_CASE("pieces that cannot be made are refused") {
  CHECK_THROWS_AS(Vocabulary::pieces(std::vector<Words>{tokenize("abcdefghijklmnop")}, 8),
                  DataError);
  CHECK_THROWS_AS(Vocabulary::pieces(std::vector<Words>{}, 50), DataError);
  CHECK_THROWS_AS(Vocabulary::from_pieces("no model"), DataError);
}

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

}  // namespace saccade::text_test
