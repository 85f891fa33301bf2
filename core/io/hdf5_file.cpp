// Reads the arrays of an HDF5 file that another program wrote.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/error.h"
#include "core/io/array_file.h"
#include "core/io/hdf5_session.h"
#include "core/io/safetensors_header.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// The type of a dataset's elements as safetensors calls it; "" for one that is not read.
std::string type_name(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return str("F", bits);
    case H5T_INTEGER:
      return str(H5Tget_sign(type) == H5T_SGN_NONE ? "U" : "I", bits);
    case H5T_ENUM:  // h5py's truth values
      return bits == 8 ? "BOOL" : "";
    case H5T_STRING:
      return "text";
    default:
      return "";
  }
}

class Hdf5File final : public ArrayFile {
 public:
  explicit Hdf5File(const fs::path& path) : file_(opened(path)) {
    source_ = path.string();
    const auto session = hdf5_session();
    if (!file_)
      throw DataError(source_ +
                      ": HDF5 cannot open it; it is cut, damaged or still being written, copy it "
                      "again");
    if (H5Literate(file_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_name, &names_) < 0)
      throw DataError(source_ + ": the list of its arrays is damaged; copy it again");
    std::sort(names_.begin(), names_.end());
  }
  ~Hdf5File() override {
    const auto session = hdf5_session();
    file_.close();
  }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  ArrayInfo info(const std::string& name) const override {
    const auto session = hdf5_session();
    const H5Id set = open(name);
    const H5Id type(H5Dget_type(set.get()), H5Tclose), space(H5Dget_space(set.get()), H5Sclose);
    ArrayInfo info{.name = name, .type = type_name(type.get())};
    if (info.type.empty()) refuse(name, "its elements are neither numbers nor texts");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    if (rank < 0 || H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) < 0)
      refuse(name, "its shape is damaged");
    for (int axis = 0; axis < rank; ++axis)
      info.shape.push_back(static_cast<Index>(extents[static_cast<std::size_t>(axis)]));
    refuse_beyond_file(info, H5Tget_size(type.get()));
    return info;
  }

 protected:
  std::vector<std::byte> bytes(const ArrayInfo& array, Index first, Index rows) const override;
  std::vector<std::string> own_texts(const ArrayInfo& array) const override;

 private:
  // A damaged shape may ask for any amount of memory. Packed numbers take at least a thousandth.
  void refuse_beyond_file(const ArrayInfo& info, std::size_t width) const {
    constexpr double kMostPacked = 1100;
    double bytes = static_cast<double>(width);
    for (const Index extent : info.shape) bytes *= static_cast<double>(extent);
    std::error_code error;
    const auto has = static_cast<double>(fs::file_size(source_, error));
    if (!error && !(bytes <= kMostPacked * has))
      refuse(info.name, "its shape has more numbers than the file can hold; copy it again");
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw DataError(at(name) + ": " + why);
  }
  static H5Id opened(const fs::path& path) {
    const auto session = hdf5_session();
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  }
  H5Id open(const std::string& name) const {
    H5Id set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set)
      refuse(name, "it is no array (of groups of arrays only those of the file itself are read)");
    return set;
  }

  H5Id file_;
};

std::vector<std::byte> Hdf5File::bytes(const ArrayInfo& array, Index first, Index rows) const {
  const auto session = hdf5_session();
  const H5Id set = open(array.name), own(H5Dget_type(set.get()), H5Tclose);
  const std::size_t width = H5Tget_size(own.get());
  const Index all = array.shape.empty() ? 1 : array.shape[0];
  const Index row = all == 0 ? 0 : array.count() / all;
  std::vector<std::byte> out(static_cast<std::size_t>(rows * row) * width);
  if (out.empty()) return out;
  const bool truth = H5Tget_class(own.get()) == H5T_ENUM;
  const H5Id half = hdf5_half_type();
  // The library changes the order of bytes.
  const H5Id memory(array.type == "F16"   ? H5Tcopy(half.get())
                    : array.type == "F32" ? H5Tcopy(H5T_IEEE_F32LE)
                    : array.type == "F64" ? H5Tcopy(H5T_IEEE_F64LE)
                                          : H5Tcopy(own.get()),
                    H5Tclose);
  if (array.type[0] != 'F' && !truth) H5Tset_order(memory.get(), H5T_ORDER_LE);
  const H5Id space(H5Dget_space(set.get()), H5Sclose);
  std::vector<hsize_t> start(array.shape.size(), 0), count(array.shape.begin(), array.shape.end());
  if (!count.empty()) {
    start[0] = static_cast<hsize_t>(first);
    count[0] = static_cast<hsize_t>(rows);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  }
  const H5Id part(count.empty()
                      ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                  H5Sclose);
  if (H5Dread(set.get(), memory.get(), part.get(), space.get(), H5P_DEFAULT, out.data()) < 0)
    refuse(array.name,
           "HDF5 cannot read its numbers; they are damaged, or packed by a filter that "
           "it does not have (gzip is read)");
  return out;
}

std::vector<std::string> Hdf5File::own_texts(const ArrayInfo& array) const {
  const auto session = hdf5_session();
  const H5Id set = open(array.name), type(H5Dget_type(set.get()), H5Tclose);
  const auto count = static_cast<std::size_t>(array.count());
  std::vector<std::string> out(count);
  if (H5Tis_variable_str(type.get()) > 0) {
    std::vector<char*> texts(count, nullptr);
    const H5Id space(H5Dget_space(set.get()), H5Sclose);
    if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0)
      refuse(array.name, "HDF5 cannot read its texts");
    for (std::size_t i = 0; i < count; ++i)
      if (texts[i] != nullptr) out[i] = texts[i];
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, texts.data());
    return out;
  }
  const std::size_t width = H5Tget_size(type.get());
  std::string all(count * width, '\0');
  if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    refuse(array.name, "HDF5 cannot read its texts");
  for (std::size_t i = 0; i < count; ++i)
    out[i] = all.substr(i * width, strnlen(all.data() + i * width, width));
  return out;
}

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5(const fs::path& path) {
  return std::make_unique<Hdf5File>(path);
}

}  // namespace saccade
