// The directory of a run: its lock, its links, which checkpoints are kept, and which is the newest
// one that can be read.
#include "captioning/learning/runs/run_directory.h"

#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/io/checkpoint.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Mode = RunDirectory::Mode;

Archive archive_of(std::uint64_t value) {
  Archive archive;
  archive.add_uint64("value", value);
  return archive;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("a new run needs an empty directory and removes it if nothing was put into it") {
  const TempFolder folder("run-directory");
  const fs::path run = folder.path() / "deep" / "run";
  { const RunDirectory directory(run, Mode::kNew); }
  REQUIRE(!fs::exists(run));
  {
    RunDirectory directory(run, Mode::kNew);
    directory.write_text("manifest.json", "{}");
    REQUIRE(directory.has_run());
    REQUIRE_THROWS_AS(RunDirectory(run, Mode::kResume), BusyError);  // even by this process
  }
  REQUIRE_THROWS_AS(RunDirectory(run, Mode::kNew), BusyError);
  REQUIRE_NOTHROW(RunDirectory(run, Mode::kResume));
  REQUIRE(fs::exists(run / "manifest.json"));
}

TEST_CASE("a run goes on where the file system has no locks, with a warning") {
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EPERM, EIO}) {
    INFO("error " << error);
    const TempFolder folder("run-directory");
    const FailingLocks locks(error);
    std::vector<std::string> warnings;
    RunDirectory directory(folder.path() / "run", Mode::kNew,
                           [&](Severity severity, const std::string& text) {
                             CHECK(severity == Severity::kWarning);
                             warnings.push_back(text);
                           });
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find((folder.path() / "run" / "lock").string() +
                           ": the file system has no locks (") == 0);
    CHECK_FALSE(is_held(directory.path()));
    directory.save_checkpoint(archive_of(7), 7, 1);
    CHECK(directory.newest_checkpoint()->uint64("value") == 7);
  }
  const TempFolder folder("run-directory");
  const FailingLocks locks(EWOULDBLOCK);  // what a held lock gives
  CHECK_THROWS_AS(RunDirectory(folder.path() / "run", Mode::kNew), BusyError);
}

TEST_CASE("a directory that cannot be read any more is left as it is") {
  for (const int entries : {0, 1, 2, 3}) {
    const TempFolder folder("run-directory");
    std::optional<RunDirectory> directory;
    directory.emplace(folder.path() / "run", Mode::kNew);
    {
      const FailingFolders broken(entries);
      directory.reset();
      std::error_code error;  // where nothing was read, the folder is still broken
      if (entries == 0) fs::directory_iterator(folder.path(), error);
      CHECK(bool(error) == (entries == 0));
    }
    CHECK(fs::exists(folder.path() / "run" / "lock"));
  }
}

TEST_CASE("a comparison is known by the runs of its arms, also without its own files") {
  const auto takes = [](const std::string& run) {
    const TempFolder folder("run-directory");
    const fs::path path = folder.path() / "out" / run;
    fs::create_directories(path);
    RunDirectory(path, Mode::kResume).save_checkpoint(archive_of(1), 1, 1);
    try {
      const RunDirectory directory(folder.path() / "out", Mode::kResume);
      return true;
    } catch (const BusyError&) {
      CHECK(!fs::exists(folder.path() / "out" / "lock"));
      return false;
    }
  };
  CHECK(takes("soft/seed-1"));
  CHECK(takes("soft/tune/lr-1e-3/seed-2"));
  // A folder of comparisons, and one of runs.
  CHECK_FALSE(takes("study/soft/seed-1"));
  CHECK_FALSE(takes("soft"));
  const TempFolder foreign("run-directory");
  fs::create_directories(foreign.path() / "soft" / "seed-1");
  foreign.write("soft/seed-1/notes", "none of a run");
  CHECK_THROWS_AS(RunDirectory(foreign.path(), Mode::kResume), BusyError);
}

TEST_CASE("of a directory that holds runs, the runs are named") {
  const TempFolder folder("run-directory");
  const auto make = [&](const std::string& name) {
    fs::create_directories(folder.path() / name);
    RunDirectory(folder.path() / name, Mode::kResume).save_checkpoint(archive_of(1), 1, 1);
  };
  const auto refusal = [&](const fs::path& path) {
    try {
      resolve_checkpoint(path);
    } catch (const CheckpointError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal(folder.path()).find("is not a run's") != std::string::npos);
  folder.write("compare.json", "{}");  // of runs that were compared later
  CHECK(refusal(folder.path()).find("comparison of runs that lie elsewhere") != std::string::npos);
  make("soft/seed-1");
  CHECK(refusal(folder.path())
            .find("holds 1 run; name it: " + (folder.path() / "soft/seed-1").string()) !=
        std::string::npos);
  for (const char* name : {"soft/seed-2", "hard/seed-1", "hard/seed-2"}) make(name);
  const std::string first = (folder.path() / "hard/seed-1").string(),
                    second = (folder.path() / "hard/seed-2").string(),
                    third = (folder.path() / "soft/seed-1").string();
  CHECK(refusal(folder.path())
            .find("holds 4 runs; name one of them: " + first + ", " + second + ", " + third +
                  " and 1 more") != std::string::npos);
}

// Gives a checkpoint another version of the format, with the digest that its header then has.
void change_version(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes[16] = 2;
  const std::uint64_t digest = XXH3_64bits(bytes.data(), 504);
  std::memcpy(bytes.data() + 504, &digest, sizeof digest);
  write_file(file, bytes);
}

TEST_CASE("a run does not go on behind a checkpoint that another version wrote") {
  const TempFolder folder("run-version");
  RunDirectory directory(folder.path() / "run", Mode::kNew);
  directory.save_checkpoint(archive_of(10), 10, 2);
  change_version(directory.save_checkpoint(archive_of(20), 20, 2));
  REQUIRE_THROWS_AS(directory.newest_checkpoint(), FormatVersionError);
}

TEST_CASE("the newest checkpoints and those that links point to are kept") {
  const TempFolder folder("run-directory");
  RunDirectory directory(folder.path() / "run", Mode::kNew);
  REQUIRE(!directory.newest_checkpoint());
  for (Index update = 10; update <= 50; update += 10) {
    const fs::path file =
        directory.save_checkpoint(archive_of(static_cast<std::uint64_t>(update)), update, 2);
    if (update == 20) directory.mark_best("Bleu_4", file);
  }
  const fs::path checkpoints = checkpoint_folder(directory.path());
  REQUIRE(names_in(checkpoints) == std::vector<std::string>{"best-Bleu_4", "last",
                                                            "step-00000020.h5", "step-00000040.h5",
                                                            "step-00000050.h5"});
  REQUIRE(fs::read_symlink(checkpoints / "last") == "step-00000050.h5");
  REQUIRE(fs::read_symlink(checkpoints / "best-Bleu_4") == "step-00000020.h5");
  REQUIRE(resolve_checkpoint(directory.path()) == checkpoints / "best-Bleu_4");
  REQUIRE(resolve_checkpoint(checkpoints / "last") == checkpoints / "last");
  REQUIRE(directory.newest_checkpoint()->uint64("value") == 50);

  // A better checkpoint takes the link, and the old one is removed with the next checkpoint.
  directory.mark_best("Bleu_4", checkpoints / "step-00000050.h5");
  directory.save_checkpoint(archive_of(60), 60, 1);
  REQUIRE(names_in(checkpoints) ==
          std::vector<std::string>{"best-Bleu_4", "last", "step-00000050.h5", "step-00000060.h5"});
  fs::resize_file(checkpoints / "step-00000060.h5", 700);
  REQUIRE(directory.newest_checkpoint()->uint64("value") == 50);
  fs::resize_file(checkpoints / "step-00000050.h5", 0);
  REQUIRE_THROWS_AS(directory.newest_checkpoint(), CheckpointError);
}

}  // namespace
}  // namespace saccade::test
