#include "core/io/hdf5_handle.h"

namespace saccade {

namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // a thread's own setting
}

}  // namespace saccade
