// Owners for HDF5's identifiers, and the one lock around the library. Its types are written as
// plain integers here, so that the library's header stays in .cpp files.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

namespace saccade {

// Gives the calling thread exclusive use of the library and keeps it from printing its error stack.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::lock_guard<std::mutex> lock_;
};

// An identifier that is closed at the end. A negative value means that the call that should have
// made it failed.
class H5Id {
 public:
  using Value = std::int64_t;     // hid_t
  using Closer = int (*)(Value);  // returns herr_t

  H5Id(Value id, Closer closer) : id_(id), closer_(closer) {}
  H5Id(H5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  H5Id& operator=(H5Id&&) = delete;
  ~H5Id() { close(); }

  Value get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  // Whether closing succeeded.
  bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  Value id_;
  Closer closer_;
};

}  // namespace saccade
