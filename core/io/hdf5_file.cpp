// Reads the arrays of an HDF5 file that another program wrote. The HDF5 library runs in a process
// of its own (hdf5_reader.cpp), because it crashes on some files that are damaged inside.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <mutex>
#include <new>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/own_place.h"
#include "core/io/array_file.h"
#include "core/io/hdf5_messages.h"
#include "core/io/safetensors_header.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// Starts a program whose standard input is this socket. In a process group of its own, Ctrl-C does
// not reach it, and what a crash prints is thrown away. Returns 0 or errno.
int spawn_reader(const fs::path& program, int socket, pid_t& process) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPROF);  // by which it limits its time
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string name = program.string();
  char* const arguments[] = {name.data(), nullptr};
  const int error =
      ::posix_spawn(&process, name.c_str(), &files, &attributes, arguments, ::environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// The process that reads for this one. It starts with the first file, and again after a damaged
// one; it ends when the socket is closed, at the end of this process at the latest.
class ReadingProcess {
 public:
  static ReadingProcess& only() {
    static auto* const process = new ReadingProcess;
    return *process;
  }
  // Held from start() to the answer.
  std::unique_lock<std::mutex> alone() { return std::unique_lock(mutex_); }

  // How many were started up to the one that runs; 0 where none runs.
  int running() const {
    const bool of_parent = owner_ != ::getpid();  // this process was forked since
    return process_ > 0 && !of_parent ? started_ : 0;
  }
  // Starts it where it does not run, and returns running().
  int start() {
    if (const int number = running()) return number;
    const fs::path program = own_place(kReader);
    const auto fail = [&](const std::string& why) {
      throw IoError(str("HDF5 files are read by ", program.empty() ? kReader : program.string(),
                        ", which ", why, "; install saccade again"));
    };
    if (program.empty()) fail("is missing beside this program");
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw_io_error("start", program, errno);
    socket_ = FileHandle(ends[0]);
    {
      const FileHandle theirs(ends[1]);
      if (const int error = spawn_reader(program, theirs.fd(), process_)) {
        process_ = 0;
        throw_io_error("start", program, error);
      }
    }
    owner_ = ::getpid();
    ++started_;
    constexpr std::uint64_t kMostGreeting = 4096;
    auto greeting = receive_message(socket_.fd(), kMostGreeting);
    if (!greeting) fail(str("does not start (", end(), ")"));
    if (greeting->text() != kHdf5Greeting) {
      end();
      fail("is of another version");
    }
    return started_;
  }

  // The answer, of at most so many bytes; empty where the process has ended.
  std::optional<Hdf5Message> ask(const Hdf5Message& wish, std::uint64_t most) {
    if (!send_message(socket_.fd(), wish)) return std::nullopt;
    return receive_message(socket_.fd(), most);
  }
  void tell(const Hdf5Message& wish) { send_message(socket_.fd(), wish); }
  // Ends the process, if it has not ended, and says how it ended.
  std::string end() {
    socket_ = FileHandle();
    int status = 0;
    pid_t ended = 0;
    ::kill(process_, SIGKILL);  // changes nothing where it has crashed
    while ((ended = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) continue;
    process_ = 0;
    if (ended < 0) return "it has ended";
    if (WIFEXITED(status)) return str("exit code ", WEXITSTATUS(status));
    return str("signal ", WTERMSIG(status));
  }

 private:
  static constexpr const char* kReader = "libexec/saccade/hdf5-reader";

  std::mutex mutex_;
  FileHandle socket_;
  pid_t process_ = 0, owner_ = 0;
  int started_ = 0;
};

class Hdf5File final : public ArrayFile {
 public:
  explicit Hdf5File(const fs::path& path) {
    source_ = path.string();
    std::error_code error;
    absolute_ = fs::absolute(path, error).string();
    auto& process = ReadingProcess::only();
    const auto lock = process.alone();
    static std::uint64_t files = 0;
    number_ = ++files;
    names_ = open(process);
  }
  ~Hdf5File() override {
    auto& process = ReadingProcess::only();
    const auto lock = process.alone();
    if (process.running() == process_) process.tell(wish(Hdf5Wish::kClose));
  }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  ArrayInfo info(const std::string& name) const override {
    Hdf5Message answer = ask(wish(Hdf5Wish::kInfo).add(name), name);
    ArrayInfo info{.name = name, .type = ""};
    const auto type = answer.text();
    const auto width = answer.number();
    if (!type || !width) refuse(name, "HDF5 does not say what it is");
    info.type = *type;
    // A damaged shape may ask for any amount of memory. Packed numbers take at least a thousandth.
    constexpr double kMostPacked = 1100;
    double bytes = static_cast<double>(*width);
    while (const auto extent = answer.number()) {
      bytes *= static_cast<double>(*extent);
      info.shape.push_back(static_cast<Index>(*extent));
    }
    std::error_code error;
    const auto has = static_cast<double>(fs::file_size(source_, error));
    const bool negative =
        std::any_of(info.shape.begin(), info.shape.end(), [](Index extent) { return extent < 0; });
    if (negative || (!error && !(bytes <= kMostPacked * has)))
      refuse(name, "its shape has more numbers than the file can hold; copy it again");
    return info;
  }

 protected:
  std::vector<std::byte> bytes(const ArrayInfo& array, Index first, Index rows) const override {
    const Index all = array.shape.empty() ? 1 : array.shape[0];
    const Index count = all == 0 ? 0 : rows * (array.count() / all);
    std::vector<std::byte> out(static_cast<std::size_t>(count) *
                               safetensors_type_bytes(array.type));
    if (out.empty()) return out;
    Hdf5Message answer = ask(wish(Hdf5Wish::kNumbers)
                                 .add(array.name)
                                 .add(static_cast<std::uint64_t>(first))
                                 .add(static_cast<std::uint64_t>(rows)),
                             array.name, out.size() + kRoom);
    const auto numbers = answer.text();
    if (!numbers || numbers->size() != out.size())
      refuse(array.name, "its numbers are others than its shape says; copy it again");
    std::memcpy(out.data(), numbers->data(), out.size());
    return out;
  }
  std::vector<std::string> own_texts(const ArrayInfo& array) const override {
    Hdf5Message answer = ask(wish(Hdf5Wish::kTexts).add(array.name), array.name);
    std::vector<std::string> out;
    while (const auto text = answer.text()) out.emplace_back(*text);
    if (static_cast<Index>(out.size()) != array.count())
      refuse(array.name, "its texts are others than its shape says; copy it again");
    return out;
  }

 private:
  static constexpr std::uint64_t kRoom = 4096, kMostTexts = std::uint64_t{1} << 32;  // bytes

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw DataError(at(name) + ": " + why);
  }
  Hdf5Message wish(Hdf5Wish kind) const {
    return Hdf5Message().add(static_cast<std::uint64_t>(kind)).add(number_);
  }

  // Opens the file in a process that has just started, and returns the names of its arrays.
  std::vector<std::string> open(ReadingProcess& process) const {
    process_ = process.start();
    Hdf5Message answer = answered(process, wish(Hdf5Wish::kOpen).add(absolute_), "", kMostTexts);
    std::vector<std::string> names;
    while (const auto name = answer.text()) names.emplace_back(*name);
    std::sort(names.begin(), names.end());
    return names;
  }
  Hdf5Message ask(const Hdf5Message& wish, const std::string& name,
                  std::uint64_t most = kMostTexts) const {
    auto& process = ReadingProcess::only();
    const auto lock = process.alone();
    if (process.running() != process_) open(process);
    return answered(process, wish, name, most);
  }
  // What follows the first number of an answer; throws where it is not what was asked for.
  Hdf5Message answered(ReadingProcess& process, const Hdf5Message& wish, const std::string& name,
                       std::uint64_t most) const {
    std::optional<Hdf5Message> answer = process.ask(wish, most);
    const auto kind = answer ? answer->number() : std::nullopt;
    if (!kind) {
      const std::string how = process.end();
      if (how == str("signal ", SIGKILL))
        refuse(name, "the process that reads it was killed; look whether memory ran out");
      refuse(name, str("the HDF5 library ",
                       how == str("signal ", SIGPROF) ? "finds no end in it" : "crashed on it",
                       " (", how, "), so it is damaged; copy it again"));
    }
    if (*kind == static_cast<std::uint64_t>(Hdf5Answer::kGiven)) return std::move(*answer);
    // The library cannot close some damaged files, and would take what replaces them for the same.
    process.end();
    if (*kind == static_cast<std::uint64_t>(Hdf5Answer::kNoMemory)) throw std::bad_alloc();
    refuse(name, std::string(answer->text().value_or("HDF5 does not read it")));
  }

  std::string absolute_;
  std::uint64_t number_ = 0;
  mutable int process_ = 0;  // the reading process that has it open
};

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5(const fs::path& path) {
  return std::make_unique<Hdf5File>(path);
}

}  // namespace saccade
