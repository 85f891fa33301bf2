// Readers of captions to score, and of their words.
#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/metrics/cider.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/scores/judgements.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/unicode.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"

namespace saccade::campaign {

namespace {

// The last line of the input is a caption, and those before are its references.
void score_with_meteor(Input bytes) {
  static const Meteor meteor;
  const std::string text = text_of(bytes);
  if (unicode::invalid_utf8(text) != std::string::npos) return;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string caption = lines.back();
  lines.pop_back();
  if (lines.empty()) lines.push_back(caption);
  if (caption.size() > 300) return;  // aligning takes time that grows with the number of matches
  const double score = meteor.score(caption, lines).score;
  if (!(score >= 0 && score <= 1 + 1e-9)) throw InternalError(str("METEOR ", score));
}

const std::vector<std::string> kText = {"'s",
                                        "n't",
                                        "...",
                                        "U.S.",
                                        "$1,000.50",
                                        "--",
                                        "``",
                                        "<b>",
                                        "http://a.b/c?d=e&f",
                                        "\xe2\x80\x99",
                                        "\xf0\x9f\x90\xb6",
                                        "-LRB-",
                                        "\n",
                                        "\xcc\x81",
                                        "\xc2\xad"};

}  // namespace

std::vector<Reader> scoring_readers() {
  return {
      {.name = "references",
       .read =
           [](Input bytes) {
             read_references(scratch_file("references", bytes), {}, LineReading::kNames);
           },
       .seeds =
           [] {
             return texts({kRows, kTokens, kCoco, kKarpathy, "a dog\ta wet dog\na cat\n"});
           },
       .words = kTable},
      {.name = "results",
       .read = [](Input bytes) { read_results(scratch_file("results", bytes)); },
       .seeds =
           [] {
             return texts({R"([{"image_id":1,"caption":"a dog"}])", "a dog\na cat\n", kTokens});
           },
       .words = kJson},
      {.name = "judgements",
       .read = [](Input bytes) { read_judgements(scratch_file("judged.csv", bytes)); },
       .seeds =
           [] {
             return texts({"image,caption,score\na.jpg,a dog,3\nb.jpg,\"a cat, asleep\",-1.5\n",
                           "image_id;rating;caption\n1;0.5;a dog\n2;1e-3;two cats\n"});
           },
       .words = kTable},
      {.name = "document_frequencies",
       .read =
           [](Input bytes) {
             WordNumbers numbers;
             read_document_frequencies(scratch_file("df.json", bytes).string(), numbers);
           },
       .seeds =
           [] { return texts({R"({"ref_len":40,"df":{"a":40,"a dog":7,"a dog runs fast":1}})"}); },
       .words = kJson},
      {.name = "ptb",
       .read =
           [](Input bytes) {
             const std::string text = text_of(bytes);
             if (unicode::invalid_utf8(text) == std::string::npos) ptb_tokenize(std::vector{text});
           },
       .seeds =
           [] {
             return texts({"A dog can't run; it's at the U.S. park (see http://a.b/c).",
                           "Two cats, $1,000.50 -- \"quoted\" ... 3/4 of 10:30 a.m."});
           },
       .words = kText},
      {.name = "words",
       .read = [](Input bytes) { tokenize(text_of(bytes)); },
       .seeds = [] { return texts({"A tri-colored dog\xe2\x80\x99s caf\xc3\xa9"}); },
       .words = kText},
      {.name = "meteor",
       .read = score_with_meteor,
       .seeds =
           [] {
             return texts({"two dogs run on the grass\na dog runs\ntwo dogs are running in grass"});
           },
       .words = {" ", "\n", "dog", "running", "the the the", "ing", "ly"}},
      {.name = "paraphrases",
       .read = [](Input bytes) { meteor::Paraphrases::open(scratch_file("table", bytes), "", {}); },
       .seeds = [] { return texts({"0.5\na dog\nthe dog\n0.25\nrun\nruns\n"}); },
       .words = {"\n", "nan", "-1", "\x1f\x8b\x08"}}};
}

}  // namespace saccade::campaign
