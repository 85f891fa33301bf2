#include "core/io/hdf5_handle.h"

#include <hdf5.h>

#include <type_traits>

namespace saccade {

namespace {

static_assert(std::is_same_v<hid_t, H5Id::Value> && std::is_same_v<herr_t, int>);

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  // We close what we open. At the end of the process, HDF5 would flush once more what could not be
  // written, and crash. This has to come before its first call.
  [[maybe_unused]] static const herr_t kept = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // a setting of each thread
}

}  // namespace saccade
