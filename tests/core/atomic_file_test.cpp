#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "core/base/random.h"
#include "core/base/whole_file.h"
#include "core/io/checkpoint.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
using test::message_of;
using test::TempFolder;

namespace {

Archive filled_with(float value, std::size_t count) {
  Archive archive;
  archive.add_floats("weight", {static_cast<Index>(count)}, std::vector<float>(count, value));
  return archive;
}

// Runs something in a child process and returns its exit status, or -1 when a signal ended it.
template <class F>
int in_child(F&& f) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a file is written whole, and replaced") {
  const TempFolder folder("atomic");
  write_file(folder / "a.json", std::string_view("{}"));
  CHECK(TempFolder::read(folder / "a.json") == "{}");
  write_file(folder / "a.json", std::string_view(""));
  CHECK(TempFolder::read(folder / "a.json").empty());
  CHECK(folder.count() == 1);
}

TEST_CASE("a pipe is written to and stays a pipe") {
  const test::TempFolder folder("atomic-pipe");
  const std::filesystem::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const FileHandle reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  write_file(pipe, std::string_view("through"));
  std::array<char, 16> got{};
  CHECK(::read(reader.fd(), got.data(), got.size()) == 7);
  CHECK(std::string_view(got.data()) == "through");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a link stays a link, and its file is replaced") {
  const test::TempFolder folder("atomic-link");
  write_file(folder / "file", std::string_view("old"));
  std::filesystem::create_symlink("file", folder / "link");
  write_file(folder / "link", std::string_view("new"));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  std::ifstream in(folder / "file");
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "new");
}

TEST_CASE("a path that cannot be written gives an IoError with a remedy") {
  const TempFolder folder("atomic");
  std::filesystem::create_directories(folder / "taken");
  const auto error = [&](const std::filesystem::path& path) {
    return message_of<IoError>([&] { write_file(path, std::string_view("x")); });
  };
  CHECK_THAT(error(folder / "none" / "x"),
             Catch::Contains("cannot write") && Catch::Contains("the directory does not exist"));
  CHECK_THAT(error(folder / "taken"), Catch::Contains("a directory has this name"));
  if (::geteuid() != 0) {
    std::filesystem::permissions(folder / "taken", std::filesystem::perms::owner_read);
    CHECK_THAT(error(folder / "taken" / "x"), Catch::Contains("check the permissions"));
    std::filesystem::permissions(folder / "taken", std::filesystem::perms::owner_all);
  }
  CHECK(folder.count() == 1);
  if (std::filesystem::exists("/dev/full")) {
    const FileHandle full(::open("/dev/full", O_WRONLY));
    CHECK(write_all(full.fd(), std::as_bytes(std::span("x", 1))) == ENOSPC);
  }
}

TEST_CASE("a file above the size limit gives an error, and the old file stays") {
  const TempFolder folder("atomic");
  const auto path = folder / "x.h5";
  save_archive(path, filled_with(1, 1000));
  const int code = in_child([&] {
    const rlimit limit{20000, 20000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save_archive(path, filled_with(2, 100000));
    } catch (const IoError& error) {
      return std::string(error.what()).find("ulimit") != std::string::npos ? 42 : 43;
    }
    return 0;
  });
  CHECK(code == 42);
  CHECK(same_entries(load_archive(path), filled_with(1, 1000)));
  CHECK(folder.count() == 1);
}

TEST_CASE("interrupted calls and partial writes lose nothing") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};  // without SA_RESTART: calls return EINTR
  ::sigaction(SIGUSR2, &action, &before);
  std::string sent(3'000'000, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 31 % 251);

  std::atomic<bool> done{false};
  std::atomic<int> result{-1};
  std::thread writer([&] {
    result = write_all(ends[1], std::as_bytes(std::span(sent)));
    ::close(ends[1]);
    done = true;
    while (done) std::this_thread::yield();  // alive until the last signal is sent
  });
  std::string got;
  std::vector<char> buffer(5000);
  for (;;) {
    if (!done) ::pthread_kill(writer.native_handle(), SIGUSR2);
    const ssize_t read = ::read(ends[0], buffer.data(), buffer.size());
    if (read <= 0) break;
    got.append(buffer.data(), static_cast<std::size_t>(read));
  }
  while (!done) std::this_thread::yield();
  done = false;
  writer.join();
  ::close(ends[0]);
  ::sigaction(SIGUSR2, &before, nullptr);
  CHECK(result == 0);
  CHECK(got == sent);
}

TEST_CASE("kill -9 at any moment leaves the old checkpoint or the new one") {
  const TempFolder folder("atomic");
  const auto path = folder / "x.h5";
  constexpr std::size_t kCount = 20000;
  save_archive(path, filled_with(0, kCount));
  const auto start = std::chrono::steady_clock::now();
  in_child([&] {
    save_archive(path, filled_with(0, kCount));
    return 0;
  });
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - start;
  const auto longest = static_cast<std::uint64_t>(1.5 * whole.count()) + 1000;
  Random random({.seed = 3, .stream = Stream::kTest});
  int torn = 0, replaced = 0;
  float old_value = 0;
  for (int round = 1; round <= 200; ++round) {
    const auto value = static_cast<float>(round);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        save_archive(path, filled_with(value, kCount));
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(longest)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Archive found = load_archive(path);
    if (same_entries(found, filled_with(value, kCount))) {
      ++replaced;
      old_value = value;
    } else if (!same_entries(found, filled_with(old_value, kCount))) {
      ++torn;
    }
  }
  INFO("replaced " << replaced << " of 200");
  CHECK(torn == 0);
  CHECK(replaced > 0);
  CHECK(replaced < 200);
  remove_stale_temporaries(folder.path());
  CHECK(folder.count() == 1);
}

TEST_CASE("temporary files of living processes stay") {
  const TempFolder folder("atomic");
  folder.write("a.h5.tmp." + std::to_string(::getpid()), "");
  folder.write("a.h5.tmp.x", "");
  folder.write("a.tmp", "");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  folder.write("a.h5.tmp." + std::to_string(child), "");
  CHECK(remove_stale_temporaries(folder.path()) == 1);
  CHECK(folder.count() == 3);
}

TEST_CASE("a whole file is read from a pipe, too, and what cannot be read is named") {
  const TempFolder folder("whole");
  const std::string text(200'000, 'x');
  folder.write("text", text);
  CHECK(whole_file(folder / "text") == text);
  folder.write("empty", "");
  CHECK(whole_file(folder / "empty") == "");
  CHECK(whole_file(folder / "none") == std::nullopt);
  CHECK(whole_file(folder / "text/none") == std::nullopt);
  const std::string of_folder = message_of<IoError>([&] { whole_file(folder.path()); });
  CHECK(of_folder.find(folder.path().string()) != std::string::npos);
  const std::filesystem::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  CHECK(whole_file(pipe) == text);
  writer.join();
  const std::filesystem::path huge = folder / "huge";
  folder.write("huge", "");
  std::filesystem::resize_file(huge, std::uintmax_t{3} << 30);
  CHECK(message_of<DataError>([&] { whole_file(huge); }).find("2 GiB") != std::string::npos);
}
