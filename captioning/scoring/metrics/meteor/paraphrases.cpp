#include "captioning/scoring/metrics/meteor/paraphrases.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "captioning/scoring/metrics/meteor/paraphrase_index.h"
#include "core/base/atomic_file.h"
#include "core/base/digest.h"
#include "core/base/error.h"

namespace saccade::meteor {

namespace fs = std::filesystem;

namespace {

// A file, mapped into memory for reading.
class Mapped {
 public:
  Mapped() = default;
  explicit Mapped(const fs::path& path) {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0 || status.st_size <= 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (data_ == MAP_FAILED) data_ = nullptr, size_ = 0;
  }
  Mapped(Mapped&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapped& operator=(Mapped&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapped() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Gives back the pages of a mapped file that were read; they come again when they are used.
void drop_pages(std::span<const std::byte> read) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(read.data()) % page;
  std::byte* const begin = const_cast<std::byte*>(read.data()) - before;
  ::madvise(begin, (before + read.size()) / page * page, MADV_DONTNEED);
}

// Tells a table from others by its size and its ends: of gzip, these have the checksum of the whole
// text. Of plain text, the time of the last change counts, too. "" for a pipe.
std::string key_of(const fs::path& table) {
  constexpr std::size_t kEnd = std::size_t{1} << 16;
  struct stat status {};
  if (::stat(table.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return "";
  const FileHandle file(::open(table.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0)
    throw DataError(
        str(table.string(), ": cannot be opened (", std::generic_category().message(errno), ")"));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::string head(std::min<std::uint64_t>(size, kEnd), '\0'), tail(head.size(), '\0');
  if (read_all_at(file.fd(), std::as_writable_bytes(std::span(head)), 0) != 0 ||
      read_all_at(file.fd(), std::as_writable_bytes(std::span(tail)), size - tail.size()) != 0)
    return "";
  Digest digest;
  for (const std::string& part : {std::to_string(size), head, tail}) digest.add(part);
  if (!head.starts_with("\x1f\x8b"))
    digest.add(
        str(fs::absolute(table).string(), " ", status.st_mtim.tv_sec, " ", status.st_mtim.tv_nsec));
  return digest.hex();
}

}  // namespace

struct Paraphrases::Parts {
  Mapped file;                   // holds the index,
  std::vector<std::byte> bytes;  // or else this does
  ParaphraseIndex index;
  std::vector<std::uint64_t> words;  // the first word of the phrases of each length
};

std::shared_ptr<const Paraphrases> Paraphrases::open(const fs::path& table, const fs::path& cache,
                                                     const MessageListener& listener) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Paraphrases>> open_tables;
  const std::lock_guard lock(mutex);
  const std::string key = key_of(table);
  if (const auto known = open_tables.find(key); known != open_tables.end() && !key.empty())
    return known->second;

  auto parts = std::make_unique<Parts>();
  const bool keeps = !cache.empty() && !key.empty();
  const fs::path file = cache / ("paraphrases-" + key + ".index");
  const auto map = [&] {
    parts->file = Mapped(file);
    const auto index = read_paraphrase_index(parts->file.bytes(), key, drop_pages);
    if (index) parts->index = *index;
    return index.has_value();
  };
  if (!keeps || !map()) {
    parts->bytes = make_paraphrase_index(table, key);
    try {
      if (keeps) {
        make_folders(cache);
        write_file(file, parts->bytes);
        inform(listener, str("read METEOR's paraphrases from ", table.string(),
                             "; the index for the next time is ", file.string()));
      }
    } catch (const IoError& error) {
      inform(listener, str("METEOR's paraphrases are read from ", table.string(),
                           " at every start, which takes seconds: ", error.what()));
    }
    if (keeps && map()) {
      parts->bytes = {};
    } else {
      parts->file = {};
      parts->index = read_paraphrase_index(parts->bytes, key).value();
    }
  }
  const std::shared_ptr<const Paraphrases> out(new Paraphrases(std::move(parts)));
  open_tables = {{key, out}};  // a program that takes table after table keeps the last
  return out;
}

Paraphrases::Paraphrases(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)), digest_(parts_->index.digest) {
  const auto lengths = parts_->index.lengths;
  std::uint64_t at = 0;
  for (std::size_t length = 0; length + 1 < lengths.size(); ++length) {
    parts_->words.push_back(at);
    at += length * (lengths[length + 1] - lengths[length]);
  }
}

Paraphrases::~Paraphrases() = default;

std::size_t Paraphrases::longest() const { return parts_->words.size() - 1; }

std::uint32_t Paraphrases::word(std::string_view text) const {
  const ParaphraseIndex& index = parts_->index;
  const auto at = [&](std::size_t word) {
    const std::uint32_t begin = word == 0 ? 0 : index.text_ends[word - 1];
    return std::string_view(index.texts.data() + begin, index.text_ends[word] - begin);
  };
  std::size_t low = 0, high = index.text_ends.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (at(middle) < text)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index.text_ends.size() && at(low) == text ? static_cast<std::uint32_t>(low)
                                                         : kNoWord;
}

std::optional<std::uint32_t> Paraphrases::find(std::span<const std::uint32_t> words) const {
  const std::size_t length = words.size();
  if (length == 0 || length > longest()) return std::nullopt;
  const auto search = [&](const auto all) -> std::optional<std::uint32_t> {
    const auto first = parts_->index.lengths[length];
    const auto* begin = all.data() + parts_->words[length];
    std::uint32_t low = 0, high = parts_->index.lengths[length + 1] - first;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const auto* phrase = begin + std::size_t{middle} * length;
      const auto order = std::lexicographical_compare_three_way(phrase, phrase + length,
                                                                words.begin(), words.end());
      if (order == 0) return first + middle;
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
    return std::nullopt;
  };
  return parts_->index.wide.empty() ? search(parts_->index.narrow) : search(parts_->index.wide);
}

std::span<const std::uint32_t> Paraphrases::of(std::uint32_t phrase) const {
  const ParaphraseIndex& index = parts_->index;
  const auto found = std::lower_bound(index.sources.begin(), index.sources.end(), phrase);
  if (found == index.sources.end() || *found != phrase) return {};
  const auto at = static_cast<std::size_t>(found - index.sources.begin());
  return index.targets.subspan(index.begins[at], index.begins[at + 1] - index.begins[at]);
}

}  // namespace saccade::meteor
