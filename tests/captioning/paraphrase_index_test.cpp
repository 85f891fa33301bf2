// The index of METEOR's paraphrases: it is kept, found, and never trusted when it is damaged.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "core/base/messages.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {

namespace fs = std::filesystem;

TEST_CASE("an index of paraphrases is kept, and replaced where it is not what it should be") {
  const test::TempFolder folder("meteor-index");
  std::mt19937 random(3);
  std::string text;
  const auto phrase = [&] {
    std::string out;
    for (auto left = 1 + random() % 4; left > 0; --left)
      out += (out.empty() ? "w" : " w") + std::to_string(random() % 9);
    return out;
  };
  for (int i = 0; i < 300; ++i) text += "0.1\n" + phrase() + "\n" + phrase() + "\n";
  const fs::path table = folder.write("table.txt", text), cache = folder / "cache";
  const auto files = [&] {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(cache)) out.push_back(entry.path());
    return out;
  };
  std::string told;
  // Another table in between, so that nothing is taken from memory.
  const auto other = folder.write("other.txt", "0.4\nowl\nwise bird\n");
  const auto open = [&] {
    meteor::Paraphrases::open(other);
    told.clear();
    return meteor::Paraphrases::open(table, cache,
                                     [&](Severity, const std::string& line) { told += line; });
  };
  const auto plain = meteor::Paraphrases::open(table);
  const auto same = [&](const meteor::Paraphrases& ours) {
    CHECK(ours.digest() == plain->digest());
    CHECK(ours.word("w1") == plain->word("w1"));
    CHECK(ours.word("") == meteor::kNoWord);
    CHECK(ours.word("x") == meteor::kNoWord);
    std::size_t pairs = 0;
    std::mt19937 again(5);
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::uint32_t> words;
      for (auto left = 1 + again() % 5; left > 0; --left)
        words.push_back(plain->word("w" + std::to_string(again() % 9)));
      const auto found = ours.find(words);
      REQUIRE(found == plain->find(words));
      if (!found) continue;
      REQUIRE(std::ranges::equal(ours.of(*found), plain->of(*found)));
      pairs += ours.of(*found).size();
    }
    CHECK(pairs > 100);
  };
  same(*open());
  CHECK(told.find("the index for the next time is ") != std::string::npos);
  REQUIRE(files().size() == 1);
  const fs::path file = files()[0];
  const std::string whole = test::TempFolder::read(file);
  same(*open());
  CHECK(told.empty());
  // A bit anywhere, an end anywhere, another file.
  std::vector<std::string> damaged = {"", "saccade", whole + "x", std::string(whole.size(), 'a')};
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 23) {
    damaged.push_back(whole.substr(0, at));
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 4);
  }
  for (const std::string& bytes : damaged) {
    folder.write("cache/" + file.filename().string(), bytes);
    const auto mended = open();
    REQUIRE(!told.empty());
    REQUIRE(mended->digest() == plain->digest());
    REQUIRE(test::TempFolder::read(file) == whole);
  }
  CHECK(files().size() == 1);
  // The table changes, and its size does not.
  text[text.find("w1")] = 'v';
  folder.write("table.txt", text);
  fs::last_write_time(table, fs::last_write_time(table) + std::chrono::seconds(2));
  CHECK(open()->digest() != plain->digest());
  // A folder that cannot be made: the index stays in memory.
  told.clear();
  meteor::Paraphrases::open(other);
  const auto unkept = meteor::Paraphrases::open(
      table, other / "cache", [&](Severity, const std::string& line) { told += line; });
  CHECK(unkept->word("v1") != meteor::kNoWord);
  // A pipe has no ends to look at, so that it has no index.
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  CHECK(meteor::Paraphrases::open(pipe, cache)->digest() == unkept->digest());
  writer.join();
  CHECK(told.find("at every start") != std::string::npos);
}

TEST_CASE("an index of paraphrases holds more words than 16 bits number") {
  const test::TempFolder folder("meteor-wide");
  std::string text;
  for (int i = 0; i < 70000; i += 2)
    text += "1\nw" + std::to_string(i) + "\nw" + std::to_string(i + 1) + " x\n";
  const auto table = meteor::Paraphrases::open(folder.write("table.txt", text));
  for (const int i : {0, 12344, 69998}) {
    const std::array from = {table->word("w" + std::to_string(i))};
    const std::array to = {table->word("w" + std::to_string(i + 1)), table->word("x")};
    const auto found = table->find(from);
    REQUIRE(found.has_value());
    CHECK(std::ranges::equal(table->of(*found), std::array{table->find(to).value()}));
  }
}

TEST_CASE("programs that make the same index at the same time all have it") {
  const test::TempFolder folder("meteor-race");
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "1\na" + std::to_string(i) + "\nb c" + std::to_string(i) + "\n";
  const fs::path table = folder.write("table.txt", text);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto open = meteor::Paraphrases::open(table, folder / "cache");
      ::_exit(open->word("a2999") != meteor::kNoWord ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(std::distance(fs::directory_iterator(folder / "cache"), fs::directory_iterator()) == 1);
  bool built = false;
  meteor::Paraphrases::open(table, folder / "cache",
                            [&](Severity, const std::string&) { built = true; });
  CHECK(!built);
}

}  // namespace saccade
