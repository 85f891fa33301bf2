#include "core/io/row_store.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
using test::message_of;
using test::TempFolder;

namespace {

constexpr std::size_t kWidth = 12;

RowFormat format(bool half = false) { return {.key = "k1", .shape = {4, 3}, .half = half}; }

std::string id_of(int i) { return "photo " + std::to_string(i) + ".jpg"; }

std::vector<std::string> some_ids(int count) {
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) ids.push_back(id_of(i));
  return ids;
}

// Values that 16 bits hold exactly.
std::vector<float> row_of(const std::string& id) {
  std::vector<float> values(kWidth);
  for (std::size_t k = 0; k < kWidth; ++k) {
    values[k] = static_cast<float>(name_key(id) % 251) + static_cast<float>(k) * 0.25F;
  }
  return values;
}

void fill(RowStoreWriter& writer) {
  for (const std::string& id : writer.missing()) writer.write(id, row_of(id));
}

void make_store(const std::filesystem::path& path, int count, bool half = false) {
  RowStoreWriter writer(path, format(half), some_ids(count));
  fill(writer);
  writer.finish();
}

int wrong_rows(const RowStore& store, int count) {
  int wrong = 0;
  std::vector<float> values(kWidth);
  for (int i = 0; i < count; ++i) {
    store.read(id_of(i), values);
    if (values != row_of(id_of(i))) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE("what is no file is neither waited for nor replaced by a store") {
  const TempFolder folder("no-store");
  const std::filesystem::path pipe = folder / "pipe", circle = folder / "circle";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(circle, circle);
  for (const std::filesystem::path& path : {pipe, circle}) {
    INFO(path.string());
    CHECK_THROWS_AS(RowStore(path, "k1"), IoError);
    CHECK_THROWS_AS(RowStoreWriter(path, format(), some_ids(2)), IoError);
  }
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("rows are read as they were written, in 32 and in 16 bits") {
  const TempFolder folder("rows");
  for (const bool half : {false, true}) {
    const auto path = folder / (half ? "half.rows" : "float.rows");
    make_store(path, 50, half);
    const RowStore store(path, "k1");
    CHECK(store.size() == 50);
    CHECK(store.format() == format(half));
    CHECK(store.ids() == some_ids(50));
    CHECK(wrong_rows(store, 50) == 0);
    CHECK(!std::filesystem::exists(path.string() + ".part"));
  }
  CHECK(std::filesystem::file_size(folder / "half.rows") <
        std::filesystem::file_size(folder / "float.rows"));
}

TEST_CASE("several threads fill and read a store") {
  const TempFolder folder("rows");
  const auto path = folder / "x.rows";
  constexpr int kCount = 400;
  RowStoreWriter writer(path, format(), some_ids(kCount));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&writer, t] {
      for (int i = t; i < kCount; i += 4) writer.write(id_of(i), row_of(id_of(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.finish();
  const RowStore store(path, "k1");
  std::atomic<int> wrong{0};
  threads.clear();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] { wrong += wrong_rows(store, kCount); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("missing rows, other keys and damage give errors with a remedy") {
  const TempFolder folder("rows");
  const auto path = folder / "x.rows";
  const auto error = [&](const std::string& key = "k1") {
    return message_of<DataError>([&] { RowStore(path, key); });
  };
  CHECK_THAT(error(), Catch::EndsWith("x.rows: no such feature file; compute it first"));
  make_store(path, 20);
  CHECK_THAT(error("k2"), Catch::Contains("(key k1, wanted k2); delete the file"));
  CHECK_THAT(message_of<DataError>([&] { RowStore(path, "k1").row("other.jpg"); }),
             Catch::Contains("no row for 'other.jpg'"));

  // tests/campaign/flips.cpp changes every byte.
  const std::string good = TempFolder::read(path);
  std::vector<std::string> foreign = {"no rows", good + "x", "\x89HDF\r\n\x1a\n" + good};
  for (const std::size_t length : {0UL, 15UL, 20UL, 32UL, 100UL, good.size() - 1})
    foreign.push_back(good.substr(0, length));
  for (const std::string& content : foreign) {
    folder.write("bad.rows", content);
    CHECK_THAT(message_of<DataError>([&] { RowStore(folder / "bad.rows", "k1"); }),
               Catch::Contains("cut, damaged or foreign; delete the file"));
  }
}

TEST_CASE("a fill that was killed can be continued") {
  const TempFolder folder("rows");
  const auto path = folder / "x.rows";
  const pid_t child = ::fork();
  if (child == 0) {
    RowStoreWriter writer(path, format(), some_ids(30));
    for (int i = 0; i < 10; ++i) writer.write(id_of(i), row_of(id_of(i)));
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  CHECK(!std::filesystem::exists(path));
  {
    RowStoreWriter writer(path, format(), some_ids(30));
    CHECK(writer.missing().size() == 20);
    CHECK_THROWS_AS(writer.finish(), InternalError);
    CHECK_THROWS_AS(RowStoreWriter(path, format(), some_ids(30)), BusyError);
    writer.write(id_of(10), row_of(id_of(10)));
  }
  RowStoreWriter writer(path, format(), some_ids(30));
  CHECK(writer.missing().size() == 19);
  fill(writer);
  writer.finish();
  CHECK(wrong_rows(RowStore(path, "k1"), 30) == 0);
}

TEST_CASE("a store is filled where the file system has no locks, with a warning") {
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EIO}) {
    const TempFolder folder("rows");
    const test::FailingLocks locks(error);
    std::vector<std::string> warnings;
    RowStoreWriter writer(folder / "x.rows", format(), some_ids(3),
                          [&](Severity, const std::string& text) { warnings.push_back(text); });
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Catch::StartsWith((folder / "x.rows.part").string() +
                                              ": the file system has no locks ("));
    fill(writer);
    writer.finish();
    CHECK(wrong_rows(RowStore(folder / "x.rows", "k1"), 3) == 0);
  }
}

TEST_CASE("a store grows, and an unusable one is replaced") {
  const TempFolder folder("rows");
  const auto path = folder / "x.rows";
  make_store(path, 10, true);
  {
    RowStoreWriter writer(path, format(true), some_ids(15));
    CHECK(writer.missing().size() == 5);
    fill(writer);
    writer.finish();
  }
  CHECK(RowStore(path, "k1").size() == 15);
  CHECK(wrong_rows(RowStore(path, "k1"), 15) == 0);
  {
    RowStoreWriter writer(path, format(false), some_ids(4));
    CHECK(writer.missing().size() == 4);
    fill(writer);
    writer.finish();
  }
  CHECK(RowStore(path, "k1").size() == 4);
  folder.write("x.rows", "garbage");
  folder.write("x.rows.part", "garbage");
  make_store(path, 3);
  CHECK(wrong_rows(RowStore(path, "k1"), 3) == 0);
  CHECK_THROWS_AS(RowStoreWriter(folder / "none.rows", format(), {}), DataError);
  CHECK(folder.count() == 1);
}

TEST_CASE("values that a store cannot hold are refused") {
  const TempFolder folder("rows");
  RowStoreWriter writer(folder / "x.rows", format(true), {"a"});
  std::vector<float> values(kWidth, 1);
  values[3] = 70000;
  CHECK_THAT(message_of<DataError>([&] { writer.write("a", values); }),
             Catch::Contains("set encoder.half to false"));
  values[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(message_of<DataError>([&] { writer.write("a", values); }),
             Catch::Contains("not finite"));
  CHECK_THROWS_AS(RowStoreWriter(folder / "no" / "x.rows", format(), {"a"}), IoError);
  const RowFormat huge{.key = "k", .shape = {1 << 14, 1 << 14}};
  CHECK_THAT(
      message_of<IoError>([&] { RowStoreWriter(folder / "huge.rows", huge, some_ids(100000)); }),
      Catch::Contains("free some space"));
  CHECK(folder.count() == 1);  // x.rows.part
}

TEST_CASE(
    "a store above the limit on the size of files is an error, and the process ends as it should") {
  const TempFolder folder("rows");
  for (const rlim_t bytes : {500U, 3000U, 20'000U, 90'000U, 140'000U}) {
    INFO(bytes << " bytes");
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const std::string text =
          message_of<IoError>([&] { RowStoreWriter(folder / "x.rows", format(), some_ids(2000)); });
      std::exit(text.find("ulimit -f") != std::string::npos ? 42 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 42);
    CHECK(folder.count() == 0);
  }
}
