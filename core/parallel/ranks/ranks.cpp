#include "core/parallel/ranks/ranks.h"

#include <dlfcn.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/own_place.h"
#include "core/parallel/parallel.h"

namespace saccade::parallel {

namespace {

// Where the module that uses MPI lies, seen from the program or a folder above it, and its entry, a
// function without arguments that starts MPI and returns a new Ranks.
constexpr const char* kRanksModule = "lib/saccade/libsaccade-ranks.so";
constexpr const char* kOpenRanks = "saccade_open_ranks";

thread_local Ranks* ranks_of_thread = nullptr;

// So many ranks of others, which lie beside each other.
class Neighbours : public Ranks {
 public:
  Neighbours(Ranks& all, int count)
      : all_(&all), count_(count), begin_(all.rank() / count * count) {}

  int rank() const override { return all_->rank() - begin_; }
  int count() const override { return count_; }
  void exchange(int other, std::span<const char> out, std::span<char> in) override {
    all_->exchange(begin_ + other, out, in);
  }
  // Every rank meets the others in their order, so that no two wait for each other.
  std::vector<std::string> gather(const std::string& mine) override {
    std::vector<std::string> out(static_cast<std::size_t>(count_));
    for (int other = 0; other < count_; ++other) {
      std::string& theirs = out[static_cast<std::size_t>(other)];
      if (other == rank()) {
        theirs = mine;
        continue;
      }
      const std::size_t sent = mine.size();
      std::size_t received = 0;
      exchange(other, {reinterpret_cast<const char*>(&sent), sizeof sent},
               {reinterpret_cast<char*>(&received), sizeof received});
      theirs.resize(received);
      exchange(other, mine, theirs);
    }
    return out;
  }
  void end_all(int code) override { all_->end_all(code); }
  void finish() override {}

 private:
  Ranks* all_;
  int count_, begin_;
};

std::string bytes_of(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

std::vector<double> numbers_of(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// A text behind its length.
void write_text(std::string& bytes, const std::string& text) {
  const std::size_t length = text.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += text;
}

// Takes the first text from the bytes.
std::string_view read_text(std::string_view& bytes) {
  std::size_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string_view text = bytes.substr(sizeof length, length);
  bytes.remove_prefix(sizeof length + length);
  return text;
}

}  // namespace

std::unique_ptr<Ranks> open_ranks(int processes) {
  if (processes < 2) return nullptr;
  const std::string module = own_place(kRanksModule).string();
  if (module.empty())
    throw UsageError(str("a launcher started ", processes,
                         " processes, but this saccade was built without MPI; install "
                         "libopenmpi-dev and build it again, or start one process"));
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const open = library != nullptr ? dlsym(library, kOpenRanks) : nullptr;
  if (open == nullptr)
    throw UsageError(str("the module for MPI cannot be loaded: ", dlerror(),
                         "; install openmpi-bin, or start one process"));
  // The threads that MPI starts leave all signals to those of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::unique_ptr<Ranks> ranks(reinterpret_cast<Ranks* (*)()>(open)());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (ranks->count() < 2)
    throw UsageError(str("a launcher started ", processes,
                         " processes, which do not find each other; start them with mpirun, or "
                         "with srun --mpi=pmix"));
  return ranks;
}

std::unique_ptr<Ranks> neighbours(Ranks& all, int count) {
  SACCADE_CHECK(count > 0 && all.count() % count == 0, "[ranks] groups of ", count, " of ",
                all.count(), " ranks");
  return count == 1 ? nullptr : std::make_unique<Neighbours>(all, count);
}

OverRanks::OverRanks(Ranks* ranks) : outer_(std::exchange(ranks_of_thread, ranks)) {}
OverRanks::~OverRanks() { ranks_of_thread = outer_; }

Ranks* ranks() { return inside_task() ? nullptr : ranks_of_thread; }

std::string of_first_rank(const std::string& mine) {
  Ranks* const all = ranks();
  return all != nullptr ? all->gather(all->rank() == 0 ? mine : "").front() : mine;
}

std::vector<double> join_numbers(const std::vector<double>& mine) {
  Ranks* const all = ranks();
  if (all == nullptr) return mine;
  std::vector<double> out;
  for (const std::string& bytes : all->gather(bytes_of(mine))) {
    const std::vector<double> numbers = numbers_of(bytes);
    out.insert(out.end(), numbers.begin(), numbers.end());
  }
  return out;
}

std::vector<std::string> join_texts(const std::vector<std::string>& mine) {
  Ranks* const all = ranks();
  if (all == nullptr) return mine;
  std::string bytes;
  for (const std::string& text : mine) write_text(bytes, text);
  std::vector<std::string> out;
  for (const std::string& of_rank : all->gather(bytes))
    for (std::string_view rest = of_rank; !rest.empty();) out.emplace_back(read_text(rest));
  return out;
}

std::vector<double> add_up(std::span<const std::vector<double>> parts, const std::string& error) {
  // The error stands before the parts.
  std::vector<std::string> mine{error};
  for (const std::vector<double>& part : parts) mine.push_back(bytes_of(part));
  std::string bytes;
  for (const std::string& text : mine) write_text(bytes, text);
  Ranks* const all = ranks();
  const std::vector<std::string> of_ranks =
      all != nullptr ? all->gather(bytes) : std::vector<std::string>{bytes};
  for (std::string_view rest : of_ranks)
    if (const std::string_view first = read_text(rest); !first.empty())
      throw DivergedError(std::string(first));
  std::vector<double> sum;
  for (std::string_view rest : of_ranks) {
    read_text(rest);
    while (!rest.empty()) {
      const std::vector<double> part = numbers_of(read_text(rest));
      sum.resize(std::max(sum.size(), part.size()));
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
    }
  }
  return sum;
}

}  // namespace saccade::parallel
