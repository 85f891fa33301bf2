// Models by name: where they are found, what a path hides, the error for a wrong name, and cards.
#include "captioning/learning/runs/named_models.h"

#include <filesystem>

#include "captioning/learning/runs/model_card.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// Makes a folder with two models, of which the first has a card, and another with one that has the
// name of the second.
struct Folders {
  TempFolder temporary{"named-models"};
  std::vector<fs::path> all{temporary / "near", temporary / "missing", temporary / "far"};

  Folders() {
    for (const char* folder : {"near", "far"}) fs::create_directories(temporary / folder);
    for (const char* file : {"near/soft.h5", "near/soft.md", "near/hard.h5", "near/README.md",
                             "near/notes.txt", "far/hard.h5", "far/hard.md", "far/far-1.h5"})
      temporary.write(file, "x");
  }
};

TEST_CASE("a model's name is a word, and no path and no file of weights") {
  for (const char* name : {"soft", "soft-v1.2", "Flickr_8k", "9"}) CHECK(may_name_model(name));
  for (const char* text : {"", "a/b", "./soft", "..", ".soft", "-soft", "soft.h5", "a,b", "a b",
                           "soft.safetensors", "so\xC3\xB6t"})
    CHECK_FALSE(may_name_model(text));
}

TEST_CASE("models are listed by name, and of two with one name the first counts") {
  const Folders folders;
  const std::vector<NamedModel> models = named_models(folders.all);
  REQUIRE(models.size() == 3);
  CHECK(models[0].name == "far-1");
  CHECK(models[0].file == folders.all[2] / "far-1.h5");
  CHECK(models[0].card.empty());
  CHECK(models[1].file == folders.all[0] / "hard.h5");
  CHECK(models[1].card.empty());  // the other folder's card is of another model
  CHECK(models[2].card == folders.all[0] / "soft.md");
}

TEST_CASE("a path wins over a model of the same name, and says so") {
  const Folders folders;
  std::vector<std::string> messages;
  const auto find = [&](const std::string& given) {
    return find_checkpoint(given, folders.all,
                           [&](Severity, const std::string& text) { messages.push_back(text); });
  };
  CHECK(find("soft") == folders.all[0] / "soft.h5");
  CHECK(find("hard") == folders.all[0] / "hard.h5");
  CHECK(messages.empty());
  const fs::path before = fs::current_path();
  fs::current_path(folders.temporary.path());
  folders.temporary.write("soft", "x");
  const fs::path found = find("soft");
  fs::current_path(before);
  CHECK(found == "soft");
  REQUIRE(messages.size() == 1);
  CHECK_THAT(messages[0], Contains("the path that exists") && Contains("near/soft.h5"));
  // What cannot be a name is a path, whether it exists or not.
  CHECK(find("nowhere/soft") == "nowhere/soft");
  CHECK(find("soft.h5") == "soft.h5");
  CHECK(messages.size() == 1);
}

TEST_CASE("a model that hides another one of its name says so, and a copy of it does not") {
  const Folders folders;
  folders.temporary.write("far/soft.h5", "y");
  std::vector<std::string> messages;
  const auto find = [&](const std::string& given) {
    return find_checkpoint(given, folders.all,
                           [&](Severity, const std::string& text) { messages.push_back(text); });
  };
  CHECK(find("hard") == folders.all[0] / "hard.h5");
  CHECK(messages.empty());
  CHECK(find("soft") == folders.all[0] / "soft.h5");
  REQUIRE(messages.size() == 1);
  CHECK_THAT(messages[0], Contains("near/soft.h5") && Contains("the other model of this name is") &&
                              Contains("far/soft.h5"));
  const std::vector<NamedModel> models = named_models(folders.all);
  REQUIRE(models.size() == 3);
  CHECK(models[1].hidden.empty());
  CHECK(models[2].hidden == std::vector<fs::path>{folders.all[2] / "soft.h5"});
}

TEST_CASE("the error for an unknown name lists the names that exist") {
  const Folders folders;
  const auto message = [](const std::string& given, std::span<const fs::path> all) {
    return message_of<CheckpointError>([&] { find_checkpoint(given, all); });
  };
  CHECK_THAT(message("sofd", folders.all),
             Catch::StartsWith("sofd: no such checkpoint") && Contains("did you mean 'soft'?") &&
                 Contains("far-1") && Contains("hard") && Contains("saccade list models"));
  CHECK_THAT(message("sofd", {}), Catch::StartsWith("sofd: no such checkpoint"));
}

TEST_CASE("the head of a card is read, and its mistakes are named") {
  const TempFolder folder("model-card");
  const auto write = [&](const std::string& text) { return folder.write("soft.md", text); };
  const ModelCard card = read_model_card(
      write("---\ntitle: soft, on photos\ndata: 'Flickr8k: 6,000 photos'\nsplit: val\n"
            "scores: [\"CIDEr 0.5 [.4, .6]\", Bleu_4 0.2]\nlicence: MIT\n---\n# Data\n\n---\n"));
  CHECK(card.title == "soft, on photos");
  CHECK(card.data == "Flickr8k: 6,000 photos");
  CHECK(card.scores == std::vector<std::string>{"CIDEr 0.5 [.4, .6]", "Bleu_4 0.2"});
  CHECK(card.digest.empty());
  const auto refusal = [&](const std::string& text) {
    const fs::path path = write(text);
    const std::string message = message_of<DataError>([&] { read_model_card(path); });
    CHECK_THAT(message, Catch::StartsWith(path.string()));
    return message;
  };
  CHECK_THAT(refusal("# Soft\n"), Contains("begins with YAML between two lines"));
  CHECK_THAT(refusal("---\ntitle: x\n"), Contains("begins with YAML between two lines"));
  CHECK_THAT(refusal("---\ntitle: x\ndata: y\n---\n"), Contains("has no 'licence'"));
  CHECK_THAT(refusal("---\ntitle: x\nlicense: y\n---\n"),
             Contains(":3:1: unknown key 'license'") && Contains("licence"));
  CHECK_THROWS_AS(read_model_card(folder / "missing.md"), DataError);
}

}  // namespace
}  // namespace saccade::test
