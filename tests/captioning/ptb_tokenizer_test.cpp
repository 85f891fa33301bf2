// PTB tokens: effects across lines, hostile captions, numbers of threads. What each rule does is in
// tests/golden/captions/sentences.txt.
#include "captioning/scoring/words/ptb_tokenizer.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/same_for_threads.h"

namespace saccade::ptb_tokenizer_test {
namespace {

// The tokens of the lines of one file, with one space between two.
std::vector<std::string> lines(const std::vector<std::string>& captions) {
  std::vector<std::string> out;
  for (const auto& tokens : ptb_tokenize(captions)) out.push_back(join_words(tokens));
  return out;
}

}  // namespace

TEST_CASE("PTB: a line's last abbreviation depends on the next line") {
  using Lines = std::vector<std::string>;
  CHECK(lines({"letter K.", "The cat"}) == Lines{"letter k .", "the cat"});
  CHECK(lines({"letter K.", "THE cat"}) == Lines{"letter k .", "the cat"});
  CHECK(lines({"letter K.", "the cat"}) == Lines{"letter k.", "the cat"});
  CHECK(lines({"letter K.", "Cats"}) == Lines{"letter k.", "cats"});
  CHECK(lines({"letter K.", "The"}) == Lines{"letter k.", "the"});  // white space must follow
  CHECK(lines({"letter K.", "The", ""}) == Lines{"letter k .", "the", ""});
  CHECK(lines({"letter K. ", "", " ", "The cat"}) == Lines{"letter k .", "", "", "the cat"});
  CHECK(lines({"letter K."}) == Lines{"letter k."});
  CHECK(lines({"by Acme Inc.", "Cats"}) == Lines{"by acme inc. .", "cats"});
  CHECK(lines({"by Acme Inc.", "cats"}) == Lines{"by acme inc.", "cats"});
  CHECK(lines({"by Acme Inc."}) == Lines{"by acme inc. ."});
  CHECK(lines({"smile :)", "cats"}) == Lines{"smile :-rrb-", "cats"});
  CHECK(lines({"smile :)"}) == Lines{"smile : -rrb-"});
}

TEST_CASE("PTB: words are tokens without punctuation") {
  const std::vector<std::string> captions = {"\"Stop!\" -- a (red) sign; isn't it? & so: on... !!",
                                             "", ". , ' -"};
  CHECK(ptb_words(captions) ==
        std::vector<std::vector<std::string>>{{"stop", "a", "-lrb-", "red", "-rrb-", "sign", "is",
                                               "n't", "it", "&", "so", "on", "!!"},
                                              {},
                                              {}});
  CHECK(ptb_words({}).empty());
}

TEST_CASE(
    "PTB: line ends inside a caption are spaces, and bytes that are not UTF-8 separate words") {
  for (const char* end : {"\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"}) {
    const std::string caption = std::string("two") + end + "cats";
    CHECK(lines({caption, "dogs"}) == std::vector<std::string>{"two cats", "dogs"});
    CHECK(holds_line_end(caption));
  }
  CHECK_FALSE(holds_line_end("two\tcats\u00A0sleep"));
  CHECK(lines({"two\xFF\xC3 cats\xE2\x80", std::string("a\0b", 3)}) ==
        std::vector<std::string>{"two cats", "a b"});
}

TEST_CASE("PTB: the time of hostile captions is linear in their length") {
  constexpr std::size_t kLength = 300000;
  for (const std::string piece : {".", "x", "<", "1-", "x,", "<!x", "x.1", "&", "n't", "x'", "K. ",
                                  "\U0001F98A", "www.", "x@", "\"", "(", "A.", " ", "\xFF"}) {
    std::string caption = "K.";
    while (caption.size() < kLength) caption += piece;
    caption += "The end.";
    INFO("a line of " << piece);
    const auto start = std::chrono::steady_clock::now();
    const auto tokens = ptb_tokenize({&caption, 1});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    CHECK(tokens[0].size() <= caption.size());
    CHECK(seconds.count() < 20);  // quadratic time would be minutes; includes sanitizers
  }
}

TEST_CASE("PTB: what follows is seen across any number of blank lines") {
  std::vector<std::string> captions(600, "");
  captions[100] = "\u00A0\r";
  captions.front() = "letter K.";
  captions.push_back("The cat");
  CHECK(lines(captions).front() == "letter k .");
  captions.back() = "A";
  CHECK(lines(captions).front() == "letter k.");
}

TEST_CASE("PTB: the tokens are the same for any number of threads") {
  std::vector<std::string> captions;
  for (int i = 0; i < 2000; ++i) {
    captions.push_back(i % 3 == 0   ? "a sign with the letter K."
                       : i % 5 == 0 ? ""
                                    : "The cat's " + std::to_string(i) + " lives aren't over...");
  }
  test::same_for_threads([&] { return ptb_tokenize(captions); });
}

// PTB tokens against those of CoreNLP 3.4.1. Skipped unless SACCADE_DATA names the folder of the
// gold data.
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Tokenize = std::vector<std::vector<std::string>>(std::span<const std::string>);

Lines read_gzip(const fs::path& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(("gzip -dc '" + path.string() + "'").c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  Lines lines(1);
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  return lines;
}

void append(Lines& to, const Lines& more) { to.insert(to.end(), more.begin(), more.end()); }

// The captions of one file, and how often its tokens equal the gold tokens.
class Agreement {
 public:
  void compare(const std::string& name, const Lines& captions, const Lines& gold,
               Tokenize* tokenize) {
    REQUIRE(captions.size() == gold.size());
    const auto ours = tokenize(captions);
    for (std::size_t i = 0; i < gold.size(); ++i) {
      ++lines_[name];
      if (join_words(ours[i]) == gold[i]) {
        ++equal_[name];
      } else if (shown_++ < 20) {
        std::cout << name << ": " << captions[i] << "\n  gold " << gold[i] << "\n  ours "
                  << join_words(ours[i]) << "\n";
      }
    }
  }
  ~Agreement() {
    for (const auto& [name, count] : lines_) {
      std::cout << "PTB " << name << ": " << equal_[name] << " of " << count << " lines equal\n";
    }
  }
  bool complete() const { return lines_ == equal_; }
  bool empty() const { return lines_.empty(); }

 private:
  std::map<std::string, std::size_t> lines_, equal_;
  int shown_ = 0;
};

}  // namespace

TEST_CASE("PTB tokens equal those of the original, line by line") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  Agreement agreement;
  for (const auto& category : test::read_json(folder / "ptb_lines.json")) {
    const std::string name = category["category"];
    agreement.compare(name, category["lines"], category["ptb"], ptb_tokenize);
    agreement.compare(name + ", words", category["lines"], category["tok"], ptb_words);
  }
  const nlohmann::json isolated = test::read_json(folder / "ptb_lines_isolated.json");
  for (std::size_t i = 0; i < isolated["lines"].size(); ++i) {
    agreement.compare("isolated", {isolated["lines"][i]}, {isolated["ptb"][i]}, ptb_tokenize);
  }
  agreement.compare("corpus", read_gzip(folder / "ptb_corpus.raw.txt.gz"),
                    read_gzip(folder / "ptb_corpus.ptb.txt.gz"), ptb_tokenize);
  CHECK_FALSE(agreement.empty());
  CHECK(agreement.complete());
}

TEST_CASE("PTB words of candidates and references equal those of the original") {
  const fs::path folder = test::data_folder("metrics-gold");
  if (folder.empty()) return;
  Agreement agreement;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string(), suffix = ".gold.json";
    if (!file.ends_with(suffix)) continue;
    const std::string name = file.substr(0, file.size() - suffix.size());
    std::map<int, std::string> candidate_of;
    for (const auto& result : test::read_json(folder / (name + ".results.json"))) {
      candidate_of[result["image_id"]] = result["caption"];
    }
    std::map<int, Lines> references_of;
    const nlohmann::json annotations = test::read_json(folder / (name + ".annotations.json"));
    for (const auto& reference : annotations["annotations"]) {
      references_of[reference["image_id"]].push_back(reference["caption"]);
    }
    struct {
      Lines captions, tokens, words;
    } candidates, references;
    const nlohmann::json gold = test::read_json(entry.path());
    for (const auto& image : gold["per_image"]) {
      const int id = image["id"];
      // The tokens before punctuation was removed are there only where they differ.
      candidates.captions.push_back(candidate_of.at(id));
      candidates.words.push_back(image["cand_tok"]);
      candidates.tokens.push_back(image.value("cand_ptb", image["cand_tok"]));
      append(references.captions, references_of.at(id));
      append(references.words, image["refs_tok"]);
      append(references.tokens, image.value("refs_ptb", image["refs_tok"]));
    }
    for (const auto& [who, lines] :
         {std::pair("candidates", candidates), {"references", references}}) {
      agreement.compare(name + ", " + who, lines.captions, lines.tokens, ptb_tokenize);
      agreement.compare(name + ", " + who + ", words", lines.captions, lines.words, ptb_words);
    }
  }
  CHECK_FALSE(agreement.empty());
  CHECK(agreement.complete());
}

}  // namespace saccade::ptb_tokenizer_test
