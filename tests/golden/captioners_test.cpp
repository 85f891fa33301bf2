// Captioners as hubs publish them against what transformers makes of them: published/captioners/,
// which make_captioners.py wrote and, where the environment variable SACCADE_HUB names another
// folder with captioners of that form, those in it.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/model/published/tokenizer_files.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "tests/support/catch.h"
#include "tests/support/further_goldens.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

std::vector<fs::path> captioners(const std::string& name) {
  std::vector<fs::path> found{fs::path(SACCADE_CAPTIONERS_FOLDER) / name};
  if (const auto other = test::further_goldens("SACCADE_HUB"))
    found.push_back(*other / "captioners" / name);
  return found;
}

Json json_of(const fs::path& file) { return Json::parse(std::ifstream(file)); }

TokenRoles roles_of(const fs::path& folder) {
  const Json config = json_of(folder / "config.json");
  for (const char* text : {"text_config", "decoder"})
    if (config.contains(text)) return {.count = config[text]["vocab_size"]};
  return {.count = config["vocab_size"]};
}

// What a tokenizer makes of the texts beside it. Those of BERT stand between [CLS] and [SEP].
void check_texts(const fs::path& folder, const fs::path& cases) {
  const PublishedTokens tokens = read_tokens(folder, roles_of(folder));
  const PublishedTokens again = PublishedTokens::of_text(tokens.text());
  for (const Json& one : json_of(cases / "tokenizer_cases.json")) {
    INFO(one["text"]);
    auto ids = one["ids"].get<std::vector<Index>>();
    CHECK(tokens.decode(ids, false) == one["decoded"]);
    CHECK(tokens.decode(ids) == one["decoded_skipping_specials"]);
    if (!tokens.plan().byte_level) {
      ids.erase(ids.begin());
      ids.pop_back();
    }
    CHECK(tokens.encode(one["text"].get<std::string>()) == ids);
    CHECK(again.encode(one["text"].get<std::string>()) == ids);
  }
}

}  // namespace

TEST_CASE("published tokenizers cut texts as the package does, from whichever files are there") {
  const test::TempFolder folder("tokenizers");
  for (const char* name : {"blip", "vit-gpt2", "git"})
    for (const fs::path& from : captioners(name)) {
      INFO(from.string());
      check_texts(from, from);
      // As older folders have them, without tokenizer.json.
      const fs::path older = folder / "older";
      fs::remove_all(older);
      fs::copy(from, older);
      fs::remove(older / "tokenizer.json");
      check_texts(older, from);
    }
}

TEST_CASE("a vocabulary of published tokens has the special words first, and keeps the numbers") {
  const fs::path blip = captioners("blip")[0], gpt = captioners("vit-gpt2")[0];
  TokenRoles roles = roles_of(blip);
  roles.bos = roles.count - 2;  // which has no entry in the tokenizer
  const Vocabulary words = Vocabulary::published(read_tokens(blip, roles));
  CHECK(words.size() == roles.count);
  CHECK(words.published_number(Vocabulary::kPad) == 0);
  CHECK(words.published_number(Vocabulary::kUnk) == 1);
  CHECK(words.published_number(Vocabulary::kEos) == 3);
  CHECK(words.published_number(Vocabulary::kBos) == roles.bos);
  const std::vector<Index> ids = words.encode_text("Two circles, yellow.");
  CHECK(words.text(ids) == "two circles, yellow.");
  CHECK(words.decode(ids) == std::vector<std::string>{"two", "circles", ",", "yellow", "."});
  CHECK(words.word(words.encode_text("red")[0]) == "red");
  CHECK(words.encode(std::vector<std::string>{"two", "circles"}).size() > 2);

  // One token begins, ends and pads.
  const Vocabulary bytes = Vocabulary::published(read_tokens(gpt, roles_of(gpt)));
  CHECK(bytes.size() == roles_of(gpt).count + 3);
  CHECK(bytes.published_number(Vocabulary::kEos) == roles_of(gpt).count - 1);
  CHECK(bytes.published_number(Vocabulary::kBos) == -1);
  const std::vector<Index> said = bytes.encode_text("a red  square\xF0\x9F\x90\x88");
  CHECK(bytes.text(said) == "a red  square\xF0\x9F\x90\x88");
  CHECK(bytes.decode(said) == std::vector<std::string>{"a", "red", "square\xF0\x9F\x90\x88"});
}

TEST_CASE(
    "tokenizers of another kind, and damaged ones, are refused with the file and the reason") {
  const test::TempFolder folder("tokenizer-refused");
  const auto refused = [&](const char* name, const auto& change) {
    const fs::path to = folder / "copy";
    fs::remove_all(to);
    fs::copy(captioners(name)[0], to);
    const TokenRoles roles = roles_of(to);
    change(to);
    try {
      read_tokens(to, roles);
    } catch (const DataError& error) {
      CHECK(std::string(error.what()).find(to.string()) != std::string::npos);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto with = [&](const char* name, const char* pointer, const Json& value) {
    return refused(name, [&](const fs::path& to) {
      Json json = json_of(to / "tokenizer.json");
      json[Json::json_pointer(pointer)] = value;
      std::ofstream(to / "tokenizer.json") << json;
    });
  };
  CHECK_THAT(with("blip", "/model/type", "Unigram"), Catch::Contains("Unigram"));
  CHECK_THAT(with("blip", "/normalizer/type", "NFC"), Catch::Contains("NFC"));
  CHECK_THAT(with("vit-gpt2", "/pre_tokenizer/type", "Split"), Catch::Contains("Split"));
  CHECK_THAT(with("vit-gpt2", "/model/byte_fallback", true), Catch::Contains("byte_fallback"));
  CHECK_THAT(with("vit-gpt2", "/model/merges/0", "a"), Catch::Contains("merge 'a'"));
  CHECK_THAT(with("vit-gpt2", "/model/merges/0", 3), Catch::Contains("merge"));
  CHECK_THAT(with("blip", "/model/vocab/red", "x"), Catch::Contains("'red'"));
  CHECK_THAT(with("blip", "/model/vocab/red", -4), Catch::Contains("-4"));
  CHECK_THAT(with("blip", "/model/vocab/red", 1000), Catch::Contains("embedding"));
  CHECK_THAT(with("blip", "/model/vocab", Json::array()), Catch::Contains("vocabulary"));
  const auto write = [](const char* file, const char* text) {
    return [=](const fs::path& to) { std::ofstream(to / file) << text; };
  };
  CHECK_THAT(refused("blip", write("tokenizer.json", "[1")), Catch::Contains("no JSON object"));
  CHECK_THAT(refused("vit-gpt2",
                     [](const fs::path& to) {
                       fs::remove(to / "tokenizer.json");
                       fs::remove(to / "merges.txt");
                     }),
             Catch::Contains("merges.txt"));
  CHECK_THAT(refused("blip",
                     [](const fs::path& to) {
                       fs::remove(to / "tokenizer.json");
                       fs::remove(to / "vocab.txt");
                     }),
             Catch::Contains("no tokenizer"));
  CHECK_THAT(refused("vit-gpt2",
                     [](const fs::path& to) {
                       fs::remove(to / "tokenizer.json");
                       fs::resize_file(to / "merges.txt", 0);
                     }),
             Catch::Contains("merges.txt: it has no pairs"));
  CHECK_THAT(refused("blip",
                     [](const fs::path& to) {
                       fs::remove(to / "tokenizer.json");
                       fs::resize_file(to / "vocab.txt", fs::file_size(to / "vocab.txt") / 2);
                     }),
             Catch::Contains("vocab.txt: has") && Catch::Contains("it is cut"));
}
