#include "core/io/hdf5_session.h"

#include <hdf5.h>

#include <type_traits>

namespace saccade {

static_assert(std::is_same_v<hid_t, Hdf5Id> && std::is_same_v<herr_t, int>);

std::unique_lock<std::mutex> hdf5_session() {
  static std::mutex mutex;
  std::unique_lock lock(mutex);
  // We close what we open. At the end of the process, HDF5 would flush once more what could not be
  // written, and crash. This has to come before its first call.
  [[maybe_unused]] static const herr_t kept = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // a setting of each thread
  return lock;
}

H5Id hdf5_half_type() {
  H5Id type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(type.get(), 15, 10, 5, 0, 10);  // sign, exponent, mantissa
  H5Tset_ebias(type.get(), 15);
  H5Tset_size(type.get(), sizeof(std::uint16_t));
  return type;
}

}  // namespace saccade
