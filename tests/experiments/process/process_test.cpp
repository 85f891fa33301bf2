// Which files a command may write over; processors; progress.
#include "experiments/process/output_file.h"
#include "experiments/process/processor.h"
#include "experiments/process/progress.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

struct Files {
  TempFolder folder{"output-file"};
  fs::path photo = folder.write("a.html", "\xff\xd8\xff");
  fs::path page = folder.write("page.HTML", "<!doctype html>\n<title>saccade report</title>");
  fs::path others = folder.write("others.html", "<!doctype html>\n<title>my notes</title>");
  fs::path captions =
      folder.write("captions.json", "[\n {\n  \"image_id\": 1, \"caption\": \"a\"}]");
  fs::path scores = folder.write("scores.json", "[\n{\"image_id\":1,\"Bleu_1\":0.5}\n]\n");
  fs::path references =
      folder.write("coco.json", "{\"annotations\": [{\"image_id\": 1, \"caption\": \"a\"}]}");
};

TEST_CASE("a file is written over its own kind, over nothing, and over pipes and devices") {
  const Files files;
  CHECK_NOTHROW(check_output("--page", files.page, OutputKind::kPage));
  CHECK_NOTHROW(check_output("--page", files.folder / "new.html", OutputKind::kPage));
  CHECK_NOTHROW(check_output("--page", files.folder.write("empty.html", ""), OutputKind::kPage));
  CHECK_NOTHROW(check_output("--page", "/dev/null", OutputKind::kPage));
  CHECK_NOTHROW(check_output("--out", files.captions, OutputKind::kResults));
  CHECK_NOTHROW(check_output("--per-image", files.scores, OutputKind::kImageScores));
  for (const char* caption : {R"({"image":"a.jpg","caption":"a dog","words":[)", R"({"tokens":[)"})
    CHECK_NOTHROW(
        check_output("--out", files.folder.write("maps.json", caption), OutputKind::kMaps));
}

TEST_CASE("no other file is written over") {
  const Files files;
  for (const fs::path& file : {files.photo, files.others})
    CHECK_THAT(message_of<BusyError>([&] { check_output("--page", file, OutputKind::kPage); }),
               Catch::StartsWith(file.string() + ": exists") && Contains("choose another name"));
  for (const fs::path& file : {files.scores, files.references})
    CHECK_THROWS_AS(check_output("--out", file, OutputKind::kResults), BusyError);
  for (const fs::path& file : {files.captions, files.references})
    CHECK_THROWS_AS(check_output("--per-image", file, OutputKind::kImageScores), BusyError);
  const fs::path own = files.folder.write("own.json", R"({"image":"a.jpg","caption":"a dog"})");
  for (const fs::path& file : {files.captions, files.scores, files.references, own})
    CHECK_THROWS_AS(check_output("--out", file, OutputKind::kMaps), BusyError);
}

TEST_CASE("the name has to be one of the kind, and no input's") {
  const Files files;
  for (const char* name : {"a.jpg", "a", "a.json"})
    CHECK_THAT(message_of<UsageError>(
                   [&] { check_output("--page", files.folder / name, OutputKind::kPage); }),
               Catch::StartsWith("--page ") && Contains("ends in .html"));
  fs::create_directories(files.folder / "folder.html");
  CHECK_THAT(message_of<UsageError>(
                 [&] { check_output("--page", files.folder / "folder.html", OutputKind::kPage); }),
             Contains("is a folder"));
  // The same file by another name.
  fs::create_symlink(files.page, files.folder / "link.html");
  const std::vector<std::string> inputs = {"", "soft", (files.folder / "link.html").string()};
  CHECK_THAT(message_of<UsageError>(
                 [&] { check_output("--page", files.page, OutputKind::kPage, inputs); }),
             Contains("the command reads this file"));
}

TEST_CASE("what exists is refused, even a link that leads nowhere") {
  const Files files;
  CHECK_NOTHROW(refuse_existing(files.folder / "new", "wait"));
  fs::create_symlink(files.folder / "nowhere", files.folder / "link");
  for (const fs::path& file : {files.photo, files.folder / "link"})
    CHECK_THAT(message_of<BusyError>([&] { refuse_existing(file, "wait"); }),
               Contains("exists; choose another name, or wait"));
}

// What the manifest says of the processor.

Processor read(const std::string& text) {
  std::istringstream in(text);
  return read_processor(in);
}

TEST_CASE("processors of one name are told apart by family, model and instructions") {
  const Processor intel = read(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
      "model name\t: Intel(R) Xeon(R) Processor\nstepping\t: 8\npower management:\n"
      "flags\t\t: fpu sse2 avx2 avx512f amx_tile ht fma\n\nprocessor\t: 1\nmodel\t\t: 7\n"
      "flags\t\t: none\n");
  CHECK(intel.name == "Intel(R) Xeon(R) Processor");
  CHECK(intel.model == "GenuineIntel 6/143, stepping 8");
  CHECK(intel.features == std::vector<std::string>{"amx_tile", "avx2", "avx512f", "fma", "sse2"});
  const Processor arm = read(
      "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd crc32 sve i8mm\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n"
      "CPU revision\t: 1\n");
  CHECK(arm.name == "0x41 8/0xd40, stepping 1");
  CHECK(arm.features == std::vector<std::string>{"asimd", "i8mm", "sve"});
  for (const char* text : {"", "\n\n", "no colon\n", ":\n", ": value\n", "flags:\n"}) {
    const Processor none = read(text);
    CHECK(none.name == "unknown");
    CHECK(none.features.empty());
  }
}

// How often progress is written into a file.

// The shares at which lines are written, of work that takes `seconds` seconds in equal steps from
// the share `begin` on.
std::vector<double> lines(double seconds, int steps, double begin = 0) {
  ProgressLines progress;
  std::vector<double> out;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps, done = begin + (1 - begin) * share;
    if (progress.due(seconds * share, done)) out.push_back(done);
  }
  return out;
}

TEST_CASE("a file gets a line of progress for every tenth that is done") {
  CHECK(lines(4.9, 1000).empty());
  // The first line comes after five seconds, and tells how long a job of a night will take.
  const std::vector<double> night = lines(36'000, 36'000);
  REQUIRE(night.size() == 11);
  CHECK(night[0] == 5.0 / 36'000);
  for (int tenth = 1; tenth <= 10; ++tenth)
    CHECK(night[static_cast<std::size_t>(tenth)] == tenth / 10.0);
  CHECK(lines(20, 1000).size() == 9);  // from a quarter on
  CHECK(lines(1000, 4) == std::vector<double>{0.25, 0.5, 0.75, 1});
  CHECK(lines(1000, 1000, 0.85).size() == 3);  // a run that is resumed
}

TEST_CASE("durations are rounded to what matters") {
  CHECK(duration_text(45.4) == "45s");
  CHECK(duration_text(750) == "12m 30s");
  CHECK(duration_text(3900) == "1h 05m");
  CHECK(duration_text(-1) == "0s");
}

}  // namespace
}  // namespace saccade::test
