// How the HDF5 library is used here: by one thread at a time, and without its messages.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

namespace saccade {

// As the library calls its identifiers and results; its own header is included by .cpp files alone.
using Hdf5Id = std::int64_t;

// Gives the calling thread exclusive use of the library and keeps it from printing its error stack.
std::unique_lock<std::mutex> hdf5_session();

// An identifier that is closed at the end. A negative value means that the call that should have
// made it failed.
class H5Id {
 public:
  using Closer = int (*)(Hdf5Id);

  H5Id(Hdf5Id id, Closer closer) : id_(id), closer_(closer) {}
  H5Id(H5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  H5Id& operator=(H5Id&&) = delete;
  ~H5Id() { close(); }

  Hdf5Id get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  // Whether closing succeeded.
  bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  Hdf5Id id_;
  Closer closer_;
};

// IEEE's binary16, little-endian. HDF5 1.10 has no name for it.
H5Id hdf5_half_type();

}  // namespace saccade
