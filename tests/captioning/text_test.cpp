// The tokenizer, vocabularies of words, and pieces of words.
#include <algorithm>

#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {

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

}  // namespace saccade
