// Which files a command may write over.
#include "experiments/process/output_file.h"

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
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

}  // namespace
}  // namespace saccade::test
