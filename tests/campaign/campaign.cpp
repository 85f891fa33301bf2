// campaign [--list] READER [--inputs N] [--seconds S] [--cpu S] [--seed K] [--seeds FOLDER]
// [--keep FOLDER] [--until TEXT] [FILE...]
// campaign READER --write FOLDER
// campaign --flips [--every N] [NAME...]
// Feeds a reader with mutations of its seeds, the same ones for the same seed, and stops at the
// first input that makes it fail: an exception that is no error for people, more than a second of a
// processor, or memory out of proportion. At least one of the seeds must be read without an error.
// A crash leaves the input in the folder --keep, where it is written before it is read. With FILEs
// it reads these alone. --write writes seeds and words for libFuzzer. --flips damages small files
// byte by byte.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <new>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/campaign/readers.h"

namespace saccade::campaign {
namespace {

// An error whose text has this ends the campaign, too, to find an input for a case; "" for none.
std::string until;

// The largest allocation while an input is read.
std::atomic<std::size_t> largest{0};

constexpr std::size_t kAllowed = std::size_t{96} << 20;  // bytes at once, for the smallest input
constexpr std::size_t kAllowedPerByte = 512;             // half of what deflate can unpack

// The time of a processor that this process and those that it started have taken.
double cpu_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  return seconds;
}

// What went wrong with an input; "" for nothing. `refused`: the reader answered with an error.
std::string trouble_of(const Reader& reader, std::span<const std::uint8_t> input, bool& refused) {
  const double start = cpu_seconds();  // the machine may be busy with other things
  largest = 0;
  std::string trouble;
  try {
    reader.read(input);
  } catch (const Error& error) {
    refused = true;
    const std::string_view text = error.what();
    if (!until.empty() && text.find(until) != text.npos) trouble = text;
    if (error.code() == ExitCode::kInternal) trouble = str("an internal error: ", text);
    if (text.empty()) trouble = "an error without a text";
  } catch (const std::bad_alloc&) {
    trouble = "memory ran out";
  } catch (const std::exception& error) {
    trouble = str("an exception that is no error for people: ", error.what());
  }
  if (!trouble.empty()) return trouble;
  if (cpu_seconds() - start > 1) return "it took more than a second of a processor";
  if (largest > kAllowed + kAllowedPerByte * input.size())
    return str("it asked for ", largest >> 20, " MiB at once for ", input.size(), " bytes");
  return "";
}

class Mutator {
 public:
  Mutator(const Reader& reader, std::vector<Bytes> seeds, std::uint64_t seed)
      : reader_(reader), seeds_(std::move(seeds)), seed_(seed) {}

  Bytes operator()(std::uint64_t number) {
    Random random({seed_, Stream::kTest, 0, number});
    const auto below = [&](std::size_t n) {
      return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
    };
    Bytes out = seeds_[below(seeds_.size())];
    for (std::size_t step = 0, steps = 1 + below(6); step < steps; ++step) {
      const std::size_t at = below(out.size() + 1);
      switch (below(9)) {
        case 0:  // one bit
          if (at < out.size()) out[at] ^= static_cast<std::uint8_t>(1U << below(8));
          break;
        case 1:  // another byte
          if (at < out.size()) out[at] = static_cast<std::uint8_t>(below(256));
          break;
        case 2:  // a byte at a limit
          if (at < out.size()) out[at] = std::array<std::uint8_t, 4>{0, 0x7f, 0x80, 0xff}[below(4)];
          break;
        case 3:  // cut off
          out.resize(at);
          break;
        case 4: {  // a part is missing
          const std::size_t end = std::min(out.size(), at + 1 + below(16));
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(at),
                    out.begin() + static_cast<std::ptrdiff_t>(end));
          break;
        }
        case 5: {  // a part is there again
          const std::size_t end = std::min(out.size(), at + 1 + below(64));
          const Bytes part(out.begin() + static_cast<std::ptrdiff_t>(at),
                           out.begin() + static_cast<std::ptrdiff_t>(end));
          const std::size_t to = below(out.size() + 1);
          out.insert(out.begin() + static_cast<std::ptrdiff_t>(to), part.begin(), part.end());
          break;
        }
        case 6: {  // a part of another seed
          const Bytes& other = seeds_[below(seeds_.size())];
          const std::size_t from = below(other.size() + 1),
                            end = std::min(other.size(), from + 1 + below(64));
          out.insert(out.begin() + static_cast<std::ptrdiff_t>(at),
                     other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(end));
          break;
        }
        case 7: {  // a word of the format
          if (reader_.words.empty()) break;
          const std::string& word = reader_.words[below(reader_.words.size())];
          out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), word.begin(), word.end());
          break;
        }
        default: {  // a number at a limit, of 2, 4 or 8 bytes
          const std::size_t bytes = std::size_t{2} << below(3);
          if (at + bytes > out.size()) break;
          const std::uint64_t limit = std::array<std::uint64_t, 7>{0,
                                                                   1,
                                                                   ~std::uint64_t{0},
                                                                   0x7fffffffffffffff,
                                                                   0x80000000,
                                                                   0x7fffffff,
                                                                   0xffff}[below(7)];
          std::memcpy(out.data() + at, &limit, bytes);
        }
      }
    }
    if (out.size() > (std::size_t{1} << 20)) out.resize(std::size_t{1} << 20);
    return out;
  }

 private:
  const Reader& reader_;
  std::vector<Bytes> seeds_;
  std::uint64_t seed_;
};

std::vector<Bytes> seeds_of(const Reader& reader, const std::filesystem::path& folder) {
  std::vector<Bytes> all = reader.seeds ? reader.seeds() : std::vector<Bytes>();
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(reader.name + "."))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) all.push_back(bytes_of_file(file));
  if (all.empty()) all.emplace_back();
  return all;
}

// A seed with JSON, or text like it, with a value of very many brackets as the first of each of its
// objects, which a reader must not follow by recursion.
std::vector<Bytes> nested(const Bytes& seed) {
  constexpr std::size_t kDeep = 100'000, kMost = 8;
  std::vector<Bytes> all;
  const Bytes value =
      bytes_of(str("\"deep\":", std::string(kDeep, '['), std::string(kDeep, ']'), ","));
  for (std::size_t i = 0; i < seed.size() && all.size() < kMost; ++i)
    if (seed[i] == '{') {
      all.push_back(seed);
      all.back().insert(all.back().begin() + static_cast<std::ptrdiff_t>(i) + 1, value.begin(),
                        value.end());
    }
  return all;
}

// The seeds, one to a file, and the words as FOLDER.words, in libFuzzer's form.
void write_seeds(const Reader& reader, const std::vector<Bytes>& seeds,
                 const std::filesystem::path& to) {
  std::filesystem::create_directories(to);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    std::ofstream(to / str("seed-", i), std::ios::binary)
        .write(reinterpret_cast<const char*>(seeds[i].data()),
               static_cast<std::streamsize>(seeds[i].size()));
  std::ofstream words(to.string() + ".words");
  for (const std::string& word : reader.words) {
    words << '"';
    for (const char byte : word) {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto value = static_cast<std::uint8_t>(byte);
      words << "\\x" << kDigits[value >> 4] << kDigits[value & 15];
    }
    words << "\"\n";
  }
}

int run(std::vector<std::string> arguments) {
  const std::vector<Reader> readers = all_readers();
  std::uint64_t inputs = ~std::uint64_t{0}, seed = 1, every = 0;
  double seconds = 1e9, cpu = 1e9;
  bool flip = false;
  std::filesystem::path folder, keep, to;
  std::vector<std::string> rest;
  const auto next = [&](std::size_t& i) { return i + 1 < arguments.size() ? arguments[++i] : "0"; };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (one == "--list") {
      for (const Reader& reader : readers) std::cout << reader.name << "\n";
      return 0;
    }
    if (one == "--inputs")
      inputs = std::stoull(next(i));
    else if (one == "--seconds")
      seconds = std::stod(next(i));
    else if (one == "--cpu")
      cpu = std::stod(next(i));
    else if (one == "--seed")
      seed = std::stoull(next(i));
    else if (one == "--seeds")
      folder = next(i);
    else if (one == "--keep")
      keep = next(i);
    else if (one == "--until")
      until = next(i);
    else if (one == "--write")
      to = next(i);
    else if (one == "--flips")
      flip = true;
    else if (one == "--every")
      every = std::stoull(next(i));
    else
      rest.push_back(one);
  }
  if (flip) return flips(rest, every);
  const auto found = std::find_if(readers.begin(), readers.end(), [&](const Reader& reader) {
    return !rest.empty() && reader.name == rest.front();
  });
  if (found == readers.end()) {
    std::cerr << "campaign: name a reader of --list\n";
    return 2;
  }
  if (!to.empty()) {
    write_seeds(*found, seeds_of(*found, folder), to);
    return 0;
  }
  std::uint64_t read = 0;  // without an error
  const auto fails = [&](const Bytes& input, const std::string& what) {
    bool refused = false;
    const std::string trouble = trouble_of(*found, input, refused);
    read += refused ? 0 : 1;
    if (trouble.empty()) return false;
    std::cerr << found->name << ": " << what << ": " << trouble << "\n";
    return true;
  };
  if (rest.size() > 1) {
    bool failed = false;
    for (std::size_t i = 1; i < rest.size(); ++i)
      failed = fails(bytes_of_file(rest[i]), rest[i]) || failed;
    return failed ? 1 : 0;
  }
  const std::vector<Bytes> seeds = seeds_of(*found, folder);
  const std::filesystem::path kept = keep / (found->name + ".last");
  const auto keep_input = [&](const Bytes& input) {
    if (keep.empty()) return;
    std::ofstream out(kept, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(input.data()),
              static_cast<std::streamsize>(input.size()));
  };
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    keep_input(seeds[i]);
    if (fails(seeds[i], str("seed ", i))) return 1;
  }
  if (read == 0) {  // then no mutation gets far
    std::cerr << found->name << ": none of its seeds can be read\n";
    return 1;
  }
  for (const Bytes& one : seeds)
    for (const Bytes& input : nested(one)) {
      keep_input(input);
      if (fails(input, "a seed with many brackets")) return 1;
    }
  read = 0;
  Mutator mutate(*found, seeds, seed);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const double begun = cpu_seconds();
  std::uint64_t number = 0;
  for (; number < inputs; ++number) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) break;
    if (cpu_seconds() - begun > cpu) break;
    const Bytes input = mutate(number);
    keep_input(input);
    if (fails(input, str("input ", number, " of seed ", seed))) return 1;
  }
  if (number == 0) {
    std::cerr << found->name << ": no time was left for a single input\n";
    return 1;
  }
  std::cout << found->name << " " << number << " inputs, " << read << " of them read\n";
  if (!keep.empty()) std::filesystem::remove(kept);
  return 0;
}

}  // namespace

// Called by the allocations below.
void note_allocation(std::size_t bytes) {
  std::size_t known = largest.load(std::memory_order_relaxed);
  while (bytes > known && !largest.compare_exchange_weak(known, bytes)) {
  }
}

}  // namespace saccade::campaign

void* operator new(std::size_t bytes) {
  saccade::campaign::note_allocation(bytes);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  saccade::campaign::note_allocation(bytes);
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve more
  // Memory that no allocation of ours counts, such as a library's, has a limit, too.
  const rlimit limit{std::size_t{6} << 30, std::size_t{6} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  try {
    return saccade::campaign::run({argv + 1, argv + argc});
  } catch (const saccade::Error& error) {  // a file that was named cannot be read
    std::cerr << "campaign: " << error.what() << "\n";
  } catch (const std::logic_error& error) {  // std::stoull and std::stod
    std::cerr << "campaign: an option needs a number: " << error.what() << "\n";
  }
  return 2;
}
