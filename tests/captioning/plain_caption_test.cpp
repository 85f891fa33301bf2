// Odd characters of captions: training and scoring see the same words.
#include "captioning/scoring/words/plain_caption.h"

#include "captioning/data/readers.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

struct Odd {
  std::string caption, plain;
};

const std::vector<Odd>& odd_captions() {
  static const std::vector<Odd> all = {
      {"a dog &amp; a cat", "a dog & a cat"},
      {"a sign with &quot;stop&quot; on it", "a sign with \"stop\" on it"},
      {"&amp;quot;stop&amp;quot;", "\"stop\""},
      {"&amp;amp;amp;#39;", "'"},
      {"caf&eacute; caf&#233; caf&#xE9; caf&#XE9;", "café café café café"},
      {"&Eacute;t&eacute;", "Été"},
      {"a dog&nbsp;runs", "a dog\u00A0runs"},
      {"a&#10;dog&#x0d;runs", "a dog runs"},
      {"a dog &#150; and &#x93;a cat&#x94;", "a dog – and “a cat”"},
      {"a skate\u00ADboard and a skate&shy;board", "a skateboard and a skateboard"},
      {"a skate\u200Dboard, a sk\u2060ate\uFEFFboard", "a skateboard, a skateboard"},
      {"a\u200Bdog", "a dog"},
      {"a \u200Edog\u200F", "a dog"},
      {"a red heart \u2764\uFE0F here", "a red heart \u2764 here"},
      {"AT&T and R&D; 3 &lt 4 &; &#; &#x; &#1114112; &unknown; &amp",
       "AT&T and R&D; 3 &lt 4 &; &#; &#x; &#1114112; &unknown; &amp"},
      {"&am\u00ADp;", "&"},
      {"&", "&"},
      {"", ""},
  };
  return all;
}

}  // namespace

TEST_CASE("entities become characters, and characters of format vanish") {
  for (const Odd& odd : odd_captions()) {
    INFO(odd.caption);
    CHECK(plain_caption(odd.caption).text == odd.plain);
    CHECK(plain_caption(odd.plain).text == odd.plain);  // a second call changes nothing
  }
  CHECK(plain_caption("&#xD800;").text == "&#xD800;");  // half of a surrogate pair
  CHECK(plain_caption("&amp;quot;&shy;\u00AD").entities == 3);
  CHECK(plain_caption("&amp;quot;&shy;\u00AD").invisible == 2);
  // Escapes of escapes take no time that grows with their square.
  std::string many = "&";
  for (int i = 0; i < 200000; ++i) many += "amp;";
  CHECK(plain_caption(many).text == "&");
}

TEST_CASE("training and scoring see the same words in odd captions") {
  for (const Odd& odd : odd_captions()) {
    INFO(odd.caption);
    const std::vector<std::vector<std::string>> tokens = scored_words({&odd.caption, 1});
    std::vector<std::string> scored;  // without punctuation
    for (const std::string& token : tokens.front())
      for (const std::string& word : tokenize(token)) scored.push_back(word);
    CHECK(scored == tokenize(plain_caption(odd.caption).text));
    CHECK(tokens == scored_words({&odd.plain, 1}));
  }
  // Where PTB's tokenizer knows an entity, it is right about it.
  for (const std::string known : {"a dog &amp; a cat", "a &quot;b&quot; c", "3 &lt; 4", "a&nbsp;b"})
    CHECK(ptb_words({&known, 1}) == scored_words({&known, 1}));
}

TEST_CASE("readers make captions plain and say how many") {
  const test::TempFolder folder("plain");
  const auto csv = folder.write("a.csv",
                                "image,caption\na.jpg,a dog &amp; a cat\nb.jpg,a skate\u00ADboard\n"
                                "c.jpg,a &quot;dog&quot;\nd.jpg,&nbsp;\n");
  const Dataset out = read_folder({.images = "/i", .captions = csv});
  REQUIRE(out.images.size() == 3);
  CHECK(out.images[0].captions.front() == "a dog & a cat");
  CHECK(out.images[1].captions.front() == "a skateboard");
  CHECK(out.images[2].captions.front() == "a \"dog\"");
  CHECK_THAT(out.notes.at(0), Contains("3 captions hold HTML entities") &&
                                  Contains("1 caption holds characters that nobody sees"));
}

}  // namespace saccade
