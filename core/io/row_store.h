// A large table of float rows of equal width in one file, found by name. It holds cached features.
// Every row has a digest; a row that is missing or damaged is an error, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/messages.h"
#include "core/base/real.h"

namespace saccade {

// What the rows of a store hold.
struct RowFormat {
  // A digest of everything that determines the rows: encoder, weights, preprocessing.
  std::string key;
  std::vector<Index> shape;  // of one row, such as [L, D]
  // Whether floats are stored in 16 bits: half the space, about three significant digits.
  bool half = false;

  Index width() const;  // floats per row; 0 where an extent is below 1 or they are above 2^29
  friend bool operator==(const RowFormat&, const RowFormat&) = default;
};

struct RowFile;  // private to the .cpp file: an open file, its ids and the places of its rows

// A complete store for reading. All functions may be called by several threads.
class RowStore {
 public:
  // Throws DataError, which names what to delete, when the file is missing, damaged, or made with
  // another key.
  RowStore(const std::filesystem::path& path, const std::string& key);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  const RowFormat& format() const;
  Index size() const;
  // All ids, including those that were left out: they have no row, and contains() is false for
  // them.
  const std::vector<std::string>& ids() const;
  bool contains(const std::string& id) const { return rows_.contains(id); }
  // The row of an id. Throws DataError when there is none.
  Index row(const std::string& id) const;
  // Reads one row [width]. Throws DataError when its digest is wrong.
  void read(Index row, std::span<float> values) const;
  void read(const std::string& id, std::span<float> values) const { read(row(id), values); }

 private:
  friend class RowStoreWriter;
  std::unique_ptr<RowFile> file_;
  std::unordered_map<std::string, Index> rows_;
};

// Fills a store. The store grows in `path.part`, which becomes `path` when it is complete. An
// interrupted fill continues where it stopped, and the rows of an older store of the same format
// are copied.
class RowStoreWriter {
 public:
  // The store will hold these ids and those of the older store. Throws BusyError when another
  // process fills it, and IoError when the disk has too little space or may not be written. The
  // listener receives a message where an older store is replaced.
  RowStoreWriter(const std::filesystem::path& path, const RowFormat& format,
                 const std::vector<std::string>& ids, const MessageListener& listener = {});
  ~RowStoreWriter();
  RowStoreWriter(const RowStoreWriter&) = delete;
  RowStoreWriter& operator=(const RowStoreWriter&) = delete;

  // The ids whose rows are still to be written, in the order of the store.
  std::vector<std::string> missing() const;
  // Writes one row [width]; several threads may write different rows. Throws DataError when a value
  // is not finite or does not fit into 16 bits, and IoError when the disk fails.
  void write(const std::string& id, std::span<const float> values);
  // Declares that this id will have no row, so that finish() does not wait for it.
  void leave_out(const std::string& id);
  // Completes the store. Throws InternalError when a row is missing that was not left out, and
  // IoError when the disk fails.
  void finish();

 private:
  std::size_t index(const std::string& id) const;
  void write_bytes(std::size_t row, std::span<const std::byte> bytes);
  void write_digest(std::size_t row, std::uint64_t digest);

  std::filesystem::path path_;
  std::unique_ptr<RowFile> file_;
  std::unordered_map<std::string, Index> rows_;
  mutable std::mutex mutex_;  // guards present_
  std::vector<char> present_;
};

}  // namespace saccade
